"""Commits are built once and installed elsewhere; a build may come from an outsider: real git, real asv."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from asv.config import Config
from asv.environment import get_environments
from builders.commands import windtunnel
from builders.repositories import git
from builders.suites import CONFIGURATION, PYPROJECT, a_project, change

from windtunnel.asv import builds
from windtunnel.asv.engine_session import engine_environment
from windtunnel.model.run_format import BuildRecord

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"

SUITE = """\
import spam

def track_size():
    return spam.SIZE
track_size.version = "1"

def track_other():
    return 1
track_other.version = "1"
"""
BUILD_ONCE = """\
import os, pathlib, sys
(pathlib.Path(os.environ["BUILT"]) / sys.argv[1]).touch(exist_ok=False)
"""
"""Fails when a commit is built twice with one folder BUILT."""

OPTIONS = "--rounds", "4", "--seed", "1", "--aa-share", "0", "--instructions", "none"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with base, a slower head, a head with the same wheel, and one that cannot be built."""
    folder = tmp_path_factory.mktemp("built") / "project"
    commands = ["python {build_dir}/build_once.py {commit}", *CONFIGURATION["build_command"]]
    a_project(folder, pythons=(HERE,), suite=SUITE, package="SIZE = 1\n", build_command=commands)
    change(folder, {"build_once.py": BUILD_ONCE}, "a build that runs once")
    git(folder, "tag", "base")
    for name, files in {
        "slower": {"spam/__init__.py": "SIZE = 2\n"},
        "same": {"README.md": "not in the wheel"},
        "broken": {"pyproject.toml": PYPROJECT.replace('"1"', "1")},
    }.items():
        git(folder, "checkout", "--quiet", "-B", name, "base")
        change(folder, files, name)
    git(folder, "checkout", "--quiet", "slower")
    return folder


@pytest.fixture(scope="module")
def a_machine(project, prepared, furnish, tmp_path_factory):
    """A function that returns a clone on a machine of its own, with empty environments and without builds."""

    def make():
        folder = tmp_path_factory.mktemp("machine") / "clone"
        shutil.copytree(project, folder)
        furnish(folder, "base", "head")
        (folder / ".asv").mkdir()
        shutil.copytree(
            folder / ".windtunnel/compare/env/base", folder / ".asv/env", symlinks=True, copy_function=os.link
        )
        return folder

    return make


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder in which every build leaves a file with the name of its commit."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture(scope="module")
def handed_on(a_machine, built):
    """The builds of all commits, made by one call; one of them fails."""
    machine = a_machine()
    done = windtunnel(machine, "ci", "build", "base", "broken", "same", "HEAD", "--out", "builds", BUILT=str(built))
    assert done.returncode == 0, done.stderr
    assert "failed after" in done.stderr
    commits = ("base", "broken", "same", "slower")
    assert {path.name for path in built.iterdir()} == {git(machine, "rev-parse", name) for name in commits}
    return machine / "builds"


def compared(folder, built, *argv, code=None):
    done = windtunnel(folder, "compare", *argv, "--out", "verdict.json", *OPTIONS, code=code, BUILT=str(built))
    return done, json.loads((folder / "verdict.json").read_bytes())


def test_six_installs_of_a_comparison_take_two_builds(a_machine, handed_on, built):
    """Two shards and the confirmation install both commits, each in another folder, and build none.

    Each shard measures its own part of the cases. Screening gates nothing; its file is all that confirmation needs.
    """
    first, second, confirming = (a_machine() for _ in range(3))
    measured = []
    for which, shard in (("1/2", first), ("2/2", second)):
        part = "base", "HEAD", "--shard", which, "--no-confirm", "--builds", handed_on
        done, part = compared(shard, built, *part, "--all", code=0)
        assert done.stderr.count("installed from its build") == 2
        measured += [(one["benchmark"], one["verdict"]) for one in part["comparisons"]]
    assert sorted(measured) == [("spam_suite.track_other", "unchanged"), ("spam_suite.track_size", "inconclusive")]
    parts = [shard / "verdict.json" for shard in (first, second)]
    windtunnel(confirming, "compare", "--shards", *parts, "--out", "screened.json")
    done, verdict = compared(confirming, built, "--only", "screened.json", "--builds", handed_on, code=1)
    assert verdict["overall"] == "regressed"
    assert done.stderr.count("installed from its build") == 2


def test_equal_builds_are_recognised_when_they_are_handed_on(a_machine, handed_on, built):
    """The digest of the artifact does not depend on where it was built."""
    _, verdict = compared(a_machine(), built, "base", "same", "--all", "--builds", handed_on, code=0)
    assert verdict["overall"] == "same_artifact"
    assert verdict["notes"] == ["base and head were installed from builds of other jobs."]


