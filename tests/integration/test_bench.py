"""The main job on a small project with real git, real asv and a real environment.

Each test works on a copy of one prepared project (conftest.py).
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import PYPROJECT, SUITE, a_project, change
from builders.survivors import survivors

from windtunnel.model.run import Failed, Measured, Skipped
from windtunnel.results.tree import read_records, read_tree
from windtunnel.results.work_dir import WorkDir

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
ABSENT = "3.99"
BROKEN = PYPROJECT.replace('"1"', "1")  # a version must be a text
SLOW = """
def time_slow():
    import pathlib, time
    while pathlib.Path({hold!r}).exists():
        time.sleep(0.01)
time_slow.version, time_slow.number, time_slow.repeat, time_slow.warmup_time = "1", 1, 2, 0
"""


def grow_slow(project):
    """Commit a benchmark that does not end while a file exists; return the file."""
    hold = project.parent / "hold"
    change(project, {"suite/spam_suite.py": SUITE + SLOW.format(hold=str(hold))}, "grow slow")
    hold.touch()
    return hold


def command(*argv):
    return [sys.executable, "-m", "windtunnel.cli", *argv]


def bench(folder, *argv, code=None):
    """Run the main job in *folder* to its end."""
    return windtunnel(folder, "bench", "--no-site", *argv, code=code)


def begin(folder, *argv):
    """Start the main job in *folder* and leave it running."""
    return subprocess.Popen(
        command("bench", "--no-site", *argv), cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )


def wait_for(process, words):
    """Read what *process* says until *words* come."""
    for line in process.stderr:
        if words in line:
            return
    pytest.fail(f"the main job ended without saying {words!r}")


def rows(folder):
    """Every row of the store, by commit subject and benchmark."""
    tree = read_tree(folder / ".asv" / "results")
    return {
        (git(folder, "log", "-1", "--format=%s", run.commit), row.name): row for run in tree.runs for row in run.rows
    }


def records(folder):
    """The records of all runs, oldest first."""
    found, doubts = read_records(folder / ".asv" / "results")
    assert doubts == ()
    return found


def test_every_case_is_measured_failed_or_skipped_once(project):
    """Values that are not numbers are rejected, and the other results are kept.

    A second call runs nothing again and leaves the store as it is; with --retry it runs the cases without a value.
    """
    done = bench(project, "--rounds", "1", code=0)
    stored = rows(project)
    work = stored["spam begins", "spam_suite.Spam.time_work"]
    assert [type(result) for result in work.results] == [Measured, Measured, Failed, Failed, Skipped, Skipped]
    assert isinstance(stored["spam begins", "spam_suite.track_poison"].results[0], Failed)
    assert stored["spam begins", "spam_suite.track_size"].results[0].value == 3
    assert all(each in done.stderr for each in ("ValueError: spam is off", "no such library", "returned a dict"))
    assert f"Python {ABSENT}: not found on this machine" in done.stderr
    (coverage,) = records(project)[0].coverage()
    assert coverage.endswith(": 3 of 8 cases measured, 3 failed, 2 skipped")
    before = {path: path.read_bytes() for path in (project / ".asv" / "results").rglob("*.json")}
    assert "nothing new to measure" in bench(project, code=0).stderr
    assert {path: path.read_bytes() for path in (project / ".asv" / "results").rglob("*.json")} == before
    bench(project, "--retry", "--rounds", "1")
    assert {case.state for task in records(project)[1].tasks for case in task.cases} == {"failed", "skipped"}


CLAIM = """
[sources]
S = { title = "nobody" }
[measuring]
background-load = 1000 # other tests run meanwhile
[[claim]]
id = "S1"
source = "S"
sentence = "More work takes less time than there is."
benchmark = "spam_suite.Spam.time_work"
contender = { way = "plain", size = 2 }
baseline = { way = "plain", size = 1 }
above = 1e-9
[[finding]]
id = "work"
question = "I have more work"
claim = "S1"
holds = "It takes {ratio} times as long."
fails = "It takes no time."
"""


def test_findings_are_shown_first_and_decided_claims_last(project):
    """From blocks that were measured before. A broken claims file does not lose the results."""
    (project / "suite" / "claims.toml").write_text(CLAIM)
    assert "S1" not in bench(project, "--bench", "track_size").stdout
    windtunnel(project, "measure-claims", code=0)
    told = bench(project, "--bench", "time_work.'plain'")
    first, *_, last = told.stdout.split("\n\n")
    assert first.startswith("I have more work\n  It takes "), told.stderr
    assert "S1  More work takes less time than there is." in last
    (project / "suite" / "claims.toml").write_text("claim = 1")
    again = bench(project, "--bench", "track_size")
    assert (again.returncode, again.stdout) == (0, "")
    assert "claims are not decided" in again.stderr


def test_a_commit_that_cannot_be_installed_does_not_stop_the_others(project):
    """The reason is reported. A run that measures nothing is an error."""
    change(project, {"pyproject.toml": BROKEN}, "break the build")
    alone = bench(project, "--commits", "1", "--bench", "track_size", code=3)
    assert "install failed" in alone.stderr
    assert "nothing was measured" in alone.stderr
    change(project, {"pyproject.toml": PYPROJECT}, "mend the build")
    done = bench(project, "--commits", "3", "--retry", "--bench", "track_size", code=0)
    assert sorted(subject for subject, _ in rows(project)) == ["mend the build", "spam begins"]
    broken = git(project, "rev-parse", "HEAD~1")[:8]
    assert f"{broken} on Python {HERE}: nothing measured" in done.stderr
    assert "nothing new to measure" in bench(project, "--bench", "track_size").stderr


def test_a_commit_that_changes_only_documentation_is_not_timed(project):
    """It is reported, and the commit before it is timed."""
    change(project, {"README.md": "spam", "docs/spam.md": "spam"}, "write it down")
    done = bench(project, "--commits", "1", "--bench", "track_size", code=0)
    assert "(write it down): differs from its parent only in paths" in done.stderr
    assert [subject for subject, _ in rows(project)] == ["spam begins"]


def test_ctrl_c_keeps_saved_benchmarks(project):
    """The exit code is 130, no process remains, and the next call measures only the rest."""
    hold = grow_slow(project)
    with begin(project) as process:
        wait_for(process, "spam_suite.Spam.time_work done")
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    assert family
    assert survivors(family) == []
    assert records(project)[0].interrupted
    assert {name for _, name in rows(project)} == {"spam_suite.Spam.time_work"}
    hold.unlink()
    assert bench(project).returncode == 0
    resumed = {
        case.benchmark for task in records(project)[1].tasks if task.commit == head(project) for case in task.cases
    }
    assert resumed == {"spam_suite.time_slow", "spam_suite.track_poison", "spam_suite.track_size"}


def test_kill_keeps_saved_benchmarks(project):
    """After kill -9 no engine remains, and the next call stores the saved results."""
    hold = grow_slow(project)
    with begin(project, "--commits", "1") as process:
        wait_for(process, "spam_suite.Spam.time_work done")
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert family
    assert survivors(family) == []
    hold.unlink()
    assert bench(project, "--commits", "1", "--bench", "track_size").returncode == 0
    assert {name for _, name in rows(project)} >= {"spam_suite.Spam.time_work", "spam_suite.track_size"}


def test_a_dead_engine_leaves_no_benchmark(project):
    """A benchmark that the engine does not know, or no longer ends, ends all the same."""
    hold = grow_slow(project)
    with begin(project, "--commits", "1", "--bench", "time_slow", "--bench", "time_work") as process:
        wait_for(process, "spam_suite.Spam.time_work done")
        [engine] = psutil.Process(process.pid).children()
        while not (benchmarks := engine.children(recursive=True)):
            time.sleep(0.01)
        engine.kill()
        process.communicate()
    assert survivors(benchmarks) == []
    hold.unlink()


def test_a_second_main_job_is_refused(project):
    """Two jobs would affect each other's timings."""
    with WorkDir(root=project / ".windtunnel", results=project / ".asv" / "results").alone():
        refused = bench(project)
    assert refused.returncode == 2
    assert "another windtunnel command measures" in refused.stderr


