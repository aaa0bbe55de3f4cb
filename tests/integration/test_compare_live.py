"""Two commits measured against each other: real git, real asv, real environments."""

import json
import shutil
import signal
import subprocess
import sys

import pytest
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import PYPROJECT, a_project, change

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

SUITE = """\
import time
import spam

def time_work():
    spam.work()
time_work.version, time_work.number, time_work.repeat, time_work.warmup_time = "1", 1, 5, 0

def time_idle():
    time.sleep(0.01)
time_idle.version, time_idle.number, time_idle.repeat, time_idle.warmup_time = "1", 1, 3, 0

def time_fragile():
    spam.fragile()
time_fragile.version, time_fragile.number, time_fragile.repeat, time_fragile.warmup_time = "1", 1, 1, 0

def track_size():
    return spam.SIZE
"""
PACKAGE = """\
SIZE = {size}

def work():
    return sum(range(SIZE))

def fragile():
    {fragile}
"""
SEEDS = (1, 2)
SETTINGS = """
[[tool.windtunnel.depends]]
match = "track_size"
paths = ["data/"]
"""
KILL = """import os, pathlib, signal
    parent = os.getppid()
    b"run_server" in pathlib.Path(f"/proc/{parent}/cmdline").read_bytes() and os.kill(parent, signal.SIGKILL)"""


def a_package(size=20_000, fragile="pass"):
    return {"spam/__init__.py": PACKAGE.format(size=size, fragile=fragile)}


@pytest.fixture(scope="module")
def suite(tmp_path_factory, furnish):
    """A project with a commit for each thing that may happen."""
    folder = tmp_path_factory.mktemp("compared") / "project"
    a_project(folder, pythons=(HERE, "3.99"), suite=SUITE, package=a_package()["spam/__init__.py"])
    change(folder, {"pyproject.toml": PYPROJECT + SETTINGS}, "what the suite depends on")
    git(folder, "tag", "base")
    heads = {
        "slower": a_package(size=60_000),
        "same": {"README.md": "not in the wheel"},
        "broken": {"pyproject.toml": PYPROJECT.replace('"1"', "1")},
        "fragile": a_package(fragile="raise ValueError('spam is off')"),
        "unrun": {"spam/unrun.py": "def never(): pass\n"},
        "deadly": a_package(fragile=KILL),
        "grown": {
            **a_package(size=20_001),
            "spam/fresh.py": "NUMBERS = [1, 2]\n",
            "suite/more.py": "import spam\n\ndef track_new():\n    return spam.SIZE\n",
            "suite/fresh.py": "from spam.fresh import NUMBERS\n\ndef track_fresh():\n    return len(NUMBERS)\n",
            "suite/spam_suite.py": SUITE.replace("return spam.SIZE", "return spam.SIZE + 1"),
        },
    }
    for name, files in heads.items():
        git(folder, "checkout", "--quiet", "-B", name, "base")
        change(folder, files, name)
    git(folder, "checkout", "--quiet", "main")
    furnish(folder, "base", "head")
    return folder


def command(*argv):
    return [sys.executable, "-m", "windtunnel.cli", "compare", *argv]


def compare(suite, *argv, head="slower", code=None):
    """Compare in *suite*, standing at *head*; return the finished process and the verdict.

    Instructions are not counted unless *argv* asks for it.
    """
    git(suite, "checkout", "--quiet", head)
    out = suite.parent / "verdict.json"
    out.unlink(missing_ok=True)
    counting = () if "--instructions" in argv else ("--instructions", "none")
    done = windtunnel(suite, "compare", *argv, "--out", out, "--seed", "1", *counting, code=code)
    return done, json.loads(out.read_text()) if out.exists() else None


def verdicts(verdict):
    return {one["benchmark"]: one["verdict"] for one in verdict["comparisons"]}


@pytest.fixture(scope="module")
def slower(suite):
    """A comparison from the merge base to HEAD without naming either, with instructions of suspects for few seeds."""
    given = ("--bench", "work|idle|size", "--aa-share", "0.4", "--rounds", "8", "--instructions", "suspects")
    with pytest.MonkeyPatch.context() as patch:  # each seed takes two processes under valgrind, six seconds of CPU each
        patch.setattr("windtunnel.model.schedule.DEFAULT_SEEDS", SEEDS)
        patch.setattr("windtunnel.compare.significance.MIN_SEEDS", len(SEEDS))
        return compare(suite, *given)


def test_a_slower_head_is_reported_and_fails_the_gate(suite, slower):
    """What only waits is unchanged; a count is exact."""
    done, verdict = slower
    assert done.returncode == 1, done.stderr
    assert verdict["base"] == git(suite, "rev-parse", "base")
    assert verdicts(verdict)["spam_suite.time_work"] == "regressed"
    assert verdicts(verdict)["spam_suite.track_size"] == "regressed"
    assert verdicts(verdict)["spam_suite.time_idle"] != "regressed"
    work = next(one for one in verdict["comparisons"] if one["benchmark"] == "spam_suite.time_work")
    assert work["significant"]
    assert {one["stage"] for one in work["stage_samples"]} == {"screening", "confirmation"}
    assert 1.0 < work["relative_change"] < 4.0
    assert verdict["aa"]["comparisons"] == 1
    assert "became slower" in done.stdout
    assert "random order with seed 1" in done.stderr


