"""Divide a comparison among runners: how many, for how long; and merge the verdicts of their shards.

Samples of shards are put together first, then decided, so one error rate holds for all. A shard of confirmation
contains the screening that it is based on; equal samples count once.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from windtunnel.compare import format as verdicts
from windtunnel.compare.decide import count_false_alarms, decide
from windtunnel.compare.reach import join_reach
from windtunnel.compare.request import CompareSettings, divide
from windtunnel.compare.samples_format import PairedSamples, WorkSamples
from windtunnel.compare.schedule import EXPECTED_ROUNDS
from windtunnel.errors import DataError
from windtunnel.model.benchmark import Identity
from windtunnel.model.schedule import COMPARISON
from windtunnel.model.settings import MAX_MATRIX_JOBS
from windtunnel.text import numbers

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
"""Prepare and build, screen, confirm; a small suite has one."""

DEFAULT_BUILD_MINUTES = 3.0
"""To build both commits, if no earlier run recorded it."""

SMALL_MINUTES = 10
"""Up to so much work, the job that builds also measures and confirms: to start two more jobs takes longer."""

DEFAULT_MAX_RUNNERS = 4
"""Runners that measure at the same time."""

MAX_DIVISIONS = 300
"""Divisions of the benchmarks among runners that are compared."""

NOTHING = "Nothing is measured."

MIN_MINUTES = 2
"""Minutes that screening and confirmation each get at least; less measures almost nothing."""


class Part(Struct, frozen=True, kw_only=True):
    """One job of the matrix that screens: an entry of ``include``."""

    part: int
    """From 1."""
    of: int
    """The number of parts."""
    division: int = 0
    """The number of the division of benchmarks into parts; 0 for parts of even size."""
    budget: int
    """Minutes that it measures at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkCost:
    """What earlier results say about one benchmark that is measured."""

    name: str
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
    """Runners that screen; 0 if the job that builds measures and confirms."""
    minutes: int
    """That each of them measures."""
    confirmation: int
    """Minutes that the last runner measures: suspects again, or everything."""
    build_minutes: float
    """To build both commits."""
    estimate: float | None = None
    """The expected minutes of screening on one runner; None without earlier durations."""
    division: int = 0
    """The number of the division of the benchmarks among the runners."""
    notes: tuple[str, ...] = ()
    """What the deadline cannot hold."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The matrix of jobs."""
        numbers = range(1, self.runners + 1)
        return tuple(
            Part(part=number, of=self.runners, division=self.division, budget=self.minutes) for number in numbers
        )

    @property
    def cost(self) -> int:
        """The runner-minutes that it may use: each job counts in whole minutes, as GitHub bills it."""
        others = [JOB_MINUTES + self.build_minutes, JOB_MINUTES + self.confirmation]
        if not self.runners:
            return math.ceil(JOB_MINUTES + self.build_minutes + self.confirmation)
        return sum(map(math.ceil, others)) + self.runners * math.ceil(JOB_MINUTES + self.minutes)


def plan_runners(
    costs: Sequence[BenchmarkCost], deadline: int, max_runners: int, build_minutes: float | None
) -> RunnerPlan:
    """Return the plan that reaches a verdict within *deadline* minutes, on at most *max_runners* and `MAX_MATRIX_JOBS`.

    *costs* is empty without earlier durations; then one job does everything, like that of a small suite.
    """
    build = DEFAULT_BUILD_MINUTES if build_minutes is None else build_minutes
    work = sum(one.seconds for one in costs) / 60
    alone = math.floor(deadline - JOB_MINUTES - build)
    if alone >= MIN_MINUTES and work <= min(SMALL_MINUTES, alone / (1 + CONFIRMED_SHARE)):
        estimate = work if costs else None
        return RunnerPlan(runners=0, minutes=0, confirmation=alone, build_minutes=build, estimate=estimate)
    available = deadline - JOBS_IN_SEQUENCE * JOB_MINUTES - build
    notes = []
    if available < 2 * MIN_MINUTES:
        available = 2.0 * MIN_MINUTES
        notes.append(
            f"The deadline of {deadline} min is too short: starting {JOBS_IN_SEQUENCE} jobs and building take about "
            f"{JOBS_IN_SEQUENCE * JOB_MINUTES + build:.0f} min."
        )
    wanted = CONFIRMED_SHARE * work if costs else available
    confirmation = max(MIN_MINUTES, math.floor(min(wanted, MAX_CONFIRMATION_SHARE * available)))
    minutes = max(MIN_MINUTES, math.floor(available - confirmation))
    runners = max(1, min(max_runners, MAX_MATRIX_JOBS, len(costs), math.ceil(work / minutes)))
    return RunnerPlan(
        runners=runners,
        minutes=minutes,
        confirmation=confirmation,
        build_minutes=build,
        estimate=work if costs else None,
        division=find_division(costs, runners),
        notes=(*notes, *_overload(costs, runners, minutes, deadline)),
    )


