"""The workflow files of a repository that uses Windtunnel: short, and pinned to one commit of Windtunnel."""

import json
import re
from typing import Self

from msgspec import Struct

from windtunnel import formats
from windtunnel.errors import DataError, UsageError

FOLDER = ".github/workflows"
PIN = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([0-9a-f]{40}|[0-9a-f]{64})")
OPTIONS = re.compile(r"^# Options: (\{.*\})$", re.MULTILINE)
USES = re.compile(rf"uses: ([\w.-]+/[\w.-]+)/{re.escape(FOLDER)}/[\w-]+\.yml@([0-9a-f]{{40,64}}) # (\S+)")
HEAD = "# Written by `windtunnel init`; `windtunnel init --check` reports whether it is up to date.\n"


class Pin(Struct, frozen=True, kw_only=True):
    """The commit of Windtunnel that the workflows use."""

    repository: str
    """``owner/name``."""
    commit: str
    """The full hash."""
    release: str
    """The release, for readers."""

    @classmethod
    def parse(cls, text: str, release: str) -> Self:
        """Parse ``owner/name@hash``; raises UsageError."""
        found = PIN.fullmatch(text)
        if found is None:
            raise UsageError(
                f"{text[:120]!r} is not a pin; write OWNER/NAME@HASH with the full hash of the commit;\n"
                "git ls-remote https://github.com/OWNER/NAME 'v*' lists the hash of each release"
            )
        return cls(repository=found[1], commit=found[2], release=release)

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the pin in the text of a workflow file, None where there is none."""
        found = USES.search(text)
        return cls(repository=found[1], commit=found[2], release=found[3]) if found else None


class InitOptions(Struct, frozen=True, kw_only=True):
    """The options of ``windtunnel init``; the first workflow file keeps them for later calls."""

    config: str
    """The asv configuration, from the repository's root."""
    branch: str
    """The measured branch."""
    runner: str = "ubuntu-24.04"
    """The label of the runners that measure."""
    label: str = ""
    """Only pull requests with this label are measured; empty for all."""
    pages: bool = True
    """Whether the site is deployed to GitHub Pages."""
    commands: bool = False
    """Whether comments that start with ``/benchmark`` run commands."""

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the options in the text of a workflow file, None where there are none that can be read."""
        found = OPTIONS.search(text)
        try:
            return formats.decode(found[1].encode(), cls, "the workflow file") if found else None
        except DataError:
            return None


class WorkflowFile(Struct, frozen=True, kw_only=True):
    """A workflow file."""

    path: str
    """From the repository's root."""
    content: str
    """The whole text."""


def render_workflows(options: InitOptions, pin: Pin) -> tuple[WorkflowFile, ...]:
    """Return the workflow files."""
    contents = {"windtunnel": _measuring(options, pin), "windtunnel-comment": _commenting(pin)}
    if options.commands:
        contents["windtunnel-command"] = _commanding(options, pin)
    return tuple(WorkflowFile(path=f"{FOLDER}/{name}.yml", content=text) for name, text in contents.items())


def _measuring(options: InitOptions, pin: Pin) -> str:
    types = "\n    types: [opened, synchronize, reopened, labeled]" if options.label else ""
    label = f"\n      label: {_text(options.label)}" if options.label else ""
    return f"""{HEAD}# Options: {formats.encode(options).decode()}
name: Windtunnel
on:
  push:
    branches: [{_text(options.branch)}]
  pull_request:{types}
  schedule:
    - cron: "23 3 * * *"
  workflow_dispatch:
permissions: {{}}
concurrency:
  group: windtunnel-${{{{ github.event.pull_request.number || github.run_id }}}}
  cancel-in-progress: true # cancels earlier runs of the same pull request; every other run has its own group
jobs:
  benchmark:
    name: Benchmark
    if: github.event_name != 'pull_request'
    permissions:
      contents: write # the results branch
      issues: write # alerts
      pages: write # the site
      id-token: write # the site
    {_uses(pin, "benchmark")}
    with:
      config: {_text(options.config)}
      runner: {_text(options.runner)}
      pages: {_text("yes" if options.pages else "no")}
{_pinned(pin)}
  pull-request:
    name: Pull request
    if: github.event_name == 'pull_request'
    permissions:
      contents: read # both commits
    {_uses(pin, "pull-request")}
    with:
      config: {_text(options.config)}
      runner: {_text(options.runner)}{label}
{_pinned(pin)}
"""


def _commenting(pin: Pin) -> str:
    return f"""{HEAD}name: Windtunnel comment
on:
  # Runs with a token that can write, so it neither checks out nor executes code of the pull request.
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
      checks: write # the check beside the commit
      contents: read # Windtunnel itself
      pull-requests: write # the comment
      statuses: write # for forges without check runs
    {_uses(pin, "comment")}
    with:
{_pinned(pin)}
"""


def _commanding(options: InitOptions, pin: Pin) -> str:
    return f"""{HEAD}name: Windtunnel command
on:
  # The only event of a comment; the called workflow checks the author and pins the commit.
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
      checks: write # the check beside the commit
      contents: write # the results branch with the alerts; jobs that run code of the pull request get "read"
      pull-requests: write # the reaction, the comment
      statuses: write # for forges without check runs
    {_uses(pin, "command")}
    with:
      config: {_text(options.config)}
      runner: {_text(options.runner)}
{_pinned(pin)}
"""


def _uses(pin: Pin, workflow: str) -> str:
    return f"uses: {pin.repository}/{FOLDER}/{workflow}.yml@{pin.commit} # {pin.release}"


def _pinned(pin: Pin) -> str:
    return f"      windtunnel-repository: {pin.repository}\n      windtunnel-ref: {pin.commit}"


def _text(text: str) -> str:
    """Return *text* as a YAML string, in JSON syntax; raises UsageError where GitHub would evaluate part of it."""
    if "${{" in text:
        raise UsageError(f"{text[:80]!r} cannot be written into a workflow: GitHub would evaluate it; use another name")
    return json.dumps(text, ensure_ascii=False)
