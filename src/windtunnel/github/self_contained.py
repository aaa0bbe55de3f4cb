"""The workflow that `windtunnel init --self-contained` writes: it calls nothing foreign but actions/checkout.

An Enterprise Server can neither call the reusable workflows of github.com nor run the artifact actions of today. So
windtunnel is cloned by git, and jobs hand over results through job outputs (`windtunnel pack`).
"""

import json
import re
from collections.abc import Iterator

from windtunnel.errors import UsageError
from windtunnel.github.job_outputs import PARTS
from windtunnel.github.workflow_checks import RESULTS_TOKEN
from windtunnel.github.workflow_files import InitOptions, Pin

CHECKOUT = "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
"""The version of actions/checkout, as GitHub Connect resolves it."""

DEFAULT_DEADLINE = 20
"""Minutes that a pull request is measured."""

SITE_BRANCH = "gh-pages"
"""The branch of the site: the actions that deploy Pages are foreign."""

TOOL_URL = re.compile(r"(?:https?|file)://[^\s@]+")

LIMITS = (
    "One runner measures, and only the newest commit at each push and each night.",
    "Comments that start with /benchmark are not answered.",
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
  WINDTUNNEL_SOURCE: {_text(options.tool_url or f"https://github.com/{pin.repository}")}
  WINDTUNNEL_COMMIT: {pin.commit}
  WINDTUNNEL_CONFIG: {_text(options.config)}
  WINDTUNNEL_BRANCH: {_text(options.branch)}
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


def _measure(options: InitOptions, own_copy: str) -> str:
    return f"""\
  measure:
    name: Measure
    if: >-
      github.event_name != 'pull_request' && github.event_name != 'merge_group'
      && ({own_copy})
    runs-on: {_text(options.runner)}
    timeout-minutes: 350
    permissions:
      contents: read # the measured code and earlier results
{_variables(options)}    outputs:
{_outputs()}    steps:
{_checkout(options, "")}{_install("tool")}{_pull(options, "past")}{_setup(options, "")}\
      - name: Plan
        id: plan
        run: >-
          windtunnel plan --config "$WINDTUNNEL_CONFIG" --out plan.json --results past --skip-existing --commits 1
          --shards 1 {_BRANCH} ${{PYTHON:+--python "$PYTHON"}} --github-output
        env:
          PYTHON: {_text(options.python)}
      - name: Measure
        if: steps.plan.outputs.shards != '0'
        run: windtunnel run --config "$WINDTUNNEL_CONFIG" --plan plan.json --shard 0 --out measured
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
          --cache .windtunnel-cache {_BRANCH} ${{ALERTS:+--alerts "$ALERTS"}} ${{CLAIMS:+--claims "$CLAIMS"}}
        env:
          ALERTS: ${{{{ steps.alert.outcome == 'success' && 'alerts.json' || '' }}}}
          CLAIMS: ${{{{ steps.claims.outcome == 'success' && 'claims.json' || '' }}}}
      - name: Publish on a branch
        run: windtunnel store site site --site-branch "$SITE_BRANCH" --site-folder "$SITE_FOLDER"
        env:
          SITE_BRANCH: {_text(options.site_branch)}
          SITE_FOLDER: {_text(options.site_folder or "benchmarks")}
{_credentials(options, results=False)}"""
    return f"""\
  store:
    name: Store and publish
    needs: measure
    if: >-
      !cancelled() && github.event_name != 'pull_request' && github.event_name != 'merge_group'
      && (needs.measure.result == 'success' || needs.measure.outputs.part0)
    runs-on: {_text(options.runner)}
    timeout-minutes: 40
    permissions:
      contents: write # the results branch, and the branch of the site
      issues: write # alerts
    steps:
{_checkout(options, "", submodules=False)}{_install("tool")}\
      - name: Receive the results
        if: needs.measure.outputs.part0
        run: windtunnel unpack measured
        env:
{_inputs("measure")}{_pull(options, "results")}\
      - name: Merge
        if: needs.measure.outputs.part0
        run: windtunnel merge measured --into results
      - name: Store
        run: windtunnel store push --config "$WINDTUNNEL_CONFIG" --results results {_REMOTE}
        env:
{_credentials(options)}\
      - name: Detect
        run: >-
          windtunnel detect results --config "$WINDTUNNEL_CONFIG" --out changes.json --cache .windtunnel-cache
          {_BRANCH}
      - name: Alert
        id: alert
        continue-on-error: true # the next run reports what this one could not
        run: >-
          windtunnel alert changes.json --results results --cache .windtunnel-cache --config "$WINDTUNNEL_CONFIG"
          --copy alerts.json --key "$KEY" ${{SITE:+--site "$SITE"}} {_REMOTE}
        env:
          KEY: {_text(options.name or "default")}
          SITE: {_site(options)}
{_credentials(options)}\
      - name: Decide claims
        id: claims
        continue-on-error: true # fails for a suite without a claims file
        run: windtunnel claims results --config "$WINDTUNNEL_CONFIG" --out claims.json {_BRANCH}
{publish if options.pages else ""}"""


def _compare(options: InitOptions) -> str:
    label = (
        f"\n      && contains(github.event.pull_request.labels.*.name, {_quoted(options.label)})"
        if options.label
        else ""
    )
    return f"""\
  compare:
    name: Compare
    if: >-
      github.event_name == 'pull_request'{label}
    runs-on: {_text(options.runner)}
    timeout-minutes: 350
    permissions:
      actions: read # the minutes of earlier runs, for the caps
      contents: read # both commits and earlier results
{_variables(options)}    outputs:
{_outputs()}    steps:
{_checkout(options, "github.event.pull_request.head.sha")}{_install("tool")}{_pull(options, "past", own_token=False)}\
      - name: Prepare
        id: prepare
        run: >-
          windtunnel prepare --config "$WINDTUNNEL_CONFIG" --out parts/0 --results past --deadline "$DEADLINE"
          --max-runners 1 ${{PYTHON:+--python "$PYTHON"}} ${{CHANGED_ONLY:+--changed-only}} --github-output
        env:
          DEADLINE: {_text(str(options.deadline or DEFAULT_DEADLINE))}
          PYTHON: {_text(options.python)}
          CHANGED_ONLY: {_text("yes" if options.changed_only else "")}
          GITHUB_TOKEN: ${{{{ github.token }}}}
{_setup(options, "steps.prepare.outputs.needed == 'yes'")}\
      - name: Measure
        if: steps.prepare.outputs.needed == 'yes'
        run: >-
          windtunnel compare "$BASE" "$HEAD" --config "$WINDTUNNEL_CONFIG" --budget "$DEADLINE" --no-gate
          ${{PYTHON:+--python "$PYTHON"}} ${{CHANGED_ONLY:+--changed-only}} --out parts/1/verdict.json
        env:
          BASE: ${{{{ steps.prepare.outputs.base }}}}
          HEAD: ${{{{ steps.prepare.outputs.head }}}}
          DEADLINE: {_text(str(options.deadline or DEFAULT_DEADLINE))}
          PYTHON: {_text(options.python)}
          CHANGED_ONLY: {_text("yes" if options.changed_only else "")}
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
          echo "The token of a fork's run cannot write, so there is no comment and no check beside the commit."
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
    runs-on: {_text(options.runner)}
    timeout-minutes: 15
    permissions:
      actions: read # how the run ended
      checks: write # the check beside the commit
      contents: read # the base commit
      pull-requests: write # the comment
      statuses: write # for forges without check runs
    steps:
{_checkout(options, "github.event.pull_request.base.sha", submodules=False)}{_install("tool-light")}\
      - name: Receive the verdict
        if: needs.compare.result == 'success'
        run: windtunnel unpack received
        env:
{_inputs("compare")}\
      - name: Comment
        if: needs.compare.result == 'success'
        run: >-
          windtunnel comment received/verdict.json --head "$HEAD" --pull "$PULL" --key "$KEY" --check "$CHECK"
          --site "$SITE"
        env:
          HEAD: ${{{{ github.event.pull_request.head.sha }}}}
          PULL: ${{{{ github.event.pull_request.number }}}}
          KEY: {_text(key)}
          CHECK: {_text(check)}
          SITE: {_site(options)}
          GITHUB_TOKEN: ${{{{ github.token }}}}
      - name: Conclude without a verdict # also for the merge queue, in which nothing is measured again
        if: needs.compare.result != 'success'
        run: windtunnel comment --run "$GITHUB_RUN_ID" ${{HEAD:+--head "$HEAD"}} --key "$KEY" --check "$CHECK"
        env:
          HEAD: ${{{{ github.event.pull_request.head.sha }}}}
          KEY: {_text(key)}
          CHECK: {_text(check)}
          GITHUB_TOKEN: ${{{{ github.token }}}}
"""


_BRANCH = '${WINDTUNNEL_BRANCH:+--branch "$WINDTUNNEL_BRANCH"}'
_REMOTE = '${RESULTS_BRANCH:+--branch "$RESULTS_BRANCH"} ${RESULTS_REMOTE:+--remote "$RESULTS_REMOTE"}'


def _checkout(options: InitOptions, ref: str, *, submodules: bool = True) -> str:
    chosen = {"no": "", "yes": "true", "recursive": "recursive"}[options.submodules] if submodules else ""
    return "".join(
        f"{line}\n"
        for line in (
            "      - name: Check out",
            f"        uses: actions/checkout@{options.checkout or CHECKOUT}",
            "        with:",
            *([f"          ref: ${{{{ {ref} }}}}"] if ref else []),
            *([f'          submodules: "{chosen}"'] if chosen else []),
            "          fetch-depth: 0",
            "          persist-credentials: false",
        )
    )


def _install(target: str) -> str:
    """Return the steps that install windtunnel; git itself compares the hash."""
    return f"""\
      - name: Clone windtunnel
        run: git clone --quiet --no-checkout "$WINDTUNNEL_SOURCE" .windtunnel-tool
      - name: Check out windtunnel
        run: git -C .windtunnel-tool checkout --quiet --detach "$WINDTUNNEL_COMMIT"
      - name: Install windtunnel
        run: make --directory .windtunnel-tool {target}
"""


def _pull(options: InitOptions, folder: str, *, own_token: bool = True) -> str:
    """Return the step that fetches the results; a pull request never gets a token that can write them."""
    optional = "" if own_token else "        continue-on-error: true # only estimates need them\n"
    return f"""\
      - name: Fetch earlier results # before any code of the project runs in this job, because of the token
{optional}\
        run: windtunnel store pull --config "$WINDTUNNEL_CONFIG" --results {folder} --if-exists {_REMOTE}
        env:
{_credentials(options, own_token=own_token)}"""


def _credentials(options: InitOptions, *, results: bool = True, own_token: bool = True) -> str:
    has_secret = results and own_token and options.results_remote
    return "".join(
        f"          {line}\n"
        for line in (
            *(
                [
                    f"RESULTS_BRANCH: {_text(options.results_branch)}",
                    f"RESULTS_REMOTE: {_text(options.results_remote)}",
                ]
                if results
                else []
            ),
            'GIT_CONFIG_COUNT: "1" # git requests the token when needed; no file and no command line holds it',
            f"GIT_CONFIG_KEY_0: credential{'' if has_secret else '.${{ github.server_url }}'}.helper",
            'GIT_CONFIG_VALUE_0: \'!printf "username=x-access-token\\npassword=%s\\n" "$GITHUB_TOKEN" #\'',
            f"GITHUB_TOKEN: ${{{{ {f'secrets.{RESULTS_TOKEN}' if has_secret else 'github.token'} }}}}",
        )
    )


def _setup(options: InitOptions, condition: str) -> str:
    if not options.setup:
        return ""
    return "".join(
        f"{line}\n"
        for line in (
            "      - name: Set up the project",
            *([f"        if: {condition}"] if condition else []),
            '        run: bash -euo pipefail -c "$SETUP"',
            "        env:",
            f"          SETUP: {_text(options.setup)}",
        )
    )


def _variables(options: InitOptions) -> str:
    """Return the environment variables of a job that builds or measures."""
    pairs = (one.split("=", 1) for one in options.variables)
    lines = "".join(f"      {name}: {_text(value)}\n" for name, value in pairs)
    return f"    env:\n{lines}" if lines else ""


def _outputs() -> str:
    return "".join(f"      {name}: ${{{{ steps.pack.outputs.{name} }}}}\n" for name in _parts())


def _inputs(job: str) -> str:
    return "".join(f"          {name.upper()}: ${{{{ needs.{job}.outputs.{name} }}}}\n" for name in _parts())


def _parts() -> Iterator[str]:
    return (f"part{number}" for number in range(PARTS))


def _site(options: InitOptions) -> str:
    return _text(options.site) if options.site else "${{ vars.WINDTUNNEL_SITE }}"


def _quoted(text: str) -> str:
    """Return *text* as a string of an expression."""
    return "'" + text.replace("'", "''") + "'"


def _text(text: str) -> str:
    """Return *text* as a YAML string, in JSON syntax."""
    return json.dumps(text, ensure_ascii=False)
