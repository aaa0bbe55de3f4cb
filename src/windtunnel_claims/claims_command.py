"""``windtunnel claims``: decide the claims of a suite from a results tree."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from windtunnel.asv.configuration import Configuration
from windtunnel.asv.results_format.files import decode_benchmarks
from windtunnel.asv.results_format.json_values import Decoded
from windtunnel.cli.console import Console, terminal_width
from windtunnel.cli.options import Arg, CommonOptions, File
from windtunnel.cli.report import Report
from windtunnel.cli.suite import find_suite
from windtunnel.errors import ConfigurationError, DataError, ExitCode, WindtunnelError
from windtunnel.files import read, write_atomically
from windtunnel.publish.site_files import SitePart
from windtunnel.results.record_files import read_claim_files
from windtunnel.results.tree import BENCHMARKS
from windtunnel.text.escaping import visible
from windtunnel_claims.board import claim_board
from windtunnel_claims.claims_file import ClaimsFile, parse_claims
from windtunnel_claims.findings import claim_summary, decide_findings
from windtunnel_claims.format import CLAIMS_FORMAT, ClaimBoard
from windtunnel_claims.report import render_board, render_findings, render_markdown, render_terminal
from windtunnel_claims.samples_format import SAMPLES_FORMAT
from windtunnel_claims.series_plan import combine

MAX_BYTES = 4 * 1024 * 1024
"""A larger claims file is refused."""


class ClaimsOptions(CommonOptions, frozen=True, kw_only=True):
    """Decide the claims of a suite on every Python from blocks: holds, fails or undecided.

    example:
      windtunnel claims .asv/results --out claims.json
      windtunnel claims results --claims claims.toml --out claims.json
    """

    config: File | None = None
    """The asv configuration (default: asv.conf.json here or above, or the only one of the repository if needed)."""
    results: Annotated[Path, Arg(positional=True)]
    """A results tree."""
    out: File
    """Write claims.json here."""
    claims: File | None = None
    """The claims file (default: claims.toml beside the benchmarks)."""


def run(options: ClaimsOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write claims.json and print the board; exit code 0 also when claims fail, because compare gates."""
    claims = read_claims(options.claims or claims_path(find_suite(options.config, env)))
    board = decide(claims, options.results, console)
    write_atomically(options.out, CLAIMS_FORMAT.encode(board))
    console.print(render_terminal(board, terminal_width()))
    console.log(f"{len(board.claims)} claims at {len(board.targets)} targets; see {options.out}")
    return ExitCode.FINE


def decide(claims: ClaimsFile, results: Path, console: Console) -> ClaimBoard:
    """Return the board of what the folder *results* holds."""
    if not results.is_dir():
        raise DataError(f"{results} is not a folder of results; measure claims with windtunnel measure-claims")
    samples, broken = read_claim_files(results, SAMPLES_FORMAT)
    path = results / BENCHMARKS
    found = decode_benchmarks(path.read_bytes(), str(path)) if path.is_file() else Decoded(value=None)
    for problem in (*broken, *map(str, found.problems)):
        console.warn(visible(problem, 400))
    return claim_board(claims, {each.name: each for each in found.value or ()}, combine(samples))


def site_part(
    suite: Configuration | None, results: Path, console: Console, *, file: Path | None = None
) -> SitePart | None:
    """Return the claims of *suite* for the site of *results*, or those in *file*; None without any.

    A claims file or a published board with errors costs the claims or the board, not the site.
    """
    board, claims, published = read(file, CLAIMS_FORMAT) if file else None, None, None
    try:
        if suite and claims_path(suite).is_file():
            claims = read_claims(claims_path(suite))
            board = _in_words_of(claims, board) if board else decide(claims, results, console)
            if (name := suite.settings.published_claims) and not file:
                published = _in_words_of(claims, read(suite.folder / name, CLAIMS_FORMAT))
    except WindtunnelError as error:
        console.warn(f"claims are not decided: {visible(str(error), 400)}")
    if board is None:
        return None
    width = terminal_width()
    return SitePart(
        data=board,
        published=published,
        summary=claim_summary(board, claims.verdict if claims else None, published),
        is_measured=any(each.is_measured for each in board.decisions),
        headline=render_findings(board, width),
        next=claims.verdict.next if claims and claims.verdict else (),
        report=render_board(board, width) if board.is_decided else "",
    )


def _in_words_of(claims: ClaimsFile, board: ClaimBoard) -> ClaimBoard:
    """Return *board*, which was decided earlier, with the sources and findings of *claims* that fit it."""
    if not {each.source for each in board.claims} <= claims.sources.keys():
        return board
    listed = {each.id for each in board.claims}
    asked = [each for each in claims.findings if each.claim in listed]
    findings = decide_findings(asked, board.decisions, board.targets)
    return replace(board, sources=claims.listed_sources, findings=findings)


REPORT = Report(form=CLAIMS_FORMAT, terminal=render_terminal, markdown=render_markdown)
"""What ``windtunnel report`` prints of claims.json."""


def claims_path(suite: Configuration) -> Path:
    """Return the claims file of *suite*, whether it exists or not."""
    return suite.benchmark_dir / "claims.toml"


def read_claims(path: Path) -> ClaimsFile:
    """Return the claims in the file *path*; raises ConfigurationError."""
    try:
        text = path.read_bytes()[: MAX_BYTES + 1].decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        advice = "write claims there in UTF-8 (docs/how-to/claims.md), or name the file with --claims"
        raise ConfigurationError(f"{path} cannot be read: {error}; {advice}") from None
    if len(text) > MAX_BYTES:
        raise ConfigurationError(f"{path} has more than {MAX_BYTES} bytes; split it or remove what is not a claim")
    return parse_claims(text, str(path))
