"""How a repository uses Windtunnel: one commit of it by its hash, and what was asked for; workflow files hold both."""

import json
import re
from dataclasses import dataclass, fields
from typing import Self

from windtunnel import formats
from windtunnel.errors import DataError, UsageError

FOLDER = ".github/workflows"
PIN = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([0-9a-f]{40}|[0-9a-f]{64})")
WISHES = re.compile(r"^# It was asked for (\{.*\})$", re.MULTILINE)
USES = re.compile(rf"uses: ([\w.-]+/[\w.-]+)/{re.escape(FOLDER)}/[\w-]+\.yml@([0-9a-f]{{40,64}}) # (\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """The commit of Windtunnel that is used: where it is, its full hash, and for people the release."""

    repository: str
    commit: str
    release: str

    @classmethod
    def parse(cls, text: str, release: str) -> Self:
        """Return what ``owner/name@hash`` names; raises UsageError."""
        found = PIN.fullmatch(text)
        if found is None:
            raise UsageError(
                f"{text[:120]!r} is no pin; write OWNER/NAME@HASH with the full hash of the commit, which\n"
                "git ls-remote https://github.com/OWNER/NAME 'v*' tells for each release"
            )
        return cls(repository=found[1], commit=found[2], release=release)

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Return the pin that a workflow file holds, None where it holds none."""
        found = USES.search(text)
        return cls(repository=found[1], commit=found[2], release=found[3]) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for; *label* empty: every pull request is measured.

    It stands in the first file, so that a later call need not be told again.
    """

    config: str
    branch: str
    runner: str = "ubuntu-24.04"
    label: str = ""
    pages: bool = True
    commands: bool = False
    """Whether comments that begin with ``/benchmark`` are heard."""

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Return the wishes that a workflow file holds, None where it holds none that can be read."""
        found = WISHES.search(text)
        try:
            return formats.decode(found[1].encode(), cls, "the workflow file") if found else None
        except DataError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption(Wishes):
    """What the files say of a repository."""

    pin: Pin

    @property
    def wishes(self) -> Wishes:
        """Return what was asked for alone."""
        return Wishes(**{field.name: getattr(self, field.name) for field in fields(Wishes)})


COMMANDS = f"{FOLDER}/windtunnel-command.yml"
HEAD = "# Written by `windtunnel init`; `windtunnel init --check` tells whether it is up to date.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowFile:
    """A file: where it belongs, seen from the repository's root, and its content."""

    path: str
    content: str


def files(adoption: Adoption) -> tuple[WorkflowFile, ...]:
    """Return the files, each complete."""
    made = (
        WorkflowFile(path=f"{FOLDER}/windtunnel.yml", content=_measuring(adoption)),
        WorkflowFile(path=f"{FOLDER}/windtunnel-comment.yml", content=_commenting(adoption)),
    )
    return (*made, WorkflowFile(path=COMMANDS, content=_commanding(adoption))) if adoption.commands else made


def _measuring(adoption: Adoption) -> str:
    types = "\n    types: [opened, synchronize, reopened, labeled]" if adoption.label else ""
    label = f"\n      label: {_text(adoption.label)}" if adoption.label else ""
    return f"""{HEAD}# It was asked for {formats.encode(adoption.wishes).decode()}
name: Windtunnel
on:
  push:
    branches: [{_text(adoption.branch)}]
  pull_request:{types}
  schedule:
    - cron: "23 3 * * *"
  workflow_dispatch:
permissions: {{}}
concurrency:
  group: windtunnel-${{{{ github.event.pull_request.number || github.run_id }}}}
  cancel-in-progress: true # what was pushed to a pull request before; other runs each have a group of their own
jobs:
  benchmark:
    name: Benchmark
    if: github.event_name != 'pull_request'
    permissions:
      contents: write # the results branch
      issues: write # alerts
      pages: write # the site
      id-token: write # the site
    {_uses(adoption.pin, "benchmark")}
    with:
      config: {_text(adoption.config)}
      runner: {_text(adoption.runner)}
      pages: {_text("yes" if adoption.pages else "no")}
{_pinned(adoption.pin)}
  pull-request:
    name: Pull request
    if: github.event_name == 'pull_request'
    permissions:
      contents: read # both commits
    {_uses(adoption.pin, "pull-request")}
    with:
      config: {_text(adoption.config)}
      runner: {_text(adoption.runner)}{label}
{_pinned(adoption.pin)}
"""


def _commenting(adoption: Adoption) -> str:
    return f"""{HEAD}name: Windtunnel comment
on:
  # With a token that may write; nothing of the pull request is checked out or executed.
  workflow_run: # zizmor: ignore[dangerous-triggers]
    workflows: [Windtunnel]
    types: [requested, completed]
permissions: {{}}
concurrency:
  group: windtunnel-comment-${{{{ github.event.workflow_run.id }}}}
  cancel-in-progress: false
jobs:
  comment:
    name: Comment
    if: github.event.workflow_run.event == 'pull_request'
    permissions:
      actions: read # the artifact
      checks: write # the line beside the commit
      contents: read # windtunnel itself
      pull-requests: write # the comment
      statuses: write # where there are no check-runs
    {_uses(adoption.pin, "comment")}
    with:
{_pinned(adoption.pin)}
"""


def _commanding(adoption: Adoption) -> str:
    return f"""{HEAD}name: Windtunnel command
on:
  # The only event that a comment causes; who is obeyed, and for which commit, the workflow below finds out.
  issue_comment: # zizmor: ignore[dangerous-triggers]
    types: [created]
permissions: {{}}
concurrency:
  group: windtunnel-command-${{{{ github.event.comment.id }}}}
  cancel-in-progress: false
jobs:
  command:
    name: Command
    if: github.event.issue.pull_request && startsWith(github.event.comment.body, '/benchmark')
    permissions:
      actions: read # the artifact
      checks: write # the line beside the commit
      contents: write # the results branch, where alerts are kept; jobs that run foreign code get "read"
      pull-requests: write # the reaction, the comment
      statuses: write # where there are no check-runs
    {_uses(adoption.pin, "command")}
    with:
      config: {_text(adoption.config)}
      runner: {_text(adoption.runner)}
{_pinned(adoption.pin)}
"""


def _uses(pin: Pin, workflow: str) -> str:
    return f"uses: {pin.repository}/{FOLDER}/{workflow}.yml@{pin.commit} # {pin.release}"


def _pinned(pin: Pin) -> str:
    return f"      windtunnel-repository: {pin.repository}\n      windtunnel-ref: {pin.commit}"


def _text(text: str) -> str:
    """Return *text* as YAML, which every JSON text is; GitHub would take an expression in it for one."""
    if "${{" in text:
        raise UsageError(f"{text[:80]!r} cannot be written into a workflow: GitHub would evaluate it; use another name")
    return json.dumps(text, ensure_ascii=False)
