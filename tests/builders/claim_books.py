"""Claims files, and results that claims are decided from."""

from builders.trees import a_hash, a_row, a_run, a_scenario, a_tree

from windtunnel.claims import claims_file
from windtunnel.claims.board import claim_board
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
article = 0.333
benchmark = "sleep.Sleep.time_run"
given = { load = ["article", "standard"] }
contender = { variant = "gather" }
baseline = { variant = "sync" }
ratio = 0.3333
tolerance = 0.03
"""


def a_book(*claims):
    """The claims in TOML."""
    return claims_file.read(HEAD + "".join(claims or (THIRD,)), "claims.toml")


def a_sampled(middle, *, processes=4, spread=0.001, each=3):
    """A value measured in *processes* that lie *spread* (relative) apart."""
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
    """The board of *runs*; higher commits are newer."""
    return claim_board(a_book(*claims), a_sleep_tree(*runs), [a_hash(each) for each in commits], records)


def only(board):
    """The one decision of *board*."""
    (decision,) = board.decisions
    return decision


HOLDS, FAILS, UNDECIDED, OUT = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED, Decision.OUT_OF_SCOPE
