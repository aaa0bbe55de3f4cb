"""The workflow that `windtunnel init --self-contained` writes: it calls nothing foreign but actions/checkout.

An Enterprise Server can neither call the reusable workflows of github.com nor run the artifact actions of today. So
windtunnel is cloned by git, and jobs hand over results through job outputs (`windtunnel pack`).
"""

import re

from windtunnel.errors import UsageError
from windtunnel.github.self_contained_steps import (
    BRANCH_OPTION,
    REMOTE_OPTIONS,
    checkout,
    credentials,
    inputs,
    install,
    outputs,
    pull_results,
    quote,
    quote_expression,
    set_up,
    site_address,
    variables,
)
from windtunnel.github.workflow_files import InitOptions, Pin

DEFAULT_DEADLINE = 20
"""Minutes that a pull request is measured."""

SITE_BRANCH = "gh-pages"
"""The branch of the site: the actions that deploy Pages are foreign."""

TOOL_URL = re.compile(r"(?:https?|file)://[^\s@]+")

LIMITS = (
    "One runner measures, and at most as many new commits as it can in an hour; the next run goes on.",
    "Comments that start with /benchmark are not answered.",
    "Alerts are not bisected: their issues have the command that finds the commit.",
    "A pull request of a fork gets its verdict in the summary of the run only: its token cannot write.",
    "Pythons that a runner lacks are left out, unless --variable UV_PYTHON_DOWNLOADS=automatic permits downloads.",
)
"""What the workflow cannot do."""


def check_self_contained(options: InitOptions) -> None:
    """Raise UsageError for what a self-contained workflow cannot do, and for its options without it."""
    if not options.self_contained:
        if options.tool_url or options.checkout:
            raise UsageError("--tool-url and --checkout are for --self-contained; add it or omit them")
        return
    if options.tool_url and not TOOL_URL.fullmatch(options.tool_url):
        raise UsageError(
            f"--tool-url {options.tool_url.rpartition('@')[2][:80]!r} is not an address without a user, such as "
            "https://git.example.org/mirrors/windtunnel"
        )
    if not re.fullmatch(r"[\w.-]*", options.checkout, re.ASCII):
        raise UsageError(f"--checkout {options.checkout[:80]!r} is not a version; use one such as v4, or a full hash")
    for option, given, instead in (
        ("--commands", options.commands, "a comment starts no workflow that could answer it"),
        ("--max-runners", options.max_runners, "one runner measures"),
        ("--suite", options.suite_repository, "the suite and the project need one checkout"),
    ):
        if given:
            raise UsageError(f"{option} does not work with --self-contained: {instead}; omit one of them")
    if options.pages and not options.site_branch:
        raise UsageError(
            "--self-contained publishes the site on a branch; name it with --site-branch, or use --no-pages"
        )


def environment(options: InitOptions, pin: Pin) -> str:
    """Return the variables of the workflow, and the comment that keeps the pin."""
    return f"""\
env:
  # Windtunnel: {pin.repository}@{pin.commit} # {pin.release}
  WINDTUNNEL_SOURCE: {quote(options.tool_url or f"https://github.com/{pin.repository}")}
  WINDTUNNEL_COMMIT: {pin.commit}
  WINDTUNNEL_CONFIG: {quote(options.config)}
  WINDTUNNEL_BRANCH: {quote(options.branch)}
"""


def jobs(options: InitOptions, own_copy: str) -> str:
    """Return the jobs: those that run code of the project cannot write, those that write run none.

    *own_copy* is the condition under which a push is measured: not in a fork.
    """
    return "".join(
        [
            _measure(options, own_copy),
            _store(options),
            *([_compare(options), _comment(options)] if options.compares else []),
        ]
    )


COUNTER = """\
      - name: Install the counter of instructions
        if: {condition}
        run: make --directory .windtunnel-tool counter
"""
"""The step that installs valgrind."""