def test_a_shallow_clone_and_uncommitted_changes_are_warnings(project, tmp_path):
    """The available commits are measured, not the work tree."""
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{project}", "shallow")
    shutil.copytree(project / ".asv", tmp_path / "shallow" / ".asv", symlinks=True)
    (tmp_path / "shallow" / "spam" / "__init__.py").write_text("def work(size):\n    1/0\n")
    done = bench(tmp_path / "shallow", "--bench", "track_size", code=0)
    assert "the clone is shallow" in done.stderr
    assert "uncommitted changes" in done.stderr


def test_a_folder_without_a_repository_or_commits_is_a_usage_error(tmp_path):
    """The message says how to fix it."""
    folder = a_project(tmp_path / "project", pythons=(HERE,))
    shutil.rmtree(folder / ".git")
    done = bench(folder)
    assert (done.returncode, "git" in done.stderr) == (2, True)
    git(folder, "init", "--quiet")
    done = bench(folder)
    assert (done.returncode, "no commits" in done.stderr) == (2, True)


def test_a_folder_without_a_suite_is_an_error(tmp_path):
    """The message names the option that selects one."""
    assert "--config" in bench(tmp_path, code=2).stderr


def test_an_unwritable_folder_is_an_error(project):
    """It is reported before anything is measured."""
    shutil.rmtree(project / ".windtunnel")
    (project / ".windtunnel").write_text("in the way")
    done = bench(project, code=3)
    assert str(project / ".windtunnel") in done.stderr


