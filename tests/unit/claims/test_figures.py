"""Figures that accompany a claim, and ratios of ratios."""

from dataclasses import replace

import pytest
from builders.claims_files import (
    FAILS,
    FASTER,
    HEAD,
    HOLDS,
    THIRD,
    UNDECIDED,
    WEB,
    WEB_CLAIM,
    a_claims_file,
    a_sampled,
    decide_web,
    only,
)

from windtunnel.claims.claim_lookup import claimed_cases
from windtunnel.claims.claims_file import parse_claims
from windtunnel.errors import ConfigurationError
from windtunnel.model.result import Skipped

FALLS = 'divided-by = { contender = { variant = "flask_1" }, baseline = { variant = "aiohttp_1" } }\nbelow = 1\n'


def figure(words, *sides, **how):
    (found,) = only(decide_web(f"{WEB_CLAIM}{FASTER}[[claim.figure]]\nname = 'f'\n{words}", *sides, **how)).figures
    return found


@pytest.mark.parametrize(
    ("sides", "decision"),
    [((4.0, 2.0, 3.0, 2.0), HOLDS), ((3.0, 2.0, 4.0, 2.0), FAILS), ((4.0, 2.0, 4.0, 2.0), UNDECIDED)],
)
def test_a_ratio_can_be_divided_by_another(sides, decision):
    """The interval includes the uncertainty of all four cases."""
    found = only(decide_web(WEB_CLAIM + FALLS, *sides))
    (test,) = found.tests
    assert found.decision is decision
    assert test.ratio == pytest.approx((sides[2] / sides[3]) / (sides[0] / sides[1]), rel=1e-3)
    assert [side.params[0] for side in test.divided_by] == ["'flask_1'", "'aiohttp_1'"]
    alone = only(decide_web(WEB_CLAIM + FASTER, *sides)).tests[0]
    assert test.interval.high / test.interval.low > alone.interval.high / alone.interval.low


def test_a_ratio_of_ratios_needs_processes():
    """Samples without processes are not enough."""
    side = replace(a_sampled(1.0, processes=6, each=1), process_sizes=None)
    reason = only(decide_web(WEB_CLAIM + FALLS, side, side, side, side)).reason
    assert reason == "the results do not record processes, which a ratio of ratios needs"


def test_a_figure_is_a_ratio_by_default():
    """Cases that it does not name are those of the claim."""
    found = figure('contender = { variant = "flask_1" }', 4.0, 1.0, 3.0, 2.0)
    assert (found.value, found.unit) == (pytest.approx(2.0, rel=1e-3), None)
    assert found.low < found.value < found.high


@pytest.mark.parametrize(("per", "each"), [("per = 4", 0.25), ("per = { standard = 4, article = 8 }", 0.25)])
def test_a_figure_can_be_a_difference_per_count(per, each):
    """The count may depend on the given load."""
    found = figure(per, 1.0, 1.0, 3.0, 2.0)
    assert (found.value, found.unit) == (pytest.approx(each), "seconds")
    assert found.low < each < found.high


def test_a_load_without_a_count_is_reported():
    """The file has counts for some loads only."""
    found = figure("per = { article = 8 }", 1.0, 1.0, 3.0, 2.0)
    assert found.value is None
    assert found.reason == "the claims file has no count for 'standard'; add it to 'per'"


def test_a_figure_can_be_a_break_even_point():
    """If half the time is saved, the baseline must be twice the cost."""
    found = figure('cost = { variant = "flask_1" }', 0.5, 1.0, 2.0, 4.0)
    assert (found.value, found.unit) == (pytest.approx(1.0, rel=1e-3), "seconds")
    assert found.low < found.value < found.high


def test_a_cost_without_savings_never_pays_off():
    """If the savings are uncertain, the interval has no upper end."""
    assert figure('cost = { variant = "flask_1" }', 0.5, 1.0, 4.0, 2.0).reason.startswith("never")
    wide = a_sampled(3.9, spread=0.1)
    found = figure('cost = { variant = "flask_1" }', 0.5, 1.0, wide, 4.0)
    assert (found.low > 0, found.high) == (True, None)


@pytest.mark.parametrize("words", ["per = 4", 'cost = { variant = "flask_1" }', 'contender = { variant = "flask_1" }'])
def test_a_figure_without_values_says_why(words):
    """One process a side is not enough, and a case may be missing."""
    one = a_sampled(1.0, processes=1)
    assert "process" in figure(words, one, one, one, one).reason
    absent = figure(words, 1.0, Skipped(), Skipped(), Skipped())
    assert (absent.value, "not measured" in absent.reason) == (None, True)


def test_a_figure_decides_nothing():
    """A claim with a figure that has no value still holds."""
    found = only(
        decide_web(f"{WEB_CLAIM}{FASTER}[[claim.figure]]\nname = 'f'\nper = {{ article = 8 }}", 1.0, 1.0, 3.0, 2.0)
    )
    assert found.decision is HOLDS


def test_claimed_cases_include_figures_divisors_and_the_control():
    """They are what ``--claimed`` selects."""
    claim = f"{WEB_CLAIM}{FALLS}[[claim.figure]]\nname = 'f'\ncost = {{ variant = 'aiohttp_1', load = 'standard' }}"
    names = claimed_cases(parse_claims(HEAD + claim, "claims.toml"), [WEB])
    loads = ("standard", "article")
    assert names == {f"web.Web.time_run('{each.strip(chr(39))}', '{load}')" for each in WEB.params[0] for load in loads}
    assert claimed_cases(a_claims_file(THIRD), [WEB]) == frozenset()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (FALLS.replace("contender", "contendor"), "divided-by: there is no key 'contendor'"),
        (FALLS.replace("flask_1", "aiohttp_1"), "the contender is the baseline"),
        (FASTER + "[[claim.figure]]\nper = 3", "figure[0]: the key 'name' is missing"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = 0", "figure[0].per is 0; expected a number > 0"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = { article = 'x' }", "expected a number, got a string"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = 1\ncost = { variant = 'flask_1' }", "not both"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nbelow = 1", "there is no key 'below'"),
        (FASTER + "figure = 3", "figure is 3; expected an array"),
    ],
)
def test_errors_in_figures_name_the_claim_and_the_key(words, message):
    """The message starts with the file and the id of the claim."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml: claim 'P6'") as refused:
        parse_claims(HEAD + WEB_CLAIM + words, "claims.toml")
    assert message in str(refused.value)
