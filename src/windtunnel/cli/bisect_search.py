"""How ``windtunnel bisect`` searches: the commits of the range, the case, and what earlier calls measured."""

import dataclasses
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from windtunnel import files, formats
from windtunnel.bench.commit_selection import is_irrelevant
from windtunnel.cli.comparison_setup import find_touched
from windtunnel.cli.console import Console
from windtunnel.cli.suite import SuiteContext
from windtunnel.compare.bisect_format import (
    BISECT_FORMAT,
    Bisection,
    BisectionRequest,
    CandidateCommit,
    package_candidates,
)
from windtunnel.compare.bisection import DEFAULT_ERROR
from windtunnel.compare.bisector import Bisector
from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.environment_pair import find_comparable_cases
from windtunnel.compare.request import CompareRequest, ComparisonSetup
from windtunnel.errors import DataError, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.model.identity import CommitHash

INTERRUPTED = "interrupted"

PACKAGES_FOLDER = "packages"
"""Below ``.windtunnel``: environments whose packages a search has moved; no other command uses them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search, and where its measurements are saved."""

    context: SuiteContext
    setup: ComparisonSetup
    wanted: BisectionRequest
    deadline: float
    """When to stop, by the clock of the setup."""
    count: bool
    """Whether instruction counts may decide."""

    def over_commits(self, candidates: tuple[CandidateCommit, ...]) -> Bisection:
        """Search the commit among *candidates*; Ctrl-C ends the search without an answer."""
        compared = find_case(self.wanted.case, (candidates[0].hash, candidates[-1].hash), self.setup)
        return self._run(self.setup, compared, self._fresh(compared, candidates))

    def over_packages(self, commit: CommitHash, why: str) -> Bisection:
        """Search the package among those that moved, with the project's *commit*; *why* no commit is the cause."""
        setup = dataclasses.replace(self.setup, folder=self.context.work_dir.root / PACKAGES_FOLDER)
        compared = find_case(self.wanted.case, (commit, commit), setup)
        packages = self.wanted.packages
        fresh = self._fresh(compared, package_candidates(packages))
        fresh = replace(fresh, packages=packages, commit=commit, commits_explain=why)
        return self._run(setup, compared, fresh)

    def _fresh(self, compared: ComparableCase, candidates: tuple[CandidateCommit, ...]) -> Bisection:
        return Bisection(
            benchmark=compared.samples.benchmark,
            case=compared.case.name,
            environment=compared.samples.environment,
            machine=self.setup.machine.name,
            candidates=candidates,
            error=DEFAULT_ERROR,
        )

    def _run(self, setup: ComparisonSetup, compared: ComparableCase, fresh: Bisection) -> Bisection:
        """Search, and save every measurement beside the suite."""
        console = self.context.console
        place = self.context.work_dir.root / "bisect" / f"{_key(fresh)}.json"

        def keep(state: Bisection) -> None:
            write_atomically(place, formats.encode(state))

        bisector = Bisector(
            setup=setup,
            case=compared,
            save=keep,
            log=console.log,
            count=self.count,
            expected=self.wanted.expected,
            find_touched=lambda base, head: find_touched(self.context.repository, base, head, console),
        )
        try:
            return bisector.search(_earlier(place, fresh, console), self.deadline)
        except KeyboardInterrupt:
            return replace(_earlier(place, fresh, console), reason=INTERRUPTED)


def find_candidates(
    repository: Repository, good: str, bad: str, irrelevant: Sequence[str]
) -> tuple[CandidateCommit, ...]:
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


def find_case(wanted: str, commits: tuple[str, str], setting: ComparisonSetup) -> ComparableCase:
    """Return the one case that *wanted* names; raises UsageError when there is none or more than one.

    One that the good commit does not have is refused before the bad commit is built.
    """
    request = CompareRequest(base=commits[0], head=commits[1])
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


def _key(fresh: Bisection) -> str:
    """Return the identity of a search: a hash of everything but the measurements."""
    return hashlib.sha256(formats.encode(fresh)).hexdigest()[:16]


def _earlier(place: Path, fresh: Bisection, console: Console) -> Bisection:
    """Return the state that an earlier call of the same search saved."""
    if not place.is_file():
        return fresh
    try:
        state = files.read(place, BISECT_FORMAT)
    except DataError as error:
        console.warn(f"the search starts again: {error}")
        return fresh
    if state.candidates != fresh.candidates or state.packages != fresh.packages:  # the file is of another search
        return fresh
    console.log(
        f"{len(state.measured)} commits were tested before; the search continues; to begin again, delete {place}"
    )
    return replace(fresh, measured=state.measured, good_counts=state.good_counts, alone=state.alone, cause=state.cause)
