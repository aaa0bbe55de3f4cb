"""What holds for any bytes whatever."""

import dataclasses
from itertools import islice

from tests.builders.trees import a_benchmark
from windtunnel.asv.results_format.files import (
    decode_benchmarks,
    decode_machine,
    decode_run,
    encode_benchmarks,
    encode_machine,
    encode_run,
    run_files,
)
from windtunnel.asv.results_format.layout import KnownLayouts
from windtunnel.asv.results_format.rows import cells_of, starts
from windtunnel.errors import DataError
from windtunnel.model.run import Measured, ResultsTree
from windtunnel.results.merge import merge_runs, stamped
from windtunnel.results.record_files import join
from windtunnel_claims.board import claim_board
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.format import CLAIMS_FORMAT
from windtunnel_claims.samples_format import SAMPLES_FORMAT
from windtunnel_claims.series_plan import combine

EXPERIENCED = KnownLayouts()
"""Has read all files before: what it learned from them must not show."""


def check_run(content):
    """A run is read or refused; what was read can be looked at, written, read again unchanged, and merged."""
    decoded = decode_run(content, "fuzz.json")
    _check_problems(decoded)
    after_others = decode_run(content, "fuzz.json", EXPERIENCED)
    assert after_others.value == decoded.value
    assert set(after_others.problems) <= set(decoded.problems)
    if (run := decoded.value) is None:
        return False
    assert repr(run).encode()
    for row in run.rows:
        assert run.row(row.name) is not None
        assert len(list(row.cases())) == len(row.results)
        assert all(repr(row.result(params)) for params, _ in islice(row.cases(), 3))
        measured = [result for result in row.results if isinstance(result, Measured)]
        assert all(sum(map(len, result.processes)) == len(result.samples or ()) for result in measured)
    _check_fast_readers(run)
    (path,) = run_files([run.key])
    assert path.count("/") == 1
    assert not path.startswith(".")
    written = encode_run(run)
    again = decode_run(written, "again.json")
    assert again.problems == ()
    assert again.value == run
    assert encode_run(again.value) == written
    once = merge_runs(run)[0]
    assert encode_run(merge_runs(once, run)[0]) == encode_run(once)
    return True


def _check_fast_readers(run):
    """Each way to read lazy rows gives what the rows themselves give."""
    rows = tuple(run.rows)
    assert len(run.rows) == len(rows)
    assert repr(run.rows[:]) == repr(rows)
    assert repr(run.rows) == repr(rows)
    assert isinstance(hash(run.rows), int)
    assert list(starts(run.rows)) == list(starts(rows))
    assert _values(run.rows) == _values(rows)
    assert list(stamped(ResultsTree(runs=(run,), benchmarks=(a_benchmark("a.time"),))))


def _values(rows):
    """The value of each case as text, because NaN differs from itself; the file may hold half an interval."""
    return [(key, started_at, [repr(value) for value, _, _ in cells]) for key, started_at, cells, _ in cells_of(rows)]


def check_benchmarks(content):
    """As for runs."""
    return _check_again(content, decode_benchmarks, encode_benchmarks)


def check_machine(content):
    """As for runs."""
    return _check_again(content, decode_machine, encode_machine)


CLAIMS = parse_claims(
    """
    [sources]
    Z = { title = "an article" }
    [[claim]]
    id = "Z1"
    source = "Z"
    sentence = "One takes half of two."
    benchmark = "a.time"
    contender = { way = "one" }
    baseline = { way = "two" }
    between = [0.4, 0.6]
    """,
    "claims.toml",
)
TIMED = dataclasses.replace(a_benchmark("a.time"), version="1", param_names=("way",), params=(("'one'", "'two'"),))


def check_claim_samples(content):
    """Values of claims are read or refused; what was read is read again unchanged, and a board is decided from it."""
    try:
        samples = SAMPLES_FORMAT.decode(content, "fuzz.json")
    except DataError:
        return False
    assert SAMPLES_FORMAT.decode(SAMPLES_FORMAT.encode(samples), "again.json") == samples
    assert join("claims-0.record", content, b"") == content
    board = claim_board(CLAIMS, {TIMED.name: TIMED}, combine([samples, samples]))
    assert CLAIMS_FORMAT.decode(CLAIMS_FORMAT.encode(board), "claims.json").decisions
    return True


RULES = {
    "run": check_run,
    "old run": check_run,
    "benchmarks": check_benchmarks,
    "machine": check_machine,
    "claim samples": check_claim_samples,
}
"""Which rule goes with which seed."""


def _check_again(content, decode, encode):
    decoded = decode(content, "fuzz.json")
    _check_problems(decoded)
    if decoded.value is None:
        return False
    assert repr(decoded.value).encode()
    written = encode(decoded.value)
    again = decode(written, "again.json")
    assert again.problems == ()
    assert again.value == decoded.value
    assert encode(again.value) == written
    return True


def _check_problems(decoded):
    assert decoded.value is not None or decoded.problems
    for problem in decoded.problems:
        assert problem.reason
        assert str(problem).encode()