def test_a_false_build_is_used_by_no_later_comparison(a_machine, handed_on, built, tmp_path):
    """A saved build is as trustworthy as its job; without --builds, the same environments build the commits."""
    machine, lie, marker = a_machine(), tmp_path / "lie", tmp_path / "built"
    base, head = (git(machine, "rev-parse", name) for name in ("base", "slower"))
    (of_base,) = handed_on.glob(f"*/{base}")
    of_head = lie / of_base.parent.name / head
    shutil.copytree(of_base, of_head)
    edited(commit=head, seconds=0.0)(of_head)
    shutil.copytree(of_base, of_head.with_name(base))
    marker.mkdir()
    which = "base", "HEAD", "--bench", "track_size", "--no-confirm"
    _, verdict = compared(machine, built, *which, "--builds", lie)
    assert (verdict["overall"], len(verdict["notes"])) == ("same_artifact", 1)
    _, verdict = compared(machine, marker, *which)
    assert {path.name for path in marker.iterdir()} == {base, head}
    assert verdict["overall"] != "same_artifact"
    assert not any("other job" in note for note in verdict["notes"])


def test_a_failed_build_is_not_tried_again(a_machine, handed_on, built):
    """A comparison reports the reason of the first attempt at once."""
    _, verdict = compared(a_machine(), built, "base", "broken", "--builds", handed_on, code=3)
    (failure,) = verdict["environment_failures"]
    assert (failure["on"], "install of head failed" in failure["reason"]) == ("head", True)
    assert f"the build saved in {handed_on}" in failure["reason"]
    assert failure["reason"].endswith("; leave out --builds to build here")
    assert "build_once" not in failure["reason"]


def test_shards_install_the_builds_of_their_plan(a_machine, handed_on, built):
    """The plan lists the build that both shards need; an equal earlier build makes it free."""
    machine = a_machine()
    plan = "ci", "plan", "--out", "plan.json", "--shards", "2", "--commits", "1", "--github-output"
    done = windtunnel(machine, *plan, "--builds", handed_on, BUILT=str(built), GITHUB_OUTPUT=str(machine / "output"))
    assert done.returncode == 0, done.stderr
    outputs = dict(line.split("=", 1) for line in (machine / "output").read_text().splitlines())
    (job,) = json.loads(outputs["builds"])["include"]
    assert job["versions"] == HERE
    build = "ci", "build", "--plan", "plan.json", "--task", job["task"], "--out", "builds", "--reuse", handed_on
    done = windtunnel(machine, *build, BUILT=str(built), code=0)
    assert "taken from an earlier build" in done.stderr
    shard = a_machine()
    run = "ci", "run", "--plan", machine / "plan.json", "--shard", "1", "--out", "out", "--builds", machine / "builds"
    done = windtunnel(shard, *run, BUILT=str(built), code=0)
    (task,) = json.loads((shard / "out" / "run.json").read_bytes())["tasks"]
    assert task["elsewhere_seconds"] > 0


def test_the_build_of_a_plan_is_made_once(a_machine, tmp_path):
    """Discovery builds the newest commit; the job that builds for the shards takes that build."""
    machine, marker = a_machine(), tmp_path / "built"
    marker.mkdir()
    plan = "ci", "plan", "--out", "plan.json", "--shards", "2", "--commits", "1", "--save-build", "saved"
    done = windtunnel(machine, *plan, BUILT=str(marker), code=0)
    build = "ci", "build", "--plan", machine / "plan.json", "--out", "builds", "--reuse", machine / "saved"
    done = windtunnel(a_machine(), *build, BUILT=str(marker), code=0)
    assert "taken from an earlier build" in done.stderr


def test_nothing_to_build_is_a_usage_error(project):
    """Commits and a plan exclude each other; one of them is needed."""
    for argv in ((), ("HEAD", "--plan", "plan.json"), ("HEAD", "--task", "0")):
        windtunnel(project, "ci", "build", "--out", "builds", *argv, code=2)


COMMIT = "c" * 40


@pytest.fixture
def environment(tmp_path):
    """An environment of asv that is not made."""
    conf = Config.from_json({**CONFIGURATION, "env_dir": str(tmp_path / "environments")})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", engine_environment(os.environ)["PATH"])
        (found,) = get_environments(conf, [f"uv:{HERE}"])
    return found


@pytest.fixture
def record(environment):
    """The record of a build that this machine wants."""
    made = {"key": "key", "toolchain": "cc", "state": "not cacheable", "seconds": 1.0}
    return BuildRecord(commit=COMMIT, environment=environment.name, **made)


@pytest.fixture
def place(environment, record, tmp_path):
    """The folder of a valid build below the folder of builds."""
    (Path(environment._cache.create_cache_dir(COMMIT)) / "spam.whl").write_bytes(b"a wheel")
    builds.prepare(environment, COMMIT)
    environment._cache.finalize_cache_dir(COMMIT)
    builds.save(environment, tmp_path / "builds", record)
    environment._cache._remove_cache_dir(COMMIT)
    return tmp_path / "builds" / environment.dir_name / COMMIT


