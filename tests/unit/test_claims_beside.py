"""What stands around a claim's ratios: figures that decide nothing, a ratio of ratios, and the canary of a run."""

from dataclasses import replace

import pytest
from builders.claim_books import FAILS, HEAD, HOLDS, THIRD, UNDECIDED, a_book, a_sampled, only
from builders.trees import a_hash, a_row, a_run, a_scenario, a_tree

from windtunnel.claims import claims_file
from windtunnel.claims.board import claim_board
from windtunnel.claims.claim_lookup import claimed_cases
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
CANARY = """
[canary]
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
        claims_file.read(file + claim, "claims.toml"),
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
def test_a_ratio_may_be_asked_for_how_it_stands_to_another(sides, decision):
    """The first divided by the second, with the doubts of all four sides."""
    found = only(board(CLAIM + FALLS, *sides))
    (test,) = found.tests
    assert found.decision is decision
    assert test.ratio == pytest.approx((sides[2] / sides[3]) / (sides[0] / sides[1]), rel=1e-3)
    assert [side.params[0] for side in test.divided_by] == ["'flask_1'", "'aiohttp_1'"]
    alone = only(board(CLAIM + FASTER, *sides)).tests[0]
    assert test.interval.high / test.interval.low > alone.interval.high / alone.interval.low


def test_a_ratio_of_ratios_needs_processes():
    """Samples of nobody knows which process do not do."""
    side = replace(a_sampled(1.0, processes=6, each=1), process_sizes=None)
    reason = only(board(CLAIM + FALLS, side, side, side, side)).reason
    assert reason == "nobody recorded which samples share a process, which a ratio of ratios needs"


def test_a_figure_is_a_ratio_unless_it_says_more():
    """Of other cases than the claim's, where it names some; the rest is the claim's."""
    found = figure('contender = { variant = "flask_1" }', 4.0, 1.0, 3.0, 2.0)
    assert (found.value, found.unit) == (pytest.approx(2.0, rel=1e-3), None)
    assert found.low < found.value < found.high


@pytest.mark.parametrize(("per", "each"), [("per = 4", 0.25), ("per = { standard = 4, article = 8 }", 0.25)])
def test_a_figure_may_be_the_cost_of_one(per, each):
    """The difference divided by how many there were with the load that counts."""
    found = figure(per, 1.0, 1.0, 3.0, 2.0)
    assert (found.value, found.unit) == (pytest.approx(each), "seconds")
    assert found.low < each < found.high


def test_a_cost_of_one_that_nobody_counted():
    """The file says for some loads only."""
    found = figure("per = { article = 8 }", 1.0, 1.0, 3.0, 2.0)
    assert found.value is None
    assert found.reason == "the claims file does not say per how many, given 'standard'"


def test_a_figure_may_be_from_how_much_on_a_cost_pays():
    """Half the time is saved, so twice the cost has to be computed."""
    found = figure('cost = { variant = "flask_1" }', 0.5, 1.0, 2.0, 4.0)
    assert (found.value, found.unit) == (pytest.approx(1.0, rel=1e-3), "seconds")
    assert found.low < found.value < found.high


def test_what_saves_nothing_never_pays():
    """And where nobody knows whether it saves anything, nobody knows an upper end."""
    assert figure('cost = { variant = "flask_1" }', 0.5, 1.0, 4.0, 2.0).reason.startswith("never")
    wide = a_sampled(3.9, spread=0.1)
    found = figure('cost = { variant = "flask_1" }', 0.5, 1.0, wide, 4.0)
    assert (found.low > 0, found.high) == (True, None)


@pytest.mark.parametrize("words", ["per = 4", 'cost = { variant = "flask_1" }', 'contender = { variant = "flask_1" }'])
def test_a_figure_without_values_says_why(words):
    """One process a side, or a case that was not measured."""
    one = a_sampled(1.0, processes=1)
    assert "process" in figure(words, one, one, one, one).reason
    absent = figure(words, 1.0, Skipped(), Skipped(), Skipped())
    assert (absent.value, "not measured" in absent.reason) == (None, True)


def test_a_figure_decides_nothing():
    """The claim holds without it."""
    found = only(board(f"{CLAIM}{FASTER}[[claim.figure]]\nname = 'f'\nper = {{ article = 8 }}", 1.0, 1.0, 3.0, 2.0))
    assert found.decision is HOLDS


def test_what_a_disturbed_run_shows_is_not_believed():
    """The canary's ratio is known beforehand; where it is another, every claim of the run is undecided."""
    found = board(CLAIM + FASTER, 2.5, 1.0, 3.0, 2.0, file=CANARY + HEAD)
    assert only(found).decision is UNDECIDED
    assert only(found).reason == "the canary of this run shows 2.5, not 2.9 to 3.03: it was disturbed; measure again"
    (note,) = found.notes
    assert "the canary shows 2.5, not 2.9 to 3.03" in note


