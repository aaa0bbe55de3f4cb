"""``windtunnel bisect``: finds the commit, or the release of a dependency, that changed a benchmark."""

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from windtunnel import files
from windtunnel.cli.alert_issues import AlertOptions, format_time
from windtunnel.cli.bisect_search import INTERRUPTED, Search, find_candidates
from windtunnel.cli.comparison_setup import comparison_setup
from windtunnel.cli.console import Console
from windtunnel.cli.locations import open_shared_file
from windtunnel.cli.options import Arg, File, Folder, Minutes
from windtunnel.cli.progress import ComparisonProgress
from windtunnel.cli.suite import Builds, find_suite, open_context
from windtunnel.cli.workflow_run import write_github_output
from windtunnel.compare.bisect_format import BISECT_FORMAT, REQUEST_FORMAT, Bisection, BisectionRequest
from windtunnel.compare.bisection import DEFAULT_ERROR
from windtunnel.compare.report_text import render_bisection
from windtunnel.compare.request import ComparisonSetup
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alert, Alerts
from windtunnel.detect.alerts import find_alert
from windtunnel.detect.bisections import begin, build_request, choose_alert, python_of, searched_case
from windtunnel.errors import DataError, ExitCode, UsageError, WindtunnelError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.model.build_change import PackageChange, find_package_changes
from windtunnel.model.run_format import RunRecord
from windtunnel.results.tree import read_records
from windtunnel.text.escaping import preformatted, visible

MAX_REASON_LENGTH = 300
"""Characters of an error in bisect.json."""


class BisectOptions(AlertOptions, frozen=True, kw_only=True):
    """Find the commit that changed a benchmark, or the release of a dependency.

    Each tested commit is compared with the good one until it is clear on which side of the change it lies: by
    instruction counts where they show the change, else by time. Where no commit explains the change and packages of the
    environment have moved, the package is searched in the same way. The same command continues after an interruption.

    example:
      windtunnel bisect sqlite.Insert.time_gather v1.2 main
      windtunnel bisect "time_work('plain', 1)" 1a2b3c4 HEAD --budget 20 --python 3.13
      windtunnel bisect --alert 5d0c6f --results .asv/results
    """

    benchmark: Annotated[str, Arg(positional=True)] = ""
    """The name of a case, or a regular expression that matches one case."""
    good: Annotated[str, Arg(positional=True)] = ""
    """A commit before the change."""
    bad: Annotated[str, Arg(positional=True)] = ""
    """A commit after the change."""
    alert: Annotated[str, Arg(metavar="ID")] = ""
    """Instead, search the range of this alert; the first characters of its id are enough."""
    request: File | None = None
    """Instead, search what --next-alert wrote to this file."""
    next_alert: bool = False
    """Measure nothing: choose the alert with the largest regression that was not searched; write its search to --out.

    Its minutes count towards bisect-minutes in [tool.windtunnel.alerts].
    """
    github_output: bool = False
    """With --next-alert, append alert, python and the request to the file $GITHUB_OUTPUT."""
    results: Folder | None = None
    """A results tree, whose run records list the packages of each run."""
    packages: bool = False
    """Search only over the packages that differ between the runs of GOOD and BAD in --results."""
    no_instructions: bool = False
    """Decide from time alone: count no instructions, and profile nothing."""
    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Measure on this Python, such as 3.13 or virtualenv:3.13; may be repeated (default: the first one here)."""
    builds: Builds = None
    """Install from the builds of windtunnel ci build in this folder; a commit without one is built."""
    budget: Minutes | None = None
    """Stop after this many minutes, builds included."""
    out: File | None = None
    """Also write bisect.json here."""
    format: Literal["terminal", "markdown"] = "terminal"
    """The format of the answer."""

    def __post_init__(self) -> None:
        """Refuse options that contradict each other; raises UsageError."""
        super().__post_init__()
        named = [bool(self.benchmark), bool(self.alert), self.request is not None, self.next_alert]
        if sum(named) != 1 or (self.benchmark and not self.bad):
            raise UsageError("name BENCHMARK GOOD BAD, or one of --alert, --request and --next-alert")
        if self.next_alert and self.out is None:
            raise UsageError("--next-alert writes the search to a file; name it with --out")
        if self.packages and self.results is None and self.request is None:
            raise UsageError("--packages needs the run records; name the results tree with --results")


def run(options: BisectOptions, console: Console, env: Mapping[str, str]) -> int:
    """Search and print the answer; exit code 0 when it is a commit or a range, 3 when the answer is missing.

    With --request, every answer has exit code 0, because the alert keeps it.
    """
    if options.next_alert:
        return _write_next(options, console, env)
    try:
        return _run(options, console, env)
    except WindtunnelError as error:
        if options.out:  # for the answer to a comment, and for the alert
            write_atomically(options.out, BISECT_FORMAT.encode(_failed(options.benchmark, error)))
        raise


def _write_next(options: BisectOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the search of the next alert, if there is one."""
    known = RunPackages.read(options.results, find_suite(options.config, env).asv.project)
    found = next_request(options, known, console, env)
    if found is not None and options.out is not None:
        write_atomically(options.out, REQUEST_FORMAT.encode(found))
        console.print(f"{found.alert}: {visible(found.case, 200)}, {found.good[:10]}..{found.bad[:10]}\n")
    if options.github_output:
        request = REQUEST_FORMAT.encode(found).decode() if found else ""
        named = {"alert": found.alert, "python": found.python} if found else {"alert": ""}
        write_github_output(env, {**named, "request": request})
    return ExitCode.FINE