@pytest.mark.skipif(not shutil.which("valgrind"), reason="install it: sudo apt-get install valgrind")
def test_instructions_and_functions_explain_a_slower_head(slower):
    """The code adds up 60,000 instead of 20,000 numbers, in the function that the diff does not change itself."""
    done, verdict = slower
    work = next(one for one in verdict["comparisons"] if one["benchmark"] == "spam_suite.time_work")
    assert work["instructions"]["work"] == "more"
    assert 1.8 < work["instructions"]["relative_change"] < 2.2
    assert len(work["work"]["base"]["per_call"]) == len(work["work"]["head"]["per_call"]) == len(SEEDS)
    assert "more work: instructions +" in done.stdout
    assert any(one["name"].endswith(("work", "sum")) for one in work["cause"]["functions"])


def test_cases_that_no_changed_file_can_affect_are_left_out(suite):
    """With --changed-only the report lists them with the paths."""
    done, verdict = compare(suite, "base", "slower", "--changed-only", "--bench", "idle|size", "--rounds", "2")
    assert [one["benchmark"] for one in verdict["comparisons"]] == ["spam_suite.time_idle"]
    assert [(one["benchmark"], one["reason"]) for one in verdict["unaffected"]] == [
        ("spam_suite.track_size", "no change in data/")
    ]
    assert verdict["coverage"] == {"planned": 1, "compared": 1}
    assert "spam_suite.track_size: no change in data/" in done.stdout


def test_only_cases_that_run_a_changed_function_are_measured(suite):
    """And a control, which the seed draws among the others; `--all` measures all of them.

    A benchmark that fails on head is listed with its reason, and the others are compared.
    """
    given = ("--bench", "fragile|idle|size", "--rounds", "2")
    done, verdict = compare(suite, "base", "fragile", *given, head="fragile")
    assert (verdict["reach"]["cases"], verdict["reach"]["reached"]) == (3, 1)
    (control,) = verdict["reach"]["guard"]
    (left_out,) = verdict["unaffected"]
    assert {control["benchmark"], left_out["benchmark"]} == {"spam_suite.time_idle", "spam_suite.track_size"}
    assert [one["benchmark"] for one in verdict["failed"]] == ["spam_suite.time_fragile"]
    assert "1 of 3 benchmark cases can run code that changed. 1 are left out; 1 more" in done.stdout
    done, verdict = compare(suite, "base", "fragile", *given, "--all", head="fragile", code=1)
    assert verdict["reach"] is None
    assert not verdict["unaffected"]
    (failed,) = verdict["failed"]
    assert failed["benchmark"] == "spam_suite.time_fragile"
    assert failed["on"] == ["head"]
    assert "ValueError: spam is off" in failed["reason"]
    assert verdicts(verdict).keys() == {"spam_suite.time_idle", "spam_suite.track_size"}
    assert verdicts(verdict)["spam_suite.track_size"] == "unchanged"


def test_a_change_that_no_benchmark_runs_is_not_measured(suite):
    """The report says so at once, with the file; it is no failure. The map of this head says what the next runs."""
    done, verdict = compare(suite, "base", "unrun", head="unrun", code=0)
    assert done.stdout.startswith("No benchmark runs the changed code: spam/unrun.py")
    assert verdict["budget"]["processes"] == 0
    assert len(verdict["unaffected"]) == 4
    git(suite, "checkout", "--quiet", "-B", "next")
    change(suite, {"spam/unrun.py": "def never(): return 1\n"}, "next")
    again, _ = compare(suite, "base", "next", head="next", code=0)
    first, second = (git(suite, "rev-parse", each)[:10] for each in ("unrun", "next"))
    assert again.stdout == done.stdout.replace(first, second)
    assert "finding what cases run" not in again.stderr


def test_a_change_of_no_code_builds_nothing(suite):
    """Words, layout and what no measurement depends on."""
    done, verdict = compare(suite, "base", "same", head="same", code=0)
    assert done.stdout.startswith("Nothing was measured: no changed file can affect a benchmark")
    assert verdict["unmeasured"] == "irrelevant"
    assert not verdict["environments"]


def test_a_part_without_a_case_has_done_its_work(suite):
    """A matrix may have more jobs than the suite has cases; that is no failure of a job."""
    _, verdict = compare(suite, "base", "slower", "--bench", "size", "--shard", "9/9", "--rounds", "2", code=0)
    assert verdict["coverage"]["planned"] == 0


def test_the_same_wheel_is_not_measured(suite):
    """Nothing that is installed differs: that is the verdict."""
    _, verdict = compare(suite, "base", "same", "--all", head="same", code=0)
    assert verdict["overall"] == "same_artifact"
    assert verdict["budget"]["processes"] == 0


