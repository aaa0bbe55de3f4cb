"""``windtunnel prepare`` against a stand-in for GitHub: caps on the runner-minutes of pull requests."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from builders.commands import windtunnel
from builders.repositories import a_repository
from builders.suites import change

from windtunnel.github.api_runs import WorkflowJob
from windtunnel.github.client import connect
from windtunnel.github.http import RepositoryName
from windtunnel.github.runner_usage import MAX_RUNS_READ, UsageReader, count_minutes

OWN, WORKFLOW = 5, 77
HEAD, BASE = "b" * 40, "a" * 40
FORK = {"full_name": "contributor/project"}


def now():
    """The time of a call: a constant would be yesterday's if the tests run at midnight."""
    return datetime.now(UTC)


def at(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def a_job(minutes, **what):
    """A job that took *minutes*."""
    end = now()
    return {
        "name": "Screen part 1",
        "started_at": at(end - timedelta(minutes=minutes)),
        "completed_at": at(end),
        "conclusion": "success",
        "steps": [],
    } | what


def spend(forge, run, *minutes, **what):
    """A run of the workflow whose jobs took *minutes*, created just now."""
    forge.run(run, HEAD, **{"created_at": at(now()), "workflow_id": WORKFLOW} | what)
    forge.jobs[run] = [a_job(each) for each in minutes]


@pytest.fixture
def project(tmp_path):
    """A project with a suite and a cap of 100 runner-minutes a day."""
    root = a_repository(tmp_path / "project", "one")
    settings = "[tool.windtunnel.budget]\nday-minutes = 100\nmonth-minutes = 1000\npull-request-minutes = 500\n"
    return change(root, {"asv.conf.json": "{}", "pyproject.toml": settings}, "a suite")


def prepare(forge, project, *argv, **env):
    """Change code in a pull request and run the command; return the verdict, the outputs and the printed text."""
    change(project, {"src.py": "changed"}, "code")
    event, output, out = (project.parent / name for name in ("event.json", "output", "prepared"))
    pull = {"number": 12, "state": "open", "created_at": at(now() - timedelta(days=3))}
    pull |= {
        "head": {"sha": HEAD, "ref": "topic", "repo": {"full_name": forge.repo}},
        "base": {"sha": BASE, "ref": "main"},
    }
    event.write_text(json.dumps({"pull_request": pull}))
    forge.runs.setdefault(OWN, None)
    if forge.runs[OWN] is None:
        spend(forge, OWN)
    names = {
        **forge.env(),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_RUN_ID": str(OWN),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_BASE_REF": "",
    } | env
    output.write_text("")
    done = windtunnel(project, "prepare", "HEAD~1", "HEAD", "--out", out, "--github-output", *argv, **names)
    assert done.returncode == 0, done.stderr
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return json.loads((out / "verdict.json").read_text()), outputs, done.stdout


def usage(forge, **which):
    with connect(forge.env()) as client:
        repo = RepositoryName.parse(forge.repo)
        return UsageReader(client=client, repo=repo, workflow=WORKFLOW).read(at(now() - timedelta(hours=1)), **which)


def test_a_cap_that_is_reached_stops_the_comparison(forge, project):
    """The verdict states the cap, what is spent, when it resets, and how to measure anyway."""
    spend(forge, 1, 60, 38)
    verdict, outputs, text = prepare(forge, project)
    assert (outputs["needed"], outputs["parts"]) == ("no", "[]")
    assert verdict["unmeasured"] == "cap"
    for words in ("100 runner-minutes a day: 98 are spent", "00:00 UTC", "/benchmark", "day-minutes"):
        assert words in verdict["notes"][0]
    assert "Nothing is measured." in text


def test_a_cap_that_is_nearly_reached_leaves_fewer_runners(forge, project):
    """The verdict states it, so the comment does too."""
    spend(forge, 1, 75)
    verdict, outputs, _ = prepare(forge, project)
    assert json.loads(outputs["parts"]) == [{"part": 1, "of": 1, "budget": 10}]
    assert verdict["unmeasured"] is None
    assert "only 1 runner instead of 2" in verdict["notes"][0]


def test_a_pull_request_cannot_raise_its_own_caps(forge, project):
    """The caps are those of the base commit."""
    spend(forge, 1, 98)
    change(project, {"pyproject.toml": "[tool.windtunnel.budget]\nday-minutes = 0\n"}, "no caps")
    assert prepare(forge, project)[1]["needed"] == "yes"
    forge.runs[1]["created_at"] = at(now())
    change(project, {"pyproject.toml": "[tool.windtunnel.budget]\nday-minutes = 100\n"}, "caps")
    change(project, {"pyproject.toml": "[tool.windtunnel.budget]\nday-minutes = 0\n", "src.py": "x"}, "no caps again")
    output = project.parent / "output"
    output.write_text("")
    env = forge.env(GITHUB_EVENT_NAME="pull_request", GITHUB_RUN_ID=str(OWN), GITHUB_OUTPUT=str(output))
    env |= {"GITHUB_EVENT_PATH": str(project.parent / "event.json"), "GITHUB_BASE_REF": ""}
    windtunnel(project, "prepare", "HEAD~1", "HEAD", "--out", project.parent / "x", "--github-output", **env)
    assert "needed=no" in output.read_text()


@pytest.mark.parametrize("event", ["issue_comment", "workflow_dispatch"])
def test_a_maintainer_measures_in_spite_of_the_caps(forge, project, event):
    """The request is explicit, so the spent minutes are not even read."""
    spend(forge, 1, 98)
    verdict, outputs, text = prepare(forge, project, GITHUB_EVENT_NAME=event)
    assert (outputs["needed"], verdict["notes"], forge.seen) == ("yes", [], [])
    assert "a maintainer asked" in text


def test_without_the_permission_a_note_is_left_and_measuring_goes_on(forge, project):
    """A missing permission is a mistake in the workflow, not of the pull request."""
    forge.actions_readable = False
    verdict, outputs, _ = prepare(forge, project)
    assert outputs["needed"] == "yes"
    assert "were not checked" in verdict["notes"][0]
    assert "actions: read" in verdict["notes"][0]


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ({"GITHUB_TOKEN": "", "GH_TOKEN": ""}, "no token"),
        ({"GITHUB_RUN_ID": ""}, "GITHUB_RUN_ID"),
        ({"GITHUB_EVENT_PATH": ""}, "GITHUB_EVENT_PATH"),
        ({"GITHUB_REPOSITORY": ""}, "not a repository"),
    ],
)
def test_an_incomplete_environment_leaves_a_note(forge, project, env, reason):
    """Other forges may lack a variable."""
    verdict, outputs, _ = prepare(forge, project, **env)
    assert outputs["needed"] == "yes"
    assert reason in verdict["notes"][0]