def _failed(benchmark: str, error: WindtunnelError) -> Bisection:
    """Return the result of a search that did not begin, with the first line of *error*."""
    reason = visible(str(error).partition("\n")[0], MAX_REASON_LENGTH)
    return Bisection(
        benchmark=benchmark,
        case=benchmark,
        environment="",
        machine="",
        candidates=(),
        error=DEFAULT_ERROR,
        answer="failed",
        reason=reason,
    )


def _run(options: BisectOptions, console: Console, env: Mapping[str, str]) -> int:
    context = open_context(options, env, console)
    suite, repository = context.suite, context.repository
    wanted = _wanted(options, repository, suite.asv.project, env)
    python = options.python[-1:] or tuple(filter(None, [wanted.python]))
    bad = repository.resolve(wanted.bad)
    if options.packages and not wanted.packages:
        raise DataError("no package differs between the runs of both commits, or they have no run records")
    irrelevant = suite.settings.irrelevant_paths
    candidates = () if options.packages else find_candidates(repository, wanted.good, wanted.bad, irrelevant)
    with context.work_dir.alone(), ComparisonProgress(console=console) as progress:
        setup = comparison_setup(context, python, options.builds, progress)
        minutes = options.budget or wanted.minutes
        search = Search(
            context=context,
            setup=_in_environment(setup, wanted.environment, console),
            wanted=wanted,
            deadline=setup.clock() + 60 * minutes if minutes else float("inf"),
            count=not options.no_instructions,
        )
        if candidates:
            console.log(f"{len(candidates) - 1} relevant commits after {candidates[0].hash[:10]}")
            found = search.over_commits(candidates)
            if found.answer == "nothing" and wanted.packages:
                console.log(f"no commit explains the change, and {len(wanted.packages)} packages moved: {found.reason}")
                found = search.over_packages(bad, found.reason)
        else:
            found = search.over_packages(bad, "")
    return _report(found, options, console)


def _wanted(options: BisectOptions, repository: Repository, project: str, env: Mapping[str, str]) -> BisectionRequest:
    if options.request is not None:
        return files.read(options.request, REQUEST_FORMAT)
    known = RunPackages.read(options.results, project)
    if options.alert:
        return request_of_alert(options.alert, options, known, env)
    good, bad = repository.resolve(options.good), repository.resolve(options.bad)
    python = next(iter(options.python[-1:]), "")
    packages = known.changes(good, bad, python=python)
    return BisectionRequest(case=options.benchmark, good=options.good, bad=options.bad, packages=packages)


