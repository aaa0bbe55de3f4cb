"""``windtunnel ci error-rates --pull-requests`` against a stand-in for GitHub and a real results branch."""

import io
import os
import subprocess
import sys
import threading
import zipfile
from datetime import UTC, datetime

import pytest
from builders.commands import windtunnel
from builders.error_rates import a_checked_run
from builders.repositories import git
from builders.samples import a_context

from windtunnel import files
from windtunnel.compare.decide import decide
from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT, ErrorRates
from windtunnel.compare.format import VERDICT_FORMAT, FalseAlarms, SelfCheck
from windtunnel.errors import DataError
from windtunnel.github.checked_runs import MAX_DOWNLOADS

OWN, FORK = 5, {"full_name": "contributor/project"}
NOW = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def a_verdict(comparisons=10, alarms=0, **what):
    return VERDICT_FORMAT.encode(decide(a_context(aa=FalseAlarms(comparisons=comparisons, alarms=alarms), **what), []))


def zipped(content, name="verdict.json"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def ran(forge, run, content=None, **what):
    """A pull request was compared in *run*; its head is the number of the run."""
    forge.run(run, f"{run:040x}", **{"created_at": NOW} | what)
    if content is not None:
        forge.artifact(run, "windtunnel-verdict", zipped(content))


@pytest.fixture
def project(tmp_path, forge):
    """A folder outside any suite; the run that collects is listed too."""
    root = tmp_path / "project"
    root.mkdir()
    forge.run(OWN, "0" * 40, event="push", status="in_progress", conclusion=None)
    return root


def collect(forge, project, *argv, branch=False):
    """Run the command; return what the file has then, in a folder or on the *branch*, and the warnings."""
    copy = project / "copy.json"
    where = ("--copy", copy) if branch else ("--rates", copy)
    done = windtunnel(project, "ci", "error-rates", *where, *argv, **forge.env(GITHUB_RUN_ID=str(OWN)))
    assert done.returncode == 0, done.stderr
    return files.read(copy, ERROR_RATES_FORMAT).runs if copy.exists() else (), done.stderr


def test_each_run_of_a_pull_request_is_collected_once(forge, project):
    """The day, the commit and the page come from GitHub; a second call reads nothing again."""
    ran(forge, 20, a_verdict(12, 1))
    (found,), _ = collect(forge, project, "--pull-requests")
    assert (found.run, found.comparisons, found.alarms, found.date) == ("20", 12, 1, NOW[:10])
    assert (found.commit, found.url) == (f"{20:040x}", forge.runs[20]["html_url"])
    forge.seen.clear()
    assert collect(forge, project, "--pull-requests")[0] == (found,)
    assert not [path for _, path in forge.seen if "artifacts" in path]
    assert not forge.complaints


def test_a_fork_counts_only_with_the_code_that_was_merged(forge, project):
    """Its run executes its code, so it can write any verdict; merged code is accepted code."""
    ran(forge, 20, a_verdict(300, 300), head_repository=FORK)
    ran(forge, 21, a_verdict(10, 0), head_repository=FORK)
    ran(forge, 22, a_verdict(300, 300), head_repository=None)
    closed = forge.pull(7, f"{20:040x}", state="closed")
    assert collect(forge, project, "--pull-requests")[0] == ()
    closed["merged_at"] = None
    forge.pull(8, f"{21:040x}", state="closed")["merged_at"] = NOW
    found, _ = collect(forge, project, "--pull-requests")
    assert [(one.run, one.alarms) for one in found] == [("21", 0)]


def test_a_merged_commit_counts_once_and_from_its_own_fork(forge, project):
    """Its author can open and close the pull request many times, and anyone else can open one with a copy of it."""
    for run, fork in (
        (20, "mallory/project"),
        (21, FORK["full_name"]),
        (22, FORK["full_name"]),
        (23, "mallory/project"),
    ):
        ran(forge, run, a_verdict(10, 0), head_sha="a" * 40, head_repository={"full_name": fork})
    forge.pull(8, "a" * 40, state="closed")["merged_at"] = NOW
    forge.pulls[0]["head"]["repo"] = FORK
    assert [one.run for one in collect(forge, project, "--pull-requests")[0]] == ["21"]
    assert [one.run for one in collect(forge, project, "--pull-requests")[0]] == ["21"]


@pytest.mark.parametrize(
    "run",
    [
        {"event": "issue_comment"},
        {"event": "push"},
        {"status": "in_progress", "conclusion": None},
        {"conclusion": "action_required"},
        {"conclusion": "cancelled"},
        {"workflow_id": 78, "path": ".github/workflows/other.yml"},
        {"created_at": "2020-01-01T00:00:00Z"},
    ],
)
def test_other_runs_are_not_read(forge, project, run):
    """Those of comments measured what a person asked for; those held for approval have measured nothing."""
    ran(forge, 20, a_verdict(), **run)
    assert collect(forge, project, "--pull-requests")[0] == ()
    assert not [path for _, path in forge.seen if "artifacts" in path]


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"{",
        b"\xff" * 100,
        a_verdict(10**6, 10**6),
        a_verdict(10, 10, self_check=SelfCheck()),
        VERDICT_FORMAT.encode(decide(a_context(), [])).replace(b'"alarms": 0', b'"alarms": -5'),
    ],
)
def test_a_verdict_that_is_missing_broken_or_not_plausible_stops_nothing(forge, project, content):
    """The other runs count, and this one is not read again."""
    ran(forge, 20, content)
    ran(forge, 21, a_verdict())
    found, _ = collect(forge, project, "--pull-requests")
    assert [(one.run, one.comparisons, one.alarms) for one in found] == [("20", 0, 0), ("21", 10, 0)]


