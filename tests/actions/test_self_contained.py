"""``windtunnel init --self-contained`` on an Enterprise Server, where checkout is the only action there is."""

import os

import pytest
from actions import acting
from actions.conftest import HERE, SUITE
from actions.pulls import SLOWER, a_pull_request
from actions.pushes import a_push
from builders.repositories import git
from builders.suites import a_project, change

from windtunnel.cli import main

pytestmark = [
    pytest.mark.act,
    pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it"),
]


@pytest.fixture
def enterprise(tmp_path, monkeypatch):
    """A project with the workflow, and a mirror of windtunnel; every action but checkout is missing.

    https://docs.github.com/enterprise-server/admin/managing-github-actions-for-your-enterprise: a server has only the
    actions that it was delivered with; with artifact actions of v4 or later, a job fails (README of upload-artifact).
    """
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    git(mirror, "init", "--quiet", "--initial-branch=main")
    makefile = (
        'counter:\n\t@true\ntool tool-light:\n\t@printf "%s\\n" "$$STUB_TOOL" "$$STUB_RUNNER" >> "$$GITHUB_PATH"\n'
    )
    pin = git(change(mirror, {"Makefile": makefile}, "windtunnel"), "rev-parse", "HEAD")
    clone = a_project(tmp_path / "clone", pythons=(HERE,), suite=SUITE)
    monkeypatch.chdir(clone)
    with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a stream, not a file of ours
        argv = [
            "init",
            "--self-contained",
            "--pin",
            f"org/windtunnel@{pin}",
            "--tool-url",
            f"file://{mirror}",
            "--pages",
        ]
        assert main([*argv, "--setup", 'echo "$GITHUB_JOB" >> "$SETUP_LOG"'], nothing, nothing, os.environ) == 0
    change(clone, {}, "windtunnel")
    git(tmp_path, "clone", "--quiet", "--bare", clone.name, "origin.git")
    git(clone, "remote", "add", "origin", str(tmp_path / "origin.git"))
    usual = acting.stand_ins
    monkeypatch.setattr(acting, "stand_ins", lambda path: [one for one in usual(path) if "actions/checkout@" in one])
    return clone


def act(clone, event, payload, forge, folder):
    """What becomes of *event* on the server ghes.example."""
    return acting.run(
        clone, clone.parent / "origin.git", event, payload, clone.parent / folder, token=forge.token,
        GITHUB_SERVER_URL="https://ghes.example", GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
        SETUP_LOG=str(clone.parent / "setup.log"),
    )  # fmt: skip


def test_a_push_is_stored_and_published_and_a_pull_request_gets_its_comment(enterprise, forge):
    """Results and verdict go through outputs of jobs; the project's code runs in jobs that cannot write."""
    acted = act(enterprise, "push", a_push(enterprise), forge, "push")
    assert acted.code == 0, acted.output
    origin = enterprise.parent / "origin.git"
    stored = git(origin, "ls-tree", "-r", "--name-only", "windtunnel-results")
    assert f"py{HERE}" in stored
    assert "records/" in stored
    assert "benchmarks/index.html" in git(origin, "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
    assert acted.result("Store and publish", "Alert") == "success"
    assert not acted.artifacts.exists()

    event = a_pull_request(enterprise, forge, {"spam/__init__.py": SLOWER})
    event["pull_request"]["head"]["repo"]["full_name"] = forge.repo
    acted = act(enterprise, "pull_request", event, forge, "pull")
    assert acted.code == 0, acted.output
    (comment,) = forge.comments
    assert "became slower" in comment["body"]
    assert [(one["name"], one["conclusion"]) for one in forge.checks] == [("windtunnel", "failure")]
    assert set((enterprise.parent / "setup.log").read_text(encoding="utf-8").split()) == {"measure", "compare"}


def test_a_pull_request_of_a_fork_has_its_verdict_in_the_summary(enterprise, forge):
    """Its token can only read; the summary states that there is no comment."""
    event = a_pull_request(enterprise, forge, {"docs/x.md": "words"})
    acted = act(enterprise, "pull_request", event, forge, "pull")
    assert acted.code == 0, acted.output
    assert acted.result("Compare", "Explain the missing comment") == "success"
    assert acted.result("Comment", "Comment") is None
    assert (forge.comments, forge.checks) == ([], [])


def test_the_usual_workflows_do_not_run_there(enterprise, forge, monkeypatch):
    """They call reusable workflows of github.com, which no server can (docs.github.com, Reuse workflows)."""
    (enterprise / ".github" / "workflows" / "windtunnel.yml").unlink()
    with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a stream, not a file of ours
        assert main(["init", "--pin", f"org/windtunnel@{'c' * 40}", "--pages"], nothing, nothing, os.environ) == 0
    change(enterprise, {}, "windtunnel")
    acted = act(enterprise, "push", a_push(enterprise), forge, "push")
    assert acted.code != 0
    assert acted.result("Check out", "Check out") is None
