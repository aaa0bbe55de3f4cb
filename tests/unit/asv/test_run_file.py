"""Results files: what is read, what is refused, what is reported."""

import json
import math
import sys

import pytest
from builders.files import COMMIT, old_results_file, results_file, row, stats

from windtunnel.asv.results_format.files import decode_run, encode_run
from windtunnel.asv.results_format.json_values import MAX_FILE_BYTES
from windtunnel.model.identity import text_of
from windtunnel.model.run import Failed, Interval, Measured, Skipped


def read(content):
    """The run in *content*, which is whole."""
    decoded = decode_run(content, "file.json")
    assert decoded.problems == ()
    return decoded.value


def problems(content):
    """The problems of *content*, as (key, reason)."""
    found = decode_run(content, "file.json").problems
    assert {problem.file for problem in found} <= {"file.json"}
    return [(problem.key, problem.reason) for problem in found]


def only_row(content):
    """The one row of *content*, whatever else is wrong."""
    (found,) = decode_run(content, "file.json").value.rows
    return found


def test_the_header_is_read():
    """Commit, machine, environment and every other field of the header are read."""
    run = read(results_file())
    assert (run.commit, run.machine, run.date) == (COMMIT, "desk", 1_690_000_000_000)
    assert (run.environment.name, run.environment.python) == ("virtualenv-py3.12", "3.12")
    assert text_of(run.environment.requirements, "numpy") == ""
    assert text_of(run.params, "ram") == "16GB"
    assert text_of(run.durations, "<build>") == "12.5"
    assert run.source == "file.json"


def test_a_measured_case_has_its_statistics():
    """The value, interval, quartiles, number, repeat and samples are read."""
    samples = [0.9, 1.0, 1.1]
    (found,) = read(results_file({"a.time": row([1.0], **stats(1.0), samples=[samples])})).rows
    assert found.results == (
        Measured(
            value=1.0,
            interval=Interval(low=0.9, high=1.1),
            quartiles=Interval(low=0.95, high=1.05),
            number=10,
            repeat=5,
            samples=(0.9, 1.0, 1.1),
        ),
    )
    assert (found.version, found.started_at, found.duration) == ("v1", 1_700_000_000_000, 1.5)


def test_null_is_failed_and_nan_is_skipped():
    """asv writes null for a failure and NaN for a skip."""
    content = results_file({"a.time": row([1.0, None, math.nan], params=[["1", "2", "3"]])})
    assert b"NaN" in content
    assert read(content).rows[0].results == (Measured(value=1.0), Failed(), Skipped())


def test_a_single_null_means_that_every_case_failed():
    """A benchmark that could not be built has null instead of a list."""
    content = results_file({"a.time": row(None, params=[["1", "2"], ["3", "4"]])})
    assert read(content).rows[0].results == (Failed(),) * 4


def test_infinite_limits_of_an_interval_are_kept():
    """asv writes infinite limits when there are too few samples."""
    content = results_file({"a.time": row([1.0], stats_ci_99_a=[-math.inf], stats_ci_99_b=[math.inf])})
    assert read(content).rows[0].results[0].interval == Interval(low=-math.inf, high=math.inf)


@pytest.mark.parametrize("length", range(1, 14))
def test_a_row_may_lack_trailing_columns(length):
    """Trailing nulls are not written; one history has rows of 4, 5, 11 and 12 columns. Half an interval is reported."""
    whole = row([1.0], [], "v1", 5, 1.5, **stats(1.0), samples=[[1.0]], profile="eJw=")
    content = results_file({"a.time": whole[:length]})
    assert ["a second limit" in reason for _, reason in problems(content)] == [True] * (length in {6, 8})
    found = only_row(content)
    assert found.results[0].value == 1.0
    assert (found.profile == "eJw=") == (length == 13)


def test_columns_are_read_by_name():
    """The file names its columns, so their order may differ and columns may be missing."""
    (found,) = read(results_file({"a.time": ["v9", [3.0]]}, result_columns=["version", "result"])).rows
    assert (found.version, found.results) == ("v9", (Measured(value=3.0),))


