"""pull-request.yml, then comment.yml under act: from a fork's push to the comment on a stand-in for GitHub."""

import os
import re

import pytest
from actions import acting
from actions.pulls import PACKAGE, SAME, SLOWER, a_pull_request
from actions.pushes import a_push
from builders.repositories import git
from builders.suites import change

pytestmark = pytest.mark.act
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it")

RUN = 7


def measure(clone, event, **env):
    """Run the workflow that measures; it has no token."""
    origin = clone.parent / "origin.git"
    return acting.run(
        clone, origin, "pull_request", event, clone.parent / "measured",
        run_id=str(RUN), workflow="pull-request.yml", **env,
    )  # fmt: skip


def hand_over(forge, acted, head, **what):
    """Let the stand-in show what the run left: its artifact, and when its jobs ran."""
    forge.run(RUN, head, **{"created_at": acted.jobs()[0]["started_at"]} | what)
    forge.jobs[RUN] = acted.jobs()
    forge.shelf = acted.artifacts.parent


def comment(clone, forge, event="pull_request", action="completed"):
    """Run the workflow that comments, on the main branch, with the token."""
    event = {
        "action": action,
        "workflow_run": {"id": RUN, "event": event},
        "repository": {"full_name": "org/spam", "default_branch": "main"},
    }
    return acting.run(
        clone, clone.parent / "origin.git", "workflow_run", event, clone.parent / "commented",
        workflow="comment.yml", token=forge.token, GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
    )  # fmt: skip


LARGE = "[tool.windtunnel.ci]\ndeadline = 5\n"
"""Too short for one job, as for a suite that measures for longer than ten minutes."""


@full
@pytest.mark.parametrize(("settings", "jobs"), [("", {"prepare"}), (LARGE, {"prepare", "screen", "confirm"})])
def test_a_regression_in_a_forks_pull_request_ends_as_a_comment(adopted, forge, settings, jobs):
    """The right case is measured, confirmed and reported, with the timings; a small suite takes one job."""
    clone = adopted(package=PACKAGE)
    known = clone / "pyproject.toml"
    text = known.read_text(encoding="utf-8") if known.exists() else ""
    change(clone, {known.name: f"{text}\n{settings}"}, "settings")
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    event = a_pull_request(clone, forge, {"spam/__init__.py": SLOWER})
    acted = measure(clone, event)
    assert acted.code == 0, acted.output
    measuring = ("Measure", "Confirm", "Measure and confirm")
    assert {one["jobID"] for one in acted.log if one.get("step") in measuring and one.get("stepResult")} | {
        "prepare"
    } == jobs
    hand_over(forge, acted, event["pull_request"]["head"]["sha"])
    told = comment(clone, forge)
    assert told.code == 0, told.output
    ((body),) = [one["body"] for one in forge.comments]
    (clone.parent / "comment.md").write_text(body, encoding="utf-8")  # to read how long it took
    assert body.startswith("## Blocks merging: 2 of 2 benchmark cases became slower"), body
    assert "confirmed" in body
    assert "From push to this comment: queue" in body
    assert [one["conclusion"] for one in forge.checks] == ["failure"]
    home = {path.name for path in (clone.parent / "measured" / "home").iterdir()}
    assert ".asv-machine.json" not in home  # a self-hosted runner keeps its home for other jobs


@full
def test_a_change_that_changes_nothing_ends_without_a_comment(adopted, forge):
    """Only the check reports the comparison."""
    clone = adopted(package=PACKAGE)
    event = a_pull_request(clone, forge, {"spam/__init__.py": SAME})
    acted = measure(clone, event)
    assert acted.code == 0, acted.output
    hand_over(forge, acted, event["pull_request"]["head"]["sha"])
    assert comment(clone, forge).code == 0
    assert forge.comments == []
    assert [one["status"] for one in forge.checks] == ["completed"]


def test_a_run_that_waits_for_approval_leaves_a_check_that_waits(adopted, forge):
    """``requested`` fires for it too (docs.github.com, Events that trigger workflows; pytorch/test-infra 8028)."""
    clone = adopted()
    event = a_pull_request(clone, forge, {"spam/__init__.py": SLOWER})
    forge.held_run(RUN, event["pull_request"]["head"]["sha"])
    told = comment(clone, forge, action="completed")
    assert told.code == 0, told.output
    assert [(one["status"], one["conclusion"]) for one in forge.checks] == [("queued", None)]


def test_the_merge_queue_gets_its_check(adopted, forge):
    """The measuring workflow skips every job there; act 0.2.89 cannot show that, because it then plans a matrix."""
    clone = adopted()
    forge.run(RUN, git(clone, "rev-parse", "HEAD"), event="merge_group", conclusion="skipped")
    told = comment(clone, forge, event="merge_group")
    assert told.code == 0, told.output
    assert [(one["name"], one["conclusion"]) for one in forge.checks] == [("windtunnel", "neutral")]


PREPARES = """\
on: push
permissions: {}
jobs:
  use:
    name: Use
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@CHECKOUT
        with: {persist-credentials: false}
      - uses: actions/checkout@CHECKOUT
        with: {persist-credentials: false, path: .windtunnel-tool}
      - uses: ./.windtunnel-tool/.github/actions/runner
        with: {measures: all}
        env: {WINDTUNNEL_CONFIG: asv.conf.json}
      - name: Go on
        run: "true"
"""


def test_a_python_that_the_runner_lacks_does_not_take_the_others_along(adopted, tmp_path):
    """setup-python stops at it (its src/setup-python.ts), wherever it stands in the list."""
    clone = adopted(pythons=("3.91", "3.92", "3.93"))
    text = (acting.WORKFLOWS / "pull-request.yml").read_text(encoding="utf-8")
    (checkout,) = set(re.findall(r"uses: actions/checkout@([0-9a-f]{40})", text))
    change(clone, {".github/workflows/use.yml": PREPARES.replace("CHECKOUT", checkout)}, "an action")
    log = tmp_path / "pythons.log"
    acted = acting.run(
        clone, clone.parent / "origin.git", "push", a_push(clone), clone.parent / "act", workflow="use.yml",
        STUB_FAILS="3.91", STUB_PYTHONS_LOG=str(log),
    )  # fmt: skip
    assert acted.code == 0, acted.output
    assert acted.result("Use", "Go on") == "success"
    assert sorted(log.read_text(encoding="utf-8").split()) == ["3.92", "3.93"]
