"""A release from the tag to the first workflow file: built, published on a local index, installed by name."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from actions.acting import uv_cache
from builders.folders import load_script, write_files
from builders.package_index import served
from builders.repositories import git
from builders.suites import change
from uv import find_uv_bin

ROOT = Path(__file__).parents[2]
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes half a minute; WINDTUNNEL_ACT=1 runs it")


release = load_script(ROOT / ".ci" / "release.py")
VERSION = release.version_of(ROOT)


def test_the_distributions_have_one_version():
    """One tag releases all four, and the claims need the tool of their version."""
    assert VERSION.count(".") == 2
    claims = tomllib.loads((ROOT / "src/windtunnel_claims/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"windtunnel=={VERSION}" in claims["dependencies"]


def test_distributions_of_different_versions_are_no_release(tmp_path):
    """The message names them."""
    write_files(tmp_path, {name: f'[project]\nversion = "{at}"\n' for at, name in enumerate(release.PROJECTS)})
    with pytest.raises(release.ReleaseError, match="different versions"):
        release.version_of(tmp_path)


@pytest.mark.parametrize("tag", ["0.1.0", "v0.1", "v0.1.0rc1", "v0.2.0", "", "v0.1.0\n"])
def test_a_tag_that_is_not_the_version_releases_nothing(tag):
    """The version comes from the tag: both have to state the same."""
    with pytest.raises(release.ReleaseError, match="set the version"):
        release.check_tag(tag, "0.1.0")
    release.check_tag("v0.1.0", "0.1.0")


CHANGELOG = """\
# Changelog

## 0.2.0 (2027-01-02)

- new

### More

- more

## 0.1.0 (unreleased)

- first