def find_division(costs: Sequence[BenchmarkCost], parts: int) -> int:
    """Return the number of the division whose longest part takes the least time, by *costs*."""
    seconds = {one.name: one.seconds for one in costs}

    def longest(division: int) -> float:
        return max(sum(seconds[name] for name in part) for part in divide(seconds, parts, division))

    return min(range(MAX_DIVISIONS if parts > 1 else 1), key=longest)


def _overload(costs: Sequence[BenchmarkCost], runners: int, minutes: int, deadline: int) -> list[str]:
    """Return what the deadline cannot hold; a benchmark is not divided between runners."""
    work, longest = sum(one.seconds for one in costs) / 60, max((one.seconds for one in costs), default=0.0) / 60
    if work > runners * minutes:
        held = numbers.share(runners * minutes / work)
        note = (
            f"The deadline of {deadline} min holds about {held} of the estimated {work:.0f} min of measuring on "
            f"{numbers.count(runners, 'runner')}; the rest is not decided. Raise the deadline or the number of "
            "runners, or measure fewer cases."
        )
        return [note]
    if longest > minutes:
        note = (
            f"One benchmark needs about {longest:.0f} min, but each runner measures {minutes} min; the rest is "
            "not decided. Raise the deadline, or divide the benchmark."
        )
        return [note]
    return []


def describe_plan(plan: RunnerPlan, costs: Sequence[BenchmarkCost], left_out: int, deadline: int) -> tuple[str, ...]:
    """Return *plan* in sentences; *left_out* is the number of cases that the change cannot affect."""
    work = "Work: unknown, because earlier durations are missing (--results)."
    if plan.estimate is not None:
        cases = numbers.count(sum(one.cases for one in costs), "case")
        work = f"Work: {cases}, about {plan.estimate:.0f} min of measuring on one runner, by earlier durations."
    jobs = JOBS_IN_SEQUENCE if plan.runners else 1
    minutes = jobs * JOB_MINUTES + plan.build_minutes
    starting = f"starting {numbers.count(jobs, 'job')} and building take about {minutes:.0f}"
    screening = (
        f"Screening: {numbers.count(plan.runners, 'runner')}, each measures at most {plan.minutes} min.",
        f"Confirmation: 1 runner, measures suspects at most {plan.confirmation} min.",
    )
    lines = (
        work,
        f"Left out: {numbers.count(left_out, 'case')} that the change cannot affect." if left_out else "",
        *(screening if plan.runners else (f"This job measures and confirms, at most {plan.confirmation} min.",)),
        f"Deadline: {deadline} min; {starting} min of it.",
        f"Cost: at most {plan.cost} runner-minutes.",
    )
    return tuple(line for line in lines if line)


Item = TypeVar("Item", bound=Hashable)


def merge_shards(reports: Sequence[verdicts.ComparisonReport]) -> verdicts.ComparisonReport:
    """Return the report on all *reports* together, equal ones once; raises DataError if their comparisons differ."""
    parts = [part for index, part in enumerate(reports) if part not in reports[:index]]
    if not parts:
        raise DataError("no verdict to merge: name at least one verdict.json")
    for part in parts:
        for name, value in _identity(part).items():
            first = _identity(parts[0])[name]
            if value != first:
                raise DataError(
                    f"these verdicts do not belong together: {name} is {first} in the first "
                    f"and {value} in another; merge shards of one comparison only"
                )
    samples = _join_all(comparison.samples() for part in parts for comparison in part.comparisons)
    return decide(_context(parts, samples), tuple(samples.values()))


