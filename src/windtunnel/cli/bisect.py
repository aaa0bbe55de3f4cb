"""``windtunnel bisect``: finds the commit that changed a benchmark."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from msgspec.structs import replace

from windtunnel import files, formats
from windtunnel.bench.commit_selection import is_irrelevant
from windtunnel.cli.comparison_setup import ComparisonContext, MeasuringOptions
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Command, File, Minutes
from windtunnel.cli.progress import ComparisonProgress
from windtunnel.cli.suite import SuiteOptions, find_repository, find_suite
from windtunnel.compare.bisect_format import BISECT_FORMAT, Bisection, BisectionAnswer, CandidateCommit
from windtunnel.compare.bisect_report import render_bisection
from windtunnel.compare.bisection import DEFAULT_ERROR
from windtunnel.compare.bisector import Bisector
from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.environment_pair import find_comparable_cases
from windtunnel.compare.request import CompareRequest, ComparisonSetup
from windtunnel.errors import DataError, ExitCode, UsageError, WindtunnelError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.text.escaping import preformatted, visible

INTERRUPTED = "interrupted"
MAX_REASON_LENGTH = 300
"""Characters of an error in bisect.json."""


class BisectOptions(SuiteOptions, frozen=True, kw_only=True):
    """Find the commit that changed a benchmark.

    Each tested commit is measured in turn with the good one until it is clear on which side of the change it lies. The
    same command continues after an interruption.
    """

    benchmark: Annotated[str, Arg(positional=True)]
    """The name of a case, or a regular expression that matches one case."""
    good: Annotated[str, Arg(positional=True)]
    """A commit before the change."""
    bad: Annotated[str, Arg(positional=True)]
    """A commit after the change."""
    measuring: MeasuringOptions
    budget: Minutes | None = None
    """Stop after this many minutes, builds included."""
    out: File | None = None
    """Also write bisect.json here."""
    format: Literal["terminal", "markdown"] = "terminal"
    """The format of the answer."""
    afresh: bool = False
    """Ignore the measurements of earlier calls."""


def run(options: BisectOptions, console: Console, env: Mapping[str, str]) -> int:
    """Search and print the answer; exit code 0 when it is a commit or a range, 3 when the answer is missing."""
    try:
        return _run(options, console, env)
    except WindtunnelError as error:
        if options.out:  # for the answer to a comment
            write_atomically(options.out, BISECT_FORMAT.encode(_failed(options.benchmark, error)))
        raise


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
    context = ComparisonContext(suite=suite, repository=repository, env=env, console=console)
    candidates = _candidates(repository, options.good, options.bad, suite.settings.irrelevant_paths)
    console.log(f"{len(candidates) - 1} relevant commits after {candidates[0].hash[:10]}")
    with context.work_dir.alone(), ComparisonProgress(console=console) as progress:
        setup = context.setup(replace(options.measuring, python=options.measuring.python[-1:]), progress)
        found = _search(options, context, setup, candidates)
    if options.out:
        write_atomically(options.out, BISECT_FORMAT.encode(found))
    text = render_bisection(found)
    console.print(preformatted(text) if options.format == "markdown" else text)
    if found.answer is BisectionAnswer.UNFINISHED and found.reason == INTERRUPTED:
        return ExitCode.INTERRUPTED
    return ExitCode.FINE if found.answer in {BisectionAnswer.COMMIT, BisectionAnswer.RANGE} else ExitCode.DATA


def _search(
    options: BisectOptions,
    context: ComparisonContext,
    setting: ComparisonSetup,
    candidates: tuple[CandidateCommit, ...],
) -> Bisection:
    """Search, and save every measurement beside the suite; Ctrl-C ends the search without an answer."""
    deadline = setting.clock() + 60 * options.budget if options.budget else float("inf")
    compared = _case(options.benchmark, candidates, setting)
    fresh = Bisection(
        benchmark=compared.samples.benchmark,
        case=compared.case.name,
        environment=compared.samples.environment,
        machine=setting.machine.name,
        candidates=candidates,
        error=DEFAULT_ERROR,
    )
    place = context.work_dir.root / "bisect" / f"{_key(fresh)}.json"

    def keep(state: Bisection) -> None:
        write_atomically(place, formats.encode(state))

    bisector = Bisector(setup=setting, case=compared, save=keep, log=context.console.log)
    begun = fresh if options.afresh else _earlier(place, fresh, context.console)
    try:
        return bisector.search(begun, deadline)
    except KeyboardInterrupt:
        return replace(_earlier(place, fresh, context.console), reason=INTERRUPTED)


def _candidates(repository: Repository, good: str, bad: str, irrelevant: Sequence[str]) -> tuple[CandidateCommit, ...]:
    """Return the good commit and the relevant ones up to the bad one, along first parents."""
    first, last = repository.resolve(good), repository.resolve(bad)
    if first == last:
        raise UsageError(f"good and bad are both {first[:10]}; name two commits")
    if repository.merge_base(first, last) != first:
        raise UsageError(
            f"{good} is not an ancestor of {bad}; name a good commit from which the bad one descends: "
            f"git merge-base {good} {bad}"
        )
    log = repository.first_parent_log(f"{first}..{last}")
    kept = [
        CandidateCommit(hash=one.hash, subject=one.subject)
        for one in reversed(log)
        if one.hash == last
        or not one.parent
        or not is_irrelevant(repository.diff_names(one.parent, one.hash), irrelevant)
    ]
    (begin,) = repository.first_parent_log(first, 1)
    return (CandidateCommit(hash=first, subject=begin.subject), *kept)


def _case(wanted: str, candidates: Sequence[CandidateCommit], setting: ComparisonSetup) -> ComparableCase:
    """Return the one case that *wanted* names; raises UsageError when there is none or more than one.

    One that the good commit does not have is refused before the bad commit is built.
    """
    request = CompareRequest(base=candidates[0].hash, head=candidates[-1].hash)
    cases = find_comparable_cases(request, setting, lambda names: _require_match(wanted, names))
    exact = [one for one in cases if wanted in {one.case.name, one.samples.benchmark}]
    found = exact or [one for one in cases if _matches(wanted, one.case.name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(_no_match(wanted))
    names = ", ".join(repr(one.case.name) for one in found[:10])
    raise UsageError(f"BENCHMARK {wanted!r} matches {len(found)} cases; name one of them: {names}")


def _require_match(wanted: str, names: Sequence[str]) -> None:
    """Raise UsageError where *wanted* is neither one of *names* nor of their benchmarks, nor matches any."""
    if wanted in {*names, *(name.partition("(")[0] for name in names)}:
        return
    if not any(_matches(wanted, name) for name in names):
        raise UsageError(_no_match(wanted))


def _matches(wanted: str, name: str) -> bool:
    try:
        return bool(re.search(wanted, name))
    except re.error as error:
        raise UsageError(
            f"BENCHMARK {wanted!r} is neither a case that both commits have nor a regular expression: {error}"
        ) from None


def _no_match(wanted: str) -> str:
    return f"BENCHMARK {wanted!r} matches no case that both commits have; asv's name of a case is needed"


def _key(state: Bisection) -> str:
    """Return the identity of a search: a hash of everything but the measurements."""
    return hashlib.sha256(formats.encode(replace(state, measured=()))).hexdigest()[:16]


def _earlier(place: Path, fresh: Bisection, console: Console) -> Bisection:
    """Return the state that an earlier call of the same search saved."""
    if not place.is_file():
        return fresh
    try:
        state = files.read(place, BISECT_FORMAT)
    except DataError as error:
        console.warn(f"the search starts again: {error}")
        return fresh
    if replace(state, measured=()) != fresh:
        return fresh
    console.log(f"{len(state.measured)} commits were tested before; the search continues (--afresh ignores them)")
    return state


COMMANDS = (
    Command(
        name="bisect",
        options=BisectOptions,
        run=run,
        example="""\
  windtunnel bisect sqlite.Insert.time_gather v1.2 main
  windtunnel bisect "time_work('plain', 1)" 1a2b3c4 HEAD --budget 20 --python 3.13""",
    ),
)
