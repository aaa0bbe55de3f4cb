"""``windtunnel claims``: decides what the suite's owner claims, from a results tree."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from msgspec import structs

from windtunnel.claims.board import claim_board
from windtunnel.claims.claims_file import ClaimsFile, parse_claims
from windtunnel.claims.format import CLAIMS_FORMAT, ClaimBoard
from windtunnel.claims.report import render_terminal
from windtunnel.cli.commit_order import Wanted, add_history, commit_order
from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, parse
from windtunnel.errors import ConfigurationError, ExitCode
from windtunnel.files import write_atomically
from windtunnel.results.tree import read_records, read_tree

LONGEST = 4 * 1024 * 1024
"""Bytes of a claims file; more is not read."""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Write claims.json and print the board; exit code 0 also when claims fail: they inform, compare gates."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    voice = Voice.of(options, err)
    claims = read_claims(options.claims or find_suite(options.config).claims)
    board = decide(claims, options.results, Wanted(repository=options.repo, branch=options.branch), env, voice)
    write_atomically(options.out, CLAIMS_FORMAT.encode(board))
    out.write(board_text(board))
    voice.say(f"{len(board.claims)} claims at {len(board.targets)} targets; see {options.out}")
    return ExitCode.FINE


def decide(claims: ClaimsFile, results: Path, wanted: Wanted, env: Mapping[str, str], voice: Voice) -> ClaimBoard:
    """Return the board of what the folder *results* holds."""
    tree = read_tree(results)
    for problem in tree.problems:
        voice.detail(f"left out: {problem}")
    records, doubts = read_records(results)
    for doubt in doubts:
        voice.warn(doubt)
    order = commit_order(tree, wanted, env, voice)
    board = claim_board(claims, tree, [commit.hash for commit in reversed(order.commits)], records)
    if not tree.problems:
        return board
    note = f"{len(tree.problems)} things in {results} could not be used; --verbose names them"
    return structs.replace(board, notes=(*board.notes, note))


def board_text(board: ClaimBoard) -> str:
    """Return the board as this terminal shows it."""
    return render_terminal(board, shutil.get_terminal_size(fallback=(100, 24)).columns)


def read_claims(path: Path) -> ClaimsFile:
    """Return the claims in the file *path*; raises ConfigurationError."""
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read: {error.strerror}; write claims there (docs/how-to/claims.md), or name the file "
            "with --claims or as 'claims' in [tool.windtunnel]"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error}; save it as UTF-8 and try again") from None
    if len(content) > LONGEST:
        raise ConfigurationError(f"{path} has more than {LONGEST} bytes; a claims file is written by hand")
    return parse_claims(text, str(path))


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "claims",
        out=out,
        description="Decide the claims of a suite on every Python: holds, fails or undecided, from intervals.",
        example="  windtunnel claims .asv/results --out claims.json\n"
        "  windtunnel claims results --claims claims.toml --repo . --out claims.json",
    )
    parser.add_argument("results", type=Path, metavar="RESULTS", help="a results tree")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where claims.json goes")
    parser.add_argument(
        "--claims", type=Path, metavar="FILE", help="the claims file (default: claims.toml among the benchmarks)"
    )
    add_history(parser)
    add_suite(parser)
    return parser
