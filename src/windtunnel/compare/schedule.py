"""Decide what to measure next, and in which order the processes of a round run.

Collect processes, and choose the value that stands for each of them.

Disturbances only add time, so the minimum of a process varies least. For a case that computes, the minimum CPU time is
used, because other processes on the core lengthen wall time. A case that waits uses no CPU time meanwhile, so its
minimum wall time is used. A minimum hides what only sometimes takes longer; the report therefore also has a table of
medians and 95th percentiles, both of wall time. docs/measurements/error-rates.md has the measurements
(studies.process_values).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import truediv
from statistics import median, quantiles

import msgspec
import numpy as np
from numpy.typing import NDArray

from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.effects import compute_effects
from windtunnel.compare.samples_format import (
    PairedSamples,
    ProcessStatistic,
    ProcessValues,
    Rules,
    StageRules,
    StageSamples,
)
from windtunnel.compare.significance import CaseIntervals, compute_intervals, confirming_alpha, screening_intervals
from windtunnel.model.benchmark import Identity
from windtunnel.model.schedule import COMPARISON, STAGES, Arm, Arms, Process, ScheduledProcess, Stage
from windtunnel.stats.paired_differences import next_analysis


def schedule_round(
    cases: Sequence[tuple[ComparableCase, Stage, Arms]], rng: random.Random, forks: int = 1
) -> tuple[ScheduledProcess, ...]:
    """Return the processes of one round, each of some *forks*; the two arms of a case in direct succession.

    Cases are in random order within their part of the suite, and the parts are too: cases of one part share an import.
    """
    pairs = []
    for one, stage, arms in cases:
        name, index = one.samples.benchmark, one.base_index
        pair = [
            ScheduledProcess(arm=arm, stage=stage, benchmark=name, case=one.case, base_index=index, forks=forks)
            for arm in arms
        ]
        rng.shuffle(pair)
        pairs.append(pair)
    parts = sorted({pair[0].benchmark.partition(".")[0] for pair in pairs})
    rng.shuffle(parts)
    rng.shuffle(pairs)
    pairs.sort(key=lambda pair: parts.index(pair[0].benchmark.partition(".")[0]))
    return tuple(process for pair in pairs for process in pair)


MAX_FORKS = 16
"""Forks of one parent in a round: more would hide nothing but the cost of a start."""

FORKED_SHARE = 0.5
"""The share of a fork's own cost from which the cost of its parent is worth further forks."""

MIN_PARENTS = 3
"""Parents with several forks from which the variances are estimated."""


def choose_forks(ended: Mapping[tuple[str, int], Sequence[Process]], recent: Sequence[Process]) -> int:
    """Return how often each parent is forked for a case: as often as decides the most for its cost.

    The variance of a round's value is between + within / forks, and its cost is a share of the start of the parent
    plus forks times the cost of one, so the best number is the root of (start / fork) x (within / between): Cochran,
    W. G. (1977), Sampling Techniques, section 10.6. All samples of a round's forks give one value, so rounds stay
    independent, whatever the number. *recent* are the processes of the last round, which shared its parents.
    """
    forked = [one for one in recent if one.forks and one.state == "measured"]
    if not forked:
        return 1
    start = sum(one.starting for one in forked) / len(forked)
    own = sum(one.seconds - one.starting for one in forked) / sum(len(one.forks) for one in forked)
    if start < FORKED_SHARE * own:
        return 1
    ratios = [ratio for processes in ended.values() if (ratio := _variance_ratio(processes)) is not None]
    return min(max(round(float(np.sqrt(start / own * (np.median(ratios) if ratios else 1.0)))), 1), MAX_FORKS)


def _variance_ratio(processes: Sequence[Process]) -> float | None:
    """Return the variance of a case within parents divided by that between them; None if they do not show it."""
    minima = [_fork_minima(one) for one in processes if len(one.forks) > 1 and one.scheduled.arm is Arm.BASE]
    if len(minima) < MIN_PARENTS:
        return None
    within = float(np.mean([np.var(each, ddof=1) for each in minima]))
    total = float(np.var([each.mean() for each in minima], ddof=1))
    between = total - within / float(np.mean([each.size for each in minima]))
    return within / max(between, within / MAX_FORKS**2, 1e-12)


def _fork_minima(one: Process) -> NDArray[np.float64]:
    """Return the logarithm of the fastest sample of each fork."""
    starts = np.cumsum([0, *one.forks[:-1]])
    return np.asarray(np.log(np.maximum(np.minimum.reduceat(np.array(one.cpu or one.wall), starts), 1e-12)))


