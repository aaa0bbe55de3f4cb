"""The command line: ``main`` finds the command and turns errors into exit codes; each command has a module.

The module of a command has a function ``run``, or ``ACTIONS``, a function for each action such as ``store push``.
"""

import ast
import importlib.util
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib.abc import InspectLoader
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from windtunnel.errors import ExitCode, UsageError, WindtunnelError
from windtunnel.text.escaping import escape_log

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from windtunnel.cli.options import Run

COMMANDS: Mapping[str, str] = {
    "bench": "benchmark recent commits on this machine and build the site: plan, run, merge, publish",
    "compare": "measure two commits in turn and decide what became slower or faster",
    "bisect": "find the commit that changed a benchmark",
    "detect": "find the commits at which a benchmark changed",
    "publish": "build the site: histories, scenarios, changes, comparisons",
    "plot": "draw the history or the newest values of a benchmark as SVG or PNG",
    "report": "print a verdict or changes for a terminal or a pull request",
    "store": "keep results on a branch that many jobs push to",
    "merge": "merge the results of several jobs",
    "import": "import histories of pytest-benchmark and github-action-benchmark",
    "init": "write the workflow files for a repository with benchmarks, or a first benchmark",
    "doctor": "show what would be measured, what is missing, and how to fix it",
}
"""Each command that people use, and its purpose."""

MODULES = {"import": "import_results"}
"""Modules of commands whose names are keywords of Python."""

CI_COMMANDS: Mapping[str, str] = {
    "settings": "write what the steps of a job need from [tool.windtunnel.ci]",
    "pythons": "print the Pythons that the suite needs, for a workflow to set up",
    "plan": "split commits x Pythons x benchmarks into shards of equal duration",
    "prepare": "decide what a pull request's comparison measures, on how many runners",
    "build": "build commits once, for the jobs that measure them",
    "run": "run one shard of a plan",
    "alert": "open, update and close one GitHub issue for each detected cause",
    "record-bisection": "keep what a bisection found with its alert, and show it in its issue",
    "error-rates": "collect how often verdicts were wrong where the truth is known",
    "comment": "publish a verdict on GitHub: a comment on the pull request and a check",
}
"""Each step of a workflow, and its purpose, in the order of the data flow; a user calls ``windtunnel ci STEP``."""


def entry() -> int:
    """Be the ``windtunnel`` command; what it writes is UTF-8 wherever a program or a file reads it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8")
    signal.signal(signal.SIGTERM, _interrupt)
    return main(sys.argv[1:], sys.stdout, sys.stderr, os.environ)


def _interrupt(number: int, frame: object) -> None:  # noqa: ARG001 - a handler's signature
    """End as Ctrl-C does; the second signal of timeout(1), which also goes to its group, must not stop the report."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Find the command that *argv* names, run it, and return its exit code: the result to *out*, the rest to *err*."""
    match list(argv):
        case [] | ["-h" | "--help" | "help"]:
            out.write(usage())
        case ["ci"] | ["ci", "-h" | "--help"]:
            out.write(ci_usage())
        case ["--version"]:
            from importlib.metadata import version  # noqa: PLC0415 - 20 ms that no other command should pay

            out.write(f"windtunnel {version('windtunnel')}\n")
        case ["ci", name, *rest] if name in CI_COMMANDS:
            return _guarded(f"ci {name}", rest, out, err, env)
        case [name, *rest] if name in COMMANDS or name in further_commands():
            return _guarded(name, rest, out, err, env)
        case _:
            err.write(f"windtunnel: {_unknown(argv)}\n")
            return ExitCode.USAGE
    return ExitCode.FINE


def _unknown(argv: Sequence[str]) -> str:
    """Return why *argv* names no command."""
    match list(argv):
        case ["ci", name, *_]:
            return f"unknown step {name!r}\n\n{ci_usage()}"
        case [name, *_] if name in CI_COMMANDS:
            return f"{name!r} is a step of a workflow: windtunnel ci {name}"
        case _:
            return f"unknown command {argv[0]!r}\n\n{usage()}"


def usage() -> str:
    """Return the list of commands."""
    further = {name: _summary(each) for name, each in further_commands().items()}
    return (
        "usage: windtunnel COMMAND [OPTION ...]\n\n"
        "Continuous benchmarking for asv suites, with verdicts that state their own error rate.\n\n"
        f"{_rows({**COMMANDS, **further, 'ci': 'the steps that only workflows call'})}\n"
        "'windtunnel COMMAND --help' shows the options and an example.\n"
        "Exit codes: 0 fine, 1 regression found, 2 usage or configuration, 3 data missing or broken,\n"
        "4 remote refused, 70 bug, 130 interrupted.\n"
    )