def test_a_reply_that_github_does_not_document_leaves_a_note(forge, project):
    """The comparison does not depend on the API."""
    forge.fault(path="/workflows/", status=200, body='{"total_count": "many"}')
    verdict, outputs, _ = prepare(forge, project)
    assert (outputs["needed"], "not what GitHub documents" in verdict["notes"][0]) == ("yes", True)


def test_the_cap_of_a_pull_request_counts_all_its_runs(forge, project):
    """Runs of a fork with the same branch name, and of an older pull request from the same branch, do not count."""
    spend(forge, 1, 300, created_at=at(now() - timedelta(days=2)))
    spend(forge, 2, 195, created_at=at(now() - timedelta(days=1, hours=1)))
    spend(forge, 3, 900, created_at=at(now() - timedelta(days=2)), head_repository=FORK)
    spend(forge, 4, 900, created_at=at(now() - timedelta(days=4)))
    spend(forge, 6, 900, created_at=at(now() - timedelta(days=2)), head_branch="other")
    spend(forge, 7, 900, created_at=at(now() - timedelta(days=2)), head_repository=None)
    change(project, {"pyproject.toml": "[tool.windtunnel.budget]\nday-minutes = 0\n"}, "only the cap of a pull request")
    verdict, _, _ = prepare(forge, project)
    assert "480 runner-minutes for this pull request: 495 are spent, and it does not reset" in verdict["notes"][0]