def test_one_call_reads_a_limited_number_of_verdicts(forge, project):
    """The rest follows in the next calls, so a repository with many pull requests does not use up its requests."""
    for run in range(100, 100 + MAX_DOWNLOADS + 3):
        ran(forge, run, a_verdict())
    assert len(collect(forge, project, "--pull-requests")[0]) == MAX_DOWNLOADS
    assert len(collect(forge, project, "--pull-requests")[0]) == MAX_DOWNLOADS + 3


def test_the_workflow_of_pull_requests_may_be_another_file(forge, project):
    """By default it is that of the collecting run, as where one file has both jobs."""
    ran(forge, 20, a_verdict(), workflow_id=99)
    assert collect(forge, project, "--pull-requests")[0] == ()
    assert len(collect(forge, project, "--pull-requests", "--workflow", "pull-request.yml")[0]) == 1


def test_without_the_permission_the_self_checks_are_kept(forge, project, tmp_path):
    """A job that may not read runs loses only those of pull requests."""
    forge.actions_readable = False
    (tmp_path / "same.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(self_check=SelfCheck()), [])))
    found, said = collect(forge, project, tmp_path / "same.json", "--pull-requests")
    assert [one.run for one in found] == [str(OWN)]
    assert "were not read" in said


def test_concurrent_jobs_lose_nothing(forge, project, tmp_path):
    """Each pushes its own run to the branch; a lost race is repeated."""
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(project, "init", "-q")
    git(project, "remote", "add", "origin", str(tmp_path / "remote.git"))
    for number in range(3):
        (tmp_path / f"{number}.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(self_check=SelfCheck()), [])))
    results = []

    def job(number):
        done = run_in(project, tmp_path / f"{number}.json", forge.env(GITHUB_RUN_ID=str(900 + number)))
        results.append(done)

    threads = [threading.Thread(target=job, args=(number,)) for number in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results == [0] * 3
    assert {one.run for one in collect(forge, project, branch=True)[0]} == {"900", "901", "902"}


def run_in(project, verdict, env):
    """The exit code of the command, without changing the working directory of the process."""
    command = [sys.executable, "-m", "windtunnel.cli", "ci", "error-rates", str(verdict)]
    return subprocess.run(command, cwd=project, env={**os.environ, **env}, capture_output=True, check=False).returncode


def test_a_broken_file_on_the_branch_is_not_overwritten(forge, project, tmp_path):
    """A person decides whether the history can be repaired."""
    rates = tmp_path / "error-rates.json"
    rates.write_text('{"runs": [{"alarms": 1}]}')
    (tmp_path / "same.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(self_check=SelfCheck()), [])))
    done = windtunnel(project, "ci", "error-rates", tmp_path / "same.json", "--rates", rates, **forge.env())
    assert done.returncode == 3
    assert "error-rates.json" in done.stderr
    assert rates.read_text() == '{"runs": [{"alarms": 1}]}'
    with pytest.raises(DataError):
        files.read(rates, ERROR_RATES_FORMAT)


def test_a_folder_can_hold_the_file(forge, project, tmp_path):
    """For a machine without a results branch."""
    rates = tmp_path / "error-rates.json"
    rates.write_bytes(ERROR_RATES_FORMAT.encode(ErrorRates(runs=(a_checked_run(),))))
    (tmp_path / "same.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(self_check=SelfCheck()), [])))
    done = windtunnel(project, "ci", "error-rates", tmp_path / "same.json", "--rates", rates, **forge.env())
    assert done.returncode == 0, done.stderr
    assert "1 new entry, 2 in all" in done.stdout
    assert len(files.read(rates, ERROR_RATES_FORMAT).runs) == 2