## 0.0.9
"""


def test_the_notes_are_the_section_of_the_version():
    """With its subsections."""
    assert release.release_notes(CHANGELOG, "0.2.0") == "- new\n\n### More\n\n- more\n"


@pytest.mark.parametrize(("version", "reason"), [("0.1.0", "date"), ("0.0.9", "what changed"), ("0.2", "0 sections")])
def test_a_version_without_notes_is_not_released(version, reason):
    """An unreleased section, an empty one, none."""
    with pytest.raises(release.ReleaseError, match=reason):
        release.release_notes(CHANGELOG, version)


def a_tagged_clone(folder):
    """A clone of this repository whose changelog has a date, with an annotated tag."""
    git(folder.parent, "clone", "--quiet", str(ROOT), folder.name)
    text = (folder / "CHANGELOG.md").read_text()
    dated = re.sub(f"^## {VERSION}.*", f"## {VERSION} (2027-01-02)", text, flags=re.MULTILINE)
    change(folder, {"CHANGELOG.md": dated}, "release")
    git(folder, "tag", "--annotate", "--message", "release", f"v{VERSION}")
    return folder


def call(clone, *argv, **env):
    """Run the script of *clone*."""
    command = [sys.executable, ".ci/release.py", *argv]
    kept = {key: value for key, value in os.environ.items() if key != "GITHUB_REPOSITORY"}
    return subprocess.run(command, cwd=clone, env=kept | env, capture_output=True, text=True, check=False)


def use_release(home, index, folder, *argv):
    """The output of `uvx windtunnel` in *folder*, for someone with this *home* and only the *index* of the release."""
    tool = [find_uv_bin(), "tool", "run", "--index", index, f"windtunnel@{VERSION}", *argv]
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "UV_CACHE_DIR": uv_cache(), "UV_PYTHON": sys.executable}
    env |= {key: value for key, value in os.environ.items() if key == "SSL_CERT_FILE"}
    return subprocess.run(tool, cwd=folder, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


@full
def test_a_tag_becomes_a_release_that_is_installed_by_name(tmp_path):
    """In an empty home: built once, published, `uvx windtunnel init` in a foreign repository pins the tagged commit."""
    clone = a_tagged_clone(tmp_path / "clone")
    (clone / "src" / "windtunnel" / "left_over.py").touch()
    (clone / "dist").mkdir()
    (clone / "dist" / "windtunnel-0.0.1.tar.gz").touch()
    built = ("build", "--tag", f"v{VERSION}", "--repository", "org/windtunnel")
    done = call(clone, *built)
    assert done.returncode == 0, done.stderr
    assert len(list((clone / "dist").iterdir())) == 8
    commit, path = git(clone, "rev-parse", "HEAD"), clone / "dist" / f"windtunnel-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(path) as wheel:
        assert json.loads(wheel.read("windtunnel/release.json")) == {"repository": "org/windtunnel", "commit": commit}
        assert "windtunnel/_site/index.html" in wheel.namelist()
        assert "windtunnel/left_over.py" not in wheel.namelist()
    first = path.read_bytes()
    call(clone, *built)
    assert path.read_bytes() == first, "a second build of the commit differs"

    index, home, suite = tmp_path / "index", tmp_path / "home", tmp_path / "suite"
    for folder in (index, home, suite):
        folder.mkdir()
    git(suite, "init", "--quiet", "--initial-branch=main")
    configuration = '{"version": 1, "project": "p", "branches": ["main"]}'
    settings = "[tool.windtunnel.ci]\npages = false\n"
    change(suite, {"asv.conf.json": configuration, "pyproject.toml": settings, "benchmarks/__init__.py": ""}, "suite")
    with served(index) as (url, _):
        upload = {"UV_PUBLISH_URL": url, "UV_PUBLISH_USERNAME": "me", "UV_PUBLISH_PASSWORD": "secret"}
        done = call(clone, "publish", **upload)
        assert done.returncode == 0, done.stderr
        assert call(clone, "publish", **upload).returncode == 0, "a job that is run again has the same files"
        path.write_bytes(first + b"later")
        assert call(clone, "publish", **upload).returncode == 4, "what is published cannot be replaced"
        said = use_release(home, url, suite, "--version")
        made = use_release(home, url, suite, "init")
    assert said == f"windtunnel {VERSION}\n"
    assert ".github/workflows/windtunnel.yml" in made.split()
    workflow = (suite / ".github" / "workflows" / "windtunnel.yml").read_text()
    assert f"org/windtunnel/.github/workflows/benchmark.yml@{commit} # v{VERSION}\n" in workflow


@full
def test_the_lock_follows_a_new_version(tmp_path):
    """`make lock` needs no environment that the old lock would have to describe."""
    git(tmp_path, "clone", "--quiet", str(ROOT), "clone")
    clone = tmp_path / "clone"
    for name in release.PROJECTS:
        text = (clone / name).read_text()
        assert f'version = "{VERSION}"' in text
        (clone / name).write_text(text.replace(f'version = "{VERSION}"', 'version = "9.9.9"', 1))
    subprocess.run(["make", "lock"], cwd=clone, check=True)
    assert (clone / "uv.lock").read_text().count('version = "9.9.9"') == len(release.PROJECTS)


def test_a_release_states_the_notes_and_files(tmp_path):
    """`gh release create` gets the tag, which must exist, all files, and the section of CHANGELOG.md."""
    clone = a_tagged_clone(tmp_path / "clone")
    (clone / "dist").mkdir()
    (clone / "dist" / "one.whl").touch()
    commands = tmp_path / "bin"
    commands.mkdir()
    gh = commands / "gh"
    keep = f'printf "%s\\n" "$@" > {tmp_path}/said\nfor last; do :; done\ncp "$last" {tmp_path}/notes\n'
    gh.write_text(f"#!/bin/sh\n{keep}")
    gh.chmod(0o755)
    done = call(clone, "announce", "--tag", f"v{VERSION}", PATH=f"{commands}:{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    said = (tmp_path / "said").read_text().split()
    assert said[:4] == ["release", "create", f"v{VERSION}", str(clone / "dist" / "one.whl")]
    assert "--verify-tag" in said
    assert (tmp_path / "notes").read_text().startswith("**")
    assert call(clone, "announce", "--tag", "v9").returncode == 2
