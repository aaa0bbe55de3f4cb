"""The command line finds commands, speaks on the right stream and maps errors to exit codes."""

import io

import pytest

from windtunnel import cli
from windtunnel.cli.console import VERBOSE, Console
from windtunnel.errors import ExitCode

NAMES = [*cli.COMMANDS, *(f"ci {name}" for name in cli.CI_COMMANDS)]


def run(*argv):
    out, err = io.StringIO(), io.StringIO()
    return cli.main(argv, out, err, {}), out.getvalue(), err.getvalue()


@pytest.mark.parametrize("argv", [(), ("--help",), ("-h",), ("help",)])
def test_usage_names_every_command(argv):
    """A newcomer who types anything like help sees what there is."""
    code, out, _ = run(*argv)
    assert code == ExitCode.FINE
    assert all(name in out for name in cli.COMMANDS)


def test_version():
    """The version is one line."""
    code, out, _ = run("--version")
    assert code == ExitCode.FINE
    assert out.startswith("windtunnel 0.")


def test_the_usage_says_what_commands_of_other_distributions_do():
    """It reads their docstrings, since an import would take longer than the rest."""
    assert "  claims          decide the claims of a suite from a results tree\n" in cli.usage()


def test_unknown_command_is_a_usage_error():
    """Nothing on stdout, the list of commands on stderr."""
    code, out, err = run("bensch")
    assert (code, out) == (ExitCode.USAGE, "")
    assert "'bensch'" in err
    assert "bench" in err


@pytest.mark.parametrize("argv", [("ci",), ("ci", "--help")])
def test_the_usage_of_ci_names_every_step(argv):
    """It lists what only workflows call."""
    code, out, _ = run(*argv)
    assert code == ExitCode.FINE
    assert all(name in out for name in cli.CI_COMMANDS)


@pytest.mark.parametrize(
    ("argv", "hint"), [(["plan"], "windtunnel ci plan"), (["ci", "plans"], "unknown step 'plans'")]
)
def test_an_unknown_step_is_a_usage_error(argv, hint):
    """A step without ci is pointed to its place."""
    code, out, err = run(*argv)
    assert (code, out) == (ExitCode.USAGE, "")
    assert hint in err


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
    out, err = io.StringIO(), io.StringIO()
    assert cli.main(["report", "gone\n::add-mask::x\r##[group]\x1b[31m"], out, err, {}) == 3
    assert "gone\n: :add-mask::x\\r# #[group]\\x1b[31m" in err.getvalue()


def test_what_is_said_on_the_way_speaks_to_people_only():
    """The reason of a benchmark that failed is its own words."""
    err = io.StringIO()
    console = Console(out=io.StringIO(), err=err, level=VERBOSE)
    for write in (console.log, console.warn, console.detail):
        write("time_x failed:\n::stop-commands::x")
    assert err.getvalue().count("\n: :stop-commands::x\n") == 3
