"""The text of the workflow files that `windtunnel init` writes: short, and pinned to one commit of Windtunnel."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from windtunnel.github.workflow_checks import RESULTS_TOKEN, check_workflows
from windtunnel.github.workflow_files import FOLDER, HEAD, InitOptions, Pin, WorkflowFile, add_checksum


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyJob:
    """A job that runs once a week, apart from the nightly run, and measures nothing else."""

    workflow: str
    """The called workflow, and the id of the job."""
    title: str
    """The name of the job."""
    time: str
    """When it starts, as cron has it."""


SELF_CHECK = WeeklyJob(workflow="self-check", title="Self-check", time="41 4 * * 0")
CLAIMS = WeeklyJob(workflow="claims", title="Claims", time="17 5 * * 6")


DISPATCH = """\
    inputs:
      pull:
        description: Measure this pull request instead of new commits; the verdict is in the summary of the run
        type: string
        default: ""
      bench:
        description: Only its cases that match this regular expression
        type: string
        default: ""
      python:
        description: Only on this Python
        type: string
        default: ""
"""
"""What a person can ask for on the page of the workflow."""


def measuring_path(name: str) -> str:
    """Return the path of the first workflow file of the suite *name*, which keeps the options."""
    return f"{FOLDER}/{_stem(name)}.yml"


def render_workflows(options: InitOptions, pin: Pin) -> tuple[WorkflowFile, ...]:
    """Return the workflow files; raises UsageError if GitHub would reject or evaluate part of them."""
    check_workflows(options, pin)
    stem = _stem(options.name)
    contents = {stem: _measuring(options, pin)}
    if options.compares:
        contents[f"{stem}-comment"] = _commenting(options, pin)
    return tuple(
        WorkflowFile(path=f"{FOLDER}/{name}.yml", content=add_checksum(HEAD + text)) for name, text in contents.items()
    )


def _stem(name: str) -> str:
    return f"windtunnel-{name}" if name else "windtunnel"


def _title(options: InitOptions) -> str:
    return f"Windtunnel {options.name}".strip()


def _measuring(options: InitOptions, pin: Pin) -> str:
    called = [
        *([_benchmark_job(options, pin)] if not options.suite_repository else []),
        *([_bisect_job(options, pin)] if not options.suite_repository else []),
        *(_weekly_job(options, pin, job) for job in _weekly_jobs(options)),
        *([_pull_job(options, pin)] if options.compares else []),
    ]
    return _head(options) + "".join(called)


def _head(options: InitOptions) -> str:
    """Return the first workflow file of a suite up to its jobs."""
    other = f" || github.event.label.name == {_expression(options.label)}" if options.label else ""
    labelled = f"github.event.action == 'labeled' && (github.event.label.name == 'benchmark'{other})"
    return f"""# Options: {_kept(options)}
name: {_title(options)}
on:
{"".join(_events(options, measures=not options.suite_repository))}permissions: {{}}
concurrency:
  # A label that measures nothing cancels no measurement.
  group: >-
    {_stem(options.name)}-${{{{ (!github.event.label.name || {labelled})
    && github.event.pull_request.number || github.run_id }}}}
  cancel-in-progress: true # cancels earlier runs of the same pull request; every other run has its own group
