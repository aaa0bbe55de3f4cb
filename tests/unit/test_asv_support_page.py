"""The page about asv lists everything that the installed asv knows, so it cannot become outdated unnoticed."""

import re
from pathlib import Path

import asv
import asv_runner
import pytest
from asv.config import Config

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "asv-support.md"
ASV, RUNNER = (Path(package.__file__).parent for package in (asv, asv_runner))
OWN = {"windtunnel_threshold"}
STATES = {"honoured", "ignored", "refused"}


def rows(title):
    """The names and the state of each row of the table below *title*."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    table = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [(re.findall(r"`([^`]+)`", cells[0]), cells[1]) for cells in table[1:]]


def listed(title):
    return {name for names, _ in rows(title) for name in names}


def found_in(folder, *patterns):
    """What *patterns* find in the Python files of *folder*."""
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    return {name for text in texts for pattern in patterns for name in re.findall(pattern, text)}


def test_every_key_of_the_configuration_is_listed():
    """Those of asv's Config, of the file that asv generates, and those that asv reads elsewhere."""
    template = (ASV / "template" / "asv.conf.json").read_text(encoding="utf-8")
    known = {*vars(Config()), *re.findall(r'^    (?:// ?)?"(\w+)":', template, re.MULTILINE)}
    known |= found_in(ASV, r"getattr\(conf, ['\"](\w+)['\"]", r"'(wheel_cache_size)'")
    assert {"matrix", "build_cache_size", "wheel_cache_size", "version"} <= known
    assert listed("Keys of asv.conf.json") == known


def test_every_attribute_of_a_benchmark_is_listed():
    """Those that asv_runner reads."""
    known = found_in(
        RUNNER,
        r"_get_(?:first_attr|all_attrs)\(\s*[\w.\[\]]+,\s*\"(\w+)\"",
        r"(?:getattr|hasattr)\(func, \"((?!__|im_class)\w+)\"",
        r"func\.(benchmark_name)",
    )
    assert {"setup", "repeat", "processes", "pretty_name"} <= known
    assert listed("Attributes of a benchmark") == known | OWN


def test_every_environment_type_is_listed():
    """Those of asv's own plugins, and one that older configurations have."""
    known = found_in(ASV, r"tool_name = ['\"](\w+)['\"]")
    assert "conda" in known
    assert listed("Environment types") == known | {"mamba"}


def test_every_variable_is_listed():
    """Those that asv reads or sets."""
    known = found_in(ASV, r"\b(ASV_[A-Z_]+)\b")
    assert "ASV_PYTHONPATH" in known
    assert listed("Environment variables") == known


@pytest.mark.parametrize(
    "title",
    [
        "Keys of asv.conf.json",
        "Environment types",
        "Attributes of a benchmark",
        "Kinds of benchmarks",
        "Environment variables",
    ],
)
def test_every_row_has_a_state(title):
    """It is one of three."""
    found = rows(title)
    assert found
    assert {state for _, state in found} <= STATES
