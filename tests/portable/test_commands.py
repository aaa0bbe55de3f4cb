"""The commands that read results, on Linux, macOS and Windows: `python -m pytest tests/portable`."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from builders.commands import windtunnel
from builders.repositories import ENV, SOMEBODY, commits_of, git
from builders.results_folders import SAMPLES, a_benchmark_entry, a_results_folder

from windtunnel.cli import CI_COMMANDS, COMMANDS
from windtunnel.errors import ExitCode

NAMES = (
    "b.time", "B.time", "b.Time", "con", "aux.time", "ends.with.", 'x.time("a:b|c?*<>/\\")', "deep." + "folder." * 40,
    "räksmörgås.time",
)  # fmt: skip
"""Names of benchmarks that differ in case only, that Windows reserves or forbids, or that make a path too long."""
COMMITS = 12
CONFIG = '{"version": 1, "project": "töy", "repo": ".", "branches": ["main"], "benchmark_dir": "benchmarks"}\n'
PIN = f"owner/windtunnel@{'a' * 40}"

FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]$|^(?:CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(?:\.|$)', re.IGNORECASE)
"""Names that Windows refuses: https://learn.microsoft.com/windows/win32/fileio/naming-a-file."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A repository of twelve commits with an asv configuration and its results, the newer half of them slower."""
    folder = tmp_path_factory.mktemp("portable") / "repository with spaces"
    (folder / "benchmarks").mkdir(parents=True)
    (folder / "benchmarks" / "__init__.py").touch()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "core.autocrlf", "true")  # as Git for Windows is installed
    entry = f"M 100644 inline asv.conf.json\ndata {len(CONFIG.encode())}\n{CONFIG}\n"
    dates = range(1_700_000_000, 1_700_000_000 + COMMITS)
    person = "Somebody <somebody@example.org>"
    stream = "".join(
        f"commit refs/heads/main\nauthor {person} {date} +0000\ncommitter {person} {date} +0000\ndata 1\nx\n{entry}"
        for date in dates
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, env=ENV | SOMEBODY, input=stream.encode(), check=True)
    git(folder, "reset", "--quiet", "--hard", "main")
    commits = commits_of(folder)
    benchmarks = {name: a_benchmark_entry(name) for name in NAMES}
    for part, factor in ((commits[:6], 1.0), (commits[6:], 2.0)):
        row = [[0.1 * factor], [], "1", 1, 1.0, [0.099 * factor], [0.101 * factor], [[x * factor for x in SAMPLES]]]
        a_results_folder(folder / "results", part, results=dict.fromkeys(NAMES, row), benchmarks=benchmarks)
    return folder


@pytest.fixture(scope="module")
def commits(folder):
    return commits_of(folder)


def done(folder, *argv, code=ExitCode.FINE, **env):
    """Call a command that ends with *code*; return what it printed."""
    return windtunnel(folder, *argv, code=code, **env).stdout


def test_a_verdict_is_prepared_and_reported(folder, commits):
    """As text and Markdown."""
    done(folder, "ci", "prepare", commits[0], commits[-1], "--out", "parts")
    verdict = Path("parts") / "verdict.json"
    assert commits[-1][:7] in done(folder, "report", verdict)
    assert commits[-1][:7] in done(folder, "report", verdict, "--format", "markdown")


def test_a_change_is_detected_and_kept_as_an_alert(folder, commits):
    """Without any issue."""
    done(folder, "detect", "results", "--out", "changes.json", "--cache", "cache")
    assert commits[6][:7] in done(folder, "report", "changes.json")
    arguments = ("--no-issues", "--alerts", "alerts.json", "--key", "key")
    done(folder, "ci", "alert", "changes.json", "--results", "results", *arguments)
    assert json.loads((folder / "alerts.json").read_bytes())["alerts"]