def reused(environment, place, record):
    """The record of the reused build or None, and the reasons why it was refused."""
    reasons = []
    found = builds.reuse(environment, place.parents[1], place.parents[2] / "out", record, reasons.append)
    return found, "\n".join(reasons)


def test_a_valid_build_is_reused(environment, place, record):
    """It is in asv's cache, and asv installs from there."""
    found, reasons = reused(environment, place, record)
    assert (found.state, [file.path for file in found.files], reasons) == ("built", ["spam.whl"], "")
    assert environment._cache.get_cache_dir(COMMIT)


def test_a_reused_build_is_forgotten_without_it(environment, place, record):
    """asv then builds the commit again, also where it is installed; a build that was made here stays."""
    reused(environment, place, record)
    environment._set_installed_commit_hash(COMMIT)
    builds.forget_saved_build(environment, COMMIT)
    assert not environment._cache.get_cache_dir(COMMIT)
    assert environment.installed_commit_hash is None
    (Path(environment._cache.create_cache_dir(COMMIT)) / "spam.whl").touch()
    environment._cache.finalize_cache_dir(COMMIT)
    builds.forget_saved_build(environment, COMMIT)
    assert environment._cache.get_cache_dir(COMMIT)


def test_a_suite_that_leaves_no_build_is_not_built_again(environment, record, tmp_path):
    """Its record says that each job installs from source."""
    saved = builds.save(environment, tmp_path / "builds", record)
    assert (saved.state, saved.files) == ("not cacheable", ())
    assert builds.reuse(environment, tmp_path / "builds", tmp_path / "out", record, pytest.fail) == saved


def test_builds_of_several_artifacts_are_found(environment, place, record):
    """download-artifact unpacks several artifacts into a folder each."""
    place.parents[1].rename(place.parents[2] / "artifact-1")
    found = builds.reuse(environment, place.parents[2], place.parents[2] / "out", record, pytest.fail)
    assert found.state == "built"


def test_a_folder_of_an_artifact_that_is_a_link_is_refused(environment, place, record, tmp_path):
    """A link may lead out of the folder of builds."""
    (tmp_path / "downloaded").mkdir()
    (tmp_path / "downloaded" / "artifact").symlink_to(place.parents[1])
    reasons = []
    assert builds.reuse(environment, tmp_path / "downloaded", tmp_path / "out", record, reasons.append) is None
    assert "not a regular file" in reasons[0]


def other_content(place):
    (place / "files" / "spam.whl").write_bytes(b"a whale")


def other_size(place):
    (place / "files" / "spam.whl").write_bytes(b"a wheel and more")


def a_link(place):
    (place / "files" / "spam.whl").rename(place / "hidden")
    (place / "files" / "spam.whl").symlink_to(place / "hidden")


def a_linked_folder(place):
    place.rename(place.parent / "elsewhere")
    place.symlink_to(place.parent / "elsewhere")


def linked_files(place):
    (place / "files").rename(place / "elsewhere")
    (place / "files").symlink_to(place / "elsewhere")


def no_file(place):
    (place / "files" / "spam.whl").unlink()


def edited(**what):
    """A function that changes keys of the manifest."""

    def edit(place):
        manifest = place / "build.json"
        manifest.write_text(json.dumps({**json.loads(manifest.read_bytes()), **what}))

    return edit


def a_path(path):
    return edited(files=[{"path": path, "size": 7, "sha256": "0" * 64}])


def not_json(place):
    (place / "build.json").write_bytes(b"\xff{")


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (other_content, "other content"),
        (other_size, "bytes, but"),
        (a_link, "not a regular file"),
        (a_linked_folder, "not a regular file"),
        (linked_files, "not a regular file"),
        (no_file, "not a regular file"),
        (a_path("../../../asv.conf.json"), "not a path inside the build"),
        (a_path("/etc/passwd"), "not a path inside the build"),
        (a_path(""), "not a path inside the build"),
        (a_path("a\0b"), "not a path inside the build"),
        (a_path("a" * 300), "too long"),
        (a_path("\ud800"), ""),
        (edited(files=[{"path": "spam.whl", "size": 10**12, "sha256": ""}]), "at most"),
        (edited(files=[{"path": "spam.whl", "size": 1, "sha256": ""}] * 2000), "at most"),
        (edited(commit="d" * 40), "describes the commit"),
        (edited(key="other"), "another build command"),
        (edited(toolchain="other"), "another build command"),
        (edited(schema=2), "schema"),
        (not_json, "is not a valid"),
    ],
)
def test_a_broken_build_is_refused(environment, place, record, tamper, reason):
    """The commit is built instead, and nothing of the folder reaches asv's cache."""
    tamper(place)
    found, reasons = reused(environment, place, record)
    assert found is None
    assert reason in reasons
    assert not environment._cache.get_cache_dir(COMMIT)
