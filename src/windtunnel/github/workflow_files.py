"""The workflow files that `windtunnel init` writes: short, pinned to one commit, with nothing to edit."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import msgspec
from msgspec import Struct

from windtunnel import formats
from windtunnel.errors import DataError, UsageError
from windtunnel.model.settings import Settings, WorkflowSettings

FOLDER = ".github/workflows"
RESULTS_TOKEN = "WINDTUNNEL_RESULTS_TOKEN"  # noqa: S105 - the name of a secret
"""The secret with which results reach another repository."""

PIN = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([0-9a-f]{40}|[0-9a-f]{64})")
OPTIONS = re.compile(r"^# Options: (\{.*\})$", re.MULTILINE)
USES = re.compile(rf"uses: ([\w.-]+/[\w.-]+)/{re.escape(FOLDER)}/[\w-]+\.yml@([0-9a-f]{{40,64}}) # (\S+)")
SUITE_NAME = re.compile(r"(?!(?:nights|pull-request)$)[A-Za-z0-9][A-Za-z0-9-]{0,39}")
"""The files of a suite with such a name would have the names of the files of the suite without a name."""
REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
SUITE_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(?:@(?!-)[A-Za-z0-9_./+-]+)?")
RELEASE = re.compile(r"[\w.+-]+", re.ASCII)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that YAML does not allow, or that end a line of it; and bytes of an argument that are not UTF-8."""

HEAD = "# Written by `windtunnel init`. Do not edit: the settings are [tool.windtunnel.ci] in pyproject.toml.\n"
SELF_CHECK = "41 4 * * 0"
"""When a commit is compared with itself, for cron."""
NIGHT_RIGHTS = "{actions: read, contents: write, issues: write, pages: write, id-token: write} # as for a push"
DEFAULTS = {"config": "asv.conf.json", "runner": WorkflowSettings().runner}
"""Of the called workflows, so that the files leave them out."""

PULL_EVENTS = """\
  pull_request:
    types: [opened, synchronize, reopened, labeled, unlabeled, edited, closed]
  merge_group: # measures nothing; the check is concluded for the queue
  workflow_dispatch:
    inputs:
      pull: {description: "Measure this pull request; the verdict is in the summary of the run", required: true}
      bench: {description: Only its cases that match this regular expression}
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


def measuring_path(name: str) -> str:
    """Return the path of the first workflow file of the suite *name*, which keeps the options."""
    return f"{FOLDER}/windtunnel-{name}".removesuffix("-") + ".yml"


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
        kept = json.dumps(msgspec.to_builtins(options), separators=(",", ":"))  # ASCII, as others can end a comment
        stem = measuring_path(options.name).removesuffix(".yml")
        texts = {f"{stem}.yml": f"# Options: {kept}\n{self._main()}"}
        if not options.suite:
            texts[f"{stem}-nights.yml"] = self._nights()
        if not self.project:
            texts[f"{stem}-pull-request.yml"] = self._comparing()
        return {path: HEAD + text for path, text in texts.items()}

    def steps(self, settings: Settings) -> Iterator[str]:
        """Yield what a person does, in this order: the first run needs what comes before the push."""
        ci, suite, check = self.settings, self.options.suite, f"windtunnel-{self.options.name}".rstrip("-")
        where = settings.results_remote if self.results_elsewhere else "this repository"
        if site := not suite and ci.pages is not False:
            if not ci.site:
                yield "For links in comments and alerts, set site in [tool.windtunnel.ci] to the site's address."
            if not ci.site_branch:
                yield (
                    'On GitHub, Settings > Pages > Source: choose "GitHub Actions".\n'
                    "     Everyone may see the site; pages = false in [tool.windtunnel.ci] keeps only the results."
                )
            if ci.branch and not ci.site_branch:
                yield (
                    "The environment github-pages accepts the default branch only. If that is another one than\n"
                    f"     {ci.branch}, add this one: Settings > Environments > github-pages > Deployment branches."
                )
        if self.results_elsewhere:
            yield (
                f"Create a token that can write the contents of {where}, and save it as the secret\n"
                f"     {RESULTS_TOKEN} (Settings > Secrets and variables > Actions)."
            )
        yield (
            "If Settings > Actions > General allows only listed actions, allow those created by GitHub, and add\n"
            f"     {self.pin.repository}/{FOLDER}/*@*. Else no run starts, and a required check waits for ever."
        )
        if not self.project:
            yield (
                'Create the labels "benchmark" (measures a pull request again), "perf-accepted" (accepts its\n'
                '     regressions) and "muted" (mutes an alert) (Issues > Labels).'
            )
        yield "Commit the files and push. " + (
            f"Pull requests are compared with the suite in {suite}."
            if suite
            else "The first run measures the newest commit.\n"
            f"     Branch {settings.results_branch} of {where} keeps the results."
        )
        if site and ci.site_branch:
            yield (
                f'After it, in {where}: Settings > Pages > Source: "Deploy from a branch", {ci.site_branch},\n'
                f"     unless a workflow deploys the pages. The site is in the folder {ci.site_folder}."
            )
        if not self.project:
            yield f'To require the verdict, require the check "{check}" in the rules of the branch.'

    def explain_project(self, repo: str) -> str:
        """Return what happens for the suite in the repository *repo* of its own; empty for a suite of its project."""
        config = "" if self.options.config == DEFAULTS["config"] else f" --config {self.options.config}"
        if not self.project:
            return ""
        return f"""
