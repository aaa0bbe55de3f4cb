"""release.yml under act: a tag becomes distributions on an index of this machine, and a release."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from actions import acting
from actions.conftest import HERE, SUITE, two_pythons
from actions.pulls import PACKAGE, PULL, SLOWER, a_pull_request
from actions.pushes import a_push
from builders.package_index import served
from builders.repositories import git
from builders.suites import a_project, change
from integration.test_release import VERSION, a_tagged_clone, use_release

pytestmark = pytest.mark.act
WINDTUNNEL, TAG = "org/windtunnel", f"v{VERSION}"
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it")


@dataclass(frozen=True, kw_only=True)
class Released:
    """What release.yml left behind."""

    acted: acting.Acted
    clone: Path
    """The tagged one."""
    origin: Path
    """The bare repository that it was pushed to."""
    folder: Path
    """Of the index, and what stand-ins wrote."""
    url: str
    """Of the index."""


@pytest.fixture
def released(tmp_path):
    """A tag, released under act; the index is served."""
    folder = tmp_path / "release"
    commands, index = folder / "bin", folder / "index"
    commands.mkdir(parents=True)
    index.mkdir()
    clone = a_tagged_clone(folder / "clone")
    git(folder, "clone", "--quiet", "--bare", "clone", "origin.git")
    git(clone, "remote", "set-url", "origin", f"https://github.com/{WINDTUNNEL}")  # act takes the name from it
    gh = commands / "gh"
    gh.write_text(f'#!/bin/sh\n[ "$GH_TOKEN" = of-the-job ] && printf "%s\\n" "$@" > {folder}/announced\n')
    gh.chmod(0o755)
    event = {
        "ref": f"refs/tags/{TAG}",
        "after": git(clone, "rev-parse", "HEAD"),
        "repository": {"full_name": WINDTUNNEL, "default_branch": "main", "fork": False},
    }
    with served(index) as (url, _):
        acted = acting.run(
            clone, folder / "origin.git", "push", event, folder / "act",
            workflow="release.yml", only=("python:3.13",), token="of-the-job",
            STUB_ATTESTED=str(folder / "attested"), PATH=f"{commands}:{os.environ['PATH']}",
            UV_PUBLISH_URL=url, UV_PUBLISH_USERNAME="me", UV_PUBLISH_PASSWORD="secret",
        )  # fmt: skip
        yield Released(acted=acted, clone=clone, origin=folder / "origin.git", folder=folder, url=url)


@full
def test_a_tag_is_built_tested_attested_published_and_announced(released):
    """What is attested is what is published, and what the release on GitHub has."""
    assert released.acted.code == 0, released.acted.output
    published = {path.name for path in (released.folder / "index").rglob("*.*") if path.is_file()}
    assert len(published) == 8
    attested = [line.split() for line in (released.folder / "attested").read_text().splitlines()]
    assert {name.removeprefix("dist/") for _, name in attested} == published
    announced = (released.folder / "announced").read_text().split()
    assert announced[:3] == ["release", "create", TAG]
    assert {Path(name).name for name in announced if "/dist/" in name} == published


@full
def test_a_release_is_adopted_by_a_stranger(released, forge, tmp_path):
    """`uvx windtunnel init` in an empty home, a push, a pull request, a comment, and two commands on it.

    Each job installs windtunnel from a checkout of the released commit, as at GitHub. The Python of the
    settings is not the first one of the configuration.
    """
    commit = git(released.clone, "rev-parse", "HEAD")
    clone = a_project(tmp_path / "clone", pythons=reversed(two_pythons()), suite=SUITE, package=PACKAGE)
    git(tmp_path, "clone", "--quiet", "--bare", clone.name, "origin.git")
    git(clone, "remote", "add", "origin", str(tmp_path / "origin.git"))
    home = tmp_path / "home"
    home.mkdir()
    instead = f'[url "file://{released.origin}"]\n\tinsteadOf = https://github.com/{WINDTUNNEL}\n'
    (home / ".gitconfig").write_text(instead, encoding="utf-8")
    with (clone / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[tool.windtunnel.ci]\npython = '{HERE}'\npages = true\n")
    init = (home, released.url, clone, "init", "--repository", forge.repo)
    assert len(use_release(*init).split()) == 3
    assert use_release(*init, "--release", TAG) == "", "the tag is the installed commit, so no file changes"
    change(clone, {}, "windtunnel")
    called = acting.copy_workflows(tmp_path / "called", released.clone / ".github" / "workflows")

    def act(event, payload, workflow, run=5):
        acted = acting.run(
            clone, tmp_path / "origin.git", event, payload, tmp_path / "act",
            run_id=str(run), workflow=workflow, windtunnel=f"{WINDTUNNEL}@{commit}", windtunnel_at=called,
            token=forge.token, GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
            STUB_TOOL="", STUB_WINDTUNNEL=str(released.origin),
        )  # fmt: skip
        assert acted.code == 0, acted.output
        return acted

    assert (act("push", a_push(clone), "windtunnel.yml").site / "index.html").is_file()

    event = a_pull_request(clone, forge, {"spam/__init__.py": SLOWER})
    head = event["pull_request"]["head"]["sha"]
    forge.run(6, head, status="in_progress", conclusion=None)
    measured = act("pull_request", event, "windtunnel-pull-request.yml", run=6)
    forge.run(6, head, created_at=measured.jobs()[0]["started_at"])
    forge.jobs[6], forge.shelf = measured.jobs(), measured.artifacts.parent
    completed = {"action": "completed", "workflow_run": {"id": 6, "event": "pull_request"}}
    act("workflow_run", completed | {"repository": event["repository"]}, "windtunnel.yml")
    ((body),) = [one["body"] for one in forge.comments]
    assert body.startswith("## Blocks merging: 2 of 2 benchmark cases became slower, worst: "), body
    assert [(one["name"], one["conclusion"]) for one in forge.checks] == [("windtunnel", "failure")]

    forge.label(PULL, "perf-accepted", "maintainer")
    forge.run(7, head, conclusion="skipped")
    labelled = {"action": "completed", "workflow_run": {"id": 7, "event": "pull_request"}}
    act("workflow_run", labelled | {"repository": event["repository"]}, "windtunnel.yml")
    assert [one["conclusion"] for one in forge.checks] == ["neutral"]
    ((body),) = [one["body"] for one in forge.comments]
    assert "maintainer accepted the trade-off" in body


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
