"""The option of commands that keep what they have read."""

from pathlib import Path

from windtunnel.cli.options import Parser


def add_cache(parser: Parser, usual: str = "default: beside --out") -> None:
    """Add --cache."""
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="DIR",
        help=f"what was read is kept here, so that the next time takes less; any command's will do ({usual})",
    )