@pytest.mark.parametrize("order", [1, -1])
def test_a_disturbed_run_speaks_for_its_commit(order):
    """Where a commit was measured with two sets of libraries and one canary is off, neither is believed."""
    quiet, disturbed = ([a_sampled(side) for side in (first, 1.0, 3.0, 2.0)] for first in (3.0, 2.5))
    names = ["before", "after"][::order]
    runs = [
        a_web_run(*sides, environment=name, date=date)
        for date, (sides, name) in enumerate(zip((quiet, disturbed), names, strict=True))
    ]
    newer = a_web_run(*[Skipped()] * 3, a_sampled(1.0), commit=2, environment="after")
    told = claims_file.read(CANARY + HEAD + CLAIM + FASTER, "claims.toml")
    found = only(claim_board(told, a_tree(newer, *runs, benchmarks=[WEB]), [a_hash(2), a_hash(1)]))
    assert (found.decision, found.commit) == (UNDECIDED, a_hash(1))
    assert "disturbed" in found.reason


def test_a_quiet_run_is_believed():
    """Nothing is said then, also where one process leaves no interval."""
    for one in (a_sampled(3.0), a_sampled(3.0, processes=1)):
        found = board(CLAIM + FASTER, one, 1.0, 3.0, 2.0, file=CANARY + HEAD)
        assert (only(found).decision, found.notes) == (HOLDS, ())


def test_a_run_without_its_canary_is_believed_and_that_is_told():
    """A part of a suite may be measured alone."""
    found = board(CLAIM + FASTER, Skipped(), 1.0, 3.0, 2.0, file=CANARY + HEAD)
    assert only(found).decision is HOLDS
    (note,) = found.notes
    assert "the canary was not measured" in note


def test_claimed_cases_are_all_that_a_file_speaks_of():
    """Those of tests, ratios that they are divided by, figures, and the canary."""
    claim = f"{CLAIM}{FALLS}[[claim.figure]]\nname = 'f'\ncost = {{ variant = 'aiohttp_1', load = 'standard' }}"
    names = claimed_cases({WEB.name: WEB}, claims_file.read(HEAD + claim, "claims.toml"))
    loads = ("standard", "article")
    assert names == {f"web.Web.time_run('{each.strip(chr(39))}', '{load}')" for each in WEB.params[0] for load in loads}
    assert claimed_cases({WEB.name: WEB}, a_book(THIRD)) == frozenset()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (FALLS.replace("contender", "contendor"), "divided-by: there is no key 'contendor'"),
        (FALLS.replace("flask_1", "aiohttp_1"), "it is the baseline"),
        (FASTER + "[[claim.figure]]\nper = 3", "figure 1: 'name' is missing"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = 0", "'per' is 0; write a number above zero"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = { article = 'x' }", "'article' is 'x'; write a number"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nper = 1\ncost = { variant = 'flask_1' }", "not both"),
        (FASTER + "[[claim.figure]]\nname = 'f'\nbelow = 1", "there is no key 'below'"),
        (FASTER + "figure = 3", "write [[figure]] tables"),
    ],
)
def test_a_mistake_beside_a_claim_is_named(words, said):
    """As everywhere in the file."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml, claim 'P6'") as refused:
        claims_file.read(HEAD + CLAIM + words, "claims.toml")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("between = [2.9, 3.03]", "", "no band"),
        ("between", "betwixt", "there is no key 'betwixt'"),
        ('given = { load = ["article", "standard"] }', 'given = { load = "quick" }', "is under 'never'"),
    ],
)
def test_a_mistake_of_the_canary_is_named(old, new, said):
    """And it obeys the file's own rules."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml, canary") as refused:
        claims_file.read('never = { load = ["quick"] }\n' + CANARY.replace(old, new) + HEAD, "claims.toml")
    assert said in str(refused.value)