def test_literals_inside_texts_stay_texts():
    """NaN and Infinity inside a text are not numbers."""
    params = [["NaN", "[1, NaN, -Infinity]", "'Infinity'"], ["None", "nan"]]
    name = "a.time[1, NaN]"
    content = results_file({name: row([math.nan] * 6, params=params)}, remark="NaN")
    (found,) = read(content).rows
    assert found.name == name
    assert found.params == (("NaN", "[1, NaN, -Infinity]", "'Infinity'"), ("None", "nan"))
    assert found.results == (Skipped(),) * 6
    assert read(encode_run(read(content))) == read(content)


@pytest.mark.parametrize("text", ["0E0", "0E-00000", "[1, 0E0]"])
def test_the_masks_are_ordinary_texts_in_a_file(text):
    """A text in a file is never mistaken for the mask of NaN or Infinity."""
    (found,) = read(results_file({text: row([math.nan, math.inf], params=[[text, "1"]])})).rows
    assert (found.name, found.params) == (text, ((text, "1"),))
    assert found.results == (Skipped(), Measured(value=math.inf))


@pytest.mark.parametrize(
    "text", ["'quoted \"twice\"'", "<class 'numpy.float64'>", "a/b\\c", "line\nbreak", "ünï ∆ 🚀", "x" * 736]
)
def test_parameters_may_be_any_text(text):
    """A parameter is the repr of any object."""
    (found,) = read(results_file({"a.time": row([1.0], params=[[text]])})).rows
    assert found.result((text,)) == Measured(value=1.0)


def test_unknown_fields_and_columns_are_kept():
    """Notes of other tools and columns of later versions of asv survive reading and writing."""
    columns = ["result", "stats_mean", "remark"]
    content = results_file({"a.time": [[1.0], [1.5], {"deep": [1]}]}, result_columns=columns, tool={"x": [1, None]})
    run = read(content)
    assert text_of(run.extra, "tool") == '{"x": [1, null]}'
    assert text_of(run.rows[0].extra, "stats_mean") == "[1.5]"
    assert text_of(run.rows[0].extra, "remark") == '{"deep": [1]}'
    assert read(encode_run(run)) == run


@pytest.mark.parametrize(("poison", "said"), [({"a": 1}, "an object"), ("fast", "a text"), ([1, 2], "a list")])
def test_a_value_that_is_not_a_number_becomes_a_failure_and_a_problem(poison, said):
    """asv stores whatever a track benchmark returned; only numbers may reach a store."""
    content = results_file({"a.track": row([7, poison], params=[["1", "2"]]), "b.time": row([1.0])})
    ((key, reason),) = problems(content)
    assert key == "results.a.track.result"
    assert said in reason
    assert "case 2" in reason
    run = decode_run(content, "file.json").value
    assert run.rows[0].results == (Measured(value=7), Failed())
    assert run.rows[1].results == (Measured(value=1.0),)
    assert read(encode_run(run)) == run


def test_a_file_without_results_is_a_run():
    """Whole histories have more files without results than with results."""
    run = read(results_file({}))
    assert tuple(run.rows) == ()
    assert read(encode_run(run)) == run


def test_zero_is_a_value():
    """Zero is not a missing value, with or without samples."""
    result = only_row(results_file({"a": row([0.0], **stats(0.0), samples=[[0.0, 0.0]])})).results[0]
    assert (result.value, result.samples) == (0.0, (0.0, 0.0))
    assert only_row(results_file({"a": row([0])})).results == (Measured(value=0),)


def test_a_number_too_large_for_a_float_is_a_failure():
    """This holds for every length, also for integers that Python refuses to parse."""
    digits = "1" + "0" * (sys.get_int_max_str_digits() + 10)
    for number in (digits, digits[:400]):
        content = results_file({"a.track": row([7])}).replace(b"[[7]", f"[[{number}]".encode())
        assert [key for key, _ in problems(content)] == ["results.a.track.result"]
        assert only_row(content).results == (Failed(),)


