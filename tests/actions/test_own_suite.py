"""Our own suite's pull request under act: from the start of the run to the comment, with the figures in it.

WINDTUNNEL_ACT=1 pytest tests/actions/test_own_suite.py --basetemp=FOLDER     # leaves comment.md there

What is restricted: the cases (CASES), the minutes a runner may measure, and that windtunnel's wheels come from this
machine's cache. All else is pull-request.yml and comment.yml as they are: two runners screen, a third confirms, and
each job installs windtunnel from its own checkout.
"""

import json
import os
import re

import pytest
from actions import acting
from actions.pulls import a_pull_request
from builders.repositories import git
from builders.suites import change

pytestmark = [
    pytest.mark.act,
    pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it"),
]
RUN = 7
CASES = r"^cpu\.(CpuSum|SharedCounter)\..*'(sync|gather|threads_own)', 'quick'"
PLACE, LOOP = "src/windtunnel_scenarios/support/worker_functions.py", "        result += number\n"

RESTRICTED = f"""\
on: pull_request
permissions: {{}}
jobs:
  restricted:
    permissions:
      contents: read
    uses: ./.github/workflows/pull-request.yml
    with:
      bench: {json.dumps(CASES)}
"""


def test_a_regression_of_ours_ends_as_a_comment(forge, tmp_path):
    """The sums become slower, the counter does not; the comment reports that and the timings."""
    clone, origin = tmp_path / "clone", tmp_path / "origin.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(acting.ROOT), "origin.git")
    git(tmp_path, "clone", "--quiet", "origin.git", "clone")
    git(clone, "checkout", "--quiet", "-B", "main")
    table = "[tool.windtunnel.ci]\n"
    settings = (clone / "pyproject.toml").read_text(encoding="utf-8")
    settings = settings.replace(table, f"{table}deadline = 40\nmax-runners = 2\n")
    acting.copy_workflows(clone, clone / ".github" / "workflows")
    change(clone, {".github/workflows/restricted.yml": RESTRICTED, "pyproject.toml": settings}, "restricted")
    slower = (clone / PLACE).read_text(encoding="utf-8")
    assert LOOP in slower
    event = a_pull_request(clone, forge, {PLACE: slower.replace(LOOP, LOOP * 2 + "        result -= number\n")})
    git(clone, "push", "--quiet", "--force", "origin", "main:main")
    measured = acting.run(
        clone, origin, "pull_request", event, tmp_path / "measured",
        run_id=str(RUN), workflow="restricted.yml", patience=3600, STUB_TOOL="",
    )  # fmt: skip
    assert measured.code == 0, measured.output
    forge.run(RUN, event["pull_request"]["head"]["sha"], created_at=measured.jobs()[0]["started_at"])
    forge.jobs[RUN], forge.shelf = measured.jobs(), measured.artifacts.parent
    git(clone, "checkout", "--quiet", "main")
    told = acting.run(
        clone, origin, "workflow_run",
        {
            "action": "completed",
            "workflow_run": {"id": RUN, "event": "pull_request"},
            "repository": {"full_name": "org/spam", "default_branch": "main"},
        },
        tmp_path / "commented",
        workflow="comment.yml", token=forge.token, STUB_TOOL="",
        GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
    )  # fmt: skip
    assert told.code == 0, told.output
    ((body),) = [one["body"] for one in forge.comments]
    (tmp_path / "comment.md").write_text(body, encoding="utf-8")
    first = body.splitlines()[0]
    assert re.search(r"became slower(, worst)?: `cpu\.CpuSum\.time_run\('sync', 'quick'\)`", first), body
    for part in ("queue", "build", "measure", "confirm", "report", "together"):
        assert f" {part} " in body.partition("From push to this comment:")[2], body
