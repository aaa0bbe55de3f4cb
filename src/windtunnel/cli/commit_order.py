"""The order of the measured commits: the repository's, or that of their dates where there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel.cli.options import Parser, Voice
from windtunnel.git.history import find_order, read_history
from windtunnel.git.repository import Repository
from windtunnel.model.commit_history import CommitHistory
from windtunnel.model.run import ResultsTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The repository and the branch that were asked for; None where nobody said."""

    repository: Path | None
    branch: str | None


def add_history(parser: Parser) -> None:
    """Add --repo and --branch."""
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="DIR",
        help="the project's repository (default: the one here, if it has the commits)",
    )
    parser.add_argument(
        "--branch", metavar="NAME", help="the branch whose commits are looked at (default: the main one)"
    )


def commit_order(tree: ResultsTree, wanted: Wanted, env: Mapping[str, str], voice: Voice) -> CommitHistory:
    """Return the commits, oldest first; raises where a repository that was asked for has none of those in *tree*."""
    if wanted.repository or wanted.branch:
        measured = frozenset(run.commit for run in tree.runs)
        return read_history(Repository.at(wanted.repository or Path.cwd(), env), wanted.branch, measured)
    order = find_order(tree.runs, lambda: Repository.at(Path.cwd(), env))
    if order.warning:
        voice.warn(f"commits go by date, which may be wrong: {order.warning}; --repo names the repository")
    return order.history
