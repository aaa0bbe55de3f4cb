"""asv and Windtunnel read each other's results files and understand the same."""

import json
import math
from datetime import UTC, datetime

import pytest
from asv.results import Results, iter_results
from asv.runner import BenchmarkResult
from builders.examples import examples
from hypothesis import given

from tests.builders.files import old_results_file
from tests.builders.strategies import runs
from tests.builders.trees import a_benchmark, a_row, a_run, a_tree
from windtunnel.asv.results_format.files import decode_run, encode_run
from windtunnel.model.identity import text_of
from windtunnel.model.run import Failed, Measured, Skipped
from windtunnel.results.merge import merge_runs
from windtunnel.results.tree import read_run, write_tree


def saved_by_asv(folder, values, samples, params=(), **more):
    """A results file that asv wrote of one benchmark."""
    benchmark = {"name": "a.time", "version": "v1", "params": params}
    results = Results({"machine": "desk", "python": "3.12"}, {"numpy": ""}, "ab" * 20, 5, "3.12", "py3.12", {"X": "1"})
    result = BenchmarkResult(
        result=values,
        samples=samples,
        number=[1 if each else None for each in samples],
        errcode=0,
        stderr="",
        profile=None,
    )
    results.add_result(benchmark, result, datetime(2026, 1, 1, tzinfo=UTC), 1.23456789, record_samples=True, **more)
    results.set_build_duration(12.5)
    results.save(str(folder))
    return folder / "desk" / "abababab-py3.12.json"


def test_we_understand_what_asv_wrote(tmp_path):
    """Values, samples, statistics, failures and skips."""
    params = [["1", "2", "3"]]
    path = saved_by_asv(tmp_path, [1.0, None, math.nan], [[1.0, 1.2, 0.8], None, None], params)
    decoded = read_run(path)
    assert decoded.problems == ()
    run = decoded.value
    assert run.environment.name == "py3.12"
    assert text_of(run.environment.variables, "X") == "1"
    (row,) = run.rows
    assert (row.version, row.started_at, row.duration) == ("v1", 1767225600000, 1.2346)
    assert row.results[0].value == 1.0
    assert row.results[0].samples == (1.0, 1.2, 0.8)
    assert (row.results[0].number, row.results[0].repeat) == (1, 3)
    assert row.results[1:] == (Failed(), Skipped())


def test_we_write_what_asv_wrote(tmp_path):
    """Nothing is added, nothing is missing."""
    path = saved_by_asv(tmp_path, [1.0], [[1.0, 1.2, 0.8]])
    assert json.loads(encode_run(read_run(path).value)) == json.loads(path.read_bytes())


@examples(50)
@given(one=runs(), two=runs())
def test_asv_understands_what_we_write(tmp_path_factory, one, two):
    """Results, statistics, samples and parameters of any run, merged ones too."""
    folder = tmp_path_factory.mktemp("results")
    same = a_run(*two.rows)
    run = merge_runs(a_run(*one.rows), same)[0]
    write_tree(a_tree(run), folder)
    (loaded,) = iter_results(str(folder))
    assert loaded.commit_hash == run.commit
    assert loaded.env_name == run.environment.name
    assert set(loaded.get_all_result_keys()) == {row.name for row in run.rows}
    for row in run.rows:
        params = [list(values) for values in row.params]
        assert loaded.get_result_params(row.name) == params
        values = loaded.get_result_value(row.name, params)
        stats = loaded.get_result_stats(row.name, params)
        samples = loaded.get_result_samples(row.name, params)
        for result, value, stat, sample in zip(row.results, values, stats, samples, strict=True):
            assert_same(result, value, stat or {}, sample)


def assert_same(result, value, stats, samples):
    """What asv has of a case is what we have."""
    match result:
        case Failed():
            assert value is None
        case Skipped():
            assert math.isnan(value)
        case Measured():
            assert value == result.value
            assert samples == (None if result.samples is None else list(result.samples))
            assert stats.get("number") == result.number
            assert stats.get("ci_99_a") == (result.interval.low if result.interval else None)
            assert stats.get("q_75") == (result.quartiles.high if result.quartiles else None)


def test_asv_update_and_we_understand_the_same_of_format_1(tmp_path):
    """Values and statistics; asv drops what its format 2 has no column for."""
    statistics = {"ci_99": [0.9, 1.1], "q_25": 0.95, "q_75": 1.05, "number": 10, "repeat": 5, "mean": 1.01}
    content = old_results_file(
        {
            "a": 5,
            "b": None,
            "c": {"result": [1.0, None], "stats": [statistics, None], "params": [["1", "2"]]},
            "d": {"result": [None], "params": [["1", "2"]]},
        },
        env_name="py3.6",
    )
    path = tmp_path / "file.json"
    path.write_bytes(content)
    Results.update(str(path))
    ours, updated = decode_run(content, "ours").value, read_run(path).value
    assert [row.results for row in ours.rows] == [row.results for row in updated.rows]
    assert ours.environment == updated.environment


@pytest.mark.parametrize("sizes", [(1, 3), (3, 5), (5, 20)])
def test_merged_statistics_are_asvs_own(tmp_path, sizes):
    """asv computes the same numbers when it appends samples."""
    first, second = (tuple(1 + number * 0.001 * size for number in range(size)) for size in sizes)
    benchmark = a_benchmark("a.time", version="v1")
    rows = [a_row(benchmark, Measured(value=0, samples=samples, number=1)) for samples in (first, second)]
    merged = merge_runs(*map(a_run, rows))[0].rows[0].results[0]
    by_asv = read_run(saved_by_asv(tmp_path, [1.0], [list(merged.samples)])).value.rows[0].results[0]
    assert (merged.value, merged.interval, merged.quartiles, merged.repeat) == (
        by_asv.value,
        by_asv.interval,
        by_asv.quartiles,
        by_asv.repeat,
    )
