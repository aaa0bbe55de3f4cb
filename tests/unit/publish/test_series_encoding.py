"""The columns of the site's data lose nothing that matters."""

import numpy as np
import pytest
from builders.encoded import decode_differences, from_steps

from windtunnel.publish.series_files import encode_series, sparklines
from windtunnel.results.columns import CaseKey
from windtunnel.results.series_table import SeriesTable

NAN = float("nan")


def a_table(*series, low=None):
    """A table with the values of each of *series*."""
    value = np.concatenate([np.array(each, float) for each in series])
    case = np.repeat(np.arange(len(series), dtype=np.int32), [len(each) for each in series])
    commit = np.concatenate([np.arange(len(each), dtype=np.int32) for each in series])
    limit = np.full(len(value), NAN) if low is None else np.array(low)
    cases = tuple(CaseKey(f"b{index}", None, ()) for index in range(len(series)))
    return SeriesTable(
        cases=cases, case=case, target=np.zeros_like(case), commit=commit, value=value, low=limit, high=limit
    )


def read_back(*series):
    """The values of each of *series*, encoded and read as a page reads them."""
    return [decode_differences(each["values"], each["digits"]) for _, _, each in encode_series(a_table(*series))]


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 3e-4, 0.1, 1.0, 12345.678, 1e9, 1e30, 1e300])
def test_values_are_exact_within_a_thousandth(factor):
    """For any magnitude."""
    values = np.array([1.0, 1.01, NAN, 0.98, 1.2]) * factor
    (read,) = read_back(values)
    assert read[2] is None
    assert [each for each in read if each is not None] == pytest.approx(values[[0, 1, 3, 4]], rel=1e-3)


def test_integers_are_exact():
    """Bytes and counts that differ by one stay different."""
    values = [2.0**40, 2.0**40 + 1, 7.0, 0.0]
    assert read_back(values) == [values]


def test_a_wide_range_stays_within_exact_integers():
    """With values a hundred decades apart, the large ones decide and nothing overflows."""
    assert read_back([1e-100, 1e-100, 1e10]) == [pytest.approx([0, 0, 1e10])]


def test_gaps_and_zeros_need_no_digits():
    """Only gaps, or only zeros."""
    assert read_back([NAN, NAN], [0.0, 0.0]) == [[None, None], [0, 0]]
    assert list(encode_series(a_table([]))) == []


def test_series_do_not_mix():
    """Each begins with its own value and commit, also behind a gap, and has its own digits."""
    assert read_back([NAN, 1.5], [NAN], [1e-6, 2e-6]) == [[None, 1.5], [None], [1e-6, 2e-6]]
    assert [each["commits"] for _, _, each in encode_series(a_table([1, 2], [3, 4]))] == [(0, 1), (0, 1)]


def test_limits_are_distances_in_steps():
    """An unknown limit is null."""
    ((_, _, one),) = encode_series(a_table([1.5, 1.5], low=[1.4, NAN]))
    assert from_steps(one["below"][0], one["digits"]) == pytest.approx(0.1)
    assert one["below"][1] is None


def test_lines_of_a_sparkline_share_a_scale():
    """The limits set the scale; gaps stay gaps in each line."""
    assert sparklines([2.0, 3.0, NAN], [1.0, NAN, NAN], [3.0, 3.0, NAN]) == ("iz.", "0..", "zz.")
    assert sparklines([NAN], [NAN]) == ("", "")


def test_a_sparkline_spans_its_extremes_and_keeps_gaps():
    """Equal values are in the middle; only the last 24 are drawn."""
    assert sparklines([1, NAN, 2]) == ("0.z",)
    assert sparklines([5, 5]) == ("ii",)
    assert sparklines([]) == sparklines([NAN]) == ("",)
    assert len(*sparklines(list(range(100)))) == 24
    assert sparklines([-1e308, 1e308])[0][0] == "0"
