"""The workflow files that `windtunnel init` writes: short, pinned to one commit, with a checksum that shows edits."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from hashlib import sha256
from typing import Self

import msgspec
from msgspec import Struct

from windtunnel import formats
from windtunnel.errors import DataError, UsageError
from windtunnel.model.settings import WorkflowSettings

FOLDER = ".github/workflows"
RESULTS_TOKEN = "WINDTUNNEL_RESULTS_TOKEN"  # noqa: S105 - the name of a secret
"""The secret with which results reach another repository."""

PIN = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([0-9a-f]{40}|[0-9a-f]{64})")
OPTIONS = re.compile(r"^# Options: (\{.*\})$", re.MULTILINE)
CHECKSUM = re.compile(r"^# Checksum: ([0-9a-f]{16})\n", re.MULTILINE)
USES = re.compile(rf"uses: ([\w.-]+/[\w.-]+)/{re.escape(FOLDER)}/[\w-]+\.yml@([0-9a-f]{{40,64}}) # (\S+)")
SUITE_NAME = re.compile(r"(?!(?:comment|nights|pull-request)$)[A-Za-z0-9][A-Za-z0-9-]{0,39}")
"""The files of a suite with such a name would have the names of the files of the suite without a name."""
REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
SUITE_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(?:@(?!-)[A-Za-z0-9_./+-]+)?")
RELEASE = re.compile(r"[\w.+-]+", re.ASCII)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that YAML does not allow, or that end a line of it; and bytes of an argument that are not UTF-8."""

HEAD = "# Written by `windtunnel init`; `windtunnel init --check` reports whether it is up to date.\n"
SELF_CHECK = "41 4 * * 0"
"""When a commit is compared with itself, for cron."""

PULL_EVENTS = """\
  pull_request:
    types: [opened, synchronize, reopened, labeled, unlabeled, edited, closed]
  merge_group: # measures nothing; the comment workflow concludes the check for the queue
  workflow_dispatch:
    inputs:
      pull:
        description: Measure this pull request; the verdict is in the summary of the run
        type: string
        required: true
      bench:
        description: Only its cases that match this regular expression
        type: string
        default: ""
"""


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
                "git ls-remote https://github.com/OWNER/NAME lists the hash of each branch and tag\n"
                "(of a tag that has a second line with ^{} at its end, take the hash of that line: it is the commit)"
            )
        if not RELEASE.fullmatch(release):
            raise UsageError(f"--release {release[:80]!r} is not valid; use letters, digits and the signs . _ + -")
        return cls(repository=found[1], commit=found[2], release=release)

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the pin in the text of a workflow file, None where there is none."""
        found = USES.search(text)
        return cls(repository=found[1], commit=found[2], release=found[3]) if found else None


class InitOptions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the first workflow file of a suite keeps for later calls of ``windtunnel init``."""

    config: str
    """The asv configuration, from the root of the repository that holds it."""
    name: str = ""
    """Distinguishes the suites of a repository; empty for the only one."""
    suite: str = ""
    """The repository of the suite, ``owner/name`` or ``owner/name@ref``; empty where the suite is in this one."""
    repository: str = ""
    """This repository, ``owner/name``, whose forks of another name do not measure; empty where it is unknown."""

    @classmethod
    def find(cls, text: str) -> Self | None:
        """Return the options in the text of a workflow file, None where there are none that can be read."""
        found = OPTIONS.search(text)
        try:
            return formats.decode(found[1].encode(), cls, "the workflow file") if found else None
        except DataError:
            return None


class WorkflowFileState(StrEnum):
    """How an existing file compares with what ``windtunnel init`` would write."""

    CURRENT = "is up to date"
    MISSING = "is missing"
    OUTDATED = "is out of date"
    EDITED = "was edited by hand"
    FOREIGN = "was not written by windtunnel"


def file_state(existing: str | None, wanted: str) -> WorkflowFileState:
    """Return the state of the text *existing*; the checksum in it shows whether anyone edited it."""
    if existing is None:
        return WorkflowFileState.MISSING
    if existing == wanted:
        return WorkflowFileState.CURRENT
    if Pin.find(existing) is None:
        return WorkflowFileState.FOREIGN
    unedited = add_checksum(CHECKSUM.sub("", existing)) == existing
    return WorkflowFileState.OUTDATED if unedited else WorkflowFileState.EDITED


