"""The command line: one module a command, each ``main(argv, out, err, env) -> int``; this one only finds it."""

import importlib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Protocol, TextIO, cast

from windtunnel.errors import ExitCode, WindtunnelError
from windtunnel.text.escaping import escape_log

COMMANDS: Mapping[str, str] = {
    "bench": "the main job: plan, run, merge and publish on this machine",
    "init": "write the workflow files of a repository that has an asv suite",
    "doctor": "what would be measured, what is missing, how to mend it",
    "plan": "cut commits x Pythons x benchmarks into shards that take equally long",
    "run": "carry out one shard of a plan",
    "merge": "join the results trees of many jobs, without loss",
    "store": "keep results on a branch that many jobs push to at once",
    "detect": "find the commits at which the level of a benchmark changed",
    "claims": "decide what is claimed of the variants: holds, fails or undecided, on every Python",
    "alert": "tell what changed: one GitHub issue for each cause, kept up to date",
    "ack": "say that somebody looks into an alert",
    "mute": "hear nothing of an alert until a day",
    "expect": "say that a change was meant",
    "publish": "build a site of results: histories, scenarios, changes, comparisons",
    "plot": "draw a benchmark's history, or its variants side by side, as SVG or PNG",
    "compare": "judge what became slower or faster from one commit to another",
    "bisect": "find the commit that changed a benchmark",
    "report": "tell a verdict, changes or claims in words, for a terminal or a pull request",
    "comment": "tell a verdict on GitHub: one comment under the pull request, a check beside the commit",
    "handle-comment": "hear what a comment on a pull request asks for, and decide whether it may",
}
"""Each command and what it is for, in the order of the data's way; module ``windtunnel.cli.<name>``."""


class Main(Protocol):
    """What every command's module offers as ``main``."""

    def __call__(self, argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
        """Carry the command out: the result to *out*, everything else to *err*; return the exit code."""


def entry() -> int:
    """Be the ``windtunnel`` command."""
    return main(sys.argv[1:], sys.stdout, sys.stderr, os.environ)


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Find the command named first in *argv*, carry it out and turn what it raises into an exit code."""
    match list(argv):
        case [] | ["-h" | "--help"] | ["help"]:
            out.write(usage())
            return ExitCode.FINE
        case ["--version"]:
            from importlib.metadata import version  # noqa: PLC0415 - 20 ms that no other command should pay

            out.write(f"windtunnel {version('windtunnel')}\n")
            return ExitCode.FINE
        case [name, *rest] if name in COMMANDS:
            return _guarded(name, rest, out, err, env)
        case _:
            err.write(f"windtunnel: {argv[0]!r} is no command\n\n{usage()}")
            return ExitCode.USAGE


def usage() -> str:
    """Return the list of commands."""
    width = max(map(len, COMMANDS))
    rows = "".join(f"  {name:{width}}  {summary}\n" for name, summary in COMMANDS.items())
    return (
        "usage: windtunnel COMMAND [OPTION ...]\n\n"
        "Continuous benchmarking for asv suites, with verdicts that can be believed.\n\n"
        f"{rows}\n"
        "'windtunnel COMMAND --help' tells the options and shows an example.\n"
        "Exit codes: 0 fine, 1 regression found, 2 usage or configuration, 3 data missing or broken,\n"
        "4 remote refused, 70 bug, 130 interrupted.\n"
    )


def _guarded(name: str, argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    try:
        command = cast("Main", importlib.import_module(f"windtunnel.cli.{name.replace('-', '_')}").main)
        return command(argv, out, err, env)
    except WindtunnelError as error:
        err.write(f"windtunnel {name}: {escape_log(str(error))}\n")
        return error.exit_code
    except KeyboardInterrupt:
        err.write(f"windtunnel {name}: interrupted\n")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return ExitCode.FINE
    except Exception:  # noqa: BLE001 - the last wall: whatever comes here is a bug of ours, and is shown whole
        err.write(escape_log(traceback.format_exc()))
        err.write(f"windtunnel {name}: this is a bug in windtunnel; please report it with the lines above\n")
        return ExitCode.BUG
