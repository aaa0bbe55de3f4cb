"""``windtunnel claims``: a results tree and a claims file in, a board and claims.json out."""

import pytest
from builders.claim_blocks import HEAD, SLEEP, THIRD, blocks_of
from builders.commands import run_command
from builders.trees import a_tree

from windtunnel.errors import ExitCode
from windtunnel.results.record_files import claim_file
from windtunnel.results.tree import write_tree
from windtunnel_claims.format import CLAIMS_FORMAT, Decision
from windtunnel_claims.samples_format import SAMPLES_FORMAT


def keep(folder, name, samples):
    """Put a file of claims into the results."""
    path = claim_file(folder / "results", name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(SAMPLES_FORMAT.encode(samples))


@pytest.fixture
def suite(tmp_path):
    """A suite whose blocks decide its one claim: it holds on 3.12 and fails on 3.13t."""
    (tmp_path / "asv.conf.json").write_text('{"project": "p", "benchmark_dir": "benchmarks"}')
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "claims.toml").write_text(HEAD + THIRD)
    write_tree(a_tree(benchmarks=[SLEEP]), tmp_path / "results")
    keep(tmp_path, "first", blocks_of(0.3333))
    keep(tmp_path, "second", blocks_of(0.9, python="3.13t"))
    return tmp_path


def run(folder, *argv, code=None):
    return run_command(argv, {}, folder, code)


def claims(folder, *options):
    return run(folder, "claims", "results", "--out", "claims.json", *options)


def test_the_board_is_printed_and_written(suite):
    """The exit code is 0 even if a claim fails."""
    code, out, err = claims(suite)
    board = CLAIMS_FORMAT.decode((suite / "claims.json").read_bytes(), "claims.json")
    assert code == ExitCode.FINE
    assert [one.decision for one in board.decisions] == [Decision.HOLDS, Decision.FAILS]
    assert "3.12: 1 holds\n3.13t: 1 fails\n" in out
    assert "1 claims at 2 targets; see claims.json" in err


@pytest.mark.parametrize(("form", "words"), [("terminal", "Z1  "), ("markdown", "Z1  ")])
def test_report_renders_the_file(suite, form, words):
    """Each form needs the file only."""
    claims(suite)
    assert words in run(suite, "report", "claims.json", "--format", form, code=ExitCode.FINE).stdout


def test_the_claims_file_can_be_elsewhere(suite):
    """An option or pyproject.toml names it."""
    moved = suite / "benchmarks" / "claims.toml"
    moved.rename(suite / "moved.toml")
    assert claims(suite)[0] == ExitCode.USAGE
    assert claims(suite, "--claims", "moved.toml")[0] == ExitCode.FINE


@pytest.mark.parametrize(
    ("prepare", "code", "words"),
    [
        (lambda root: (root / "benchmarks/claims.toml").unlink(), ExitCode.USAGE, "write claims there"),
        (lambda root: (root / "benchmarks/claims.toml").write_bytes(b"\xff"), ExitCode.USAGE, "cannot be read"),
        (
            lambda root: (root / "benchmarks/claims.toml").write_text("[[claim]]"),
            ExitCode.USAGE,
            "'benchmark' is missing",
        ),
        (lambda root: (root / "benchmarks/claims.toml").write_bytes(b"#" * 5_000_000), ExitCode.USAGE, "more than"),
        (lambda root: (root / "results").rename(root / "gone"), ExitCode.DATA, "is not a folder"),
    ],
)
def test_missing_and_broken_files_are_reported(suite, prepare, code, words):
    """Each has its exit code."""
    prepare(suite)
    got, out, err = claims(suite)
    assert (got, out) == (code, "")
    assert words in err


def test_a_broken_file_of_blocks_is_named(suite):
    """It hides no other; neither does a broken list of benchmarks, without which no case is known."""
    claim_file(suite / "results", "bad").write_bytes(b"{")
    code, out, err = claims(suite)
    assert (code, "3.12: 1 holds" in out) == (ExitCode.FINE, True)
    assert f"a file of claims could not be read: records/{claim_file(suite, 'bad').name}" in err
    (suite / "results" / "benchmarks.json").write_bytes(b"{")
    code, out, err = claims(suite)
    assert (code, "3.12: 1 undecided" in out) == (ExitCode.FINE, True)
    assert "benchmarks.json" in err


def test_results_without_blocks_decide_nothing(suite):
    """Results of benchmarks are no blocks."""
    for path in (suite / "results" / "records").iterdir():
        path.unlink()
    code, out, _ = claims(suite)
    assert (code, "Nothing was measured that a claim is about." in out) == (ExitCode.FINE, True)


def test_help_has_an_example(tmp_path):
    """It goes to stdout, with exit code 0."""
    _, out, _ = run(tmp_path, "claims", "--help", code=ExitCode.FINE)
    assert "windtunnel claims .asv/results --out claims.json" in out