jobs:
"""


def _kept(options: InitOptions) -> str:
    """Return *options* as one line of JSON; it is ASCII, because other characters can end a comment of YAML."""
    return json.dumps(msgspec.to_builtins(options), separators=(",", ":"))


def _events(options: InitOptions, *, measures: bool) -> Iterator[str]:
    if measures:
        yield f"  push:\n    branches: [{_text(options.own_branch or options.branch)}]\n"
    if options.compares:
        yield "  pull_request:\n    types: [opened, synchronize, reopened, labeled, unlabeled]\n"
        yield "  merge_group: # measures nothing; the comment workflow concludes the check, for which the queue waits\n"
    if measures:
        weekly = "".join(f'    - cron: "{job.time}"\n' for job in _weekly_jobs(options))
        yield f'  schedule:\n    - cron: "23 3 * * *"\n{weekly}'
    yield f"  workflow_dispatch:\n{DISPATCH if options.compares else ''}"


def _weekly_jobs(options: InitOptions) -> Iterator[WeeklyJob]:
    if options.self_check:
        yield SELF_CHECK
    if options.claims:
        yield CLAIMS


def _benchmark_job(options: InitOptions, pin: Pin) -> str:
    inputs = _inputs(
        **_runner_inputs(options),
        **_results_inputs(options),
        apart="yes" if options.project else "",
        pages="yes" if options.pages else "no",
        site_branch=options.site_branch if options.pages else "",
        site_folder=options.site_folder if options.pages else "",
        instructions="yes" if options.instructions else "",
    )
    asked = " && !inputs.pull" if options.compares else ""
    weekly = "".join(f" && github.event.schedule != '{job.time}'" for job in _weekly_jobs(options))
    return f"""\
  benchmark:
    name: Benchmark
    # A fork has its own copy of this file, and a copy measures nothing on a push or at night.
    if: >-
      github.event_name != 'pull_request' && github.event_name != 'merge_group'{asked}{weekly}
      && ({_own_copy(options)})
    permissions:
      contents: write # the results branch
      issues: write # alerts
      pages: write # the site
      id-token: write # the site
    {_uses(pin, "benchmark")}
    with:
{inputs}{_pinned(pin)}{_secrets(options)}
"""


def _bisect_job(options: InitOptions, pin: Pin) -> str:
    inputs = _inputs(
        **{name: value for name, value in _runner_inputs(options).items() if name != "max-runners"},
        **_results_inputs(options),
        apart="yes" if options.project else "",
    )
    return f"""\
  bisect:
    name: Bisect
    needs: benchmark
    # Finds the commit of one alert, where new results or a night show one. [tool.windtunnel.alerts] limits its minutes.
    if: needs.benchmark.result == 'success'
    permissions:
      actions: read # the answer of the job that measures
      contents: write # alerts on the results branch; the job that runs code of the project gets "read"
      issues: write # the issue of the alert
    {_uses(pin, "bisect")}
    with:
{inputs}{_pinned(pin)}{_secrets(options)}
"""


def _weekly_job(options: InitOptions, pin: Pin, job: WeeklyJob) -> str:
    inputs = {
        **_runner_inputs(options),
        "results_branch": options.results_branch,
        "results_remote": options.results_remote,
    }
    if job is CLAIMS:
        del inputs["max-runners"]  # each Python has one
    return f"""\
  {job.workflow}:
    name: {job.title}
    if: github.event.schedule == '{job.time}' && ({_own_copy(options)})
    permissions:
      contents: write # the results branch
    {_uses(pin, job.workflow)}
    with:
{_inputs(**inputs)}{_pinned(pin)}{_secrets(options)}
"""


def _own_copy(options: InitOptions) -> str:
    """Return the condition under which pushes and nightly runs measure: not in a fork, unless it has the known name."""
    named = f"github.repository == '{options.repository}' || " if options.repository else ""
    return f"{named}!github.event.repository.fork || github.event_name == 'workflow_dispatch'"


def _pull_job(options: InitOptions, pin: Pin) -> str:
    inputs = _inputs(
        **{name: value for name, value in _runner_inputs(options).items() if name != "python"},
        results_branch=options.results_branch,
        results_remote=options.results_remote,
        **_suite_inputs(options),
        label=options.label,
        deadline=str(options.deadline or ""),
        changed_only="yes" if options.changed_only else "",
    )
    return f"""\
  pull-request:
    name: Pull request
    if: github.event_name == 'pull_request' || inputs.pull
    permissions:
      contents: read # both commits
    {_uses(pin, "pull-request")}
    with:
      pull: ${{{{ inputs.pull }}}}
      bench: ${{{{ inputs.bench }}}}
      python: ${{{{ inputs.python || {_expression(options.python)} }}}}
{inputs}{_pinned(pin)}
"""


def _expression(text: str) -> str:
    """Return *text* as a string of an expression."""
    return "'" + text.replace("'", "''") + "'"


def _commenting(options: InitOptions, pin: Pin) -> str:
    return f"""name: {_title(options)} comment
on:
  # Runs with a token that can write, so it neither checks out nor executes code of the pull request.
  workflow_run: # zizmor: ignore[dangerous-triggers]
    workflows: [{_title(options)}]
    types: [requested, completed]
permissions: {{}}
concurrency:
  group: {_stem(options.name)}-comment-${{{{ github.event.workflow_run.id }}}}
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
    {_uses(pin, "comment")}
    with:
{_inputs(name=options.name, site=options.site)}{_pinned(pin)}
"""


def _runner_inputs(options: InitOptions) -> dict[str, str]:
    """Return the inputs of every workflow that builds or measures."""
    variables = "\n".join(options.variables)
    return {
        "config": options.config,
        "branch": options.branch,
        "python": options.python,
        "runner": options.runner,
        "max-runners": str(options.max_runners or ""),
        "setup": options.setup,
        "variables": variables,
        "submodules": "" if options.submodules == "no" else options.submodules,
    }


def _suite_inputs(options: InitOptions) -> dict[str, str]:
    """Return where the suite is, for a suite that has a repository of its own."""
    repository, _, ref = options.suite_repository.partition("@")
    return {"suite_repository": repository, "suite_ref": ref}


def _results_inputs(options: InitOptions) -> dict[str, str]:
    """Return the inputs of every workflow that writes results."""
    return {
        "name": options.name,
        "site": options.site,
        "results_branch": options.results_branch,
        "results_remote": options.results_remote,
    }


def _inputs(**values: str) -> str:
    """Return the lines of the inputs that have a value."""
    return "".join(f"      {key.replace('_', '-')}: {_text(value)}\n" for key, value in values.items() if value)


def _uses(pin: Pin, workflow: str) -> str:
    return f"uses: {pin.repository}/{FOLDER}/{workflow}.yml@{pin.commit} # {pin.release}"


def _pinned(pin: Pin) -> str:
    return f"      windtunnel-repository: {pin.repository}\n      windtunnel-ref: {pin.commit}"


def _secrets(options: InitOptions) -> str:
    """Return the secret that lets results reach another repository; other workflows get none."""
    if not options.results_remote:
        return ""
    return f"\n    secrets:\n      results-token: ${{{{ secrets.{RESULTS_TOKEN} }}}}"


def _text(text: str) -> str:
    """Return *text* as a YAML string, in JSON syntax."""
    return json.dumps(text, ensure_ascii=False)