def _measure(options: InitOptions, own_copy: str) -> str:
    counts = " --instructions" if options.instructions else ""
    counter = COUNTER.format(condition="steps.plan.outputs.shards != '0'") if options.instructions else ""
    return f"""\
  measure:
    name: Measure
    if: >-
      github.event_name != 'pull_request' && github.event_name != 'merge_group'
      && ({own_copy})
    runs-on: {quote(options.runner)}
    timeout-minutes: 350
    permissions:
      contents: read # the measured code and earlier results
{variables(options)}    outputs:
{outputs()}    steps:
{checkout(options, "")}{install("tool")}{pull_results(options, "past")}{set_up(options, "")}\
      - name: Plan
        id: plan
        run: >-
          windtunnel plan --config "$WINDTUNNEL_CONFIG" --out measured/plan.json --results past --skip-existing
          --commits 1 --new --shards 1 {BRANCH_OPTION} ${{PYTHON:+--python "$PYTHON"}} --github-output{counts}
        env:
          PYTHON: {quote(options.python)}
{counter}\
      - name: Measure
        if: steps.plan.outputs.shards != '0'
        run: windtunnel run --config "$WINDTUNNEL_CONFIG" --plan measured/plan.json --shard 0 --out measured/shard
      - name: Hand over the results
        id: pack
        if: "!cancelled() && steps.plan.outcome == 'success' && steps.plan.outputs.shards != '0'" # also a part of them
        run: windtunnel pack measured
"""


def _store(options: InitOptions) -> str:
    publish = f"""\
      - name: Publish
        run: >-
          windtunnel publish results --config "$WINDTUNNEL_CONFIG" --out site --changes changes.json
          --cache .windtunnel-cache {BRANCH_OPTION} ${{ALERTS:+--alerts "$ALERTS"}}
        env:
          ALERTS: ${{{{ steps.alert.outcome == 'success' && 'alerts.json' || '' }}}}
      - name: Publish on a branch
        run: windtunnel store site site --site-branch "$SITE_BRANCH" --site-folder "$SITE_FOLDER"
        env:
          SITE_BRANCH: {quote(options.site_branch)}
          SITE_FOLDER: {quote(options.site_folder or "benchmarks")}
{credentials(options, results=False)}"""
    return f"""\
  store:
    name: Store and publish
    needs: measure
    if: >-
      !cancelled() && github.event_name != 'pull_request' && github.event_name != 'merge_group'
      && (needs.measure.result == 'success' || needs.measure.outputs.part0)
    runs-on: {quote(options.runner)}
    timeout-minutes: 40
    permissions:
      contents: write # the results branch, and the branch of the site
      issues: write # alerts
    steps:
{checkout(options, "", submodules=False)}{install("tool")}\
      - name: Receive the results
        if: needs.measure.outputs.part0
        run: windtunnel unpack measured
        env:
{inputs("measure")}{pull_results(options, "results")}\
      - name: Merge
        if: needs.measure.outputs.part0
        continue-on-error: true # what was not reached is recorded, and the next run measures it
        run: windtunnel merge measured/shard --into results --plan measured/plan.json
      - name: Store
        run: windtunnel store push --config "$WINDTUNNEL_CONFIG" --results results {REMOTE_OPTIONS}
        env:
{credentials(options)}\
      - name: Detect
        run: >-
          windtunnel detect results --config "$WINDTUNNEL_CONFIG" --out changes.json --cache .windtunnel-cache
          {BRANCH_OPTION}
      - name: Alert
        id: alert
        continue-on-error: true # the next run reports what this one could not
        run: >-
          windtunnel alert changes.json --results results --cache .windtunnel-cache --config "$WINDTUNNEL_CONFIG"
          --copy alerts.json --key "$KEY" ${{SITE:+--site "$SITE"}} {REMOTE_OPTIONS}
        env:
          KEY: {quote(options.name or "default")}
          SITE: {site_address(options)}
{credentials(options)}\
{publish if options.pages else ""}"""