def next_rounds(
    samples: Sequence[PairedSamples], rules: Rules, others: int = 0, *, screened: bool = False, patient: bool = False
) -> tuple[Stage, tuple[int, ...]]:
    """Return the stage to measure next and its rounds for each of *samples*.

    They are 0 if the case is decided or its last analysis is over. *others* is the number of suspects that other shards
    confirm: all suspects share one error rate. Confirmation begins when every case is screened, because only then all
    suspects are known; *screened* begins it with those that are known. *patient* goes on with those given up.
    """
    screening = compute_effects(samples, "screening")
    first = screening_intervals(screening, rules.screening)
    rounds = _rounds(first, rules.screening, patient=patient)
    if any(rounds) and not screened:
        return "screening", rounds
    suspect = first.suspected(rules.screening) != 0
    fresh = compute_effects(samples, "confirmation")
    alpha = confirming_alpha(int(suspect.sum()) + others, fresh.thresholds, rules.confirmation)
    second = compute_intervals(fresh, alpha)
    rounds = _rounds(second, rules.confirmation, patient=patient)
    return "confirmation", tuple(number * suspected for number, suspected in zip(rounds, suspect.tolist(), strict=True))


def find_suspects(samples: Sequence[PairedSamples], rules: Rules) -> tuple[PairedSamples, ...]:
    """Return the samples whose screening shows a change that confirmation has to check."""
    screening = screening_intervals(compute_effects(samples, "screening"), rules.screening)
    suspect = screening.suspected(rules.screening) != 0
    return tuple(one for one, suspected in zip(samples, suspect.tolist(), strict=True) if suspected)


def _rounds(intervals: CaseIntervals, rules: StageRules, *, patient: bool) -> tuple[int, ...]:
    finished = intervals.finished(rules, patient=patient).tolist()
    counts = intervals.estimates.count.astype(int).tolist()
    analyses = [rules.analyses(threshold) for threshold in intervals.thresholds.tolist()]
    return tuple(
        0 if done else (next_analysis(of_case, count) or count) - count
        for done, count, of_case in zip(finished, counts, analyses, strict=True)
    )


MIN_CPU_SHARE = 0.95
"""CPU time / wall time of a process's fastest sample from which its case counts as computing.

Time in which other programs had the processor does not count: a busy machine makes no case wait. CPU time then hides
less waiting than the default threshold of 5 %.
"""

EXPECTED_ROUNDS = 10
"""Rounds of screening: on average 4 to 6 on a quiet machine, 9.3 where processes differ by 2 %, as on hosted runners
(docs/measurements/error-rates.md). The next interim analysis is after 10."""

MIN_COSTED = 20
"""Processes that say what a case costs."""


@dataclass(slots=True, kw_only=True)
class ProcessCollection:
    """The processes of one comparison on one machine, in the order in which they ended."""

    machine: str
    by_case: dict[tuple[str, int], list[Process]] = field(default_factory=lambda: defaultdict(list))
    """Keyed by benchmark and the index of the case."""
    recent: list[Process] = field(default_factory=list)
    """Those of the round that runs."""
    chosen: set[Identity] | None = None
    """The cases that are measured, where the time does not suffice for all."""
    forks: int = 1
    """How often the parents of the round are forked for a case."""

    def begin_round(self) -> None:
        """Choose the forks of a round, by the cost of the last one."""
        if self.recent:
            self.forks = choose_forks(self.by_case, self.recent)
            self.recent.clear()

    def measures(self, case: ComparableCase) -> bool:
        """Return whether *case* is one that the time suffices for."""
        return self.chosen is None or case.samples.identity in self.chosen

    def add(self, ended: Iterable[Process]) -> None:
        """Append the processes that have *ended*."""
        for process in ended:
            self.by_case[process.scheduled.benchmark, process.scheduled.case.index].append(process)
            self.recent.append(process)

    def of(self, case: ComparableCase, arms: Arms) -> list[Process]:
        """Return the processes of *case* in *arms*."""
        found = self.by_case.get((case.samples.benchmark, case.case.index), [])
        return [one for one in found if one.scheduled.arm in arms]

    def without_value(self, case: ComparableCase, arms: Arms) -> dict[Arm, Process]:
        """Return the process of each arm that gave no value; such a process ends the case."""
        return {one.scheduled.arm: one for one in self.of(case, arms) if one.state != "measured"}

    def samples(self, case: ComparableCase, arms: Arms, earlier: Sequence[StageSamples] = ()) -> PairedSamples:
        """Return the samples of *case*: those measured here after *earlier* ones."""
        ended = self.of(case, arms)
        here = tuple(
            _stage_samples(ended, stage, arms, self.machine)
            for stage in STAGES
            if any(one.scheduled.stage == stage for one in ended)
        )
        return msgspec.structs.replace(case.samples, stage_samples=(*earlier, *here))