def _in_environment(setup: ComparisonSetup, environment: str, console: Console) -> ComparisonSetup:
    """Return *setup* with *environment* alone, or with the first one where that cannot be made here."""
    if not environment or setup.environments == (environment,):
        return setup
    chosen = environment if environment in setup.environments else setup.environments[0]
    if chosen != environment:
        console.warn(f"environment {visible(environment)} does not exist here; measuring in {chosen}")
    return dataclasses.replace(setup, environments=(chosen,))


def _report(found: Bisection, options: BisectOptions, console: Console) -> int:
    if options.out:
        write_atomically(options.out, BISECT_FORMAT.encode(found))
    text = render_bisection(found)
    console.print(preformatted(text) if options.format == "markdown" else text)
    if found.answer == "unfinished" and found.reason == INTERRUPTED:
        return ExitCode.INTERRUPTED
    answered = options.request is not None or found.answer in {"commit", "range"}
    return ExitCode.FINE if answered else ExitCode.DATA


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPackages:
    """The packages of each run, from run records."""

    records: tuple[RunRecord, ...]
    """Sorted, oldest first."""
    project: str
    """The project's distribution, which is left out."""

    @classmethod
    def read(cls, results: Path | None, project: str) -> "RunPackages":
        """Read the records in the results tree *results*; without one, nothing is known."""
        return cls(records=read_records(results)[0] if results else (), project=project)

    def changes(self, good: str, bad: str, *, environment: str = "", python: str = "") -> tuple[PackageChange, ...]:
        """Return the packages that differ between the newest runs of the commits *good* and *bad*.

        Without an *environment*, the first one of *python* counts in which both have a run. Empty without records.
        """
        before, after = (self._packages(commit) for commit in (good, bad))
        both = [
            name for name in before if name in after and environment in {"", name} and python in {"", python_of(name)}
        ]
        return find_package_changes(before[both[0]], after[both[0]], self.project) if both else ()

    def of_alert(self, alert: Alert) -> tuple[PackageChange, ...]:
        """Return the packages that differ between the runs before and after the change of *alert*."""
        case, location = searched_case(alert), alert.location
        if case is None or location is None:
            return ()
        return self.changes(location.previous_commit, location.commit, environment=case.environment)

    def _packages(self, commit: str) -> dict[str, tuple[str, ...]]:
        """Return the packages of the newest run of *commit* by environment."""
        tasks = (task for record in self.records for task in record.tasks if task.commit == commit)
        return {task.environment: task.build.packages for task in tasks if task.build}


def request_of_alert(
    prefix: str, options: AlertOptions, known: RunPackages, env: Mapping[str, str]
) -> BisectionRequest:
    """Return the search for the alert whose id begins with *prefix*; raises UsageError if it has no such range."""
    with open_shared_file(options, options.alerts, ALERTS_FORMAT, env) as store:
        alert = find_alert(store.read(), prefix)
    if searched_case(alert) is None:
        raise UsageError(f"alert {alert.id} has no regression at a range of commits, so there is nothing to search")
    return build_request(alert, known.of_alert(alert), None)


def next_request(
    options: AlertOptions, known: RunPackages, console: Console, env: Mapping[str, str]
) -> BisectionRequest | None:
    """Choose the alert that is searched next and count its minutes in alerts.json; None if there is none to search."""
    minutes_a_day = find_suite(options.config, env).settings.alerts.bisect_minutes
    day = format_time(time.time())[:10]
    chosen: list[tuple[Alert, int] | None] = []

    def step(before: Alerts) -> Alerts:
        found = choose_alert(before, day, minutes_a_day, lambda alert: bool(known.of_alert(alert)))
        chosen.append(found)
        return begin(before, found[0].id, found[1], day) if found else before

    with open_shared_file(options, options.alerts, ALERTS_FORMAT, env) as store:
        after = store.update(step)
    found = chosen[-1]
    if found is None:
        used = after.bisected.minutes if after.bisected.day == day else 0
        console.log(f"no alert is searched: none needs it, or {used} of {minutes_a_day} minutes of today are used")
        return None
    return build_request(found[0], known.of_alert(found[0]), found[1])
