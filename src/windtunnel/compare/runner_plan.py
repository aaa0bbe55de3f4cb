"""Decide on how many runners a comparison of a pull request runs, and for how long.

The estimate of the work, for each case:

    seconds = seconds of one process x sampling x 2 commits x (1 + A/A share) x expected rounds

The seconds of one process come from earlier results. They include the start of the process. Where the suite keeps asv's
sampling, a process of a comparison takes fewer samples: sampling is DEFAULT_SAMPLING_SHARE, else 1. Confirmation
repeats CONFIRMED_SHARE of this work on one runner. Both share what starting and building leave of the deadline:

    runners = estimate / (deadline - JOBS_IN_SEQUENCE x JOB_MINUTES - building - confirmation)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import Struct

from windtunnel.compare.request import CompareSettings
from windtunnel.model.schedule import COMPARISON
from windtunnel.model.settings import MAX_MATRIX_JOBS
from windtunnel.text import numbers

EXPECTED_ROUNDS = 10
"""Rounds of screening: on average 4 to 6 on a quiet machine, 9.3 where processes differ by 2 %, as on hosted runners
(docs/measurements/error-rates.md). The next interim analysis is after 10."""

EXPECTED_ROUNDS_SMALL = 60
"""The same with a threshold of 1.5 % or less: 56 to 63 where processes differ by 1 to 2 %, 23 on a quiet machine."""

DEFAULT_SAMPLING_SHARE = 0.5
"""Of the time of a process that samples as asv does: a comparison takes 1 to 4 samples instead of up to 10
(``asv/paired_engine.py``). On 2 shared cores, processes of 0.1 to 20 ms took a third of the time."""

CONFIRMED_SHARE = 0.1
"""The expected work of confirmation: screening suspects 5 % of unchanged cases, and as many may have changed."""

MAX_CONFIRMATION_SHARE = 1 / 3
"""The share of the measuring time that confirmation gets at most."""

JOB_MINUTES = 1.0
"""To start a runner, check out and install Windtunnel."""

JOBS_IN_SEQUENCE = 3
"""Prepare and build, screen, confirm."""

DEFAULT_BUILD_MINUTES = 3.0
"""To build both commits, if no earlier run recorded it."""

DEFAULT_DEADLINE = 20
"""Minutes from the start of the workflow to the verdict."""

DEFAULT_RUNNERS = 2
"""Runners of a suite without earlier durations."""

DEFAULT_MAX_RUNNERS = 8
"""Runners that measure at the same time."""

NOTHING = "Nothing is measured."

MIN_MINUTES = 2
"""Minutes that screening and confirmation each get at least; less measures almost nothing."""


class Part(Struct, frozen=True, kw_only=True):
    """One job of the matrix that screens: an entry of ``include``."""

    part: int
    """From 1."""
    of: int
    """The number of parts."""
    budget: int
    """Minutes that it measures at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkCost:
    """What earlier results say about one benchmark that is measured."""

    cases: int
    """Its cases, over all environments."""
    small_thresholds: int = 0
    """How many of them have a threshold of 1.5 % or less, which takes more rounds."""
    process_seconds: float
    """The time of one process."""
    asv_sampling: bool = False
    """Whether the suite leaves the number of samples to asv."""

    @property
    def seconds(self) -> float:
        """The expected time of screening all its cases."""
        usual = self.cases - self.small_thresholds
        rounds = usual * EXPECTED_ROUNDS + self.small_thresholds * EXPECTED_ROUNDS_SMALL
        sampling = DEFAULT_SAMPLING_SHARE if self.asv_sampling else 1.0
        return rounds * len(COMPARISON) * (1 + CompareSettings().aa_share) * self.process_seconds * sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerPlan:
    """How many runners measure, and for how long. Minutes are upper limits."""

    runners: int
    """Runners that screen."""
    minutes: int
    """That each of them measures."""
    confirmation: int
    """Minutes that the last runner measures suspects again."""
    build_minutes: float
    """To build both commits."""
    estimate: float | None = None
    """The expected minutes of screening on one runner; None without earlier durations."""
    notes: tuple[str, ...] = ()
    """What the deadline cannot hold."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The matrix of jobs."""
        return tuple(Part(part=number, of=self.runners, budget=self.minutes) for number in self._numbers)

    @property
    def _numbers(self) -> range:
        return range(1, self.runners + 1)

    @property
    def cost(self) -> int:
        """The runner-minutes that it may use: each job counts in whole minutes, as GitHub bills it."""
        others = [JOB_MINUTES + self.build_minutes, JOB_MINUTES + self.confirmation]
        screening = self.runners * math.ceil(JOB_MINUTES + self.minutes)
        return sum(map(math.ceil, others)) + screening


