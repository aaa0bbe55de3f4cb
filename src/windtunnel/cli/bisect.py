"""``windtunnel bisect``: finds the commit, or the release of a dependency, that changed a benchmark."""

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec.structs import replace

from windtunnel.cli.alert_issues import AlertOptions
from windtunnel.cli.bisect_request import RunPackages, Wanted, next_request, read_request, request_of_alert
from windtunnel.cli.bisect_search import INTERRUPTED, Search, find_candidates
from windtunnel.cli.comparison_setup import ComparisonContext, MeasuringOptions
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, File, Folder, Minutes
from windtunnel.cli.progress import ComparisonProgress
from windtunnel.cli.suite import find_repository, find_suite
from windtunnel.cli.workflow_run import write_github_output
from windtunnel.compare.bisect_format import BISECT_FORMAT, REQUEST_FORMAT, Bisection, BisectionAnswer
from windtunnel.compare.bisection import DEFAULT_ERROR
from windtunnel.compare.report_text import render_bisection
from windtunnel.compare.request import ComparisonSetup
from windtunnel.errors import DataError, ExitCode, UsageError, WindtunnelError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
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
    """With --next-alert, append alert, python and minutes to the file $GITHUB_OUTPUT."""
    results: Folder | None = None
    """A results tree, whose run records list the packages of each run."""
    packages: bool = False
    """Search only over the packages that differ between the runs of GOOD and BAD in --results."""
    no_instructions: bool = False
    """Decide from time alone: count no instructions, and profile nothing."""
    measuring: MeasuringOptions
    budget: Minutes | None = None
    """Stop after this many minutes, builds included."""
    out: File | None = None
    """Also write bisect.json here."""
    format: Literal["terminal", "markdown"] = "terminal"
    """The format of the answer."""
    afresh: bool = False
    """Ignore the measurements of earlier calls."""

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
        names = ("alert", "python", "minutes")
        write_github_output(env, {name: f"{getattr(found, name)}" if found else "" for name in names})
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
        answer=BisectionAnswer.FAILED,
        reason=reason,
    )


def _run(options: BisectOptions, console: Console, env: Mapping[str, str]) -> int:
    suite = find_suite(options.config, env)
    repository = find_repository(options, suite, env, console)
    wanted = _wanted(options, repository, suite.asv.project, env)
    context = ComparisonContext(suite=suite, repository=repository, env=env, console=console)
    python = options.measuring.python[-1:] or tuple(filter(None, [wanted.python]))
    bad = repository.resolve(wanted.bad)
    if options.packages and not wanted.packages:
        raise DataError("no package differs between the runs of both commits, or they have no run records")
    irrelevant = suite.settings.irrelevant_paths
    candidates = () if options.packages else find_candidates(repository, wanted.good, wanted.bad, irrelevant)
    with context.work_dir.alone(), ComparisonProgress(console=console) as progress:
        setup = context.setup(replace(options.measuring, python=python), progress)
        minutes = options.budget or wanted.minutes
        search = Search(
            context=context,
            setup=_in_environment(setup, wanted.environment, console),
            wanted=wanted,
            deadline=setup.clock() + 60 * minutes if minutes else float("inf"),
            count=not options.no_instructions,
            afresh=options.afresh,
        )
        if candidates:
            console.log(f"{len(candidates) - 1} relevant commits after {candidates[0].hash[:10]}")
            found = search.over_commits(candidates)
            if found.answer is BisectionAnswer.NOTHING and wanted.packages:
                console.log(f"no commit explains the change, and {len(wanted.packages)} packages moved: {found.reason}")
                found = search.over_packages(bad, found.reason)
        else:
            found = search.over_packages(bad, "")
    return _report(found, options, console)


def _wanted(options: BisectOptions, repository: Repository, project: str, env: Mapping[str, str]) -> Wanted:
    if options.request is not None:
        return Wanted.of(read_request(options.request))
    known = RunPackages.read(options.results, project)
    if options.alert:
        return Wanted.of(request_of_alert(options.alert, options, known, env))
    good, bad = repository.resolve(options.good), repository.resolve(options.bad)
    python = next(iter(options.measuring.python[-1:]), "")
    return Wanted(
        benchmark=options.benchmark,
        good=options.good,
        bad=options.bad,
        packages=known.changes(good, bad, python=python),
    )


def _in_environment(setup: ComparisonSetup, environment: str, console: Console) -> ComparisonSetup:
    """Return *setup* with *environment* alone, or with the first one where that cannot be made here."""
    if not environment or setup.environments == (environment,):
        return setup
    known = environment in setup.environments
    chosen = environment if known else setup.environments[0]
    if not known:
        console.warn(f"environment {visible(environment)} does not exist here; measuring in {chosen}")
    return dataclasses.replace(setup, environments=(chosen,))


def _report(found: Bisection, options: BisectOptions, console: Console) -> int:
    if options.out:
        write_atomically(options.out, BISECT_FORMAT.encode(found))
    text = render_bisection(found)
    console.print(preformatted(text) if options.format == "markdown" else text)
    if found.answer is BisectionAnswer.UNFINISHED and found.reason == INTERRUPTED:
        return ExitCode.INTERRUPTED
    answered = options.request is not None or found.answer in {BisectionAnswer.COMMIT, BisectionAnswer.RANGE}
    return ExitCode.FINE if answered else ExitCode.DATA