def test_the_cap_of_a_month_counts_from_its_first_day(forge, project):
    """Runs of the month before do not count."""
    first = now().replace(day=1, hour=0, minute=0, second=0)
    spend(forge, 1, 990, created_at=at(first))
    spend(forge, 2, 500, created_at=at(first - timedelta(seconds=1)))
    settings = "[tool.windtunnel.budget]\nmonth-minutes = 1000\nday-minutes = 0\npull-request-minutes = 0\n"
    change(project, {"pyproject.toml": settings}, "only the cap of a month")
    verdict, _, _ = prepare(forge, project)
    assert "1000 runner-minutes a month: 990 are spent" in verdict["notes"][0]
    assert "-01 00:00 UTC" in verdict["notes"][0]


def test_only_runs_of_this_workflow_on_pull_requests_count(forge):
    """Pushes and other workflows have their own purpose."""
    spend(forge, 1, 10)
    spend(forge, 2, 10, workflow_id=78)
    spend(forge, 3, 10, event="push")
    spend(forge, 4, 10, created_at=at(now() - timedelta(hours=2)))
    assert usage(forge).minutes == 10


def test_every_attempt_counts_and_each_job_in_whole_minutes(forge):
    """GitHub bills a repeated run again, and rounds each job up."""
    spend(forge, 1)
    forge.jobs[1] = [a_job(0.1), a_job(1.5, run_attempt=2), a_job(0, conclusion="skipped")]
    assert usage(forge).minutes == 3


@pytest.mark.parametrize(
    ("started", "completed", "conclusion", "minutes"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:10:01Z", "failure", 11),
        ("2026-01-01T00:00:00Z", None, None, 30),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:10:01Z", "skipped", 0),
        (None, None, None, 0),
        ("2026-01-01T00:10:00Z", "2026-01-01T00:00:00Z", "success", 0),
        ("yesterday", None, None, 0),
    ],
)
def test_a_job_counts_from_its_start_to_its_end_or_until_now(started, completed, conclusion, minutes):
    """A job that was skipped or waits for a runner used none."""
    job = WorkflowJob(id=1, name="x", started_at=started, completed_at=completed, conclusion=conclusion)
    assert count_minutes(job, datetime(2026, 1, 1, 0, 30, tzinfo=UTC).timestamp()) == minutes


def test_many_runs_are_estimated_from_the_newest(forge):
    """A token may send only some requests, so the mean of the newest runs stands for the others."""
    for run in range(150):
        created = at(now() - timedelta(seconds=150 - run))
        spend(forge, run, 4 if run >= 150 - MAX_RUNS_READ else 400, created_at=created)
    found = usage(forge)
    assert (found.minutes, found.runs, found.runs_read) == (600, 150, MAX_RUNS_READ)
    assert len(forge.seen) == 1 + MAX_RUNS_READ


def test_a_run_that_is_deleted_meanwhile_does_not_count(forge):
    """The list of runs may change while it is read."""
    spend(forge, 1, 10)
    spend(forge, 2, 50)
    forge.fault(path="/runs/2/jobs", status=404, times=9)
    assert (usage(forge).minutes, usage(forge).runs) == (10, 1)


def test_a_job_on_two_pages_counts_once(forge):
    """A new job moves others to the next page while they are read."""
    spend(forge, 1, 10, 10, 10)
    forge.most_a_page = 2
    for number, job in enumerate(forge.jobs[1]):
        job["id"] = number // 2
    assert usage(forge).minutes == 20