def plan_runners(
    costs: Sequence[BenchmarkCost], deadline: int, max_runners: int, build_minutes: float | None
) -> RunnerPlan:
    """Return the plan that reaches a verdict within *deadline* minutes, on at most *max_runners* and `MAX_MATRIX_JOBS`.

    *costs* is empty without earlier durations.
    """
    build = DEFAULT_BUILD_MINUTES if build_minutes is None else build_minutes
    available = deadline - JOBS_IN_SEQUENCE * JOB_MINUTES - build
    notes = []
    if available < 2 * MIN_MINUTES:
        available = 2.0 * MIN_MINUTES
        notes.append(
            f"The deadline of {deadline} min is too short: starting {JOBS_IN_SEQUENCE} jobs and building take about "
            f"{JOBS_IN_SEQUENCE * JOB_MINUTES + build:.0f} min."
        )
    work = sum(one.seconds for one in costs) / 60
    wanted = CONFIRMED_SHARE * work if costs else available
    confirmation = max(MIN_MINUTES, math.floor(min(wanted, MAX_CONFIRMATION_SHARE * available)))
    minutes = max(MIN_MINUTES, math.floor(available - confirmation))
    most = min(max_runners, MAX_MATRIX_JOBS)
    if not costs:
        runners = min(DEFAULT_RUNNERS, most)
    else:
        runners = max(1, min(most, len(costs), math.ceil(work / minutes)))
        notes += _overload(costs, runners, minutes, deadline)
    return RunnerPlan(
        runners=runners,
        minutes=minutes,
        confirmation=confirmation,
        build_minutes=build,
        estimate=work if costs else None,
        notes=tuple(notes),
    )


def _overload(costs: Sequence[BenchmarkCost], runners: int, minutes: int, deadline: int) -> list[str]:
    """Return what the deadline cannot hold; a benchmark is not divided between runners."""
    work, longest = (pick(one.seconds for one in costs) / 60 for pick in (sum, max))
    if work > runners * minutes:
        held = numbers.share(runners * minutes / work)
        note = (
            f"The deadline of {deadline} min holds about {held} of the estimated {work:.0f} min of measuring on "
            f"{numbers.count(runners, 'runner')}; the rest stays inconclusive. Raise the deadline or the number of "
            "runners, or measure fewer cases."
        )
        return [note]
    if longest > minutes:
        note = (
            f"One benchmark needs about {longest:.0f} min, but each runner measures {minutes} min; the rest stays "
            "inconclusive. Raise the deadline, or divide the benchmark."
        )
        return [note]
    return []


def describe_plan(plan: RunnerPlan, costs: Sequence[BenchmarkCost], left_out: int, deadline: int) -> tuple[str, ...]:
    """Return *plan* in sentences; *left_out* is the number of cases that no changed file can affect."""
    work = "Work: unknown, because earlier durations are missing (--results)."
    if plan.estimate is not None:
        cases = numbers.count(sum(one.cases for one in costs), "case")
        work = f"Work: {cases}, about {plan.estimate:.0f} min of measuring on one runner, by earlier durations."
    starting = JOBS_IN_SEQUENCE * JOB_MINUTES + plan.build_minutes
    lines = (
        work,
        f"Left out: {numbers.count(left_out, 'case')} that no changed file can affect." if left_out else "",
        f"Screening: {numbers.count(plan.runners, 'runner')}, each measures at most {plan.minutes} min.",
        f"Confirmation: 1 runner, measures suspects at most {plan.confirmation} min.",
        f"Deadline: {deadline} min; starting {JOBS_IN_SEQUENCE} jobs and building take about {starting:.0f} min of it.",
        f"Cost: at most {plan.cost} runner-minutes.",
    )
    return tuple(line for line in lines if line)
