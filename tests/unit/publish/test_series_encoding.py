"""The columns of the site's data lose nothing that matters."""

import numpy as np
import pytest

from windtunnel.publish.series_encoding import (
    count_digits,
    decode_differences,
    encode_differences,
    sparklines,
    to_steps,
)

NAN = float("nan")


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 3e-4, 0.1, 1.0, 12345.678, 1e9, 1e30, 1e300])
def test_values_are_exact_within_a_thousandth(factor):
    """For any magnitude."""
    values = np.array([1.0, 1.01, NAN, 0.98, 1.2]) * factor
    digits = count_digits(values)
    read = decode_differences(encode_differences(to_steps(values, digits)), digits)
    assert read[2] is None
    assert [each for each in read if each is not None] == pytest.approx(values[[0, 1, 3, 4]], rel=1e-3)


def test_integers_are_exact():
    """Bytes and counts that differ by one stay different."""
    values = np.array([2.0**40, 2.0**40 + 1, 7.0, 0.0])
    digits = count_digits(values)
    assert decode_differences(encode_differences(to_steps(values, digits)), digits) == values.tolist()


def test_a_wide_range_stays_within_exact_integers():
    """With values a hundred decades apart, the large ones decide and nothing overflows."""
    values = np.array([1e-100, 1e-100, 1e10])
    digits = count_digits(values)
    assert decode_differences(encode_differences(to_steps(values, digits)), digits) == pytest.approx(values, abs=1e-4)


def test_gaps_and_zeros_need_no_digits():
    """Only gaps, only zeros, or no value at all."""
    for values in (np.array([]), np.array([NAN, NAN]), np.array([0.0, 0.0])):
        assert count_digits(values) == 0
        assert decode_differences(encode_differences(to_steps(values, 0)), 0) == [None if v != v else v for v in values]


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