def render_diff(path: str, existing: str, wanted: str) -> str:
    """Return the changes that overwriting *existing* would make, as a unified diff."""
    lines = existing.splitlines(keepends=True), wanted.splitlines(keepends=True)
    return "".join(unified_diff(*lines, fromfile=path, tofile=f"{path} by windtunnel init"))


def add_checksum(text: str) -> str:
    """Return *text* with its checksum in the second line."""
    head, line_break, rest = text.partition("\n")
    return f"{head}{line_break}# Checksum: {sha256(text.encode()).hexdigest()[:16]}\n{rest}"


def measuring_path(name: str) -> str:
    """Return the path of the first workflow file of the suite *name*, which keeps the options."""
    return f"{FOLDER}/{_stem(name)}.yml"


def _stem(name: str) -> str:
    return f"windtunnel-{name}" if name else "windtunnel"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteWorkflows:
    """The workflow files of one suite."""

    options: InitOptions
    settings: WorkflowSettings
    """Of the suite; of the project, where the suite has a repository of its own."""
    pin: Pin
    branch: str = ""
    """The branch whose pushes start a run."""
    project: str = ""
    """The address of the measured project; empty where the suite is in the project's repository."""
    results_elsewhere: bool = False
    """Whether another repository keeps the results."""

    @property
    def title(self) -> str:
        """The name of the first workflow."""
        return f"Windtunnel {self.options.name}".strip()

    def render(self) -> dict[str, str]:
        """Return the text of each file by its path; raises UsageError if GitHub would reject or evaluate part of it."""
        options = self.options
        if options.repository and not REPOSITORY.fullmatch(options.repository):
            raise UsageError(f"--repository {options.repository[:80]!r} is not OWNER/NAME; write it so")
        if options.suite and not SUITE_REPOSITORY.fullmatch(options.suite):
            raise UsageError(f"--suite {options.suite[:80]!r} is not OWNER/NAME or OWNER/NAME@REF; write it so")
        if self.settings.self_check and (self.project or options.suite):
            raise UsageError("self-check in [tool.windtunnel.ci] needs the suite in the project's repository")
        stem = f"{FOLDER}/{_stem(options.name)}"
        contents = {} if options.suite else {f"{stem}.yml": self._measuring(), f"{stem}-nights.yml": self._nights()}
        if not self.project:
            contents[f"{stem}-pull-request.yml" if contents else f"{stem}.yml"] = self._comparing()
            contents[f"{stem}-comment.yml"] = self._commenting()
        kept = json.dumps(msgspec.to_builtins(options), separators=(",", ":"))  # ASCII, as others can end a comment
        first, *others = contents.items()
        texts = {first[0]: f"# Options: {kept}\n{first[1]}", **dict(others)}
        return {path: add_checksum(HEAD + text) for path, text in texts.items()}

    def _measuring(self) -> str:
        """Return the file that measures new commits after a push, and what a person asks for."""
        return f"""name: {self.title}
on:
  push:
    branches: [{_text(self.branch)}]
  workflow_dispatch:
permissions: {{}}
concurrency:
  group: {_stem(self.options.name)}-${{{{ github.run_id }}}} # each run has its own group
jobs:
{self._benchmark_job()}"""

    def _nights(self) -> str:
        """Return the file that has a schedule, and therefore no other event.

        GitHub disables a workflow with a schedule after 60 days without activity in the repository, for all its events
        (NeurodataWithoutBorders/nwb-schema 684).
        """
        asked = self.settings.self_check
        weekly = f'    - cron: "{SELF_CHECK}"\n' if asked else ""
        return f"""name: {self.title} nights
on:
  schedule: # GitHub disables this file after 60 days without activity; pushes and pull requests go on
    - cron: "23 3 * * *"
{weekly}permissions: {{}}
concurrency:
  group: {_stem(self.options.name)}-nights-${{{{ github.run_id }}}}
jobs:
{self._benchmark_job(f"github.event.schedule != '{SELF_CHECK}' && " if asked else "")}\
{self._self_check_job() if asked else ""}"""

    def _benchmark_job(self, condition: str = "") -> str:
        inputs = {"name": self.options.name, "results-elsewhere": "yes" if self.results_elsewhere else ""}
        return f"""\
  benchmark:
    name: Benchmark
    # A fork has its own copy of this file, and a copy measures nothing on a push or at night.
    if: {condition}({self._own_copy()})
    permissions:
      actions: read # the answer of the job that bisects an alert
      contents: write # the results branch
      issues: write # alerts
      pages: write # the site
      id-token: write # the site
{self._call("benchmark", **inputs)}{self._secrets()}"""

    def _self_check_job(self) -> str:
        return f"""\
  self-check:
    name: Self-check
    if: github.event.schedule == '{SELF_CHECK}' && ({self._own_copy()})
    permissions:
      contents: write # the results branch
{self._call("weekly", name=self.options.name)}{self._secrets()}"""

    def _own_copy(self) -> str:
        """Return the condition under which pushes and nights measure: not in a fork, unless it has the known name."""
        named = f"github.repository == '{self.options.repository}' || " if self.options.repository else ""
        return f"{named}!github.event.repository.fork || github.event_name == 'workflow_dispatch'"

    def _comparing(self) -> str:
        """Return the file for pull requests; the comment workflow runs for all that it starts, so no push does."""
        repository, _, ref = self.options.suite.partition("@")
        label = self.settings.label
        inputs = {"suite-repository": repository, "suite-ref": ref, "label": label}
        other = f" || github.event.label.name == {_expression(label)}" if label else ""
        labelled = f"github.event.action == 'labeled' && (github.event.label.name == 'benchmark'{other})"
        return f"""name: {self.title} pull request
on:
{PULL_EVENTS}permissions: {{}}
concurrency:
  # A new run cancels earlier ones of the same pull request; a label that measures nothing, or a title, cancels none.
  group: >-
    {_stem(self.options.name)}-pull-request-${{{{ (!github.event.label.name || {labelled})
    && (github.event.action != 'edited' || github.event.changes.base)
    && github.event.pull_request.number || github.run_id }}}}
  cancel-in-progress: true
jobs:
  pull-request:
    name: Pull request
    if: github.event_name != 'merge_group'
    permissions:
      contents: read # both commits
{self._call("pull-request", **inputs)}\
      pull: ${{{{ inputs.pull }}}}
      bench: ${{{{ inputs.bench }}}}
"""

    def _call(self, workflow: str, **inputs: str) -> str:
        """Return the lines of a job that call a workflow of Windtunnel with the *inputs* that have a value."""
        return self._uses(workflow, {"config": self.options.config, "runner": self.settings.runner, **inputs})

    def _uses(self, workflow: str, inputs: Mapping[str, str]) -> str:
        pin = self.pin
        lines = "".join(f"      {key}: {_text(value)}\n" for key, value in inputs.items() if value)
        given = f"    with:\n{lines}" if lines else ""
        return f"    uses: {pin.repository}/{FOLDER}/{workflow}.yml@{pin.commit} # {pin.release}\n{given}"

    def _secrets(self) -> str:
        """Return the secret that lets results and the site reach another repository; others get none."""
        secret = f"    secrets:\n      results-token: ${{{{ secrets.{RESULTS_TOKEN} }}}}\n"
        return secret if self.results_elsewhere else ""

    def _commenting(self) -> str:
        return f"""name: {self.title} comment
on:
  # Runs with a token that can write, so it neither checks out nor executes code of the pull request.
  workflow_run: # zizmor: ignore[dangerous-triggers]
    workflows: [{self.title} pull request]
    types: [in_progress, completed] # GitHub sends `requested` neither for a repeated run nor for an approved one
permissions: {{}}
concurrency:
  group: {_stem(self.options.name)}-comment-${{{{ github.event.workflow_run.id }}}}
  cancel-in-progress: false
jobs:
  comment:
    name: Comment
    if: github.event.workflow_run.event == 'pull_request' || github.event.workflow_run.event == 'merge_group'
    permissions:
      actions: read # the artifact
      checks: write # the check beside the commit
      contents: read # Windtunnel itself
      pull-requests: write # the comment
{self._uses("comment", {"name": self.options.name, "site": self.settings.site, "label": self.settings.label})}"""


def _text(text: str) -> str:
    """Return *text* as a YAML string, in JSON syntax; raises UsageError for what is read otherwise."""
    if "${{" in text:
        raise UsageError(f"{text[:80]!r}: GitHub would evaluate the expression; write it without ${{{{ }}}}")
    if CONTROL.search(text):
        raise UsageError(f"{text[:80]!a} has a control character or a line separator; leave it out")
    return json.dumps(text, ensure_ascii=False)


def _expression(text: str) -> str:
    """Return *text* as a string of an expression; raises UsageError as for a string of YAML."""
    _text(text)
    return "'" + text.replace("'", "''") + "'"
