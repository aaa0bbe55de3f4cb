"""What GitHub Actions states about the run that a command is part of, and the outputs of a workflow step."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.errors import UsageError

MAX_OUTPUT_BYTES = 1024 * 1024
"""Bytes in UTF-16 of all outputs of a job (docs.github.com, Workflow syntax, jobs.<job_id>.outputs)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRun:
    """The workflow run that this process is part of."""

    id: int
    """0 outside GitHub Actions."""
    server: str
    """The address of the forge."""
    repository_url: str
    """The page of the repository; empty outside GitHub Actions."""
    url: str
    """The page of the run; empty outside GitHub Actions."""


def own_run(env: Mapping[str, str]) -> OwnRun:
    """Return the run that *env* names."""
    run, repo = env.get("GITHUB_RUN_ID", ""), env.get("GITHUB_REPOSITORY", "")
    server = (env.get("GITHUB_SERVER_URL") or "https://github.com").rstrip("/")
    page = f"{server}/{repo}" if repo else ""
    return OwnRun(
        id=int(run) if run.isdecimal() else 0,
        server=server,
        repository_url=page,
        url=f"{page}/actions/runs/{run}" if page and run.isdecimal() else "",
    )


ATTEMPT = re.compile(r"\.attempt-(\d{1,9})(?=/|\Z)")
"""The end of a folder's name, where several attempts of a run can write it."""


def latest_attempts(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return *paths* without those that a later attempt replaced: of ``3.attempt-1`` and ``3.attempt-2`` the latter."""
    latest = dict[str, tuple[int, Path]]()
    for path in paths:
        found = ATTEMPT.search(path.as_posix())
        job, attempt = ATTEMPT.sub("", path.as_posix()), int(found[1]) if found else 0
        latest[job] = max(latest.get(job, (attempt, path)), (attempt, path))
    return tuple(path for _, path in latest.values())


def write_github_output(env: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Append *outputs* to the file $GITHUB_OUTPUT.

    A value may have several lines. Its random delimiter keeps a line of the value from naming another output. Raises
    UsageError outside of a workflow step, and if GitHub would refuse the outputs for their size.
    """
    size = sum(len(f"{name}={value}\n".encode("utf-16-le", "surrogatepass")) for name, value in outputs.items())
    if size > MAX_OUTPUT_BYTES:
        raise UsageError(
            f"the outputs of this step have {size} bytes, and GitHub accepts {MAX_OUTPUT_BYTES}; select less, or use "
            "fewer shards (--shards) or shorter names of Pythons"
        )
    path = env.get("GITHUB_OUTPUT")
    if not path:
        raise UsageError("--github-output needs $GITHUB_OUTPUT, the file of a workflow step; leave it out elsewhere")
    _append(path, outputs)


def append_variables(env: Mapping[str, str], variables: Mapping[str, str]) -> None:
    """Append *variables* to the file $GITHUB_ENV, for the later steps of a job; raises UsageError outside of one."""
    path = env.get("GITHUB_ENV")
    if not path:
        raise UsageError("$GITHUB_ENV is not set; run this command in a step of a workflow")
    _append(path, variables)


def append_summary(env: Mapping[str, str], text: str) -> None:
    """Append Markdown to the summary of a job; raises UsageError outside of a workflow step."""
    path = env.get("GITHUB_STEP_SUMMARY")
    if not path:
        raise UsageError("$GITHUB_STEP_SUMMARY is not set; use --format github in a step of a workflow")
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(text)


def _append(path: str, values: Mapping[str, str]) -> None:
    with Path(path).open("a", encoding="utf-8") as file:
        for name, value in values.items():
            delimiter = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}={value}\n" if value.isprintable() else f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
