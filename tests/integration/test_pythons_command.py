"""``windtunnel ci pythons``: what a workflow must set up before the suite can be measured."""

import json
import sys
from contextlib import chdir

import pytest
from builders.commands import windtunnel
from builders.repositories import a_repository
from builders.suites import change

from windtunnel.cli.suite import find_optional_suite

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def pythons(tmp_path):
    """A function that calls the command for a configuration; the project's address is not contacted."""

    def call(*argv, keys, **env):
        keys = {"version": 1, "repo": "https://example.invalid/spam.git", **keys}
        (tmp_path / "asv.conf.json").write_text(json.dumps(keys), encoding="utf-8")
        return windtunnel(tmp_path, "ci", "pythons", *argv, **env)

    return call


def test_the_pythons_of_the_configuration_are_printed(pythons):
    """Also those that this machine lacks, and those of includes; --first prints the one that compare uses."""
    keys = {"environment_type": "virtualenv", "pythons": ["3.98", OWN], "include": [{"python": "3.97", "req": {}}]}
    assert pythons(keys=keys).stdout == f"3.98\n{OWN}\n3.97\n"
    assert pythons("--first", keys=keys).stdout == "3.98\n"


def test_without_pythons_asvs_own_is_printed(pythons):
    """--python replaces what the configuration says."""
    assert pythons(keys={}).stdout == f"{OWN}\n"
    assert pythons("--python", "3.14t", "--python", "pypy3.11", keys={}).stdout == "3.14t\npypy3.11\n"


@pytest.mark.parametrize("kind", ["conda", "rattler", "mamba", "existing"])
def test_environments_that_bring_their_python_need_none(pythons, kind):
    """asv need not know the type here."""
    assert pythons(keys={"environment_type": kind, "pythons": ["3.12"]}).stdout == ""


def test_a_step_output_has_a_line_for_each_python(pythons, tmp_path):
    """The delimiter is random, so a Python's name cannot set another output."""
    output = tmp_path / "output"
    keys = {"environment_type": "uv", "pythons": ["3.12", "3.13\nshards=9"]}
    done = pythons("--github-output", keys=keys, GITHUB_OUTPUT=str(output))
    lines = output.read_text(encoding="utf-8").splitlines()
    for name, wanted in (("versions", ["3.12", "3.13", "shards=9"]), ("reversed", ["3.13", "shards=9", "3.12"])):
        first, *values, last = lines[:5]
        assert (done.returncode, values) == (0, wanted)
        assert first == f"{name}<<{last}"
        del lines[:5]
    assert lines == []


def test_outside_of_a_workflow_there_is_no_step_output(pythons):
    """The message names the variable."""
    done = pythons("--github-output", keys={"environment_type": "conda"}, GITHUB_OUTPUT="")
    assert (done.returncode, "$GITHUB_OUTPUT" in done.stderr) == (2, True)


@pytest.mark.parametrize("spec", ["abc", "virtualenv:abc", "", "3.13 3.14"])
def test_what_is_no_python_is_refused(pythons, spec):
    """A workflow would otherwise fail later, when it sets the Python up."""
    done = pythons("--python", spec, keys={"environment_type": "virtualenv"})
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not a Python" in done.stderr


def test_the_only_suite_of_the_repository_is_found(tmp_path):
    """At the root of a project whose suite lies in a sub-folder, --config is not necessary."""
    keys = json.dumps({"version": 1, "repo": ".", "pythons": ["3.98"]})
    root = change(a_repository(tmp_path / "project", "one"), {"benchmarks/asv.conf.json": keys}, "a suite")
    (root / "docs").mkdir()
    assert windtunnel(root / "docs", "ci", "pythons").stdout == "3.98\n"
    (root / "io").mkdir()
    (root / "io/asv.conf.json").write_text(keys, encoding="utf-8")
    done = windtunnel(root / "docs", "ci", "pythons")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--config ../benchmarks/asv.conf.json\n" in done.stderr
    assert "--config ../io/asv.conf.json\n" in done.stderr
    with chdir(root):
        assert find_optional_suite(None) is None


def test_a_folder_without_a_suite_is_reported(tmp_path):
    """Outside of a repository too, the message names --config."""
    assert "use --config" in windtunnel(tmp_path, "ci", "pythons", code=2).stderr
