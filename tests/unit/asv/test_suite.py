"""asv decides which environments a configuration gives; the Pythons that we start import nothing from a checkout."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from asv import util

from windtunnel.asv import suite
from windtunnel.asv.discovery import refuse_suite
from windtunnel.asv.engine_session import engine_environment
from windtunnel.asv.protocol import Describe, Place
from windtunnel.asv.pythons import OWN

ABSENT = "3.98"

PLUGIN = """
from asv.environment import Environment

class Bringing(Environment):
    tool_name = "bringing"

    def __init__(self, conf, python, requirements, variables):
        self._python, self._requirements = python, requirements
        super().__init__(conf, python, requirements, variables)
"""


@pytest.fixture
def describe(tmp_path, monkeypatch):
    """A function that returns what the engine reports of a configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PATH", engine_environment(os.environ)["PATH"])

    def report(*pythons, **keys):
        config = tmp_path / "asv.conf.json"
        config.write_text(json.dumps({"version": 1, "project": "spam", "repo": ".", **keys}), encoding="utf-8")
        events = []
        suite.describe(Describe(place=Place(config=str(config), pythons=pythons)), events.append)
        (found,) = events
        return found

    return report


def described(found):
    return [(each.python, each.environment) for each in found.here]


def test_without_pythons_asvs_own_python_is_measured(describe):
    """asv's default is the version that runs it; its environment type may be missing as well."""
    assert described(describe()) == [(OWN, f"virtualenv-py{OWN}")]


def test_a_python_that_is_asked_for_need_not_be_listed(describe):
    """It gets the environments of the matrix, as with ``asv run --python``."""
    found = describe(OWN, pythons=[ABSENT], matrix={"req": {"spam": ["1"]}})
    assert described(found) == [(OWN, f"virtualenv-py{OWN}-spam1")]
    assert found.missing == ()


def test_pythons_without_an_environment_are_reported(describe):
    """asv's reason names the Python."""
    found = describe(pythons=[ABSENT, OWN])
    assert found.missing == (ABSENT,)
    assert ABSENT in found.reason
    assert described(found) == [(OWN, f"virtualenv-py{OWN}")]


@pytest.mark.parametrize("matrix", [{"spam": ["1", "2"]}, {"req": {"spam": ["1", "2"]}}])
def test_both_forms_of_the_matrix_are_read(describe, matrix):
    """The old form lists requirements alone."""
    names = [name for _, name in described(describe(matrix=matrix))]
    assert names == [f"virtualenv-py{OWN}-spam1", f"virtualenv-py{OWN}-spam2"]


def test_asv_decides_what_is_excluded_and_included(describe):
    """An include has a Python of its own and holds for one environment type; an exclude may match a pattern."""
    found = describe(
        environment_type="uv",
        pythons=[OWN, ABSENT],
        exclude=[{"python": ABSENT}, {"environment_type": "conda"}],
        include=[{"python": "3.97", "req": {"spam": "1"}}, {"environment_type": "conda", "python": "3.96"}],
    )
    assert described(found) == [(OWN, f"uv-py{OWN}"), ("3.97", "uv-py3.97-spam1")]


def test_an_include_of_another_python_does_not_join_those_asked_for(describe):
    """Only environments of the requested Python are measured."""
    found = describe("3.97", environment_type="uv", include=[{"python": "3.95", "req": {}}, {"python": "3.97"}])
    assert described(found) == [("3.97", "uv-py3.97")]


def test_an_existing_python_is_the_one_that_runs_asv(describe):
    """asv ignores 'pythons' for this type; another is asked for by its path."""
    name = f"existing-py{sys.executable.replace(os.sep, '_')}"
    assert described(describe(environment_type="existing", pythons=["3.98"])) == [(sys.executable, name)]
    assert described(describe(sys.executable, environment_type="existing")) == [(sys.executable, name)]


def test_a_plugin_may_lie_beside_the_configuration(describe, tmp_path):
    """Its environments bring their own Python, so none is needed here."""
    (tmp_path / "bringing_plugin.py").write_text(PLUGIN, encoding="utf-8")
    found = describe(environment_type="bringing", plugins=[".bringing_plugin"], pythons=[ABSENT])
    assert described(found) == [(ABSENT, f"bringing-py{ABSENT}")]


def test_the_folder_of_the_configuration_is_the_last_place_for_imports(describe, tmp_path):
    """Packages there have the names of ours, as numpy's has in numpy's checkout."""
    describe()
    assert sys.path.index(str(tmp_path)) == len(sys.path) - 1


def test_an_unknown_environment_type_is_explained(describe):
    """asv lists those that it knows."""
    assert "Unknown environment type 'spam'" in describe(environment_type="spam").reason


