"""Claims files and results for tests of claims."""

from builders.trees import a_hash, a_row, a_run, a_scenario, a_tree

from windtunnel.claims.board import claim_board
from windtunnel.claims.claims_file import parse_claims
from windtunnel.claims.format import Decision
from windtunnel.model.result import Measured, Skipped

SLEEP = a_scenario("sleep.Sleep.time_run", ("sync", "gather"), ("quick", "standard", "article"))

HEAD = """
[sources]
Z = "an article"
"""

THIRD = """
[[claim]]
id = "Z1"
source = "Z"
sentence = "Gathering takes a third."
published = 0.333
benchmark = "sleep.Sleep.time_run"
given = { load = ["article", "standard"] }
contender = { variant = "gather" }
baseline = { variant = "sync" }
ratio = 0.3333
tolerance = 0.03
"""


def a_claims_file(*claims):
    """The claims file with *claims*, which are TOML."""
    return parse_claims(HEAD + "".join(claims or (THIRD,)), "claims.toml")


def a_sampled(middle, *, processes=4, spread=0.001, each=3):
    """A value measured in *processes* whose medians differ by *spread* (relative)."""
    places = [0.0] if processes == 1 else [2 * index / (processes - 1) - 1 for index in range(processes)]
    samples = tuple(middle * (1 + spread * place) for place in places for _ in range(each))
    return Measured(value=middle, samples=samples, process_sizes=(each,) * processes)


def a_sleep_run(sync, gather, *, load="standard", **run):
    """A run that measured both variants with one load."""
    loads = ("quick", "standard", "article")
    results = [each if name == load else Skipped() for each in (sync, gather) for name in loads]
    return a_run(a_row(SLEEP, *results), **run)


def a_sleep_tree(*runs):
    """Runs of the scenario."""
    return a_tree(*runs, benchmarks=[SLEEP])


def decide(*runs, claims=(), records=(), commits=range(9, 0, -1)):
    """The board of *runs*; commits with higher numbers are newer."""
    return claim_board(a_claims_file(*claims), a_sleep_tree(*runs), [a_hash(each) for each in commits], records)


def only(board):
    """The one decision of *board*."""
    (decision,) = board.decisions
    return decision


HOLDS, FAILS, UNDECIDED, OUT = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED, Decision.OUT_OF_SCOPE

WEB = a_scenario("web.Web.time_run", ("flask_1", "aiohttp_1", "flask_4", "aiohttp_4"), ("standard", "article"))

WEB_CLAIM = """
[[claim]]
id = "P6"
source = "Z"
sentence = "By less than with one worker."
benchmark = "web.Web.time_run"
given = { load = ["article", "standard"] }
contender = { variant = "flask_4" }
baseline = { variant = "aiohttp_4" }
"""

FASTER = "above = 1\n"


def a_web_run(*sides, load="standard", **run):
    """A run that measured all four variants with one load."""
    return a_run(
        a_row(WEB, *(side if name == load else Skipped() for side in sides for name in ("standard", "article"))), **run
    )


def decide_web(claim, *sides, file=HEAD, load="standard"):
    """The board of *claim* if the four variants have the values *sides*."""
    values = [a_sampled(side) if isinstance(side, float) else side for side in sides]
    return claim_board(
        parse_claims(file + claim, "claims.toml"),
        a_tree(a_web_run(*values, load=load), benchmarks=[WEB]),
        [a_hash(1)],
    )
