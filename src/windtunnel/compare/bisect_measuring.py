"""What a bisection measures: one case on two commits, or on one commit with two sets of packages."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from windtunnel.asv.protocol import CaseProfiled, CountInstructions, InstructionsCounted, ProfileCases
from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.environment_pair import EnvironmentPair, build_pair
from windtunnel.compare.request import CompareRequest, CompareSettings, ComparisonSetup
from windtunnel.compare.schedule import schedule_round
from windtunnel.errors import DataError
from windtunnel.model.schedule import COMPARISON, ComparedCommit, Process, Stage
from windtunnel.model.witness import CaseProfile, CountedCase, InstructionCounts

SEEDS = (0, 1, 2)
"""Hash seeds; three are enough for a change of half a per cent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What is compared."""

    base: str
    """A commit."""
    head: str
    """A commit; the same one if the packages differ."""
    base_packages: tuple[str, ...] = ()
    """What is installed with base: ``name==version``, or ``-name`` for a package that is removed."""
    head_packages: tuple[str, ...] = ()


def measure_rounds(setup: ComparisonSetup, case: ComparableCase, sides: Sides, rounds: int) -> tuple[Process, ...]:
    """Return *rounds* processes of *case* on each side, in alternation.

    Raises DataError if a side cannot be built, does not have the case, or gives no value.
    """
    with _built(setup, case, sides) as pair:
        rng = random.Random(rounds)  # noqa: S311 - which commit runs first, not a secret
        for _ in range(rounds):
            pair.run(schedule_round([(case, Stage.SCREENING, COMPARISON)], rng), setup.listen)
            for kind, missing in pair.without_value():
                raise DataError(f"{case.case.name} {kind}: {missing.reason}")
        return tuple(pair.collection.of(case, COMPARISON))


def count_instructions(
    setup: ComparisonSetup, case: ComparableCase, sides: Sides, commits: Sequence[ComparedCommit]
) -> Mapping[ComparedCommit, InstructionCounts]:
    """Return the instructions of *case* on the sides *commits*; a count that is impossible has a reason.

    Raises DataError if a side cannot be built, or does not have the case.
    """
    request = CountInstructions(cases=tuple(_counted(case, commit) for commit in commits), seeds=SEEDS)
    with _built(setup, case, sides) as pair:
        events = [event for event in pair.ask(request) if isinstance(event, InstructionsCounted)]
    return {event.case.commit: event.counts for event in events}


def profile_case(setup: ComparisonSetup, case: ComparableCase, sides: Sides) -> Mapping[ComparedCommit, CaseProfile]:
    """Return where *case* spends its work on each side; a profile that is impossible has a reason.

    Raises DataError if a side cannot be built, or does not have the case.
    """
    request = ProfileCases(cases=tuple(_counted(case, commit) for commit in ComparedCommit))
    with _built(setup, case, sides) as pair:
        events = [event for event in pair.ask(request) if isinstance(event, CaseProfiled)]
    return {event.case.commit: event.profile for event in events}


def _counted(case: ComparableCase, commit: ComparedCommit) -> CountedCase:
    other = case.base_index if commit is ComparedCommit.BASE else None
    index = case.case.index if other is None else other
    return CountedCase(commit=commit, benchmark=case.samples.benchmark, index=index)


@contextmanager
def _built(setup: ComparisonSetup, case: ComparableCase, sides: Sides) -> Iterator[EnvironmentPair]:
    """Yield both sides, which have *case*."""
    name = case.case.name
    request = CompareRequest(
        base=sides.base,
        head=sides.head,
        options=CompareSettings(bench=(f"^{re.escape(name)}$",)),
        packages=(sides.base_packages, sides.head_packages),
    )
    with ExitStack() as stack:
        pair = build_pair(stack, request, setup, case.samples.environment)
        if (case.samples.identity, case.case) not in (
            (one.samples.identity, one.case) for one in pair.comparable.cases
        ):
            raise DataError(f"{name} is not the same benchmark on both commits")
        yield pair
