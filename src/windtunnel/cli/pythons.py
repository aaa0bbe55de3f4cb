"""``windtunnel ci pythons``: prints the Pythons that the suite needs, for a workflow to set up."""

from collections.abc import Mapping
from typing import Annotated

from windtunnel.asv import protocol
from windtunnel.asv.configuration import FINDS_PYTHON
from windtunnel.asv.engine_session import Supervisor
from windtunnel.asv.pythons import check_spec, environment_type
from windtunnel.bench.shard_run import LOG
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg
from windtunnel.cli.suite import SuiteOptions, find_suite
from windtunnel.cli.workflow_run import write_github_output
from windtunnel.errors import ExitCode


class PythonsOptions(SuiteOptions, frozen=True, kw_only=True):
    """Print the Pythons that must be on a machine to measure the suite, one a line.

    Nothing is printed for environments that bring their own Python (conda, rattler) or that exist already.

    example:
      windtunnel ci pythons
      windtunnel ci pythons --github-output          # in a workflow, before actions/setup-python
      windtunnel ci pythons --first --github-output   # the one that compare uses
    """

    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Print this Python instead of those of the configuration; may be repeated."""
    first: bool = False
    """Print only the first, on which compare measures."""
    github_output: bool = False
    """Append versions and, of several, reversed to the file $GITHUB_OUTPUT, for actions/setup-python."""


def run(options: PythonsOptions, console: Console, env: Mapping[str, str]) -> int:
    """Print the Pythons; with --github-output also write them."""
    suite = find_suite(options.config, env)
    found: list[str] = []
    if environment_type(options.python, suite.asv.environment_type) in FINDS_PYTHON:
        for spec in options.python:
            check_spec(spec)
        supervisor = Supervisor(env=env, log=suite.folder / ".windtunnel" / LOG)
        request = protocol.Describe(place=protocol.Place(config=str(suite.path), pythons=options.python))
        events = supervisor.ask(request, f"asv cannot use {suite.path}")
        found += (
            python for event in events if isinstance(event, protocol.SuiteEnvironments) for python in event.pythons
        )
    pythons = tuple(dict.fromkeys(found))[: 1 if options.first else None]
    console.print("".join(f"{python}\n" for python in pythons))
    if options.github_output:
        others = pythons[::-1] if len(pythons) > 1 else ()
        write_github_output(env, {"versions": "\n".join(pythons), "reversed": "\n".join(others)})
    return ExitCode.FINE
