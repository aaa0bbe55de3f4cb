"""Figures that accompany a claim, ratios of ratios, and the control of a run."""

from dataclasses import replace

import pytest
from builders.claims_files import FAILS, HEAD, HOLDS, THIRD, UNDECIDED, a_claims_file, a_sampled, only
from builders.trees import a_hash, a_row, a_run, a_scenario, a_tree

from windtunnel.claims.board import claim_board
from windtunnel.claims.claim_lookup import claimed_cases
from windtunnel.claims.claims_file import parse_claims
from windtunnel.errors import ConfigurationError
from windtunnel.model.result import Skipped

WEB = a_scenario("web.Web.time_run", ("flask_1", "aiohttp_1", "flask_4", "aiohttp_4"), ("standard", "article"))

CLAIM = """
[[claim]]
id = "P6"
source = "Z"
sentence = "By less than with one worker."
benchmark = "web.Web.time_run"
given = { load = ["article", "standard"] }
contender = { variant = "flask_4" }
baseline = { variant = "aiohttp_4" }
"""
FALLS = 'divided-by = { contender = { variant = "flask_1" }, baseline = { variant = "aiohttp_1" } }\nbelow = 1\n'
FASTER = "above = 1\n"
CONTROL = """
[control]
benchmark = "web.Web.time_run"
given = { load = ["article", "standard"] }
contender = { variant = "flask_1" }
baseline = { variant = "aiohttp_1" }
between = [2.9, 3.03]
"""


def a_web_run(*sides, load="standard", **run):
    """A run that measured all four variants with one load."""
    return a_run(
        a_row(WEB, *(side if name == load else Skipped() for side in sides for name in ("standard", "article"))), **run
    )


def board(claim, *sides, file=HEAD, load="standard"):
    """What is decided of *claim* when the four variants took *sides*."""
    values = [a_sampled(side) if isinstance(side, float) else side for side in sides]
    return claim_board(
        parse_claims(file + claim, "claims.toml"),
        a_tree(a_web_run(*values, load=load), benchmarks=[WEB]),
        [a_hash(1)],
    )


def figure(words, *sides, **how):
    (found,) = only(board(f"{CLAIM}{FASTER}[[claim.figure]]\nname = 'f'\n{words}", *sides, **how)).figures
    return found


@pytest.mark.parametrize(
    ("sides", "decision"),
    [((4.0, 2.0, 3.0, 2.0), HOLDS), ((3.0, 2.0, 4.0, 2.0), FAILS), ((4.0, 2.0, 4.0, 2.0), UNDECIDED)],
)
def test_a_ratio_can_be_divided_by_another(sides, decision):
    """The interval includes the uncertainty of all four cases."""
    found = only(board(CLAIM + FALLS, *sides))
    (test,) = found.tests
    assert found.decision is decision
    assert test.ratio == pytest.approx((sides[2] / sides[3]) / (sides[0] / sides[1]), rel=1e-3)
    assert [side.params[0] for side in test.divided_by] == ["'flask_1'", "'aiohttp_1'"]
    alone = only(board(CLAIM + FASTER, *sides)).tests[0]
    assert test.interval.high / test.interval.low > alone.interval.high / alone.interval.low


def test_a_ratio_of_ratios_needs_processes():
    """Samples without processes are not enough."""
    side = replace(a_sampled(1.0, processes=6, each=1), process_sizes=None)
    reason = only(board(CLAIM + FALLS, side, side, side, side)).reason
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
    found = only(board(f"{CLAIM}{FASTER}[[claim.figure]]\nname = 'f'\nper = {{ article = 8 }}", 1.0, 1.0, 3.0, 2.0))
    assert found.decision is HOLDS


def test_a_run_whose_control_ratio_is_off_is_discarded():
    """Every claim of the run is undecided."""
    found = board(CLAIM + FASTER, 2.5, 1.0, 3.0, 2.0, file=CONTROL + HEAD)
    assert only(found).decision is UNDECIDED
    assert (
        only(found).reason
        == "the control ratio of this run is 2.5, not 2.9 to 3.03: the run was disturbed; measure again"
    )
    (note,) = found.notes
    assert "the control ratio is 2.5, not 2.9 to 3.03" in note


@pytest.mark.parametrize("order", [1, -1])
def test_one_disturbed_run_discards_all_runs_of_its_commit(order):
    """A commit may be measured with several sets of libraries."""
    quiet, disturbed = ([a_sampled(side) for side in (first, 1.0, 3.0, 2.0)] for first in (3.0, 2.5))
    names = ["before", "after"][::order]
    runs = [
        a_web_run(*sides, environment=name, date=date)
        for date, (sides, name) in enumerate(zip((quiet, disturbed), names, strict=True))
    ]
    newer = a_web_run(*[Skipped()] * 3, a_sampled(1.0), commit=2, environment="after")
    claims = parse_claims(CONTROL + HEAD + CLAIM + FASTER, "claims.toml")
    found = only(claim_board(claims, a_tree(newer, *runs, benchmarks=[WEB]), [a_hash(2), a_hash(1)]))
    assert (found.decision, found.commit) == (UNDECIDED, a_hash(1))
    assert "disturbed" in found.reason


def test_a_run_whose_control_ratio_is_right_is_used():
    """There is no note, also if one process gives no interval."""
    for one in (a_sampled(3.0), a_sampled(3.0, processes=1)):
        found = board(CLAIM + FASTER, one, 1.0, 3.0, 2.0, file=CONTROL + HEAD)
        assert (only(found).decision, found.notes) == (HOLDS, ())


def test_a_run_without_a_control_is_used_with_a_note():
    """A part of a suite can be measured alone."""
    found = board(CLAIM + FASTER, Skipped(), 1.0, 3.0, 2.0, file=CONTROL + HEAD)
    assert only(found).decision is HOLDS
    (note,) = found.notes
    assert "the control was not measured" in note


def test_claimed_cases_include_figures_divisors_and_the_control():
    """They are what ``--claimed`` selects."""
    claim = f"{CLAIM}{FALLS}[[claim.figure]]\nname = 'f'\ncost = {{ variant = 'aiohttp_1', load = 'standard' }}"
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
        parse_claims(HEAD + CLAIM + words, "claims.toml")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("between = [2.9, 3.03]", "", "there are 0 bands"),
        ("between", "betwixt", "there is no key 'betwixt'"),
        ('given = { load = ["article", "standard"] }', 'given = { load = "quick" }', "is listed under 'never'"),
    ],
)
def test_errors_in_the_control_name_it(old, new, message):
    """The control obeys the rules of the file, too."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml: control") as refused:
        parse_claims('never = { load = ["quick"] }\n' + CONTROL.replace(old, new) + HEAD, "claims.toml")
    assert message in str(refused.value)