This suite measures another repository, {self.project}:
  - Each night and after each push to {self.branch} here, a run measures its new commits.
  - Pull requests here change only the suite, so they are not compared.
  - To compare pull requests of the project, run this in a clone of the project, and commit the files there:
      windtunnel init --pin {self.pin.repository}@{self.pin.commit} --suite {repo}{config}"""

    def _main(self) -> str:
        """Return the file whose jobs may write: it measures pushes, and comments on pull requests.

        ``workflow_run`` starts it as it is on the main branch. The file for pull requests cannot comment: it would
        start itself again and again, and a pull request can change it.
        """
        measures, comments = not self.options.suite, not self.project
        pushes = f"  push:\n    branches: [{_text(self.branch)}]\n  workflow_dispatch:\n" if measures else ""
        runs = f"""\
  # Its tokens can write, so no job below checks out or executes code of a pull request.
  workflow_run: # zizmor: ignore[dangerous-triggers]
    workflows: [{self.title} pull request]
    types: [in_progress, completed] # GitHub sends `requested` neither for a repeated run nor for an approved one
"""
        measuring = f"""\
  benchmark:
    name: Benchmark
    if: github.event_name != 'workflow_run'
    permissions:
      actions: read # the answer of the job that bisects an alert
      contents: write # the results branch
      issues: write # alerts
      pages: write # the site
      id-token: write # the site
{self._measure()}"""
        commenting = f"""\
  comment:
    name: Comment
    if: github.event_name == 'workflow_run'
    permissions:
      actions: read # the artifact
      checks: write # the check beside the commit
      contents: read # the settings, and Windtunnel itself
      pull-requests: write # the comment
{self._call("comment", {"name": self.options.name, "config": self.options.config if measures else ""})}"""
        return f"""name: {self.title}
on:
{pushes}{runs if comments else ""}permissions: {{}}
jobs:
{measuring if measures else ""}{commenting if comments else ""}"""

    def _nights(self) -> str:
        """Return the file that has a schedule, and therefore no other event.

        GitHub disables a workflow with a schedule after 60 days without activity in the repository, for all its events
        (NeurodataWithoutBorders/nwb-schema 684).
        """
        weekly, condition, self_check = "", "", ""
        if self.settings.self_check:
            weekly, condition = f'    - cron: "{SELF_CHECK}"\n', f"    if: github.event.schedule != '{SELF_CHECK}'\n"
            named = f"github.repository == '{self.options.repository}' || " if self.options.repository else ""
            self_check = f"""\
  self-check:
    if: github.event.schedule == '{SELF_CHECK}' && ({named}!github.event.repository.fork)
    permissions: {{contents: write}} # the results branch
{self._call("weekly", self._suite())}{self._secrets()}"""
        return f"""name: {self.title} nights
on:
  schedule: # GitHub disables this file after 60 days without activity; pushes and pull requests go on
    - cron: "23 3 * * *"
{weekly}permissions: {{}}
jobs:
  benchmark:
{condition}    permissions: {NIGHT_RIGHTS}
{self._measure()}{self_check}"""

    def _measure(self) -> str:
        """Return the lines of a job that measures the main branch; the called workflow leaves forks out."""
        elsewhere = "yes" if self.results_elsewhere else ""
        inputs = {"repository": self.options.repository, "results-elsewhere": elsewhere}
        return self._call("benchmark", self._suite() | inputs) + self._secrets()

    def _suite(self) -> dict[str, str]:
        return {"name": self.options.name, "config": self.options.config, "runner": self.settings.runner}

    def _secrets(self) -> str:
        """Return the secret that lets results and the site reach another repository; others get none."""
        secret = f'    secrets: {{results-token: "${{{{ secrets.{RESULTS_TOKEN} }}}}"}}\n'
        return secret if self.results_elsewhere else ""

    def _comparing(self) -> str:
        """Return the file for pull requests; a comment follows each event that starts it, so no push does."""
        repository, _, ref = self.options.suite.partition("@")
        inputs = {"label": self.settings.label, "suite-repository": repository, "suite-ref": ref}
        return f"""name: {self.title} pull request
on:
{PULL_EVENTS}permissions: {{}}
jobs:
  pull-request:
    name: Pull request
    if: github.event_name != 'merge_group'
    permissions:
      contents: read # both commits
{self._call("pull-request", self._suite() | {"name": ""} | inputs, "pull", "bench")}"""

    def _call(self, workflow: str, inputs: Mapping[str, str], *asked: str) -> str:
        """Return the lines of a job that call a workflow of Windtunnel with those *inputs* that it has not by default.

        It also gets the inputs *asked* of a person.
        """
        given = {key: _text(value) for key, value in inputs.items() if value and value != DEFAULTS.get(key)}
        given |= {key: f'"${{{{ inputs.{key} }}}}"' for key in asked}
        listed = ", ".join(f"{key}: {value}" for key, value in given.items())
        uses = f"    uses: {self.pin.repository}/{FOLDER}/{workflow}.yml@{self.pin.commit} # {self.pin.release}\n"
        return uses + (f"    with: {{{listed}}}\n" if listed else "")


def _text(text: str) -> str:
    """Return *text* as a YAML string, in JSON syntax; raises UsageError for what is read otherwise."""
    if "${{" in text:
        raise UsageError(f"{text[:80]!r}: GitHub would evaluate the expression; write it without ${{{{ }}}}")
    if CONTROL.search(text):
        raise UsageError(f"{text[:80]!a} has a control character or a line separator; leave it out")
    return json.dumps(text, ensure_ascii=False)