def _identity(part: verdicts.ComparisonReport) -> dict[str, object]:
    """Return what shards of one comparison agree on."""
    check = part.self_check
    return {"base": part.base, "head": part.head, "rules": part.rules, "slowdown": check and check.slowdown}


def _false_alarms(parts: Sequence[verdicts.ComparisonReport]) -> verdicts.FalseAlarms:
    """Return the A/A comparisons of *parts* together; suspects are decided together, after their confirmation."""
    suspects = _join_all(one for part in parts for one in part.aa.suspects)
    repeated = sum(len(part.aa.suspects) for part in parts) - len(suspects)
    return verdicts.FalseAlarms(
        comparisons=sum(part.aa.comparisons for part in parts) - repeated,
        alarms=count_false_alarms(tuple(suspects.values()), parts[0].rules).alarms
        + sum(part.aa.alarms for part in parts if not part.aa.suspects),
        suspects=tuple(suspects.values()),
    )


def _join_all(samples: Iterable[PairedSamples]) -> Mapping[Identity, PairedSamples]:
    joined: dict[Identity, PairedSamples] = {}
    for one in samples:
        joined[one.identity] = _join(joined[one.identity], one) if one.identity in joined else one
    return joined


def _join(one: PairedSamples, other: PairedSamples) -> PairedSamples:
    joined = replace(
        one,
        stage_samples=_unique(one.stage_samples + other.stage_samples),
        work=_join_work(one.work, other.work),
        cause=one.cause or other.cause,
    )
    if len(joined.at("screening")) > max(len(one.at("screening")), len(other.at("screening"))):
        raise DataError(
            f"{one.benchmark} was screened in two shards, so its interim analyses cannot be counted; "
            "measure each case in one shard, or merge each shard once"
        )
    return joined


def _join_work(one: WorkSamples | None, other: WorkSamples | None) -> WorkSamples | None:
    """Return what has counts; where both have, *other*, which was counted later."""
    return other if other and (other.counted or not (one and one.counted)) else one


def _self_check(parts: Sequence[verdicts.ComparisonReport]) -> verdicts.SelfCheck | None:
    """Return the self-check of *parts*, with the median of the slowdowns that they achieved."""
    check = parts[0].self_check
    achieved = [one for part in parts if part.self_check and (one := part.self_check.achieved) is not None]
    return replace(check, achieved=median(achieved)) if check and achieved else check


def _unique(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(items))


def _context(parts: Sequence[verdicts.ComparisonReport], compared: Iterable[Identity]) -> verdicts.ReportContext:
    """Return everything but the decision; a case that one shard compared is not missing."""
    known = {*compared}
    missing: dict[str, Any] = {
        kind: _unique(one for part in parts for one in part.missing(kind) if one.identity not in known)
        for kind in verdicts.MISSING_KINDS
    }
    seconds = [part.budget.seconds for part in parts if part.budget.seconds is not None]
    allowed = [part.budget.allowed_seconds for part in parts if part.budget.allowed_seconds is not None]
    measured = [part for part in parts if part.budget.seconds is not None] or parts
    return verdicts.ReportContext(
        base=parts[0].base,
        head=parts[0].head,
        rules=parts[0].rules,
        machines=_unique(one for part in parts for one in part.machines),
        environments=_unique(one for part in parts for one in part.environments),
        environment_failures=_unique(one for part in parts for one in part.environment_failures),
        budget=verdicts.Budget(
            seconds=sum(seconds) if seconds else None,
            allowed_seconds=sum(allowed) if allowed else None,
            processes=sum(part.budget.processes for part in parts),
            process_seconds=sum(part.budget.process_seconds for part in parts),
            machine_timings=tuple(one for part in parts for one in part.budget.machine_timings),
        ),
        unmeasured=next((part.unmeasured for part in parts if part.unmeasured), None) if measured is parts else None,
        same_artifact=all(part.same_artifact for part in measured),
        reach=join_reach([part.reach for part in parts if part.reach]),
        aa=_false_alarms(parts),
        self_check=_self_check(parts),
        notes=_unique(note for part in parts for note in part.notes),
        **missing,
    )
