"""Claims files and decisions from blocks, for tests of claims."""

from builders.claim_blocks import a_series, claim_samples, ratios
from builders.trees import a_scenario

from windtunnel_claims.board import claim_board
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.format import Decision

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

HOLDS, FAILS, UNDECIDED, OUT = Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED, Decision.OUT_OF_SCOPE


def a_claims_file(*claims):
    """The claims file with *claims*, which are TOML."""
    return parse_claims(HEAD + "".join(claims or (THIRD,)), "claims.toml")


def blocks_of(ratio, *, blocks=4, spread=0.001, **samples):
    """What a machine measured: blocks in which gathering takes *ratio* of the time."""
    return claim_samples(a_series(*ratios(ratio, blocks, spread)), **samples)


def decide(*samples, claims=()):
    """The board of *samples*; commits with higher numbers are newer."""
    return claim_board(a_claims_file(*claims), {SLEEP.name: SLEEP}, samples)


def only(board):
    """The one decision of *board*."""
    (decision,) = board.decisions
    return decision
