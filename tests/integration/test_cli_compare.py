"""``windtunnel compare``: results trees or shards in, verdict.json and a report out."""

import io
import json

import numpy as np
import pytest
from builders.samples import a_context, paired_samples, work_samples

from windtunnel.cli import main
from windtunnel.compare.decide import decide
from windtunnel.compare.format import VERDICT_FORMAT, NotCompared, UnmeasuredCause
from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import BenchmarkName, CommitHash, EnvironmentName, Instant, MachineName
from windtunnel.model.result import Failed, Measured, Row
from windtunnel.model.run import Environment, Machine, ResultsTree, Run
from windtunnel.results.tree import write_tree

BASE, HEAD = "a" * 40, "b" * 40


def run(*argv):
    out, err = io.StringIO(), io.StringIO()
    return main(["compare", *map(str, argv)], out, err, {}), out.getvalue(), err.getvalue()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Nothing is written where the tests happen to run, and no configuration is found there."""
    monkeypatch.chdir(tmp_path)


def a_tree(folder, *commits, slow=1.0, failing=False):
    """A results tree of 30 benchmarks whose last one takes *slow* times as long, or fails."""
    rng = np.random.default_rng(len(folder.name))
    names = [f"s.time_{index:02}" for index in range(30)]
    levels = [1.0] * 29 + [slow]

    def result(level):
        samples = (rng.normal(1, 0.005, 10) * level * rng.normal(1, 0.005)).tolist()
        return Measured(value=float(np.median(samples)), samples=tuple(samples), repeat=10, number=1)

    def one(commit):
        results = [result(level) for level in levels]
        if failing:
            results[-1] = Failed()
        return Run(
            commit=CommitHash(commit),
            machine=MachineName("m"),
            environment=Environment(name=EnvironmentName("py3.12"), python="3.12"),
            date=Instant(0),
            rows=tuple(
                Row(name=BenchmarkName(name), results=(each,)) for name, each in zip(names, results, strict=True)
            ),
        )

    benchmarks = tuple(Benchmark(name=BenchmarkName(name), type_word="time", unit="seconds") for name in names)
    machines = (Machine(name=MachineName("m")),)
    write_tree(ResultsTree(runs=tuple(map(one, commits)), benchmarks=benchmarks, machines=machines), folder)
    return folder


def test_stored_results_are_compared(tmp_path):
    """The regression is reported and written, and fails the gate."""
    base, head = a_tree(tmp_path / "base", BASE), a_tree(tmp_path / "headx", HEAD, slow=2.0)
    code, out, err = run("--results", base, head, "--out", "new/verdict.json")
    assert (code, err) == (1, "")
    assert out.startswith("1 of 30 benchmark cases became slower: ")
    assert "measured only once" in out
    written = VERDICT_FORMAT.decode((tmp_path / "new" / "verdict.json").read_bytes(), "verdict.json")
    assert (written.base, written.head) == (BASE, HEAD)
    assert run("--results", base, head, "--no-gate")[0] == 0


def test_no_change_gives_exit_code_0(tmp_path):
    """Nothing regressed."""
    base, head = a_tree(tmp_path / "base", BASE), a_tree(tmp_path / "headx", HEAD)
    code, out, _ = run("--results", base, head)
    assert code == 0
    assert "30 cases: 27 unchanged, 3 inconclusive" in out


def test_commits_are_selected_from_a_tree_with_many(tmp_path):
    """One tree may be both sides; without a selection the message lists the commits."""
    tree = a_tree(tmp_path / "results", BASE, HEAD)
    assert run("aaaa", "bbbb", "--results", tree, tree)[0] == 0
    code, _, err = run("--results", tree, tree)
    assert code == 3
    assert "2 commits (aaaaaaaaaa, bbbbbbbbbb)" in err


def test_failed_benchmarks_are_listed(tmp_path):
    """A benchmark that fails only on head has no verdict, and fails the gate."""
    base, head = a_tree(tmp_path / "base", BASE), a_tree(tmp_path / "headx", HEAD, failing=True)
    code, out, _ = run("--results", base, head)
    assert code == 1
    assert out.startswith("1 of 30 benchmark cases failed: ")
    assert "s.time_29: on head only" in out
    assert run("--results", base, head, "--no-gate")[0] == 0
    assert run("--results", head, base)[0] == 0


def test_unusable_files_are_reported(tmp_path):
    """The message is on stderr, and the other files are compared."""
    base, head = a_tree(tmp_path / "base", BASE), a_tree(tmp_path / "headx", HEAD)
    (base / "m" / "cccccccc-py3.12.json").write_text("{broken")
    code, _, err = run("--results", base, head)
    assert code == 0
    assert "cccccccc-py3.12.json" in err


def test_the_suite_in_the_working_directory_sets_thresholds(tmp_path):
    """The settings are in pyproject.toml beside asv.conf.json."""
    base, head = a_tree(tmp_path / "base", BASE), a_tree(tmp_path / "headx", HEAD, slow=2.0)
    (tmp_path / "asv.conf.json").write_text("{}")
    (tmp_path / "pyproject.toml").write_text("[tool.windtunnel]\nthreshold = 3.0\n")
    assert run("--results", base, head)[0] == 0
    (tmp_path / "pyproject.toml").write_text("[tool.windtunnel]\nthreshold = 'much'\n")
    assert run("--results", base, head)[0] == 2


def test_shards_are_merged_into_one_verdict(tmp_path):
    """All cases are decided together."""
    trials = [
        paired_samples(f"t{index}", ratio, fresh=ratio, seed=index) for index, ratio in enumerate((1.0, 1.3, 1.0))
    ]
    for index, trial in enumerate(trials):
        (tmp_path / f"{index}.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(), [trial])))
    code, out, _ = run("--shards", "0.json", "1.json", "2.json")
    assert code == 1
    assert out.startswith("1 of 3 benchmark cases became slower")
    assert len(json.loads((tmp_path / "verdict.json").read_text())["comparisons"]) == 3


def test_a_comparison_without_cases_gives_exit_code_3(tmp_path):
    """The file is written nevertheless."""
    (tmp_path / "0.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(), [])))
    code, out, err = run("--shards", "0.json", "--out", "all.json")
    assert code == 3
    assert out.startswith("Nothing was measured")
    assert "nothing could be compared" in err
    assert (tmp_path / "all.json").exists()


@pytest.mark.parametrize(
    "reason", [{"unmeasured": UnmeasuredCause.CAP}, {"unaffected": (NotCompared(benchmark="io.time_read"),)}]
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
        (["--results", "a", "b", "--only", "c"], "exclude each other"),
        (["--results", "a"], "expected 2 arguments"),
        (["--results", "a", "b", "--shards", "c"], "exclude each other"),
        (["--slowdown", "5%"], "needs --self-check"),
        (["--self-check", "--slowdown", "much"], "percentage"),
        (["--self-check", "a", "b"], "one commit"),
        (["--self-check", "--only", "c"], "one commit"),
        (["--shards"], "expected at least one argument"),
    ],
)
def test_contradictory_options_are_refused(argv, complaint):
    """The exit code is 2, and the message names the help."""
    code, _, err = run(*argv)
    assert code == 2
    assert complaint in err
    assert "--help" in err


@pytest.mark.parametrize("argv", [["--results", "nowhere", "nowhere"], ["--shards", "nowhere.json"]])
def test_missing_files_are_named(argv):
    """The exit code is 3."""
    code, _, err = run(*argv)
    assert code == 3
    assert "nowhere" in err


def test_too_many_instructions_fail_the_command(tmp_path):
    """Only with a threshold, and only with a gate; the times are unchanged."""
    shard = tmp_path / "shard.json"
    for threshold, gate, code in ((0.0, (), 0), (0.005, (), 1), (0.005, ("--no-gate",), 0)):
        one = paired_samples(work=work_samples(1.02), instructions_threshold=threshold)
        shard.write_bytes(VERDICT_FORMAT.encode(decide(a_context(base=BASE, head=HEAD), [one])))
        done, said, _ = run("--shards", shard, "--out", tmp_path / "verdict.json", *gate)
        assert done == code
        assert ("with too many instructions" in said) is (threshold > 0)
        assert json.loads((tmp_path / "verdict.json").read_bytes())["overall"] == "unchanged"


def test_help_shows_examples():
    """It is on stdout, with exit code 0."""
    code, out, _ = run("--help")
    assert code == 0
    assert "windtunnel compare --results base/results head/results --out verdict.json" in out
