"""What the actions of ``windtunnel store`` share: where results lie, here and on the remote, and how to speak."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TextIO

from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, nearest_suite
from windtunnel.errors import ExitCode, UsageError
from windtunnel.git.branch import RemoteBranch, open_branch
from windtunnel.git.remote import Remote
from windtunnel.model.settings import Settings
from windtunnel.results.branch.retry import DEFAULT_RETRY_TIMEOUT, RetryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """Where an action speaks, and the environment that it runs in."""

    out: TextIO
    err: TextIO
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A results folder and the results branch that belongs to it; the repository is looked for around *start*."""

    given: Path | None
    """The results folder, None where nobody names one."""
    branch: str
    start: Path

    @classmethod
    def of(cls, options: argparse.Namespace) -> "Place":
        """Return what the options name, and for the rest what the configuration names."""
        suite = find_suite(options.config) if options.config or nearest_suite(Path.cwd()) else None
        settings = suite.settings if suite else Settings()
        return cls(
            given=options.results or (suite.results_dir if suite else None),
            branch=options.branch or settings.results_branch,
            start=suite.folder if suite else Path.cwd(),
        )

    @property
    def results(self) -> Path:
        """The results folder; raises UsageError where nobody names one."""
        if self.given is None:
            raise UsageError("there is no asv configuration here or above; name the results folder with --results")
        return self.given


def parser(action: str, streams: Streams, description: str, example: str) -> Parser:
    """Begin the options of *action* with those that every action has."""
    made = Parser(f"store {action}", out=streams.out, description=description, example=f"  {example}")
    add_suite(made)
    made.add_argument("--results", type=Path, metavar="DIR", help="the results folder (default: asv's results_dir)")
    made.add_argument("--branch", metavar="NAME", help="the results branch (default: results-branch)")
    made.add_argument(
        "--retry-timeout",
        type=_retry_policy,
        default=RetryPolicy(),
        dest="retry",
        metavar="SECONDS",
        help=f"how long to try again while others push or the remote is away (default: {DEFAULT_RETRY_TIMEOUT:.0f})",
    )
    return made


def add_remote(made: Parser) -> None:
    """Add --remote."""
    made.add_argument("--remote", default="origin", metavar="NAME", help="a remote, URL or path (default: origin)")


@contextmanager
def opened(name: str, remote: str, start: Path, env: Mapping[str, str]) -> Iterator[RemoteBranch]:
    """Lend the branch *name* of *remote*; a path counts from here, not from the repository's root."""
    if "/" in remote and Path(remote).is_dir():
        remote = str(Path(remote).absolute())
    with open_branch(name, Remote.find(remote, start, env), env) as branch:
        yield branch


def verdict(notes: Sequence[str], options: argparse.Namespace, streams: Streams) -> int:
    """Say what was broken or in conflict; the exit code is 3 when anything was, and the rest is done all the same."""
    voice = Voice.of(options, streams.err)
    for note in notes:
        voice.warn(note)
    return ExitCode.DATA if notes else ExitCode.FINE


def count(number: int, noun: str) -> str:
    """Return a number of things in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _retry_policy(text: str) -> RetryPolicy:
    seconds = float(text)
    if not 0 <= seconds < inf:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return RetryPolicy(timeout=seconds)
