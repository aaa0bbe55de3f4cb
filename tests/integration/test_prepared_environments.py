"""Two environments that the caller prepared are compared: real virtual environments, and a wrapper around one."""

import json
import sys

import pytest
from builders.asv_suites import a_bare_python
from builders.commands import windtunnel
from builders.suites import a_project, change

SUITE = """\
import os
import spam

def track_size():
    return spam.SIZE

def track_flag():
    return int(os.environ.get("SPAM_FLAG", "0"))

def time_sum():
    sum(range(300_000))
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A project whose configuration asks for an existing environment, and a Python for each commit beside it."""
    folder = tmp_path_factory.mktemp("prepared") / "project"
    a_project(folder, pythons=(), suite=SUITE, environment_type="existing", launch_method="spawn")
    change(folder, {"spam/more.py": ""}, "second")
    for name, site, size in (("base", folder.parent / "base" / "site", 10), ("head", folder.parent / "build", 20)):
        a_bare_python(sys.executable, folder.parent / name, plugin=False)
        package = site / "spam"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"SIZE = {size}\n")
        metadata = site / f"spam_base-{size}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: spam-base\nVersion: {size}\n")
    return folder


def a_python(suite, name):
    return suite.parent / name / "environment" / "bin" / "python"


def compare(suite, base, head, *argv, code=None):
    """Compare two Pythons; return the finished process and the verdict."""
    out = suite / "verdict.json"
    out.unlink(missing_ok=True)
    command = ("compare", "--base-python", base, "--head-python", head, "--rounds", "2", "--out", out)
    done = windtunnel(suite, *command, "--instructions", "none", *argv, code=code)
    return done, json.loads(out.read_text()) if out.exists() else None


def a_wrapper(suite, folder, *others):
    """A script that starts the Python of head with the folder of its build, before *others*, on PYTHONPATH."""
    path, script = ":".join([str(suite.parent / "build"), *others]), folder / "python"
    script.write_text(f'#!/bin/sh\nexport SPAM_FLAG=1 PYTHONPATH={path}\nexec {a_python(suite, "head")} "$@"\n')
    script.chmod(0o755)
    return script


def test_two_prepared_environments_are_compared(suite, tmp_path):
    """Nothing is built, commits are labels, and the report names both Pythons and how their packages differ.

    A wrapper script may set variables, and add the folder of a build to PYTHONPATH as spin does.
    """
    base, head = a_python(suite, "base"), a_wrapper(suite, tmp_path)
    done, verdict = compare(suite, base, head, "--no-gate", code=0)
    values = {one["benchmark"]: (one["baseline"]["value"], one["contender"]["value"]) for one in verdict["comparisons"]}
    assert values["spam_suite.track_size"] == pytest.approx((10, 20))
    assert values["spam_suite.track_flag"] == (0, 1)
    (environment,) = verdict["environments"]
    assert environment["name"] == f"existing-py{sys.version_info.major}.{sys.version_info.minor}"
    assert (environment["base_python"], environment["head_python"]) == (str(base), str(head))
    assert environment["differences"] == ["spam-base 10 → 20"]
    assert f"base ran with {base}, head with {head}" in done.stdout
    assert not (suite / ".windtunnel" / "compare" / "env").exists()


def test_what_computes_is_compared_by_its_cpu_time(suite, tmp_path):
    """Here, too, a process records it; a suite that spawns its processes has no parent that would pass the path on."""
    head = a_wrapper(suite, tmp_path, "$PYTHONPATH")
    done, verdict = compare(suite, a_python(suite, "base"), head, "--no-gate", "--bench", "time_sum", "--all")
    assert done.returncode == 0, done.stderr
    (one,) = verdict["comparisons"]
    assert {stage["statistic"] for stage in one["stage_samples"]} == {"cpu_minimum"}


def test_prepared_environments_are_checked(suite, tmp_path):
    """Each message says what to do."""
    base = a_python(suite, "base")
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such module >&2; exit 1\n")
    broken.chmod(0o755)
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {base} -S "$@"\n')
    bare.chmod(0o755)
    for head, message in (
        (base.with_name("python3"), "are one environment"),
        (tmp_path / "absent", "cannot be started"),
        (broken, "is not a working Python: no such module"),
        (bare, "-m pip install asv_runner=="),
    ):
        done, verdict = compare(suite, base, head, code=2)
        assert message in done.stderr
        assert verdict is None


def test_an_existing_environment_is_planned_for_one_commit(suite):
    """It measures what is installed, so results of other commits would be wrong; Windtunnel's own is a warning."""
    for argv, warned in (((), True), (("--python", "existing:same"), False)):
        done = windtunnel(suite, "ci", "plan", "--commits", "2", "--out", "plan.json", *argv, code=2)
        assert "only one commit can be planned" in done.stderr
        assert ("warning: environment_type 'existing' without --python" in done.stderr) is warned


def test_both_pythons_are_needed(suite):
    """One alone cannot be compared, and the environments of --python are built."""
    for argv, message in (
        (("--base-python", "python"), "belong together"),
        (("--base-python", "a", "--head-python", "b", "--python", "3.12"), "omit one"),
        ((), "cannot hold two commits; name two environments"),
    ):
        assert message in windtunnel(suite, "compare", "HEAD~1", "HEAD", *argv, code=2).stderr