def choose_statistic(baseline: Sequence[Process], contender: Sequence[Process]) -> ProcessStatistic:
    """Return the statistic for all processes of a case: CPU time only if it is known and neither arm waits.

    CPU time is that of the timed thread; a thread that leaves work to others waits, so its wall time counts.
    """
    if not baseline or not contender or not all(one.cpu for one in (*baseline, *contender)):
        return "wall_minimum"
    shares = [float(np.median([_cpu_share(one) for one in arm])) for arm in (baseline, contender)]
    return "cpu_minimum" if min(shares) >= MIN_CPU_SHARE else "wall_minimum"


def count_affordable(processes: int, spent: float, seconds: float) -> int | None:
    """Return how many cases *seconds* suffice for, if *processes* have *spent* some; None if that says too little."""
    if processes < MIN_COSTED:
        return None
    rounds = processes / len(COMPARISON) * seconds / max(spent, 1e-9)
    return int(min(rounds / EXPECTED_ROUNDS, 1e9))


def time_spent(ended: Sequence[Process]) -> dict[str, float]:
    """Return where the time of processes went, by the fields of a machine's timing."""
    sampled = sum(one.sampled for one in ended)
    return {
        "import_seconds": sum(one.starting for one in ended),
        "setup_seconds": sum(max(one.seconds - one.starting - one.timed, 0.0) for one in ended),
        "warmup_seconds": max(sum(one.timed for one in ended) - sampled, 0.0),
        "sample_seconds": sampled,
    }


def achieved_slowdown(processes: Sequence[Process]) -> float | None:
    """Return the median share by which a built-in slowdown extended *processes*, each at its least disturbed sample."""
    timed = (zip(one.wall, one.own, strict=True) for one in processes if one.own)
    found = [min(wall / own - 1 for wall, own in samples) for samples in timed]
    return float(np.median(found)) if found else None


def process_values(processes: Sequence[Process], statistic: ProcessStatistic) -> ProcessValues:
    """Return the values of one arm; medians and 95th percentiles are always of wall time."""
    by_cpu = statistic == "cpu_minimum"
    looped = by_cpu and all(one.probe and min(one.probe) > 0 for one in processes)
    return ProcessValues(
        values=tuple(min(one.cpu if by_cpu else one.wall) for one in processes),
        medians=tuple(median(one.wall) for one in processes),
        p95s=tuple(_tail(one.wall) for one in processes),
        in_loops=tuple(median(map(truediv, one.cpu, one.probe)) for one in processes if looped),
    )


def _tail(values: Sequence[float]) -> float:
    """Return the 95th percentile, between values by a line; numpy takes eight times as long for 16."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def _stage_samples(ended: Sequence[Process], stage: Stage, arms: Arms, machine: str) -> StageSamples:
    """Return the values of *stage* for both arms, equally many; the statistic is chosen from all stages."""
    by_arm = [[one for one in ended if one.scheduled.arm is arm] for arm in arms]
    of_stage = [[one for one in arm if one.scheduled.stage == stage] for arm in by_arm]
    rounds = min(map(len, of_stage))
    before, after = (arm[:rounds] for arm in of_stage)
    if any(one.value is not None for one in (*before, *after)):
        statistic: ProcessStatistic = ""
        first, second = (ProcessValues(values=tuple(one.value or 0.0 for one in arm)) for arm in (before, after))
    else:
        statistic = choose_statistic(*([one for one in arm if one.wall] for arm in by_arm))
        first, second = (process_values([one for one in arm if one.wall], statistic) for arm in (before, after))
    return StageSamples(stage=stage, machine=machine, statistic=statistic, baseline=first, contender=second)


def _cpu_share(process: Process) -> float:
    queued = process.queued or (0.0,) * len(process.wall)
    samples = zip(process.wall, process.cpu, queued, strict=True)
    return max(cpu / max(wall - waited, 1e-12) for wall, cpu, waited in samples)
