"""``windtunnel claims``: a results tree and a claims file in, a board and claims.json out."""

import io
from contextlib import chdir

import pytest
from builders.claims_files import HEAD, THIRD, a_sampled, a_sleep_run, a_sleep_tree

from windtunnel.claims.format import CLAIMS_FORMAT, Decision
from windtunnel.cli import main
from windtunnel.errors import ExitCode
from windtunnel.results.tree import write_tree


@pytest.fixture
def suite(tmp_path):
    """A suite whose results decide its one claim: it holds on 3.12 and fails on 3.13t."""
    (tmp_path / "asv.conf.json").write_text('{"project": "p", "benchmark_dir": "benchmarks"}')
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "claims.toml").write_text(HEAD + THIRD)
    runs = [a_sleep_run(a_sampled(0.6), a_sampled(0.2))]
    runs += [a_sleep_run(a_sampled(0.6), a_sampled(0.5), python="3.13t")]
    write_tree(a_sleep_tree(*runs), tmp_path / "results")
    return tmp_path


def run(folder, *argv):
    out, err = io.StringIO(), io.StringIO()
    with chdir(folder):
        code = main([*map(str, argv)], out, err, {})
    return code, out.getvalue(), err.getvalue()


def claims(folder, *options):
    return run(folder, "claims", "results", "--out", "claims.json", *options)


def test_the_board_is_printed_and_left_in_the_file(suite):
    """Exit code 0 also when a claim fails."""
    code, out, err = claims(suite)
    board = CLAIMS_FORMAT.decode((suite / "claims.json").read_bytes(), "claims.json")
    assert code == ExitCode.FINE
    assert [one.decision for one in board.decisions] == [Decision.HOLDS, Decision.FAILS]
    assert "Z1 holds on 3.12 and fails on 3.13t." in out
    assert "1 claims at 2 targets; see claims.json" in err


@pytest.mark.parametrize(("form", "words"), [("terminal", "Z1  Gathering"), ("markdown", "| Z1 |"), ("json", '"Z1"')])
def test_the_report_tells_it_again(suite, form, words):
    """In each form, from the file alone."""
    claims(suite)
    code, out, _ = run(suite, "report", "claims.json", "--format", form)
    assert code == ExitCode.FINE
    assert words in out
    if form == "json":
        assert out.encode() == (suite / "claims.json").read_bytes()


def test_the_claims_file_can_lie_elsewhere(suite):
    """Named on the command line, or in pyproject.toml."""
    moved = suite / "benchmarks" / "claims.toml"
    moved.rename(suite / "said.toml")
    assert claims(suite)[0] == ExitCode.USAGE
    assert claims(suite, "--claims", "said.toml")[0] == ExitCode.FINE
    (suite / "pyproject.toml").write_text('[tool.windtunnel]\nclaims = "said.toml"\n')
    assert claims(suite)[0] == ExitCode.FINE


@pytest.mark.parametrize(
    ("prepare", "code", "words"),
    [
        (lambda root: (root / "benchmarks/claims.toml").unlink(), ExitCode.USAGE, "write your claims there"),
        (lambda root: (root / "benchmarks/claims.toml").write_bytes(b"\xff"), ExitCode.USAGE, "is not UTF-8"),
        (
            lambda root: (root / "benchmarks/claims.toml").write_text("[[claim]]"),
            ExitCode.USAGE,
            "'benchmark' is missing",
        ),
        (lambda root: (root / "benchmarks/claims.toml").write_bytes(b"#" * 5_000_000), ExitCode.USAGE, "more than"),
        (lambda root: (root / "results").rename(root / "gone"), ExitCode.DATA, "is not a folder"),
        (
            lambda root: (root / "pyproject.toml").write_text("[tool.windtunnel]\nclaims = 1"),
            ExitCode.USAGE,
            "a string",
        ),
    ],
)
def test_what_is_missing_or_broken_is_named(suite, prepare, code, words):
    """With the exit code of its kind."""
    prepare(suite)
    got, out, err = claims(suite)
    assert (got, out) == (code, "")
    assert words in err


def test_results_that_cannot_be_used_are_noted(suite):
    """On the board too: a claim may be undecided because of them."""
    (suite / "results" / "desk" / "broken.json").write_text("{")
    _, out, _ = claims(suite)
    assert "1 things in results could not be used" in out


def test_help_shows_an_example(tmp_path):
    """On stdout, exit code 0."""
    code, out, _ = run(tmp_path, "claims", "--help")
    assert code == ExitCode.FINE
    assert "windtunnel claims .asv/results --out claims.json" in out