@pytest.mark.parametrize("head", ["same", "slower"])
def test_an_expression_that_matches_nothing_is_a_usage_error(suite, head):
    """Also where both commits build the same wheel; the verdict says it too, for the answer to a comment."""
    done, verdict = compare(suite, "base", head, "--all", "--bench", "nothing_like_this", head=head, code=2)
    assert "no benchmark matches nothing_like_this" in done.stderr
    assert any("No case matches" in note for note in verdict["notes"])


def test_a_self_check_finds_its_built_in_slowdown(suite):
    """One commit, whose builds are equal; waiting code takes twice as long, and a count cannot be slowed down."""
    _, verdict = compare(
        suite, "--self-check", "--slowdown", "100%", "--bench", "idle|size", "--rounds", "5", head="same", code=0
    )
    assert verdict["base"] == verdict["head"]
    assert verdicts(verdict) == {"spam_suite.time_idle": "regressed"}
    assert 0.9 < verdict["self_check"]["achieved"] < 2.0
    (skipped,) = verdict["skipped"]
    assert skipped["benchmark"] == "spam_suite.track_size"
    assert "no slowdown can be built in" in skipped["reason"]


def test_a_head_that_cannot_be_built_is_no_verdict(suite):
    """The exit code is 3, and the report has the message of the build."""
    done, verdict = compare(suite, "base", "broken", head="main", code=3)
    assert verdict["overall"] == "nothing_measured"
    (failure,) = verdict["environment_failures"]
    assert failure["on"] == "head"
    assert failure["reason"].startswith("install of head failed: ")
    assert done.stdout.startswith("Nothing was measured: head cannot be built")


def test_a_benchmark_that_kills_its_parent_loses_no_other(suite):
    """Others come from the next one."""
    _, verdict = compare(suite, "base", "deadly", "--bench", "fragile|idle", "--rounds", "4", head="deadly", code=1)
    (failed,) = verdict["failed"]
    assert "forked from" in failed["reason"]
    (other,) = verdict["comparisons"]
    assert other["benchmark"] == "spam_suite.time_idle"
    assert other["baseline"]["processes"] == other["contender"]["processes"] == 4


def test_new_and_changed_benchmarks_are_compared(suite):
    """Both commits run head's suite; a module that base cannot import hides only its own benchmarks."""
    done, verdict = compare(suite, "base", "grown", "--bench", "track", "--rounds", "2", head="grown", code=0)
    found = {one["benchmark"]: (one["suite_change"], round(one["baseline"]["value"])) for one in verdict["comparisons"]}
    assert found == {"spam_suite.track_size": ("changed", 20_001), "more.track_new": ("new", 20_000)}
    (added,) = verdict["added"]
    assert added["benchmark"] == "fresh.track_fresh"
    assert added["reason"] == "new, not measurable on base: ModuleNotFoundError: No module named 'spam.fresh'"
    assert not verdict["failed"]
    assert "New and changed benchmarks ran with head's code on both commits." in done.stdout


@pytest.mark.parametrize("sent", [(signal.SIGINT,), (signal.SIGTERM, signal.SIGTERM)], ids=["Ctrl-C", "timeout"])
def test_an_interruption_keeps_what_was_measured(suite, sent):
    """Ctrl-C ends the comparison within seconds, the report notes it, and no process stays; so does timeout(1)."""
    git(suite, "checkout", "--quiet", "slower")
    out = suite / "interrupted.json"
    process = subprocess.Popen(
        command("base", "slower", "--bench", "idle", "--out", str(out)),
        cwd=suite,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    for line in process.stderr:
        if "screening" in line:
            break
    for each in sent:
        process.send_signal(each)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert any("interrupted" in note for note in json.loads(out.read_text())["notes"])


def test_uncommitted_changes_are_compared_with_the_last_commit(suite):
    """Without a commit that is given; the files stay as they are, and a new file that git does not know is named."""
    git(suite, "checkout", "--quiet", "main")
    package, new = suite / "spam" / "__init__.py", suite / "spam" / "new.py"
    package.write_text(PACKAGE.format(size=60_000, fragile="pass"))
    new.touch()
    state = git(suite, "status", "--porcelain")
    try:
        done, verdict = compare(suite, "--bench", "size", "--rounds", "4", head="main")
        assert git(suite, "status", "--porcelain") == state
    finally:
        new.unlink()
        git(suite, "checkout", "--quiet", "--", "spam")
    assert done.returncode == 1, done.stderr
    assert verdict["base"] == git(suite, "rev-parse", "main")
    assert verdicts(verdict) == {"spam_suite.track_size": "regressed"}
    assert any("uncommitted changes" in note for note in verdict["notes"])
    assert "untracked files are not in it: spam/new.py" in done.stderr


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("base", "base"), "are both"),
        (("nothing",), "no commit 'nothing'"),
        (("base", "--shard", "3/2"), "must be a part K/N"),
        (("base", "--aa-share", "2"), "must be a number from 0 to 1"),
        (("base", "--python", "3.99"), "none of the Pythons 3.99"),
        (("--only", "absent.json"), "cannot be read"),
    ],
)
def test_bad_requests_are_explained(suite, argv, message):
    """Exit code 2 or 3, before anything is built."""
    done, verdict = compare(suite, *argv)
    assert done.returncode in {2, 3}
    assert message in done.stderr
    assert verdict is None
