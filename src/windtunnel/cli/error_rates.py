"""``windtunnel error-rates``: collects how often verdicts were wrong where the truth is known."""

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from windtunnel import files
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Command, File, Name
from windtunnel.cli.store_location import RemoteOptions, StoreLocation, open_remote_branch
from windtunnel.cli.workflow_run import own_run
from windtunnel.compare.error_rates import RunOrigin, add_runs, check_of_pull_request, check_of_verdict
from windtunnel.compare.error_rates_format import ERROR_RATES_FORMAT, CheckedRun, CheckSource, ErrorRates
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.errors import DataError, ExitCode, RemoteError, UsageError
from windtunnel.files import locked, write_atomically
from windtunnel.github.api_runs import WorkflowRun, get_run
from windtunnel.github.checked_runs import read_verdicts
from windtunnel.github.client import Client, connect
from windtunnel.github.http import RepositoryName
from windtunnel.results.branch.exchange import edit_file, read_file
from windtunnel.results.branch.layout import ERROR_RATES
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import take_snapshot
from windtunnel.text import numbers
from windtunnel.text.escaping import visible

API_TOKEN = "WINDTUNNEL_API_TOKEN"  # noqa: S105 - a name
"""Environment variable: the token for the API, where git needs another one for the results."""

Update = Callable[[ErrorRates], ErrorRates]
"""A pure function; it may be called again with what another job has written in the meantime."""


class ErrorRatesOptions(RemoteOptions, frozen=True, kw_only=True):
    """Collect false alarms and found slowdowns in error-rates.json on the results branch.

    The verdicts are those of windtunnel compare --self-check. With --pull-requests, the A/A comparisons of pull
    requests are added: of runs whose commit was merged, or that come from a branch of this repository. Each run counts
    once. The token is read from $GITHUB_TOKEN, the repository from $GITHUB_REPOSITORY.
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
    before = _read(options, env)
    if options.pull_requests:
        try:
            for entry in _pull_requests(options, before, console, env):
                added.append(entry)  # noqa: PERF402 - those before an error count
        except RemoteError as error:
            console.warn(
                f"the runs of pull requests were not read; the next call reads them: {visible(str(error), 400)}"
            )
    after = _update(options, lambda rates: add_runs(rates, added), env) if added else before
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
        return check_of_verdict(report, origin)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _pull_requests(
    options: ErrorRatesOptions, before: ErrorRates, console: Console, env: Mapping[str, str]
) -> Iterator[CheckedRun]:
    """Yield the entries of runs that are not listed *before*."""
    known = {one.run for one in before.runs if one.source is CheckSource.PULL_REQUEST}
    repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
    with connect({**env, "GITHUB_TOKEN": env.get(API_TOKEN) or env.get("GITHUB_TOKEN", "")}) as client:
        workflow: int | str = options.workflow or _own_workflow(client, repo, own_run(env).id)
        for found in read_verdicts(client, repo, workflow, known):
            if found.problem:
                console.warn(f"run {found.run.id}: {visible(found.problem, 300)}")
            try:
                yield check_of_pull_request(found.report, _origin(found.run))
            except DataError as error:
                console.warn(visible(str(error), 300))


def _own_workflow(client: Client, repo: RepositoryName, run: int) -> int:
    if not run:
        raise UsageError(
            "$GITHUB_RUN_ID is not set; name the workflow that compares pull requests with --workflow FILE"
        )
    return client.send(get_run(repo, run)).workflow_id


def _origin(run: WorkflowRun) -> RunOrigin:
    return RunOrigin(run=str(run.id), date=run.created_at[:10], commit=run.head_sha, url=run.html_url)


def _read(options: ErrorRatesOptions, env: Mapping[str, str]) -> ErrorRates:
    if options.rates:
        return files.read(options.rates, ERROR_RATES_FORMAT) if options.rates.exists() else ErrorRates()
    location = StoreLocation.find(options)
    with open_remote_branch(location.branch, location.remote, location.start, env) as branch:
        snapshot = RetryPolicy().call(lambda: take_snapshot(branch))
        return _decode(read_file(branch, snapshot, ERROR_RATES), f"{ERROR_RATES} on {branch}")


def _update(options: ErrorRatesOptions, change: Update, env: Mapping[str, str]) -> ErrorRates:
    """Write what *change* returns for the stored rates, and return it; concurrent updates do not get lost."""
    if options.rates:
        with locked(options.rates.absolute().parent):
            after = change(_read(options, env))
            write_atomically(options.rates, ERROR_RATES_FORMAT.encode(after))
            return after
    results: list[ErrorRates] = []
    location = StoreLocation.find(options)
    with open_remote_branch(location.branch, location.remote, location.start, env) as branch:

        def edit(content: bytes | None) -> bytes | None:
            results.append(change(_decode(content, f"{ERROR_RATES} on {branch}")))
            return ERROR_RATES_FORMAT.encode(results[-1])

        edit_file(branch, ERROR_RATES, edit, RetryPolicy())
    return results[-1]


def _decode(content: bytes | None, source: str) -> ErrorRates:
    return ErrorRates() if content is None else ERROR_RATES_FORMAT.decode(content, source)


def _describe(rates: ErrorRates, new: int) -> str:
    unchanged = [one for one in rates.runs if one.source is not CheckSource.SLOWDOWN]
    slowed = [one for one in rates.runs if one.source is CheckSource.SLOWDOWN]
    comparisons = numbers.count(sum(one.comparisons for one in unchanged), "comparison")
    return (
        f"{numbers.count(new, 'new entry', 'new entries')}, {len(rates.runs)} in all\n"
        f"false alarms: {sum(one.alarms for one in unchanged)} of {comparisons} of unchanged code\n"
        f"found slowdowns: {sum(one.alarms for one in slowed)} of {sum(one.comparisons for one in slowed)}\n"
    )


COMMANDS = (
    Command(
        name="error-rates",
        options=ErrorRatesOptions,
        run=run,
        example="""\
  windtunnel error-rates unchanged.json slowdown.json          # of windtunnel compare --self-check
  windtunnel error-rates --pull-requests --copy results/error-rates.json   # in a workflow
  windtunnel error-rates unchanged.json --rates error-rates.json""",
    ),
)
