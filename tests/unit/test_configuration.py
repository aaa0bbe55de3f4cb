"""asv.conf.json and [tool.windtunnel] are read with asv's defaults and clear errors."""

from pathlib import Path

import pytest

from windtunnel.asv.configuration import parse
from windtunnel.errors import ConfigurationError

PATH = Path("/project/suite/asv.conf.json")


def test_comments_and_trailing_commas_are_fine():
    """asv's configuration is JSON with comments; so is ours."""
    read = parse('{// a comment\n"project": "spam", "pythons": ["3.12",], /* two */ }', PATH)
    assert (read.project, read.pythons) == ("spam", ("3.12",))


def test_defaults_are_asvs():
    """An empty configuration means what it means to asv."""
    read = parse("{}", PATH)
    assert read.benchmark_dir == PATH.parent / "benchmarks"
    assert read.results_dir == PATH.parent / "results"
    assert read.env_dir == PATH.parent / "env"


def test_settings_come_from_pyproject():
    """[tool.windtunnel] stands in the pyproject.toml beside the suite."""
    read = parse("{}", PATH, '[tool.windtunnel]\nresults-branch = "perf"\nbench = ["quick"]')
    assert (read.settings.results_branch, read.settings.bench) == ("perf", ("quick",))


@pytest.mark.parametrize(
    ("content", "pyproject", "named"),
    [
        ("{", "", "asv.conf.json is not JSON"),
        ("[]", "", "holds list"),
        ('{"project": 3}', "", "'project' is 3"),
        ('{"project": ""}', "", "'project' is ''"),
        ('{"pythons": "3.12"}', "", "'pythons' is '3.12'"),
        ('{"pythons": [3.12]}', "", "'pythons' is [3.12]"),
        ("{}", "[tool.windtunnel", "pyproject.toml is not TOML"),
        ("{}", "[tool.windtunnel]\nbrnch = 1", "no key 'brnch'"),
        ("{}", "[tool.windtunnel]\nbench = 1", "'bench' is 1"),
        ("{}", "tool = 3", "[tool.windtunnel]"),
        ("{}", "[tool]\nwindtunnel = 3", "[tool.windtunnel]"),
    ],
)
def test_mistakes_name_the_file_and_the_key(content, pyproject, named):
    """Whoever reads the message knows where to go."""
    with pytest.raises(ConfigurationError) as raised:
        parse(content, PATH, pyproject)
    assert named in str(raised.value)
