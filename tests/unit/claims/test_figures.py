"""Figures that accompany a claim."""

import numpy as np
import pytest
from builders.claim_blocks import HEAD, a_block, a_series

from windtunnel.errors import ConfigurationError
from windtunnel_claims.accompanying import compute_figure
from windtunnel_claims.block_values import BlockValues
from windtunnel_claims.claims_file import parse_claims

CLAIM = """
[[claim]]
id = "P6"
source = "Z"
sentence = "By less than with one worker."
benchmark = "web.Web.time_run"
given = { load = "standard" }
contender = { variant = "flask_4" }
baseline = { variant = "aiohttp_4" }
"""
FASTER = "above = 1\n"
SAME = '[[claim.figure]]\nname = "f"\ncontender = { variant = "aiohttp_4" }\n'


def figure(words, *rows):
    """The figure with these *words*; *rows* are the values of its cases in each block."""
    (claim,) = parse_claims(f"{HEAD}{CLAIM}{FASTER}[[claim.figure]]\nname = 'f'\n{words}", "claims.toml").claims
    values = BlockValues(cases=tuple(range(len(rows[0]))), logs=np.log(np.array(rows)).T, floor=1e-3, days=())
    return compute_figure(claim.figures[0], values, a_series(a_block(*rows[0]), cases="abc"[: len(rows[0])]))


def test_an_interval_is_students():
    """Three differences: the quantile of two degrees of freedom, 4.303, times the standard error."""
    found = figure("per = 1", (2.0, 1.0), (3.0, 1.0), (4.0, 1.0))
    assert (found.value, found.high - found.value) == (pytest.approx(2.0), pytest.approx(4.302653 / 3**0.5, rel=1e-5))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (FASTER + SAME, "the contender is the baseline"),
        (FASTER + "[[claim.figure]]\nper = 3", "figure[0]: the key 'name' is missing"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = 0", "figure[0].per is 0; expected a number > 0"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = 'x'", "expected a number, got a string"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nbelow = 1", "there is no key 'below'"),
        (FASTER + "figure = 3", "figure is 3; expected an array"),
    ],
)
def test_errors_in_figures_name_the_claim_and_the_key(words, message):
    """The message starts with the file and the id of the claim."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml: claim 'P6'") as refused:
        parse_claims(HEAD + CLAIM + words, "claims.toml")
    assert message in str(refused.value)
