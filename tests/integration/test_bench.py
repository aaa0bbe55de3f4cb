"""The main job on a small foreign project: real git, real asv, a real environment.

Each test works on a copy of one prepared project (conftest.py).
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import PYPROJECT, SUITE, a_project, change

from windtunnel.model.result import Failed, Measured, Skipped
from windtunnel.model.run_format import CaseState
from windtunnel.results.tree import read_records, read_tree
from windtunnel.results.work_dir import WorkDir

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
ABSENT = "3.99"
BROKEN = PYPROJECT.replace('"1"', "1")  # a version must be a text
SLOW = (
    SUITE
    + """
def time_slow():
    import time; time.sleep(0.5)
time_slow.version, time_slow.number, time_slow.repeat, time_slow.warmup_time = "1", 1, 2, 0
"""
)


def command(*argv):
    return [sys.executable, "-m", "windtunnel.cli", *argv]


def bench(folder, *argv):
    """Run the main job in *folder* to its end."""
    return windtunnel(folder, "bench", "--no-site", *argv)


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


def survivors(family):
    """Those of the processes *family* that are still there; they get ten seconds to leave."""
    _, alive = psutil.wait_procs(family, timeout=10)
    return alive


def test_every_case_has_its_fate(project):
    """Measured, failed, skipped: each case is accounted for, poison is kept out, and the rest is not lost."""
    done = bench(project)
    assert done.returncode == 0, done.stderr
    stored = rows(project)
    work = stored["spam begins", "spam_suite.Spam.time_work"]
    assert [type(result) for result in work.results] == [Measured, Measured, Failed, Failed, Skipped, Skipped]
    assert isinstance(stored["spam begins", "spam_suite.track_poison"].results[0], Failed)
    assert stored["spam begins", "spam_suite.track_size"].results[0].value == 3
    assert "ValueError: spam is off" in done.stderr
    assert "no such library" in done.stderr
    assert "returned a dict" in done.stderr
    assert f"Python {ABSENT}: not found on this machine" in done.stderr
    (coverage,) = records(project)[0].coverage()
    assert (coverage.expected, coverage.measured, coverage.failed, coverage.skipped) == (8, 3, 3, 2)


CLAIM = """
[sources]
S = "nobody"
[[claim]]
id = "S1"
source = "S"
sentence = "More work takes less time than there is."
benchmark = "spam_suite.Spam.time_work"
contender = { way = "plain", size = 2 }
baseline = { way = "plain", size = 1 }
above = 1e-9
"""


def test_claims_are_told_at_the_end(project):
    """Where anything that was measured decides one; a broken claims file does not cost the results."""
    (project / "suite" / "claims.toml").write_text(CLAIM)
    assert "S1" not in bench(project, "--bench", "track_size").stdout
    told = bench(project, "--bench", "time_work.'plain'")
    assert "S1  More work takes less time than there is." in told.stdout, told.stderr
    (project / "suite" / "claims.toml").write_text("claim = 1")
    again = bench(project, "--bench", "track_size")
    assert (again.returncode, again.stdout) == (0, "")
    assert "claims are not decided" in again.stderr


def test_second_call_measures_nothing(project):
    """What is measured, has failed or was skipped is not tried again, and the store keeps its bytes."""
    bench(project)
    before = {path: path.read_bytes() for path in (project / ".asv" / "results").rglob("*.json")}
    again = bench(project)
    assert again.returncode == 0, again.stderr
    assert "nothing new to measure" in again.stderr
    assert len(records(project)) == 1
    assert {path: path.read_bytes() for path in (project / ".asv" / "results").rglob("*.json")} == before


def test_retry_tries_again_what_failed(project):
    """--retry measures what failed or was skipped, and only that."""
    bench(project)
    bench(project, "--retry")
    assert {case.state for task in records(project)[1].tasks for case in task.cases} == {
        CaseState.FAILED,
        CaseState.SKIPPED,
    }


def test_uninstallable_commit_loses_nothing_else(project):
    """A commit whose build breaks is named with the reason; its neighbours are measured."""
    change(project, {"pyproject.toml": BROKEN}, "break the build")
    change(project, {"pyproject.toml": PYPROJECT}, "mend the build")
    done = bench(project, "--bench", "track_size")
    assert done.returncode == 0, done.stderr
    assert sorted(subject for subject, _ in rows(project)) == ["mend the build", "spam begins"]
    broken = git(project, "rev-parse", "HEAD~1")[:8]
    assert f"{broken} on Python {HERE}: nothing measured" in done.stderr
    assert "nothing new to measure" in bench(project, "--bench", "track_size").stderr


def test_only_broken_commits_is_no_success(project):
    """A run that measured nothing ends with exit code 3, and says why."""
    change(project, {"pyproject.toml": BROKEN}, "break the build")
    done = bench(project, "--commits", "1")
    assert done.returncode == 3
    assert "install failed" in done.stderr
    assert "nothing was measured" in done.stderr


def test_documentation_is_not_timed(project):
    """A commit that changes documentation alone is named, and the one before it is timed."""
    change(project, {"README.md": "spam", "docs/spam.md": "spam"}, "write it down")
    done = bench(project, "--commits", "1", "--bench", "track_size")
    assert done.returncode == 0, done.stderr
    assert "(write it down): differs from its parent only in paths" in done.stderr
    assert [subject for subject, _ in rows(project)] == ["spam begins"]


def test_ctrl_c_keeps_what_is_measured_and_the_next_call_goes_on(project):
    """Ctrl-C ends with 130, no process is left, saved benchmarks are in the store and are not measured again."""
    change(project, {"suite/spam_suite.py": SLOW}, "grow slow")
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
    assert bench(project).returncode == 0
    resumed = {
        case.benchmark for task in records(project)[1].tasks if task.commit == head(project) for case in task.cases
    }
    assert resumed == {"spam_suite.time_slow", "spam_suite.track_poison", "spam_suite.track_size"}


def test_kill_loses_nothing_that_was_saved(project):
    """After kill -9 no engine stays behind, and the next call stores what the killed one had saved."""
    change(project, {"suite/spam_suite.py": SLOW}, "grow slow")
    with begin(project, "--commits", "1") as process:
        wait_for(process, "spam_suite.Spam.time_work done")
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert family
    assert survivors(family) == []
    assert bench(project, "--commits", "1", "--bench", "track_size").returncode == 0
    assert {name for _, name in rows(project)} >= {"spam_suite.Spam.time_work", "spam_suite.track_size"}


def test_two_main_jobs_do_not_disturb_each_other(project):
    """The second one is refused while the first is at work."""
    with WorkDir(root=project / ".windtunnel", results=project / ".asv" / "results").alone():
        refused = bench(project)
    assert refused.returncode == 2
    assert "another main job is running" in refused.stderr


def test_uncommitted_changes_are_warned_of(project):
    """What is timed is the commit, not the work tree."""
    (project / "spam" / "__init__.py").write_text("def work(size):\n    1/0\n")
    done = bench(project, "--bench", "track_size")
    assert done.returncode == 0, done.stderr
    assert "uncommitted changes" in done.stderr


def test_shallow_clone_is_warned_of(project, tmp_path):
    """A shallow clone measures what it has."""
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{project}", "shallow")
    shutil.copytree(project / ".asv", tmp_path / "shallow" / ".asv", symlinks=True)
    done = bench(tmp_path / "shallow", "--bench", "track_size")
    assert done.returncode == 0, done.stderr
    assert "the clone is shallow" in done.stderr


def test_repository_without_commits(tmp_path):
    """There is nothing to time, and the message says what to do."""
    folder = a_project(tmp_path / "project", pythons=(HERE,))
    shutil.rmtree(folder / ".git")
    git(folder, "init", "--quiet")
    done = bench(folder)
    assert done.returncode == 2
    assert "no commits" in done.stderr


def test_no_repository(tmp_path):
    """A folder that is no repository is named."""
    folder = a_project(tmp_path / "project", pythons=(HERE,))
    shutil.rmtree(folder / ".git")
    done = bench(folder)
    assert done.returncode == 2
    assert "git" in done.stderr


def test_no_suite(tmp_path):
    """Without asv.conf.json the message names the option that helps."""
    done = bench(tmp_path)
    assert done.returncode == 2
    assert "--config" in done.stderr


def test_unwritable_folder(project):
    """A folder that cannot be written is named before anything is measured."""
    shutil.rmtree(project / ".windtunnel")
    (project / ".windtunnel").write_text("in the way")
    done = bench(project)
    assert done.returncode == 3
    assert str(project / ".windtunnel") in done.stderr


def test_no_python_of_those_asked_for(project):
    """Nothing to run on is a usage error that names what was asked for."""
    done = bench(project, "--python", ABSENT)
    assert done.returncode == 2
    assert ABSENT in done.stderr
    assert "doctor" in done.stderr


@pytest.mark.parametrize("pattern", ["no_such_benchmark", "("])
def test_pattern_that_matches_nothing(project, pattern):
    """A pattern that selects no case, or is none, is named."""
    done = bench(project, "--bench", pattern)
    assert done.returncode == 2
    assert pattern in done.stderr


def test_suite_that_cannot_be_imported(project):
    """The error of the suite itself is what the user sees."""
    change(project, {"suite/spam_suite.py": "import no_such_module\n"}, "break the suite")
    done = bench(project)
    assert done.returncode == 3
    assert "no_such_module" in done.stderr


def head(folder):
    return git(folder, "rev-parse", "HEAD")


def test_environment_of_the_caller_does_not_leak(project):
    """PYTHONPATH and VIRTUAL_ENV of the caller must not change what is timed."""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "VIRTUAL_ENV": "/nowhere"}
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


def test_the_site_is_there_at_the_end(project):
    """The table goes to stdout, the site into .windtunnel, and the way to it is said."""
    done = subprocess.run(
        command("bench", "--bench", "track_size"), cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "spam_suite.track_size" in done.stdout
    assert (project / ".windtunnel" / "site" / "index.html").is_file()
    assert (project / ".windtunnel" / "site" / "site.json").is_file()
    assert f"site: {project / '.windtunnel' / 'site' / 'index.html'}" in done.stdout
    assert "make serve" in done.stderr


def test_address_of_the_project_means_the_checkout(project):
    """Most suites name where their project is published; nothing is cloned from there, also in a fork."""
    content = (
        (project / "asv.conf.json").read_text().replace('"repo": "."', '"repo": "https://example.org/org/Spam.git"')
    )
    (project / "asv.conf.json").write_text(content)
    git(project, "remote", "add", "origin", "git@example.org:me/spam")
    done = bench(project, "--bench", "track_size")
    assert done.returncode == 0, done.stderr
    (run,) = read_tree(project / ".asv" / "results").runs
    assert run.commit == head(project)


def test_suite_that_lies_outside_its_project(project, tmp_path):
    """Many projects keep their suite in a repository of its own: commits are those of ``repo``."""
    beside = tmp_path / "beside"
    shutil.copytree(project / "suite", beside / "suite")
    content = (project / "asv.conf.json").read_text()
    content = content.replace('"repo": "."', '"repo": "../project"').replace('".asv/env"', '"../project/.asv/env"')
    (beside / "asv.conf.json").write_text(content)
    (beside / "pyproject.toml").write_text(PYPROJECT)  # asv takes build requirements from where it stands
    done = bench(beside, "--bench", "track_size")
    assert done.returncode == 0, done.stderr
    (run,) = read_tree(beside / ".asv" / "results").runs
    assert run.commit == head(project)
