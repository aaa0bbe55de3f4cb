"""Of a damaged results file, everything is kept or reported: values, samples, intervals, what stands beside them."""

import math

import pytest
from builders.damage import damaged_objects, damaged_rows, require_kept_or_reported
from builders.files import old_results_file, results_file, row, stats

from windtunnel.asv.results_format.files import decode_run
from windtunnel.asv.results_format.layout import NAMES, KnownLayouts

KEPT = row([1.5, 2.5], params=[["x", "y"]], **stats(1.5, 2.5), samples=[[1.25, 1.75], [2.25, 2.75]], profile="eJw=")
ROWS = {
    "grid": KEPT,
    "single": row([3.5], **stats(3.5), samples=[[3.25, 3.75]]),
    "gaps": row(
        [4.5, math.nan, None],
        params=[["x", "y", "z"]],
        **{name: [*column, None, None] for name, column in stats(4.5).items()},
        samples=[[4.25, 4.75], None, None],
    ),
    "infinite": row([5.5], stats_ci_99_a=[-math.inf], stats_ci_99_b=[math.inf], stats_q_25=[5.25], stats_q_75=[5.75]),
    "value": row([6]),
}
STATISTICS = {"ci_99": [0.9, 1.1], "q_25": 0.95, "q_75": 1.05, "number": 10, "repeat": 5, "mean": 1.01}
OLD_ROWS = {
    "number": 5.25,
    "object": {"result": [1.0, None], "stats": [STATISTICS, None], "params": [["1", "2"]]},
    "samples": {"result": [1.0], "samples": [[0.5, 1.5]], "params": []},
}


@pytest.mark.parametrize(("name", "columns"), [*((name, 13) for name in ROWS), ("grid", 12)])
def test_what_a_damaged_row_holds_is_kept_or_reported(name, columns):
    """In each column: NaN, null, another type, a list that is too short or too long, an end that is missing."""
    layouts, names = KnownLayouts(), NAMES[:columns]
    rows = {each: given[:columns] for each, given in ROWS.items()}
    for damage, given in damaged_rows(rows[name], names):
        content = results_file({**rows, name: given}, result_columns=list(names))
        require_kept_or_reported(content, name, damage, layouts)


@pytest.mark.parametrize("name", OLD_ROWS)
def test_what_a_damaged_row_of_format_1_holds_is_kept_or_reported(name):
    """The same damages, in each place."""
    for damage, given in damaged_objects(OLD_ROWS[name]):
        require_kept_or_reported(old_results_file({**OLD_ROWS, name: given}), name, damage, None)


@pytest.mark.parametrize("key", ["benchmark_version", "started_at", "ended_at", "duration", "profiles"])
def test_a_damaged_column_of_format_1_is_reported(key):
    """It has a value for each benchmark."""
    assert [problem.key for problem in decode_run(old_results_file(OLD_ROWS, **{key: [5.0]}), "f").problems] == [key]


def problems_of(content):
    return [f"{problem.key}: {problem.reason}" for problem in decode_run(content, "file.json").problems]


def test_what_has_no_place_is_counted():
    """A case without a value has no samples and no statistics, and an interval has two limits."""
    given = [*KEPT]
    given[NAMES.index("result")] = [math.nan, 2.5]
    assert problems_of(results_file({"a": given})) == [
        "results.a: has 2 samples and 6 statistics without a value or a second limit; they are not kept"
    ]
    given[NAMES.index("stats_ci_99_b")] = [1.0, math.nan]
    assert problems_of(results_file({"a": given})) == [
        "results.a: has 2 samples and 7 statistics without a value or a second limit; they are not kept"
    ]
    given[NAMES.index("params")] = [5]
    assert problems_of(results_file({"a": given})) == [
        "results.a: has params that are not a list of lists: [5]; the row is not kept, with 21 numbers"
    ]


@pytest.mark.parametrize("column", NAMES)
def test_an_empty_object_is_nothing(column):
    """Nothing is lost, so a merge has nothing to report, unless a value goes missing."""
    given = [*row([1.5])] + [None] * 8
    given[NAMES.index(column)] = {}
    assert problems_of(results_file({"a": given})) == []


@pytest.mark.parametrize(
    "notes",
    [
        {"rows": {"gone": {"process_sizes": [[2]]}}},
        {"rows": {"single": {"sessions": [[5, 1.5], [6, math.inf]]}}},
        {"superseded": [{"name": "single", "row": [*ROWS["single"], "eJw=", 7]}]},
        {"superseded": [{"name": "single", "row": [[1.5], 5]}]},
        {"superseded": [{"name": 5, "row": []}]},
    ],
)
def test_what_stands_beside_the_rows_is_kept_or_reported(notes):
    """Notes of rows that are gone, and rows that a merge replaced."""
    assert len(problems_of(results_file(ROWS, windtunnel=notes))) == 1


def test_what_other_files_had_hides_no_loss():
    """The layouts of earlier rows tell numbers, NaN and infinity apart."""
    names = ("stats_ci_99_a", "stats_ci_99_b")
    limits = [(-math.inf, math.inf), (-math.inf, math.nan), (0.5, math.inf), (0.5, math.nan)]
    layouts = KnownLayouts()
    rows = {
        str(number): row([1.5], **dict(zip(names, ([low], [high]), strict=True)))
        for number, (low, high) in enumerate(limits)
    }
    found = decode_run(results_file(rows), "file.json", layouts).problems
    assert [problem.key for problem in found] == ["results.1", "results.3"]
    number = results_file({"a": row([1.5], **stats(1.5))}).replace(b"[1.5]", b"[1E5]")
    assert decode_run(number, "file.json", layouts).problems == ()
    nan = results_file({"a": row([math.nan], **stats(1.5))})
    assert len(decode_run(nan, "file.json", layouts).problems) == 1
