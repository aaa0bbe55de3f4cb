"""From the options of ``compare`` to what is compared: commits, parts, rules."""

import argparse

from msgspec.structs import replace

from windtunnel.bench.sharding import MAX_MATRIX_JOBS
from windtunnel.cli.comparison_setup import seed_of
from windtunnel.cli.options import Parser
from windtunnel.cli.selection_options import positive
from windtunnel.compare.format import ComparisonReport, Rules, StageRules
from windtunnel.compare.request import CompareRequest
from windtunnel.compare.schedule import find_suspects
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository

DEFAULT_AA_SHARE = 0.05
"""Share of cases that are also compared base against base: enough to notice a machine on which the verdicts' error
rate does not hold, for a twentieth of the time."""


def add_strategy(parser: Parser) -> None:
    """Add the options that say how rounds are spent."""
    add = parser.add_argument
    add("--rounds", type=positive, default=0, metavar="N", help="at most N rounds a case and stage")
    add("--shard", type=_shard, default=(1, 1), metavar="K/N", help="only the Kth part of N; --shards merges them")
    add("--no-confirm", action="store_true", help="only look for suspects; --only confirms them")
    add(
        "--aa-share",
        type=_share,
        default=DEFAULT_AA_SHARE,
        metavar="SHARE",
        help=f"share of cases that are also compared base against base (default: {DEFAULT_AA_SHARE})",
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; write 0.1 for one case in ten, 0 for none")
    return share


def _shard(text: str) -> tuple[int, int]:
    which, _, of = text.partition("/")
    if not (which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of) <= MAX_MATRIX_JOBS):
        raise argparse.ArgumentTypeError(f"{text!r} is no part; write 2/4 for the second of four")
    return int(which), int(of)


def request_of(
    options: argparse.Namespace, repository: Repository, screened: ComparisonReport | None, target: str = ""
) -> CompareRequest:
    """Return the request; *screened* is the verdict whose suspects shall be confirmed, if any.

    *target* is the branch that a pull request goes to, as GitHub says it; empty at a desk.
    """
    head = repository.resolve(screened.head if screened else options.head or "HEAD")
    if screened:
        base = repository.resolve(screened.base)
    elif options.base:
        base = repository.resolve(options.base)
    else:
        base = repository.merge_base(repository.resolve(_main_branch(repository, target)), head)
    if base == head:
        raise UsageError(f"base and head are both {base[:12]}; name two commits: windtunnel compare BASE HEAD")
    return CompareRequest(
        base=base,
        head=head,
        bench=tuple(options.bench),
        shard=options.shard,
        only=find_suspects([one.samples() for one in screened.comparisons], screened.rules) if screened else None,
        rules=screened.rules if screened else _rules(options.rounds),
        confirm=not options.no_confirm,
        aa_share=options.aa_share,
        seconds=options.budget * 60.0 or None,
        seed=seed_of(options),
    )


def _main_branch(repository: Repository, target: str) -> str:
    """Return *target*, else the main branch, as the remote has it where there is one: a local one may be old."""
    name = target or repository.default_branch()
    return f"origin/{name}" if repository.has(f"refs/remotes/origin/{name}") else name


def _rules(rounds: int) -> Rules:
    """Return the usual rules, with no look after *rounds* rounds (0: all of them)."""
    usual = Rules()
    if not rounds:
        return usual
    return replace(
        usual,
        screening=_until(rounds, usual.screening),
        confirmation=_until(rounds, usual.confirmation),
    )


def _until(rounds: int, usual: StageRules) -> StageRules:
    before = tuple(look for look in usual.interim_analyses if look < rounds)
    return replace(usual, interim_analyses=(*before, min(rounds, usual.interim_analyses[-1])))
