"""Workflows under act, in host mode: foreign actions are stand-ins of ours, git's remote is a bare repository."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
STUBS = Path(__file__).with_name("stubs")
WORKFLOWS = ROOT / ".github" / "workflows"
ACTIONS = ROOT / ".github" / "actions"

MAX_MATRIX_JOBS = 256
"""Of one job (docs.github.com, Actions limits)."""


def act():
    """The command, None where it is not installed."""
    return shutil.which("act") or shutil.which("act", path=str(Path.home() / "go" / "bin"))


def _steps(entries):
    """The steps of a job's log lines, in GitHub's form."""
    times = {}
    for one in entries:
        if one.get("step"):
            times.setdefault(one["step"], []).append(one["time"])
    return [{"name": name, "started_at": min(seen), "completed_at": max(seen)} for name, seen in times.items()]


def uv_cache():
    """Where this machine keeps wheels: a home of its own would fetch them all again."""
    return os.environ.get("UV_CACHE_DIR") or str(Path.home() / ".cache" / "uv")


def copy_workflows(folder, source=WORKFLOWS):
    """Copy the workflows in *source* into ``.github/workflows`` of *folder*, without the keys that act 0.2.89 refuses.

    ``cache-mode`` is a key of jobs since 2026-09 (docs.github.com, Workflow syntax for GitHub Actions).
    """
    target = folder / ".github" / "workflows"
    target.mkdir(parents=True, exist_ok=True)
    for path in source.glob("*.yml"):
        text = re.sub(r"^ +cache-mode: .*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        (target / path.name).write_text(text, encoding="utf-8")
    return folder


def stand_ins(workflows):
    """Options of act that replace each foreign action, by the hash that the workflows pin."""
    files = (*workflows.glob("*.yml"), *ACTIONS.glob("*/action.yml"))
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    for action, commit in sorted(set(re.findall(r"uses: (actions/[\w-]+)(?:/[\w-]+)?@([0-9a-f]{40})", text))):
        yield f"--local-repository={action}@{commit}={STUBS / action.removeprefix('actions/')}"


@dataclass(kw_only=True)
class Acted:
    """The output and the results of a run of act."""

    code: int
    output: str
    artifacts: Path
    site: Path
    """What GitHub Pages serves after the run."""
    log: list = field(default_factory=list)

    def jobs(self):
        """The jobs and their steps with their times, as GitHub's interface would list them."""
        held = {}
        for one in self.log:
            if one.get("jobID") and one.get("time"):
                held.setdefault((one["jobID"], str(one.get("matrix"))), []).append(one)
        return [
            {
                "name": name,
                "started_at": min(one["time"] for one in entries),
                "completed_at": max(one["time"] for one in entries),
                "conclusion": "success",
                "steps": _steps(entries),
            }
            for (name, _), entries in held.items()
        ]

    def result(self, job, step):
        """How a step ended: success, failure or skipped; None where it never came up."""
        found = [
            one["stepResult"]
            for one in self.log
            if one.get("stepResult") and one.get("step", "").endswith(step) and one.get("job", "").strip().endswith(job)
        ]
        return found[-1] if found else None


def tool():
    """The folder of the commands under test, which stand in for what ``make tool`` would install."""
    return os.environ.get("STUB_TOOL") or str(Path(sys.executable).parent)


def run(
    clone,
    origin,
    event,
    payload,
    folder,
    *,
    run_id="5",
    attempt=1,
    workflow=None,
    variables=(),
    token="",
    windtunnel="",
    windtunnel_at=None,
    patience=600,
    only=(),
    **env,
):
    """Run *clone*'s workflows for *event* and return what came of it; act's own words are kept in act.log."""
    folder.mkdir(exist_ok=True)
    (folder / "event.json").write_text(json.dumps(payload), encoding="utf-8")
    artifacts = folder / "artifacts"
    pages = folder.parent / "pages"
    pages.mkdir(exist_ok=True)
    given = {
        "STUB_ORIGIN": str(origin),
        "STUB_TOOL": tool(),
        "STUB_RUNNER": str(STUBS / "runner"),
        "STUB_ARTIFACTS": str(artifacts),
        "STUB_ACTIONS": str(ACTIONS),
        "STUB_FOLDER": str(STUBS),
        "STUB_PYTHON": sys.executable,
        "STUB_PAGES": str(pages),
        "GITHUB_RUN_ID": run_id,
        "GITHUB_RUN_ATTEMPT": str(attempt),
        "UV_CACHE_DIR": uv_cache(),
        **env,
    }
    workflows = clone / ".github" / "workflows"
    called = windtunnel_at or copy_workflows(folder / "called")
    command = [
        act(), event, "--directory", clone, "--eventpath", folder / "event.json", "--json",
        "--platform", "ubuntu-24.04=-self-hosted", "--no-cache-server", "--no-skip-checkout",
        "--concurrent-jobs", "2", *stand_ins(WORKFLOWS),
        *((f"--local-repository={windtunnel}={called}",) if windtunnel else ()),
        *(("--workflows", workflows / workflow) if workflow else ()),
        *(f"--var={one}" for one in variables),
        *(f"--matrix={one}" for one in only),
        *(("--secret=GITHUB_TOKEN",) if token else ()),
        *(f"--env={key}={value}" for key, value in given.items()),
    ]  # fmt: skip
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text("[user]\nname = t\nemail = t@example.org\n", encoding="utf-8")
    (home / ".actrc").touch()
    outer = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(folder / "cache"), "GITHUB_TOKEN": token}
    done = subprocess.run(
        [str(part) for part in command],
        env=outer, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=patience, check=False,
    )  # fmt: skip
    (folder / "act.log").write_text(done.stdout, encoding="utf-8")
    log = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    matrices = Counter(job for job, _ in {(one["jobID"], str(one.get("matrix"))) for one in log if one.get("jobID")})
    assert max(matrices.values(), default=0) <= MAX_MATRIX_JOBS, "GitHub starts no run with a larger matrix"
    return Acted(code=done.returncode, output=done.stdout, artifacts=artifacts / run_id, site=pages / "site", log=log)