def test_true_is_one():
    """True is read as 1, as in asv."""
    assert only_row(results_file({"a.track": row([True])})).results == (Measured(value=1),)


def test_integers_stay_integers():
    """Bytes are counted exactly."""
    value = only_row(results_file({"a.peakmem": row([9007199254740993])})).results[0].value
    assert value == 9007199254740993


def test_too_few_and_too_many_results_are_reported():
    """The results that match the parameters are used."""
    short = results_file({"a.time": row([1.0], params=[["1", "2"]])})
    assert problems(short) == [("results.a.time.result", "has 1 entries for 2 parameter combinations")]
    assert only_row(short).results == (Measured(value=1.0), Failed())
    long = results_file({"a.time": row([1.0, 2.0, 3.0], params=[["1", "2"]])})
    assert problems(long) == [
        ("results.a.time.result", "has 3 entries for 2 parameter combinations; 1 number of it is not kept")
    ]
    assert only_row(long).results == (Measured(value=1.0), Measured(value=2.0))


BROKEN_ROWS = {
    "no list": "text",
    "params no lists": row([1.0], params=["1", "2"]),
    "params a number": row([1.0], params=5),
    "version an object": row([1.0], version={"a": 1}),
    "a grid beyond reason": row(None, params=[[str(i) for i in range(10)]] * 40),
}


@pytest.mark.parametrize("broken", BROKEN_ROWS.values(), ids=BROKEN_ROWS)
def test_an_unusable_row_is_reported_and_the_others_are_read(broken):
    """One bad row does not make the file unusable."""
    content = results_file({"a.broken": broken, "b.good": row([1.0])})
    ((key, reason),) = problems(content)
    assert key == "results.a.broken"
    assert reason
    assert [found.name for found in decode_run(content, "file.json").value.rows] == ["b.good"]


BROKEN_COLUMNS = {
    "started_at": row([1.0], started_at="noon"),
    "duration": row([1.0], duration=[1]),
    "stats_ci_99_a": row([1.0], stats_ci_99_a=["x"]),
    "stats_number": row([1.0], stats_number=[1.5]),
    "samples": row([1.0], samples=[[1.0, "x"]]),
    "profile": row([1.0], profile=5),
}


@pytest.mark.parametrize("column", BROKEN_COLUMNS)
def test_an_unusable_column_is_reported_and_the_value_is_kept(column):
    """A bad statistic does not remove the result."""
    content = results_file({"a.time": BROKEN_COLUMNS[column]})
    ((key, _),) = problems(content)
    assert key == f"results.a.time.{column}"
    assert only_row(content).results[0].value == 1.0


BROKEN_HEADERS = {
    "commit_hash": ["x; rm -rf /", "../../etc/passwd", "-0", "", 5, None, "a" * 65],
    "date": [None, "today", True, 10**40, [1]],
    "params": [[1], {"python": "3.12"}, {"machine": 5}, {"machine": ""}],
    "python": [None, 3.12, ""],
    "env_name": [5, ["py3.12"]],
    "requirements": ["numpy", [1]],
    "result_columns": [None, "result", [1], ["version"]],
    "version": [None, 0, 3, "2", True, 2.0],
    "results": [None, [], "x", 5],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in BROKEN_HEADERS.items() for value in values])
def test_a_file_without_a_valid_header_is_reported(key, value):
    """The problem names file, key and reason; nothing of the file is used."""
    content = results_file({"a.time": row([1.0])}, **{key: value})
    assert decode_run(content, "file.json").value is None
    ((found, reason),) = problems(content)
    assert found.split(".")[0] == key
    assert reason


@pytest.mark.parametrize("key", ["commit_hash", "date", "params", "python", "result_columns", "version", "results"])
def test_a_missing_field_is_reported(key):
    """A missing field is reported like a wrong one."""
    ((found, reason),) = problems(results_file(**{key: ...}))
    assert found.split(".")[0] == key
    assert "missing" in reason


