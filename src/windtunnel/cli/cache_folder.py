"""The option of commands that keep what they have read."""

from pathlib import Path

from windtunnel.cli.options import Parser


def add_cache(parser: Parser) -> None:
    """Add --cache."""
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="DIR",
        help="what was read is kept here, so that the next time takes less (default: beside --out); any command's does",
    )
