"""``windtunnel claims``: decides the claims of a suite from a results tree."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import structs

from windtunnel.asv.configuration import Configuration
from windtunnel.claims.board import claim_board
from windtunnel.claims.claims_file import ClaimsFile, parse_claims
from windtunnel.claims.format import CLAIMS_FORMAT, ClaimBoard
from windtunnel.claims.report_text import render_terminal
from windtunnel.claims.samples_format import SAMPLES_FORMAT
from windtunnel.claims.series_plan import combine
from windtunnel.cli.console import Console
from windtunnel.cli.history_options import HistoryOptions, HistorySource, commit_order, history_source
from windtunnel.cli.options import Arg, File
from windtunnel.cli.suite import SuiteOptions, find_suite
from windtunnel.errors import ConfigurationError, ExitCode, WindtunnelError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.results.record_files import read_claim_files
from windtunnel.results.tree import read_records, read_tree
from windtunnel.text.escaping import visible

MAX_BYTES = 4 * 1024 * 1024
"""A larger claims file is refused."""


class ClaimsOptions(SuiteOptions, frozen=True, kw_only=True):
    """Decide the claims of a suite on every Python from intervals: holds, fails or undecided.

    example:
      windtunnel claims .asv/results --out claims.json
      windtunnel claims results --claims claims.toml --repo . --out claims.json
    """

    results: Annotated[Path, Arg(positional=True)]
    """A results tree."""
    out: File
    """Write claims.json here."""
    claims: File | None = None
    """The claims file (default: claims.toml beside the benchmarks)."""
    history: HistoryOptions


def run(options: ClaimsOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write claims.json and print the board; exit code 0 also when claims fail, because compare gates."""
    claims = read_claims(options.claims or find_suite(options.config, env).claims)
    board = decide(claims, options.results, history_source(options, options.history, env, console), console)
    write_atomically(options.out, CLAIMS_FORMAT.encode(board))
    console.print(board_text(board))
    console.log(f"{len(board.claims)} claims at {len(board.targets)} targets; see {options.out}")
    return ExitCode.FINE


def decide(claims: ClaimsFile, results: Path, source: HistorySource, console: Console) -> ClaimBoard:
    """Return the board of what the folder *results* holds."""
    tree = read_tree(results)
    for problem in tree.problems:
        console.detail(f"left out: {problem}")
    records, problems = read_records(results)
    samples, more = read_claim_files(results, SAMPLES_FORMAT)
    for broken in (*problems, *more):
        console.warn(visible(broken, 400))
    order = commit_order(tree, source, console)
    board = claim_board(claims, tree, [commit.hash for commit in reversed(order.commits)], records, combine(samples))
    if not tree.problems:
        return board
    note = f"{len(tree.problems)} files or rows in {results} could not be used; --verbose lists them"
    return structs.replace(board, notes=(*board.notes, note))


def decide_own(
    suite: Configuration, results: Path, repository: Repository, branch: str | None, console: Console
) -> ClaimBoard | None:
    """Return the board of the claims file of *suite*; None without such a file, and with a warning if it has errors."""
    if not suite.claims.is_file():
        return None
    source = HistorySource(
        repository=lambda: repository, branch=branch, configured=suite.branches, strict=branch is not None
    )
    try:
        return decide(read_claims(suite.claims), results, source, console)
    except WindtunnelError as error:
        console.warn(f"claims are not decided: {visible(str(error), 400)}")
        return None


def board_text(board: ClaimBoard) -> str:
    """Return the board as this terminal shows it."""
    return render_terminal(board, terminal_width())


def terminal_width() -> int:
    """Return the columns of this terminal."""
    return shutil.get_terminal_size(fallback=(100, 24)).columns


def read_claims(path: Path) -> ClaimsFile:
    """Return the claims in the file *path*; raises ConfigurationError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error.strerror}; write claims there (docs/how-to/claims.md), or name the file "
            "with --claims or as 'claims' in [tool.windtunnel]"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error}; save it as UTF-8 and try again") from None
    if len(content) > MAX_BYTES:
        raise ConfigurationError(f"{path} has more than {MAX_BYTES} bytes; split it or remove what is not a claim")
    return parse_claims(text, str(path))
