"""``windtunnel ci error-rates`` with a real results branch, and with a folder."""

import os
import subprocess
import sys
import threading

import pytest
from builders.commands import windtunnel
from builders.error_rates import a_checked_run
from builders.repositories import branch_files, git
from builders.samples import a_context

from windtunnel import files
from windtunnel.compare.decide import decide
from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT, ErrorRates
from windtunnel.compare.format import VERDICT_FORMAT, SelfCheck
from windtunnel.errors import DataError


@pytest.fixture
def project(tmp_path):
    """A folder outside any suite."""
    root = tmp_path / "project"
    root.mkdir()
    return root


def collected(project):
    """What the file on the results branch has."""
    content = branch_files(project.parent / "remote.git", "windtunnel-results")["error-rates.json"]
    return ERROR_RATES_FORMAT.decode(content, "error-rates.json").runs


def test_concurrent_jobs_lose_nothing(project, tmp_path):
    """Each pushes its own run to the branch; a lost race is repeated."""
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(project, "init", "-q")
    git(project, "remote", "add", "origin", str(tmp_path / "remote.git"))
    for number in range(3):
        (tmp_path / f"{number}.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(self_check=SelfCheck()), [])))
    results = []

    def job(number):
        results.append(run_in(project, tmp_path / f"{number}.json", {"GITHUB_RUN_ID": str(900 + number)}))

    threads = [threading.Thread(target=job, args=(number,)) for number in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results == [0] * 3
    assert {one.run for one in collected(project)} == {"900", "901", "902"}


def test_a_verdict_of_a_later_attempt_replaces_that_of_an_earlier_one(tmp_path):
    """Artifacts of all attempts of a run stay, and each run counts once."""
    paths = [tmp_path / f"check.attempt-{attempt}" / "unchanged.json" for attempt in (1, 2)]
    for path, commit in zip(paths, ("a", "b"), strict=True):
        path.parent.mkdir()
        verdict = decide(a_context(self_check=SelfCheck(), head=commit * 40), [])
        path.write_bytes(VERDICT_FORMAT.encode(verdict))
    done = windtunnel(tmp_path, "ci", "error-rates", *paths, "--rates", tmp_path / "rates.json", GITHUB_RUN_ID="7")
    assert done.returncode == 0, done.stderr
    (one,) = files.read(tmp_path / "rates.json", ERROR_RATES_FORMAT).runs
    assert (one.run, one.commit) == ("7", "b" * 40)


def run_in(project, verdict, env):
    """The exit code of the command, without changing the working directory of the process."""
    command = [sys.executable, "-m", "windtunnel.cli", "ci", "error-rates", str(verdict)]
    return subprocess.run(command, cwd=project, env={**os.environ, **env}, capture_output=True, check=False).returncode


def test_a_broken_file_on_the_branch_is_not_overwritten(project, tmp_path):
    """A person decides whether the history can be repaired."""
    rates = tmp_path / "error-rates.json"
    rates.write_text('{"runs": [{"alarms": 1}]}')
    (tmp_path / "same.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(self_check=SelfCheck()), [])))
    done = windtunnel(project, "ci", "error-rates", tmp_path / "same.json", "--rates", rates, code=3)
    assert "error-rates.json" in done.stderr
    assert rates.read_text() == '{"runs": [{"alarms": 1}]}'
    with pytest.raises(DataError):
        files.read(rates, ERROR_RATES_FORMAT)


def test_a_folder_can_hold_the_file(project, tmp_path):
    """For a machine without a results branch."""
    rates = tmp_path / "error-rates.json"
    rates.write_bytes(ERROR_RATES_FORMAT.encode(ErrorRates(runs=(a_checked_run(),))))
    (tmp_path / "same.json").write_bytes(VERDICT_FORMAT.encode(decide(a_context(self_check=SelfCheck()), [])))
    done = windtunnel(project, "ci", "error-rates", tmp_path / "same.json", "--rates", rates, code=0)
    assert "1 new entry, 2 in all" in done.stdout
    assert len(files.read(rates, ERROR_RATES_FORMAT).runs) == 2
