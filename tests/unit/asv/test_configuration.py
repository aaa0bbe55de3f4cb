"""asv.conf.json and [tool.windtunnel] are read with asv's defaults and clear errors."""

from pathlib import Path

import pytest

from windtunnel.asv.configuration import keeps_builds, parse
from windtunnel.errors import ConfigurationError

PATH = Path("/project/suite/asv.conf.json")


def test_comments_and_trailing_commas_are_allowed():
    """asv reads its configuration in the same way."""
    read = parse('{// a comment\n"project": "spam", "pythons": ["3.12",], /* two */ }', PATH)
    assert (read.asv.project, read.asv.pythons) == ("spam", ("3.12",))


def test_defaults_are_asvs():
    """An empty configuration has asv's folders."""
    read = parse("{}", PATH)
    assert read.benchmark_dir == PATH.parent / "benchmarks"
    assert read.results_dir == PATH.parent / "results"
    assert read.env_dir == PATH.parent / "env"


def test_settings_come_from_pyproject():
    """They are in the table [tool.windtunnel] of the file beside the configuration."""
    read = parse("{}", PATH, '[tool.windtunnel]\nresults-branch = "perf"\nbench = ["quick"]')
    assert (read.settings.results_branch, read.settings.bench) == ("perf", ("quick",))


def test_the_board_has_no_default():
    """Windtunnel does not know how a suite names its variants."""
    assert parse("{}", PATH).settings.board is None
    board = parse("{}", PATH, '[tool.windtunnel.board]\nvariant = "technique"').settings.board
    assert (board.variant, board.load, board.reference) == ("technique", None, None)


@pytest.mark.parametrize(
    ("content", "pyproject", "message"),
    [
        ("{", "", "asv.conf.json is not JSON"),
        pytest.param("[" * 100_000, "", "asv.conf.json is not JSON with comments: it is nested too deeply", id="deep"),
        pytest.param(
            "{}", f"x = {'[' * 100_000}", "pyproject.toml is not TOML: it is nested too deeply", id="deep TOML"
        ),
        pytest.param("{}", f"x = {'9' * 5000}", "pyproject.toml is not TOML", id="a huge number"),
        ("[]", "", "holds list"),
        ('{"project": 3}', "", "asv.conf.json: project is 3; expected a string"),
        ('{"project": ""}', "", "asv.conf.json: project is ''; expected a string of length >= 1"),
        ('{"pythons": "3.12"}', "", "pythons is '3.12'; expected an array"),
        ('{"pythons": [3.12]}', "", "pythons[0] is 3.12; expected a string"),
        ("{}", "[tool.windtunnel", "pyproject.toml is not TOML"),
        ("{}", "[tool.windtunnel]\nbrnch = 1", "pyproject.toml: tool.windtunnel: there is no key 'brnch'"),
        ("{}", "[tool.windtunnel]\nbench = 1", "pyproject.toml: tool.windtunnel.bench is 1; expected an array"),
        ("{}", "[tool.windtunnel.board]\nload = 'n'", "tool.windtunnel.board: the key 'variant' is missing"),
        ("{}", "tool = 3", "[tool.windtunnel]"),
        ("{}", "[tool]\nwindtunnel = 3", "[tool.windtunnel]"),
    ],
)
def test_errors_name_the_file_and_the_key(content, pyproject, message):
    """A reader of the message knows what to correct, and where."""
    with pytest.raises(ConfigurationError) as raised:
        parse(content, PATH, pyproject)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ({}, True),
        ({"build_command": None, "install_command": None}, True),
        ({"build_command": ["pip wheel -w {build_cache_dir} {build_dir}"]}, True),
        ({"install_command": ["in-dir={env_dir} python -m pip install {wheel_file}"]}, True),
        ({"build_command": [], "install_command": ["pip install -e ."]}, False),
        ({"build_command": ["python setup.py build"]}, False),
        ({"install_command": "pip install {build_dir}"}, False),
        ({"environment_type": "existing"}, False),
    ],
)
def test_builds_are_kept_where_the_commands_use_asvs_cache(keys, kept):
    """Other suites install from source, so a job that only builds would be of no use."""
    assert keeps_builds(keys) is kept
