"""The study that builds a branch of past days: which releases it takes, and what a commit holds."""

import subprocess
from pathlib import Path

import pytest

from studies import time_machine
from studies.time_machine import Day, Snapshot, StaleError

DAY = Day("2023-11-01", "3.11")


def resolver(exclusive=(), missing=()):
    """Stands in for uv: every library is at 2; those *exclusive* exclude each other."""

    def compile_requirements(_python, wanted, *_options):
        names = [each.partition("==")[0] for each in wanted]
        if set(names) & set(missing) or len(set(names) & set(exclusive)) > 1:
            raise ValueError("no solution")
        return "".join(f"{name}==2 \\\n    --hash=sha256:00\n" for name in names)

    return compile_requirements


def test_days_are_the_first_of_each_quarter():
    """Over the end of a year."""
    assert list(time_machine.days((2022, 11), (2023, 6), 3)) == ["2022-11-01", "2023-02-01", "2023-05-01"]


def test_what_cannot_be_had_or_does_not_go_with_the_others_is_left_out_with_the_reason(monkeypatch):
    """The first of two that exclude each other stays."""
    found = resolver(exclusive=("fastapi", "granian"), missing=("liburing",))
    monkeypatch.setattr(time_machine, "compile_requirements", found)
    snapshot = time_machine.snapshot(DAY, ["fastapi", "aiohttp", "granian", "liburing", "trio"])
    assert snapshot.versions == {"fastapi": "2", "aiohttp": "2", "trio": "2"}
    assert snapshot.unavailable == {"granian": "2 does not go with the others: no solution", "liburing": "no solution"}
    assert "# unavailable: liburing: no solution\n" in snapshot.text(DAY.date, DAY.python)


def test_a_lock_with_an_old_release_fails():
    """A resolver takes old releases silently."""
    with pytest.raises(StaleError, match=r"aiohttp 0\.13\.1 \(newest 3\.8\.6\)"):
        time_machine.require_newest(DAY, {"aiohttp": "3.8.6"}, {"aiohttp": "0.13.1"})


def test_what_measures_has_the_versions_of_today():
    """It replaces what the libraries of the day brought."""
    found = Snapshot(requirements="hatchling==1 \\\n    --hash=sha256:11\naiohttp==1 \\\n    --hash=sha256:22\n")
    time_machine.add_instruments(found, "hatchling==2 \\\n    --hash=sha256:00\n")
    assert "hatchling==1" not in found.requirements
    assert found.requirements.count("==") == 2


def test_a_commit_is_the_tree_of_today_with_the_libraries_of_its_day(tmp_path, monkeypatch):
    """Its dates are that day."""

    def git(*arguments):
        command = ["git", "-C", tmp_path, "-c", "user.name=A", "-c", "user.email=a@b.org", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    (tmp_path / "file").write_text("today")
    git("add", "file")
    git("commit", "-qm", "one")
    monkeypatch.setattr(time_machine, "ROOT", tmp_path)
    first = time_machine.commit("2023-11-01", {"3.11": "aiohttp==3.8.6\n"}, "")
    second = time_machine.commit("2024-02-01", {"3.11": "aiohttp==3.9.3\n"}, first)
    assert git("log", "--format=%as %s", second).splitlines() == [
        "2024-02-01 libraries of 2024-02-01",
        "2023-11-01 libraries of 2023-11-01",
    ]
    assert git("show", f"{second}:{time_machine.SNAPSHOT}/3.11.txt") == "aiohttp==3.9.3\n"
    assert git("show", f"{second}:file") == "today"
    assert git("status", "--porcelain") == ""
    git("commit", "-q", "--allow-empty", "-m", "later")
    assert time_machine.commit("2023-11-01", {"3.11": "aiohttp==3.8.6\n"}, "", "HEAD~1") == first


def test_a_folder_of_locks_gives_the_branch_without_resolving(tmp_path, monkeypatch):
    """So what was counted can be read and repeated anywhere."""
    (tmp_path / "2023-11-01").mkdir()
    (tmp_path / "2023-11-01/3.11.txt").write_text("aiohttp==3.8.6\n")
    commits = []
    monkeypatch.setattr(time_machine, "snapshot", None)
    monkeypatch.setattr(time_machine, "git", lambda *arguments: "")
    monkeypatch.setattr(time_machine, "commit", lambda *given: commits.append(given) or "c0ffee")
    asked = ["--since", "2023-11", "--until", "2023-11", "--python", "3.11", "--folder", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["time_machine", *asked, "--branch", "past"])
    assert time_machine.main() == 0
    assert commits == [("2023-11-01", {"3.11": "aiohttp==3.8.6\n"}, "", "HEAD")]


def test_the_installer_takes_the_file_that_a_commit_has():
    """Else its uv.lock."""
    text = (Path(__file__).parents[2] / "src/windtunnel_scenarios/install").read_text(encoding="utf-8")
    assert f"day=$2/{time_machine.SNAPSHOT}/" in text
