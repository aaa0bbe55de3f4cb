"""``windtunnel compare``: shards in, verdict.json and a report out."""

import io
import json

import pytest
from builders.commands import run_command
from builders.samples import a_context, paired_samples, work_samples

from windtunnel.cli import options
from windtunnel.cli.compare import CompareOptions
from windtunnel.compare.decide import decide
from windtunnel.compare.format import VERDICT_FORMAT, NotCompared

BASE, HEAD = "a" * 40, "b" * 40


def run(*argv, code=None):
    return run_command(["compare", *argv], {}, code=code)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Nothing is written where the tests happen to run, and no configuration is found there."""
    monkeypatch.chdir(tmp_path)


def test_shards_are_merged_into_one_verdict(tmp_path):
    """All cases are decided together."""
    trials = [
        paired_samples(f"t{index}", ratio, fresh=ratio, seed=index) for index, ratio in enumerate((1.0, 1.3, 1.0))
    ]
    for index, trial in enumerate(trials):
        (tmp_path / f"{index}.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(), [trial])))
    _, out, _ = run("--shards", "0.json", "1.json", "2.json", code=1)
    assert out.startswith("1 of 3 benchmark cases became slower")
    assert len(json.loads((tmp_path / "verdict.json").read_text())["comparisons"]) == 3


def test_a_comparison_without_cases_gives_exit_code_3(tmp_path):
    """The file is written nevertheless."""
    (tmp_path / "0.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(), [])))
    _, out, err = run("--shards", "0.json", "--out", "all.json", code=3)
    assert out.startswith("Nothing was measured")
    assert "nothing could be compared" in err
    assert (tmp_path / "all.json").exists()


@pytest.mark.parametrize(
    "reason", [{"unmeasured": "irrelevant"}, {"unaffected": (NotCompared(benchmark="io.time_read"),)}]
)
def test_a_comparison_that_needs_no_measuring_gives_exit_code_0(tmp_path, reason):
    """Nothing failed; the first line states why nothing was measured."""
    (tmp_path / "0.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(**reason), [])))
    code, out, err = run("--shards", "0.json", "--out", "all.json")
    assert (code, err) == (0, "")
    assert out.startswith("Nothing was measured: ")


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["--only", "b", "--shards", "c"], "exclude each other"),
        (["--slowdown", "5%"], "needs --self-check"),
        (["--self-check", "--slowdown", "much"], "percentage"),
        (["--self-check", "a", "b"], "one commit"),
        (["--self-check", "--only", "c"], "one commit"),
        (["--shards"], "expected at least one argument"),
    ],
)
def test_contradictory_options_are_refused(argv, complaint):
    """The exit code is 2, and the message names the help."""
    _, _, err = run(*argv, code=2)
    assert complaint in err
    assert "--help" in err


@pytest.mark.parametrize(
    ("argv", "minutes"),
    [
        ((), 10),
        (("--budget", "3"), 3),
        (("--rounds", "80"), None),
        (("--shard", "1/2"), None),
        (("--self-check",), None),
    ],
)
def test_a_comparison_at_a_desk_has_ten_minutes(argv, minutes):
    """Where all cases are measured here, and nothing else limits the work."""
    given = options.parse("compare", CompareOptions, argv, io.StringIO())
    assert given.seconds == (minutes and minutes * 60.0)


def test_missing_files_are_named():
    """The exit code is 3."""
    assert "nowhere" in run("--shards", "nowhere.json", code=3).stderr


def test_too_many_instructions_fail_the_command(tmp_path):
    """Only with a threshold, and only with a gate; the times are unchanged."""
    shard = tmp_path / "shard.json"
    for threshold, gate, code in ((0.0, (), 0), (0.005, (), 1), (0.005, ("--no-gate",), 0)):
        one = paired_samples(work=work_samples(1.02), instructions_threshold=threshold)
        shard.write_bytes(VERDICT_FORMAT.encode(decide(a_context(base=BASE, head=HEAD), [one])))
        _, said, _ = run("--shards", shard, "--out", tmp_path / "verdict.json", *gate, code=code)
        assert ("with too many instructions" in said) is (threshold > 0)
        assert json.loads((tmp_path / "verdict.json").read_bytes())["overall"] == "unchanged"
