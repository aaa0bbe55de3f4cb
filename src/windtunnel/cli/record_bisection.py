"""``windtunnel ci record-bisection``: keeps what a bisection found with its alert, and shows it in its issue."""

from collections.abc import Mapping
from typing import Annotated

from msgspec.structs import replace

from windtunnel import files
from windtunnel.cli.alert_issues import AlertIssues, IssueOptions, has_token, report_issues
from windtunnel.cli.console import Console
from windtunnel.cli.locations import open_shared_file
from windtunnel.cli.options import Arg, File
from windtunnel.cli.suite import open_context
from windtunnel.cli.workflow_run import own_run
from windtunnel.compare.bisect_format import BISECT_FORMAT, Bisection
from windtunnel.detect import alert_format
from windtunnel.detect.alerts import find_alert
from windtunnel.detect.bisections import end, result_of, search_range
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.git.repository import Repository, read_author
from windtunnel.github.client import RepositoryName, connect
from windtunnel.github.runs import get_run, read_artifact_file
from windtunnel.model.identity import CommitHash
from windtunnel.text.escaping import visible

BISECT_ARTIFACT = "windtunnel-bisect"


class RecordBisectionOptions(IssueOptions, frozen=True, kw_only=True):
    """Keep what a bisection found with its alert, and show it in the alert's issue.

    The result is the bisect.json in an artifact of this run ($GITHUB_RUN_ID), or the file FILE. It comes from a job
    that ran the project's code: it can name commits of the alert's range only.

    example:
      windtunnel ci record-bisection 5d0c6f1f3a9e                 # in a workflow, after windtunnel bisect --request
      windtunnel ci record-bisection 5d0c6f bisect.json --alerts .asv/results/alerts.json --no-issues
    """

    alert: Annotated[str, Arg(metavar="ALERT", positional=True)]
    """The alert; the first characters of its id are enough."""
    file: Annotated[File | None, Arg(metavar="FILE", positional=True)] = None
    """The bisect.json (default: that in the artifact of this run)."""


def run(options: RecordBisectionOptions, console: Console, env: Mapping[str, str]) -> int:
    """Save the result and update the issue; exit code 0 also if the search found nothing."""
    if not options.no_issues and not has_token(env):
        raise UsageError("a token is missing; set GITHUB_TOKEN, or update alerts.json alone with --no-issues")
    repository = open_context(options, env, console).repository
    found = _read(options, console, env)
    with open_shared_file(options, options.alerts, alert_format.ALERTS_FORMAT, env) as store:
        alert = find_alert(store.read(), options.alert)
        result = _result(alert, found, repository)
        after = store.update(lambda before: end(before, alert.id, result))
    console.print(f"{alert.id}: {result.answer}{f', {result.after[:10]}' if result.after else ''}\n")
    if result.reason:
        console.log(visible(result.reason, 300))
    changed = find_alert(after, alert.id)
    if options.no_issues:
        return ExitCode.FINE
    issues = AlertIssues.find(options, env, console)
    with connect(env) as client:
        tracker = issues.tracker(client, env, console)
        if tracker is None:
            return ExitCode.FINE
        return report_issues(issues.update(client, tracker, replace(after, alerts=(changed,))), console)


def _read(options: RecordBisectionOptions, console: Console, env: Mapping[str, str]) -> Bisection | None:
    """Return the result; None, with a warning, where there is none or it cannot be read."""
    try:
        if options.file is not None:
            return files.read(options.file, BISECT_FORMAT)
        content = _download(env)
        return None if content is None else BISECT_FORMAT.decode(content, f"the artifact {BISECT_ARTIFACT}")
    except DataError as error:
        console.warn(f"the result is not read: {error}")
        return None


def _download(env: Mapping[str, str]) -> bytes | None:
    repo, own = RepositoryName.parse(env.get("GITHUB_REPOSITORY", "")), own_run(env)
    if not own.id:
        raise UsageError("$GITHUB_RUN_ID is not set; name the bisect.json")
    with connect(env) as client:
        this = client.send(get_run(repo, own.id))
        return read_artifact_file(client, repo, this, BISECT_ARTIFACT, BISECT_FORMAT.name)


def _result(alert: alert_format.Alert, found: Bisection | None, repository: Repository) -> alert_format.AlertBisection:
    """Return what *alert* keeps of *found*, checked against the commits of its range in git."""
    if alert.location is None:
        raise UsageError(f"alert {alert.id} is about no commits, so no bisection belongs to it")
    good, bad = search_range(alert.location)
    first = repository.resolve(good)
    newer = repository.first_parent_log(f"{first}..{repository.resolve(bad)}")
    commits = (first, *(one.hash for one in reversed(newer)))
    known = found is not None and found.after in commits
    subject = read_author(repository, CommitHash(found.after)).subject if found is not None and known else ""
    return result_of(alert, found, commits, subject)
