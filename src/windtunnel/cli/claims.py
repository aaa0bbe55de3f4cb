"""``windtunnel claims``: decides the claims of a suite from a results tree."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from windtunnel.asv.configuration import Configuration
from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.asv.results_format.suite_files import decode_benchmarks
from windtunnel.claims.board import claim_board
from windtunnel.claims.claims_file import ClaimsFile, parse_claims
from windtunnel.claims.format import CLAIMS_FORMAT, ClaimBoard
from windtunnel.claims.report_text import render_terminal
from windtunnel.claims.samples_format import SAMPLES_FORMAT
from windtunnel.claims.series_plan import combine
from windtunnel.cli.console import Console
from windtunnel.cli.history_options import HistoryOptions
from windtunnel.cli.options import Arg, File
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, find_suite, open_repository
from windtunnel.errors import ConfigurationError, DataError, ExitCode, UsageError, WindtunnelError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.model.identity import CommitHash
from windtunnel.results.record_files import read_claim_files
from windtunnel.results.tree import BENCHMARKS
from windtunnel.text.escaping import visible

MAX_BYTES = 4 * 1024 * 1024
"""A larger claims file is refused."""


class ClaimsOptions(SuiteOptions, frozen=True, kw_only=True):
    """Decide the claims of a suite on every Python from blocks: holds, fails or undecided.

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
    suite = find_optional_suite(options.config)
    claims = read_claims(options.claims or find_suite(options.config, env).claims)
    history = commit_order(options, suite, console, lambda: open_repository(options, suite, env, console))
    board = decide(claims, options.results, history, console)
    write_atomically(options.out, CLAIMS_FORMAT.encode(board))
    console.print(board_text(board))
    console.log(f"{len(board.claims)} claims at {len(board.targets)} targets; see {options.out}")
    return ExitCode.FINE


def commit_order(
    options: ClaimsOptions, suite: Configuration | None, console: Console, repository: Callable[[], Repository]
) -> tuple[CommitHash, ...]:
    """Return the commits of the branch, newest first; none without a repository, and commits count by their dates."""
    try:
        return branch_commits(suite, repository(), options.history.branch)
    except UsageError as error:
        if options.repo or options.history.branch:
            raise
        console.warn(f"commits are ordered by date, which may be wrong: {error}; use --repo")
        return ()


def branch_commits(suite: Configuration | None, repository: Repository, branch: str | None) -> tuple[CommitHash, ...]:
    """Return the commits of *branch*, else of the measured branch, else of HEAD, newest first; raises UsageError."""
    try:
        head: str = repository.measured_branch(branch, suite.branches if suite else ()).head
    except UsageError:
        if branch:
            raise
        head = "HEAD"
    return tuple(commit.hash for commit in repository.first_parent_log(head))


def decide(claims: ClaimsFile, results: Path, history: Sequence[CommitHash], console: Console) -> ClaimBoard:
    """Return the board of what the folder *results* holds."""
    if not results.is_dir():
        raise DataError(f"{results} is not a folder of results; measure claims with windtunnel measure-claims")
    samples, broken = read_claim_files(results, SAMPLES_FORMAT)
    path = results / BENCHMARKS
    found = decode_benchmarks(path.read_bytes(), str(path)) if path.is_file() else Decoded(value=None)
    for problem in (*broken, *map(str, found.problems)):
        console.warn(visible(problem, 400))
    return claim_board(claims, {each.name: each for each in found.value or ()}, history, combine(samples))


def decide_own(
    suite: Configuration, results: Path, repository: Repository, branch: str | None, console: Console
) -> ClaimBoard | None:
    """Return the board of the claims file of *suite*; None without such a file, and with a warning if it has errors."""
    if not suite.claims.is_file():
        return None
    try:
        return decide(read_claims(suite.claims), results, branch_commits(suite, repository, branch), console)
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