@pytest.mark.parametrize("argv", [("--bench", "no_such_benchmark"), ("--bench", "("), ("--python", ABSENT)])
def test_what_selects_nothing_is_a_usage_error(project, argv):
    """The message names what was asked for; a pattern may be invalid, and all Pythons absent."""
    assert argv[1] in bench(project, *argv, code=2).stderr


def test_a_suite_that_cannot_be_imported_is_an_error(project):
    """The message shows the error of the suite."""
    change(project, {"suite/spam_suite.py": "import no_such_module\n"}, "break the suite")
    assert "no_such_module" in bench(project, code=3).stderr


def head(folder):
    return git(folder, "rev-parse", "HEAD")


def test_the_environment_of_the_caller_has_no_effect(project, tmp_path):
    """PYTHONPATH and VIRTUAL_ENV of the caller do not change what is timed.

    A runner's service may have no home, and any temporary folder; nothing is left there or beside the checkout.
    """
    temporary = tmp_path / "temporary files"
    temporary.mkdir()
    beside = set(project.parent.iterdir())
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "VIRTUAL_ENV": "/nowhere", "TMPDIR": str(temporary)}
    env |= {"UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR") or str(Path.home() / ".cache" / "uv")}
    del env["HOME"]
    change(
        project,
        {"suite/spam_suite.py": "import os\ndef track_it():\n    return len(os.environ.get('PYTHONPATH', ''))\n"},
        "look around",
    )
    done = subprocess.run(
        command("bench", "--commits", "1"), cwd=project, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert rows(project)["look around", "spam_suite.track_it"].results[0].value == 0
    assert (list(temporary.iterdir()), set(project.parent.iterdir())) == ([], beside)


def test_the_site_is_built_at_the_end(project):
    """The table goes to stdout, the site to .windtunnel, and the command that serves it is shown."""
    done = windtunnel(project, "bench", "--bench", "track_size", code=0)
    assert "spam_suite.track_size" in done.stdout
    assert (project / ".windtunnel" / "site" / "index.html").is_file()
    assert (project / ".windtunnel" / "site" / "site.json").is_file()
    assert f"--directory {project / '.windtunnel' / 'site'}\n" in done.stdout
