"""release.yml under act: a tag becomes distributions on an index of this machine, and a release."""

import os
from pathlib import Path

import pytest
from actions import acting
from builders.package_index import served
from builders.repositories import git
from integration.test_release import VERSION, a_tagged_clone

pytestmark = pytest.mark.act
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it")


@full
def test_a_tag_is_built_tested_attested_published_and_announced(tmp_path):
    """What is attested is what is published, and what the release on GitHub has."""
    clone = a_tagged_clone(tmp_path / "clone")
    git(tmp_path, "clone", "--quiet", "--bare", "clone", "origin.git")
    git(clone, "remote", "set-url", "origin", "https://github.com/org/windtunnel")  # act takes the name from it
    commands, index = tmp_path / "bin", tmp_path / "index"
    commands.mkdir()
    index.mkdir()
    gh = commands / "gh"
    gh.write_text(f'#!/bin/sh\n[ "$GH_TOKEN" = of-the-job ] && printf "%s\\n" "$@" > {tmp_path}/released\n')
    gh.chmod(0o755)
    event = {
        "ref": f"refs/tags/v{VERSION}",
        "after": git(clone, "rev-parse", "HEAD"),
        "repository": {"full_name": "org/windtunnel", "default_branch": "main", "fork": False},
    }
    with served(index) as (url, _):
        acted = acting.run(
            clone, tmp_path / "origin.git", "push", event, tmp_path / "act",
            workflow="release.yml", only=("python:3.13",), token="of-the-job",
            STUB_ATTESTED=str(tmp_path / "attested"), PATH=f"{commands}:{os.environ['PATH']}",
            UV_PUBLISH_URL=url, UV_PUBLISH_USERNAME="me", UV_PUBLISH_PASSWORD="secret",
        )  # fmt: skip
    assert acted.code == 0, acted.output
    published = {path.name for path in index.rglob("*.*") if path.is_file()}
    assert len(published) == 6
    attested = [line.split() for line in (tmp_path / "attested").read_text().splitlines()]
    assert {name.removeprefix("dist/") for _, name in attested} == published
    released = (tmp_path / "released").read_text().split()
    assert released[:3] == ["release", "create", f"v{VERSION}"]
    assert {Path(name).name for name in released if "/dist/" in name} == published


@full
def test_a_tag_of_another_version_publishes_nothing(tmp_path):
    """The job that builds fails before anything is installed or uploaded."""
    clone = a_tagged_clone(tmp_path / "clone")
    git(clone, "tag", "v9.9.9")
    git(tmp_path, "clone", "--quiet", "--bare", "clone", "origin.git")
    event = {"ref": "refs/tags/v9.9.9", "after": git(clone, "rev-parse", "HEAD"), "repository": {"fork": False}}
    acted = acting.run(clone, tmp_path / "origin.git", "push", event, tmp_path / "act", workflow="release.yml")
    assert acted.code != 0
    assert f"the tag 'v9.9.9' is not v{VERSION}" in acted.output
    assert acted.result("Publish", "Publish") is None