def _summary(command: "EntryPoint") -> str:
    """Return what the docstring of the module of *command* says after its name, without importing the module."""
    found = importlib.util.find_spec(command.module)
    source = found.loader.get_source(command.module) if found and isinstance(found.loader, InspectLoader) else None
    first, _, _ = (ast.get_docstring(ast.parse(source or "")) or "").partition("\n")
    return first.partition(": ")[2].rstrip(".")


def ci_usage() -> str:
    """Return the list of the steps of workflows."""
    return (
        "usage: windtunnel ci STEP [OPTION ...]\n\n"
        "The steps of the workflows that windtunnel init writes; see docs/reference/workflows.md.\n\n"
        f"{_rows(CI_COMMANDS)}\n"
        "'windtunnel ci STEP --help' shows the options and an example.\n"
    )


def further_commands() -> Mapping[str, "EntryPoint"]:
    """Return the commands that other distributions add, by name; each is imported when it is called."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 20 ms that no other command should pay

    return {each.name: each for each in entry_points(group="windtunnel.commands")}


def functions_of(name: str) -> Mapping[str, "Run"]:
    """Return the function of the command *name*, or those of its actions as ``store push``, by their full names."""
    plain = name.removeprefix("ci ")
    if name not in COMMANDS and plain not in CI_COMMANDS:
        return {name: further_commands()[name].load()}
    module = importlib.import_module(f"windtunnel.cli.{MODULES.get(plain, plain.replace('-', '_'))}")
    actions: Mapping[str, Run] = getattr(module, "ACTIONS", {})
    if plain in actions:
        return {name: actions[plain]}
    return {f"{name} {action}": run for action, run in actions.items()} or {name: module.run}


def _run(name: str, argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    from windtunnel.cli import options  # noqa: PLC0415 - the list of commands needs no parser

    found = functions_of(name)
    if name not in found:
        match list(argv):
            case [] | ["-h" | "--help"]:
                out.write(_actions(name, found))
                return ExitCode.FINE
            case [action, *rest] if f"{name} {action}" in found:
                name, argv = f"{name} {action}", rest
            case _:
                names = ", ".join(each.partition(" ")[2] for each in found)
                raise UsageError(f"unknown action {argv[0]!r}; use one of {names}; see windtunnel {name} --help")
    given = options.parse(name, options.options_type(found[name]), argv, out)
    return ExitCode.FINE if given is None else found[name](given, given.console(out, err), env)


def _actions(name: str, found: Mapping[str, "Run"]) -> str:
    """Return the help of a command with actions."""
    from windtunnel.cli.options import EXAMPLE, options_type  # noqa: PLC0415 - as above
    from windtunnel.formats import type_doc  # noqa: PLC0415

    docs = {each.partition(" ")[2]: type_doc(options_type(run)) for each, run in found.items()}
    return (
        f"usage: windtunnel {name} ACTION [OPTION ...]\n\n{COMMANDS[name].capitalize()}.\n\n"
        f"{_rows({action: doc.partition(chr(10))[0] for action, doc in docs.items()})}\n"
        f"'windtunnel {name} ACTION --help' shows the options, among them --quiet and --verbose.\n\n"
        f"example:\n{next(iter(docs.values())).partition(EXAMPLE)[2]}\n"
    )


def _rows(summaries: Mapping[str, str]) -> str:
    width = max(map(len, summaries))
    return "".join(f"  {name:{width}}  {summary}\n" for name, summary in summaries.items())


def _guarded(name: str, argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    try:
        return _run(name, argv, out, err, env)
    except WindtunnelError as error:
        err.write(f"windtunnel {name}: {escape_log(str(error))}\n")
        return error.exit_code
    except KeyboardInterrupt:
        err.write(f"windtunnel {name}: interrupted\n")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return ExitCode.FINE
    except Exception:  # noqa: BLE001 - the last resort: an unexpected exception is a bug, and is shown whole
        err.write(escape_log(traceback.format_exc()))
        err.write(f"windtunnel {name}: this is a bug in windtunnel; please report it with the lines above\n")
        return ExitCode.BUG