def _compare(options: InitOptions) -> str:
    label = (
        f"\n      && contains(github.event.pull_request.labels.*.name, {quote_expression(options.label)})"
        if options.label
        else ""
    )
    return f"""\
  compare:
    name: Compare
    if: >-
      github.event_name == 'pull_request'{label}
    runs-on: {quote(options.runner)}
    timeout-minutes: 350
    permissions:
      actions: read # the minutes of earlier runs, for the caps
      contents: read # both commits and earlier results
{variables(options)}    outputs:
{outputs()}    steps:
{checkout(options, "github.event.pull_request.head.sha")}{install("tool")}\
{pull_results(options, "past", own_token=False)}\
      - name: Prepare
        id: prepare
        run: >-
          windtunnel prepare --config "$WINDTUNNEL_CONFIG" --repo . --out parts/0 --results past --deadline "$DEADLINE"
          --max-runners 1 ${{PYTHON:+--python "$PYTHON"}} ${{CHANGED_ONLY:+--changed-only}} --github-output
        env:
          DEADLINE: {quote(str(options.deadline or DEFAULT_DEADLINE))}
          PYTHON: {quote(options.python)}
          CHANGED_ONLY: {quote("yes" if options.changed_only else "")}
          GITHUB_TOKEN: ${{{{ github.token }}}}
{set_up(options, "steps.prepare.outputs.needed == 'yes'")}\
{COUNTER.format(condition="steps.prepare.outputs.needed == 'yes'")}\
      - name: Measure
        if: steps.prepare.outputs.needed == 'yes'
        run: >-
          windtunnel compare "$BASE" "$HEAD" --config "$WINDTUNNEL_CONFIG" --repo . --budget "$DEADLINE" --no-gate
          ${{PYTHON:+--python "$PYTHON"}} ${{CHANGED_ONLY:+--changed-only}} --out parts/1/verdict.json
        env:
          BASE: ${{{{ steps.prepare.outputs.base }}}}
          HEAD: ${{{{ steps.prepare.outputs.head }}}}
          DEADLINE: {quote(str(options.deadline or DEFAULT_DEADLINE))}
          PYTHON: {quote(options.python)}
          CHANGED_ONLY: {quote("yes" if options.changed_only else "")}
      - name: Conclude
        id: conclude
        if: "!cancelled() && steps.prepare.outcome == 'success'"
        run: windtunnel compare --shards parts/*/verdict.json --no-gate --out verdict.json
      - name: Summarise
        if: "!cancelled() && steps.prepare.outcome == 'success'"
        run: windtunnel report verdict.json --format markdown >> "$GITHUB_STEP_SUMMARY"
      - name: Explain the missing comment
        if: "!cancelled() && github.event.pull_request.head.repo.full_name != github.repository"
        run: >-
          echo "The token of a fork's run cannot write, so neither a comment nor a check beside the commit is written."
          >> "$GITHUB_STEP_SUMMARY"
      - name: Hand over the verdict
        id: pack
        if: "!cancelled() && steps.prepare.outcome == 'success'"
        run: windtunnel pack verdict.json --no-samples
"""


def _comment(options: InitOptions) -> str:
    key = options.name or "default"
    check = f"windtunnel-{options.name}" if options.name else "windtunnel"
    return f"""\
  comment: # gets the verdict as text that may be forged, and no code of the pull request
    name: Comment
    needs: compare
    if: >-
      !cancelled() && (github.event_name == 'merge_group'
      || needs.compare.result != 'skipped' && github.event.pull_request.head.repo.full_name == github.repository)
    runs-on: {quote(options.runner)}
    timeout-minutes: 15
    permissions:
      actions: read # how the run ended
      checks: write # the check beside the commit
      contents: read # the base commit
      pull-requests: write # the comment
      statuses: write # for forges without check runs
    steps:
{checkout(options, "github.event.pull_request.base.sha", submodules=False)}{install("tool-light")}\
      - name: Receive the verdict
        id: receive
        if: needs.compare.result == 'success'
        run: windtunnel unpack received
        env:
{inputs("compare")}\
      - name: Comment
        if: needs.compare.result == 'success'
        run: >-
          windtunnel comment received/verdict.json --head "$HEAD" --pull "$PULL" --key "$KEY" --check "$CHECK"
          --site "$SITE"
        env:
          HEAD: ${{{{ github.event.pull_request.head.sha }}}}
          PULL: ${{{{ github.event.pull_request.number }}}}
          KEY: {quote(key)}
          CHECK: {quote(check)}
          SITE: {site_address(options)}
          GITHUB_TOKEN: ${{{{ github.token }}}}
      - name: Conclude without a verdict # also for the merge queue, in which nothing is measured again
        if: "!cancelled() && (needs.compare.result != 'success' || steps.receive.outcome == 'failure')"
        run: windtunnel comment --run "$GITHUB_RUN_ID" ${{HEAD:+--head "$HEAD"}} --key "$KEY" --check "$CHECK"
        env:
          HEAD: ${{{{ github.event.pull_request.head.sha }}}}
          KEY: {quote(key)}
          CHECK: {quote(check)}
          GITHUB_TOKEN: ${{{{ github.token }}}}
"""
