"""The command line finds commands, speaks on the right stream and maps errors to exit codes."""

import io

import pytest
from builders.commands import run_command

from windtunnel import cli
from windtunnel.cli.console import VERBOSE, Console
from windtunnel.errors import ExitCode

NAMES = [*cli.COMMANDS, *(f"ci {name}" for name in cli.CI_COMMANDS)]


def run(*argv, code=None):
    return run_command(argv, {}, code=code)


@pytest.mark.parametrize("argv", [(), ("--help",), ("-h",), ("help",), ("ci",), ("ci", "--help")])
def test_usage_names_every_command(argv):
    """A newcomer who types anything like help sees what there is; that of ci lists what only workflows call."""
    _, out, _ = run(*argv, code=ExitCode.FINE)
    assert all(name in out for name in (cli.CI_COMMANDS if "ci" in argv else cli.COMMANDS))


def test_version():
    """The version is one line."""
    _, out, _ = run("--version", code=ExitCode.FINE)
    assert out.startswith("windtunnel 0.")


def test_the_usage_says_what_commands_of_other_distributions_do():
    """It reads their docstrings, since an import would take longer than the rest."""
    assert "  claims          decide the claims of a suite from a results tree\n" in cli.usage()


@pytest.mark.parametrize(
    ("argv", "hints"),
    [
        (["bensch"], ("'bensch'", " bench")),
        (["plan"], ("windtunnel ci plan",)),
        (["ci", "plans"], ("unknown step 'plans'",)),
    ],
)
def test_an_unknown_command_or_step_is_a_usage_error(argv, hints):
    """Nothing on stdout, the list of commands on stderr; a step without ci is pointed to its place."""
    code, out, err = run(*argv)
    assert (code, out) == (ExitCode.USAGE, "")
    assert all(hint in err for hint in hints)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example(name):
    """--help shows the options and an example, on stdout."""
    code, out, err = run(*name.split(), "--help")
    assert (code, err) == (ExitCode.FINE, "")
    assert "example" in out
    assert f"windtunnel {name}" in out.split("example")[1]
    assert "--quiet" in out
    assert "--verbose" in out


@pytest.mark.parametrize("name", NAMES)
def test_every_command_refuses_an_unknown_option(name):
    """A misspelt option is never ignored, and the message leads to the help."""
    code, out, err = run(*name.split(), "--no-such-option")
    assert (code, out) == (ExitCode.USAGE, "")
    assert f"windtunnel {name} --help" in err


def test_what_went_wrong_speaks_to_people_only():
    """Names of files and benchmarks may hold lines that a workflow's runner would obey."""
    code, _, err = run("report", "gone\n::add-mask::x\r##[group]\x1b[31m")
    assert (code, "gone\n: :add-mask::x\\r# #[group]\\x1b[31m" in err) == (3, True)


def test_what_is_said_on_the_way_speaks_to_people_only():
    """The reason of a benchmark that failed is its own words."""
    err = io.StringIO()
    console = Console(out=io.StringIO(), err=err, level=VERBOSE)
    for write in (console.log, console.warn, console.detail):
        write("time_x failed:\n::stop-commands::x")
    assert err.getvalue().count("\n: :stop-commands::x\n") == 3