WHOLE = results_file({"a.time": row([1.0, math.nan], params=[["1", "2"]])})
DEEP = 200_000
HOSTILE = {
    "nothing": b"",
    "blanks": b" \n",
    "null": b"null",
    "a list": b"[1, 2]",
    "a text": b'"x"',
    "cut": WHOLE[:-20],
    "two values": WHOLE + b"{}",
    "another encoding": WHOLE.decode().encode("utf-16"),
    "no UTF-8": WHOLE.replace(b"a.time", b"a.t\xffme"),
    "no UTF-8 in a name": WHOLE.replace(b"desk", b"d\xff\xfek"),
    "deep": b"[" * DEEP,
    "deep and closed": b'{"results": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep objects": b'{"a":' * DEEP,
    "a negative nothing": WHOLE.replace(b"NaN", b"-NaN"),
    "words that only look bare": WHOLE.replace(b"NaN", b"NaNa"),
    "zeros": bytes(1000),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_is_not_a_results_file_is_one_problem(content):
    """Any other content gives one problem and no error."""
    decoded = decode_run(content, "file.json")
    assert decoded.value is None
    assert len(decoded.problems) == 1
    assert str(decoded.problems[0]).startswith("file.json")


def test_a_file_above_the_size_limit_is_not_read():
    """The problem names the file and its size."""
    (problem,) = decode_run(bytes(MAX_FILE_BYTES + 1), "file.json").problems
    assert problem.reason.startswith(f"has {MAX_FILE_BYTES + 1} bytes")


def test_a_million_literals_are_read():
    """They only take longer."""
    content = results_file({"a": row([1.0], samples=[["HERE"]])}).replace(b'"HERE"', b", ".join([b"NaN"] * 1_000_001))
    assert len(only_row(content).results[0].samples) == 1_000_001


def test_a_row_that_is_nested_too_deeply_is_reported():
    """The other rows are used."""
    nested = "[" * 500 + "]" * 500
    content = results_file({"a.deep": "HERE", "b.good": row([1.0])}).replace(b'"HERE"', nested.encode())
    decoded = decode_run(content, "file.json")
    assert [problem.key.split(".")[:2] for problem in decoded.problems] == [["results", "a"]]
    assert decoded.value.row("b.good").results == (Measured(value=1.0),)


def test_a_byte_order_mark_is_ignored():
    """Some editors add one."""
    assert read(b"\xef\xbb\xbf" + WHOLE) == read(WHOLE)


def test_a_lone_surrogate_is_replaced():
    """UTF-8 cannot encode it, so it could not be printed."""
    assert only_row(WHOLE.replace(b'"1"', b'"\\ud800"')).params == (("\ufffd", "2"),)


def test_the_last_of_two_equal_keys_is_used():
    """asv reads such files the same way."""
    content = WHOLE.replace(b'"python": "3.12", "requirements"', b'"python": "3.1", "python": "3.9", "requirements"')
    assert read(content).environment.python == "3.9"


def test_many_problems_are_counted():
    """A hostile file must not fill the screen."""
    found = problems(results_file({f"a{i}": "broken" for i in range(500)}))
    assert len(found) == 101
    assert "400 more" in found[-1][1]


def test_format_1_has_four_forms_of_rows():
    """A row is a number, null, an object with statistics, or an object with samples."""
    statistics = {"ci_99": [0.9, 1.1], "q_25": 0.95, "q_75": 1.05, "number": 10, "repeat": 5, "mean": 1.01}
    content = old_results_file(
        {
            "a": 5,
            "b": None,
            "c": {"result": [1.0, None], "stats": [statistics, None], "params": [["1", "2"]]},
            "d": {"result": [1.0], "samples": [[0.5, 1.5]], "params": []},
            "e": {"result": None, "params": None},
            "f": {"result": [None], "params": [["1", "2"]]},
        },
        started_at={"a": 1000},
        ended_at={"a": 3500},
        benchmark_version={"a": "v1"},
    )
    run = read(content)
    rows = {found.name: found for found in run.rows}
    assert rows["a"].results == (Measured(value=5),)
    assert (rows["a"].version, rows["a"].started_at, rows["a"].duration) == ("v1", 1000, 2.5)
    assert rows["b"].results == rows["e"].results == (Failed(),)
    assert rows["c"].results[0] == Measured(
        value=1.0, interval=Interval(low=0.9, high=1.1), quartiles=Interval(low=0.95, high=1.05), number=10, repeat=5
    )
    assert rows["c"].results[1] == Failed()
    assert text_of(rows["c"].extra, "stats_mean") == "[1.01, null]"
    assert rows["d"].results == (Measured(value=1.0, samples=(0.5, 1.5)),)
    assert rows["f"].results == (Failed(), Failed())
    assert read(encode_run(run)) == run


def test_format_1_without_an_environment_name_gets_asvs_name():
    """The name is made of Python and requirements."""
    assert read(old_results_file()).environment.name == "py3.6-numpy1.17-six"


def test_equal_runs_give_equal_bytes():
    """The order in the files that were read has no effect."""
    rows = {"b": row([1.0]), "a": row([2.0])}
    one = results_file(rows)
    other = results_file(dict(reversed(rows.items())), params={"ram": "16GB", "python": "3.12", "machine": "desk"})
    assert one != other
    assert encode_run(read(one)) == encode_run(read(other))


def test_a_file_of_asv_is_written_value_for_value():
    """asv sees no difference in a store that was read and written."""
    nan_first = {name: [None, *column] for name, column in stats(2.0).items()}
    content = results_file(
        {
            "a": row([math.nan, 2.0], [["1", "2"]], **nan_first, samples=[None, [2.0]]),
            "b": row(None, params=[["x"]]),
            "c": row([5], []),
        }
    )
    assert json.dumps(json.loads(encode_run(read(content))), sort_keys=True) == json.dumps(
        json.loads(content), sort_keys=True
    )


def test_a_row_is_found_by_its_name():
    """The row of a benchmark is found in a run of many."""
    run = read(results_file({f"n{i:03}": row([float(i)]) for i in range(100)}))
    assert run.row("n042").results == (Measured(value=42.0),)
    assert run.row("n0420") is None
    assert run.row("zzz") is None


def like(good, bad):
    """A file with many rows like *good* and, among the last, one like *bad*."""
    rows = {f"a{number}": good for number in range(20)}
    return results_file(rows | {"bad": bad, "good": good})


def test_a_number_too_large_for_a_float_is_found_in_a_known_layout():
    """Rows of a known layout are still checked."""
    content = like(row([7]), row([8])).replace(b"[[8]", b"[[" + b"9" * 400 + b"]")
    assert [key for key, _ in problems(content)] == ["results.bad.result"]


def test_a_lone_surrogate_is_found_in_a_known_layout():
    """The digits of an escape decide whether it is valid."""
    content = like(row([1.0], params=[["\u0d00"]]), row([1.0], params=[["\u0d01"]]))
    run = read(content.replace(b"u0d01", b"ud800"))
    assert run.row("bad").params == (("\ufffd",),)
    assert run.row("good").params == (("\u0d00",),)


@pytest.mark.parametrize("moment", [10**15, 10**18, 10**30])
def test_a_start_out_of_range_is_unknown_in_a_known_layout(moment):
    """A start before the year 1 or after 9999 becomes unknown."""
    run = decode_run(like(row([1.0]), row([2.0], started_at=moment)), "file.json").value
    assert run.row("bad").started_at is None
    assert run.row("bad").results == (Measured(value=2.0),)


def test_an_empty_list_and_one_integer_differ_in_a_known_layout():
    """Without digits both look alike; an empty column is valid."""
    run = read(like(row([7], stats_number=[10]), row([], stats_number=[])))
    assert run.row("a1").results == (Measured(value=7, number=10),)
    assert run.row("bad").results == (Failed(),)


def test_integer_parameters_are_found_in_a_known_layout():
    """Without digits they look like a row without parameters."""
    content = like(row([7]), row([8])).replace(b"[[8], []", b"[[8], [2]", 1)
    assert [key for key, _ in problems(content)] == ["results.bad"]
    assert decode_run(content, "file.json").value.row("good").results == (Measured(value=7),)