def test_a_python_may_name_the_type_of_its_environments(describe):
    """As in ``asv run -E TYPE:PYTHON``: a suite for conda or rattler is tried where there is neither."""
    found = describe(f"virtualenv:{OWN}", environment_type="rattler", matrix={"req": {"spam": ["1"]}})
    assert described(found) == [(OWN, f"virtualenv-py{OWN}-spam1")]


def test_the_name_of_an_environment_gives_its_type(tmp_path, monkeypatch):
    """A plan holds names; the configuration may have another type."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", engine_environment(os.environ)["PATH"])
    monkeypatch.setattr(sys, "path", [*sys.path])
    config = tmp_path / "asv.conf.json"
    config.write_text(json.dumps({"version": 1, "project": "spam", "repo": ".", "environment_type": "rattler"}))
    name = "uv-py3.97"
    assert suite.find_environment(suite.load(Place(config=str(config))), name, ("3.97",)).name == name


@pytest.mark.parametrize(("python", "installed"), [("3.13", {"wheel", "pip+pympler"}), ("pypy3.11", {"wheel"})])
def test_pympler_is_not_installed_where_it_cannot_be_imported(python, installed):
    """asv installs it wherever asv itself runs on CPython; asv_runner does without it, but not with a broken one."""
    env = SimpleNamespace(python=python, _base_requirements={"wheel": "", "pip+pympler": ""}, create=tuple)
    suite.create(env)
    assert {*env._base_requirements} == installed


def test_engines_write_bytecode_and_import_nothing_of_the_caller():
    """Without bytecode, each process would compile what it imports, in time that belongs to no benchmark."""
    env = engine_environment(
        {"PATH": "/bin", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ".", "VIRTUAL_ENV": "/venv", "KEPT": "1"}
    )
    assert {*env} == {"PATH", "KEPT", "UV_PYTHON_DOWNLOADS"}


@pytest.mark.parametrize("keys", [{}, {"build_command": ["make wheel"]}, {"build_command": []}])
def test_a_project_without_a_build_command_gets_its_own_wheel_only(tmp_path, monkeypatch, keys):
    """asv's default puts the wheels of dependencies beside it, and then refuses to choose among them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    config = tmp_path / "asv.conf.json"
    config.write_text(json.dumps({"version": 1, "project": "spam", "repo": ".", **keys}), encoding="utf-8")
    expected = ["python -m pip wheel --no-deps -w {build_cache_dir} {build_dir}"]
    assert suite.load(Place(config=str(config))).build_command == keys.get("build_command", expected)


def test_conda_that_is_missing_is_reported_before_anything_is_built(describe, monkeypatch):
    """asv notices only when it creates the environment."""
    monkeypatch.delenv("CONDA_EXE", raising=False)
    monkeypatch.setenv("PATH", "")
    found = describe(environment_type="conda", pythons=["3.12"])
    assert found.missing == ("3.12",)
    assert "Could not find 'conda'" in found.reason


def a_python(folder):
    """An environment whose Python starts in *folder*, which holds a package that must not be imported."""
    for name in ("json", "importlib", "platform"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise ImportError('this package shadows another')")

    def run(arguments, *, dots, env, cwd=folder):
        assert not dots
        return subprocess.run(
            [sys.executable, *arguments], env=env, cwd=cwd, check=True, capture_output=True, text=True
        ).stdout

    return SimpleNamespace(name="env", env_vars={}, run=run)


def test_build_information_is_not_read_from_the_checkout(tmp_path):
    """The script starts with ``-c``, which imports from the working directory first."""
    assert suite.python_build(a_python(tmp_path)).implementation == "cpython"


def test_environments_are_created_without_imports_from_the_checkout(monkeypatch):
    """asv starts ``python -m virtualenv`` and ``python -m pip`` in the user's folder; builds are not affected."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    seen = []
    suite.create(SimpleNamespace(python="3.13", create=lambda: seen.append(os.environ.get("PYTHONSAFEPATH"))))
    assert (seen, os.environ.get("PYTHONSAFEPATH")) == (["1"], None)


def test_a_command_that_printed_nothing_for_too_long_says_what_raises_the_limit():
    """Any other failure has its output alone."""
    for code, advised in ((util.TIMEOUT_RETCODE, True), (1, False)):
        with pytest.raises(suite.CannotContinueError) as failure, suite.step("install"):
            raise util.ProcessError(["uv", "build"], code, "", "output")
        assert ("suite-build-timeout in [tool.windtunnel] (asv: install_timeout)" in failure.value.reason) is advised


def test_a_suite_without_an_importable_module_says_what_is_missing():
    """In one line, the end of the traceback."""
    reason = "Traceback (most recent call last):\n    import spam\nModuleNotFoundError: No module named 'spam'\n"
    with pytest.raises(suite.CannotContinueError, match=r"; jobs: Mod.*'spam' \(.* 'matrix' of asv.conf.json"):
        refuse_suite({"jobs": reason})
