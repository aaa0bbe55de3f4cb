"""Figures: quantiles, and how they are encoded."""

from dataclasses import replace

import numpy as np
import pytest
from builders.encoded import decode_differences, from_steps
from builders.trees import a_benchmark

from windtunnel.model.run import Failed, Interval, Measured, Skipped
from windtunnel.publish.figures import LEVELS, distribution, profiles
from windtunnel.publish.format.results import Distribution
from windtunnel.publish.series_files import encode_series, sparklines
from windtunnel.results.columns import CaseKey
from windtunnel.results.series_table import SeriesTable

PROFILE = replace(a_benchmark("scrape.peak_profile", unit="bytes"), type_word="profile")


def test_quantiles_are_those_of_the_samples():
    """Of 101 samples, each percentile is one of them."""
    found = distribution(Measured(value=50.0, samples=tuple(map(float, range(101))), process_sizes=(60, 41)))
    assert found == Distribution(quantiles=pytest.approx([100 * level for level in LEVELS]), processes=2)


def test_without_samples_only_quartiles_are_known():
    """asv stores them; other quantiles are unknown."""
    found = distribution(Measured(value=2.0, quartiles=Interval(low=1.0, high=3.0)))
    known = dict(zip(LEVELS, found.quantiles, strict=True))
    assert (known[0.25], known[0.5], known[0.75]) == (1.0, 2.0, 3.0)
    assert known[0.0] is known[0.99] is found.processes is None


@pytest.mark.parametrize(
    "result", [None, Failed(), Skipped(), Measured(value=1.0), Measured(value=1.0, samples=(float("inf"),))]
)
def test_without_samples_and_quartiles_there_is_no_distribution(result):
    """Infinite samples do not count."""
    assert distribution(result) is None


def test_a_profile_has_the_samples_of_each_process_in_order():
    """Other benchmarks have no profile, because the order of their samples has no meaning."""
    result = Measured(value=2.0, samples=(1.0, 3.0, 2.0, 4.0), process_sizes=(2, 2))
    assert profiles(PROFILE, result) == ((1.0, 3.0), (2.0, 4.0))
    assert profiles(a_benchmark(), result) == profiles(PROFILE, Failed()) == ()


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