def test_a_site_replaces_an_older_one_and_fits_every_file_system(folder):
    """No name is forbidden on Windows, no two names differ in case only, and no benchmark is lost."""
    for _ in range(2):
        printed = done(folder, "publish", "results", "--out", "site", "--cache", "cache")
    assert Path(printed.rstrip("\n")) == (folder / "site").resolve()
    paths = [path.relative_to(folder / "site") for path in (folder / "site").rglob("*")]
    assert not [path for path in paths if FORBIDDEN.search(path.name)]
    assert len({str(path).casefold() for path in paths}) == len(paths)
    assert max(len(str(path)) for path in paths) < 120  # 260 is the limit of a whole path on Windows
    histories = [
        json.loads(gzip.decompress(path.read_bytes())) for path in (folder / "site").glob("data/benchmarks/*/*.gz")
    ]
    assert sorted(each["name"] for each in histories) == sorted(NAMES)
    left = {path.name for path in folder.iterdir() if path.name.startswith(".site")}
    assert not left


def test_a_benchmark_is_plotted(folder):
    """As an SVG image."""
    pytest.importorskip("matplotlib")
    done(folder, "plot", "results", "b.time", "--out", "plot.svg")
    assert (folder / "plot.svg").read_bytes().startswith(b"<?xml")


def test_claims_are_decided(folder):
    """From a claims file with any text."""
    claims = """\
[sources]
Z = { title = "ein Aufsatz über Größen" }
[[claim]]
id = "Z1"
source = "Z"
sentence = "b är ≤ B."
published = 1.0
contender-benchmark = "b.time"
benchmark = "B.time"
contender = {}
baseline = {}
between = [0.9, 1.1]
"""
    (folder / "claims.toml").write_text(claims, encoding="utf-8")
    done(folder, "claims", "results", "--claims", "claims.toml", "--out", "claims.json")


def test_results_are_merged_and_kept_on_a_branch(folder, tmp_path):
    """Pushed, pulled and equal; names that a file system refuses are replaced by digests."""
    hub = tmp_path / "hub.git"
    git(tmp_path, "init", "--quiet", "--bare", hub.name)
    done(folder, "merge", "results", "--into", "merged")
    author = SOMEBODY
    done(folder, "store", "push", "--results", "merged", "--remote", hub, **author)
    done(folder, "store", "pull", "--results", "pulled", "--remote", hub, **author)
    assert files_of(folder / "pulled") == files_of(folder / "merged")


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.json")}


def test_workflow_files_are_up_to_date_with_any_line_breaks(folder):
    """A checkout that turns line breaks into CR LF leaves them up to date."""
    written = done(folder, "init", "--pin", PIN).split()
    assert ".github/workflows/windtunnel.yml" in written
    for path in written:
        content = (folder / path).read_bytes()
        assert b"\r" not in content
        (folder / path).write_bytes(content.replace(b"\n", b"\r\n"))
    done(folder, "init", "--check")


def test_every_command_starts(folder):
    """No module is missing."""
    for words in (*((name,) for name in COMMANDS), *(("ci", name) for name in CI_COMMANDS)):
        assert done(folder, *words, "--help")


def test_text_for_a_program_is_utf8_whatever_the_locale(folder):
    """Also where Python would write another encoding, as to a pipe on Windows."""
    done(folder, "detect", "results", "--out", "text.json", "--cache", "cache")
    command = [sys.executable, "-m", "windtunnel.cli", "report", "text.json", "--format", "markdown"]
    env = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    printed = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=True).stdout
    assert "räksmörgås" in printed.decode("utf-8")


@pytest.mark.skipif(sys.platform != "win32", reason="other systems measure")
@pytest.mark.parametrize(
    "argv", [("bench",), ("doctor",), ("compare", "HEAD~1", "HEAD"), ("ci", "plan", "--out", "x"), ("ci", "pythons")]
)
def test_a_command_that_measures_is_refused_in_one_line(folder, argv):
    """Exit code 2, and what to do instead."""
    called = windtunnel(folder, *argv)
    assert called.returncode == ExitCode.USAGE
    assert called.stderr.splitlines()[-1].startswith(
        f"windtunnel {argv[0]}: building and measuring need Linux or macOS"
    )
