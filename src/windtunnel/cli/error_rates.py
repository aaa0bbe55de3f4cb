"""``windtunnel ci error-rates``: collects how often verdicts were wrong where the truth is known."""

import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from windtunnel import files
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, File, Name
from windtunnel.cli.store_location import RemoteOptions, open_shared_file
from windtunnel.cli.workflow_run import own_run
from windtunnel.compare.error_rates import RunOrigin, add_runs, build_pull_request_run, build_self_check_run
from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT, CheckedRun, CheckSource, ErrorRates
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.errors import DataError, ExitCode, RemoteError, UsageError
from windtunnel.files import write_atomically
from windtunnel.github.api_runs import WorkflowRun, get_run
from windtunnel.github.checked_runs import read_verdicts
from windtunnel.github.client import Client, RepositoryName, connect
from windtunnel.text import numbers
from windtunnel.text.escaping import visible

API_TOKEN = "WINDTUNNEL_API_TOKEN"  # noqa: S105 - a name
"""Environment variable: the token for the API, where git needs another one for the results."""


class ErrorRatesOptions(RemoteOptions, frozen=True, kw_only=True):
    """Collect false alarms and found slowdowns in error-rates.json on the results branch.

    The verdicts are those of windtunnel compare --self-check. With --pull-requests, the A/A comparisons of pull
    requests are added: of runs whose commit was merged, or that come from a branch of this repository. Each run counts
    once. The token is read from $GITHUB_TOKEN, the repository from $GITHUB_REPOSITORY.

    example:
      windtunnel ci error-rates unchanged.json slowdown.json          # of windtunnel compare --self-check
      windtunnel ci error-rates --pull-requests --copy results/error-rates.json   # in a workflow
      windtunnel ci error-rates unchanged.json --rates error-rates.json
    """

    verdicts: Annotated[tuple[Path, ...], Arg(positional=True, metavar="FILE", count=0)] = ()
    """Verdicts of self-checks."""
    pull_requests: bool = False
    """Read the verdicts of pull requests from the artifacts of their runs, at most 20 a call."""
    workflow: Name | None = None
    """The file name of the workflow that compares pull requests (default: the workflow of this run)."""
    rates: File | None = None
    """error-rates.json in a folder (default: the one on the results branch)."""
    copy: File | None = None
    """Write a copy of error-rates.json here, for windtunnel publish."""


def run(options: ErrorRatesOptions, console: Console, env: Mapping[str, str]) -> int:
    """Add what is new and print the totals; a run or verdict that cannot be read does not stop the others."""
    added = [_self_check(path, env) for path in options.verdicts]
    with open_shared_file(options, options.rates, ERROR_RATES_FORMAT, env) as store:
        before = store.read()
        if options.pull_requests:
            added += _pull_requests(options, before, console, env)
        after = store.update(lambda rates: add_runs(rates, added)) if added else before
    if options.copy:
        write_atomically(options.copy, ERROR_RATES_FORMAT.encode(after))
    console.print(_describe(after, len(after.runs) - len(before.runs)))
    return ExitCode.FINE


def _self_check(path: Path, env: Mapping[str, str]) -> CheckedRun:
    report = files.read(path, VERDICT_FORMAT)
    now = datetime.fromtimestamp(time.time(), UTC)
    own = own_run(env)
    name = str(own.id or f"{now:%Y%m%dT%H%M%S}")
    origin = RunOrigin(run=name, date=f"{now:%Y-%m-%d}", commit=report.head, url=own.url, version=version("windtunnel"))
    try:
        return build_self_check_run(report, origin)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _pull_requests(
    options: ErrorRatesOptions, before: ErrorRates, console: Console, env: Mapping[str, str]
) -> Iterator[CheckedRun]:
    """Yield the entries of runs that are not listed *before*; GitHub's errors end them with a warning."""
    listed = [one for one in before.runs if one.source is CheckSource.PULL_REQUEST]
    known = {name for one in listed for name in (one.run, one.commit)}
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    try:
        with connect({**env, "GITHUB_TOKEN": env.get(API_TOKEN) or env.get("GITHUB_TOKEN", "")}) as client:
            workflow: int | str = options.workflow or _own_workflow(client, repo, own_run(env).id)
            for found in read_verdicts(client, repo, workflow, known):
                if found.problem:
                    console.warn(f"run {found.run.id}: {visible(found.problem, 300)}")
                try:
                    yield build_pull_request_run(found.report, _origin(found.run))
                except DataError as error:
                    console.warn(visible(str(error), 300))
    except RemoteError as error:
        console.warn(f"the runs of pull requests were not read; the next call reads them: {visible(str(error), 400)}")


def _own_workflow(client: Client, repo: RepositoryName, run: int) -> int:
    if not run:
        raise UsageError(
            "$GITHUB_RUN_ID is not set; name the workflow that compares pull requests with --workflow FILE"
        )
    return client.send(get_run(repo, run)).workflow_id


def _origin(run: WorkflowRun) -> RunOrigin:
    return RunOrigin(run=str(run.id), date=run.created_at[:10], commit=run.head_sha, url=run.html_url)


def _describe(rates: ErrorRates, new: int) -> str:
    unchanged = [one for one in rates.runs if one.source is not CheckSource.SLOWDOWN]
    slowed = [one for one in rates.runs if one.source is CheckSource.SLOWDOWN]
    comparisons = numbers.count(sum(one.comparisons for one in unchanged), "comparison")
    return (
        f"{numbers.count(new, 'new entry', 'new entries')}, {len(rates.runs)} in all\n"
        f"false alarms: {sum(one.alarms for one in unchanged)} of {comparisons} of unchanged code\n"
        f"found slowdowns: {sum(one.alarms for one in slowed)} of {sum(one.comparisons for one in slowed)}\n"
    )
