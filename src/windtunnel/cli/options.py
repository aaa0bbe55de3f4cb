"""What the commands share: how to speak, where the suite is, which commits, Pythons and benchmarks."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TextIO

from windtunnel.asv import configuration
from windtunnel.asv.configuration import Configuration
from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.text.escaping import escape_log


class Parser(argparse.ArgumentParser):
    """argparse whose mistakes are our UsageError, and which prints help where it is told to."""

    def __init__(self, command: str, *, out: TextIO, example: str, description: str) -> None:
        """Begin the options of ``windtunnel *command*``; *example* closes the help."""
        super().__init__(
            prog=f"windtunnel {command}",
            description=description,
            epilog=f"example:\n{example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self._out = out
        group = self.add_mutually_exclusive_group()
        group.add_argument("--quiet", action="store_true", help="say nothing but the result and what went wrong")
        group.add_argument("--verbose", action="store_true", help="say more")

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def print_help(self, file: object = None) -> None:  # noqa: ARG002 - argparse's signature
        """Print the help to where results go."""
        self._out.write(self.format_help())


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Says what is going on, on *err*; *level* 0 is quiet, 1 usual, 2 verbose."""

    err: TextIO
    level: int

    @classmethod
    def of(cls, options: argparse.Namespace, err: TextIO) -> "Voice":
        """Return the voice that the options ask for."""
        return cls(err=err, level=0 if options.quiet else 2 if options.verbose else 1)

    def say(self, text: str) -> None:
        """Say a step of the work."""
        if self.level >= 1:
            self._write(text)

    def warn(self, text: str) -> None:
        """Say what went wrong without stopping the work; never silenced."""
        self._write(f"warning: {text}")

    def _write(self, text: str) -> None:
        self.err.write(f"windtunnel: {escape_log(text)}\n")
        self.err.flush()

    def detail(self, text: str) -> None:
        """Say what only the curious want to know."""
        if self.level > 1:
            self.say(text)


def parse(parser: Parser, argv: Sequence[str]) -> argparse.Namespace | None:
    """Return the options, or None when help was asked for and given."""
    try:
        return parser.parse_args(list(argv))
    except SystemExit:
        return None


def add_suite(parser: Parser) -> None:
    """Add --config."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="the asv configuration (default: asv.conf.json here or above)"
    )


def find_suite(given: Path | None) -> Configuration:
    """Read the asv configuration *given*, or the nearest one from the working directory upwards."""
    path = given.absolute() if given else nearest_suite(Path.cwd())
    if path is None:
        raise ConfigurationError(
            f"no {configuration.NAMES[0]} in {Path.cwd()} or above; go to the suite or name it with --config"
        )
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}; name the asv configuration with --config") from None
    pyproject = path.parent / "pyproject.toml"
    return configuration.parse(content, path, pyproject.read_text(encoding="utf-8") if pyproject.is_file() else "")


def nearest_suite(start: Path) -> Path | None:
    """Return the asv configuration in *start* or the nearest folder above, None where there is none."""
    for folder in (start, *start.parents):
        for name in configuration.NAMES:
            if (folder / name).is_file():
                return folder / name
    return None
