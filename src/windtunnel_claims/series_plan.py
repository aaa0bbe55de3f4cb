"""Groups claims into series of blocks, keeps earlier blocks of the same cases, and draws the order of a block."""

import random
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import Parameters
from windtunnel.model.schedule import CountedCase
from windtunnel_claims import samples_format as stored
from windtunnel_claims.block_values import Benchmarks, find_case
from windtunnel_claims.claim import Claim
from windtunnel_claims.format import ClaimTarget


def plan_series(claims: Iterable[Claim], benchmarks: Benchmarks, target: ClaimTarget) -> tuple[stored.ClaimSeries, ...]:
    """Return the series of *claims*, without blocks; a claim that is out of scope at *target* is left out.

    Claims of a series share the given parameters, the process mode and the benchmarks. A claim whose cases do not exist
    has a series of its own, which says so.
    """
    groups: dict[object, list[stored.ClaimSeries]] = {}
    unknown: list[stored.ClaimSeries] = []
    for claim in (each for each in claims if not each.scope.exclusion(target)):
        given, found = claim.settings, [find_case(benchmarks, case, claim.settings) for case in claim.cases]
        empty = stored.ClaimSeries(
            given=given, processes=claim.processes, round_trips=claim.round_trips, claims=(), cases=()
        )
        if problems := [case for case in found if isinstance(case, str)]:
            unknown.append(replace(empty, claims=(claim.id,), skipped=problems[0][: stored.MAX_REASON]))
            continue
        cases = [case for case in found if not isinstance(case, str)]
        alike = (given, claim.processes, claim.round_trips, frozenset(case.benchmark for case in cases))
        parts = groups.setdefault(alike, [empty])
        joined = {case.name: case for case in (*parts[-1].cases, *cases)}
        if len(joined) > stored.MAX_CASES and parts[-1].claims:
            parts.append(empty)
            joined = {case.name: case for case in cases}
        parts[-1] = replace(parts[-1], claims=(*parts[-1].claims, claim.id), cases=tuple(joined.values()))
    return (*(part for parts in groups.values() for part in parts), *unknown)


def resume(
    planned: Sequence[stored.ClaimSeries], earlier: stored.ClaimSamples | None, selected: frozenset[str]
) -> list[stored.ClaimSeries]:
    """Return the *planned* series with the blocks that *earlier* has of them.

    Only claims that are *selected* or that were measured before remain. Blocks of a series are kept if none of their
    cases has another version now. What failed or was skipped before
    is tried again where a claim of the series is selected.
    """
    earlier_series = earlier.series if earlier else ()
    known = {claim: series for series in earlier_series for claim in series.claims}
    found = []
    for series in planned:
        claims = tuple(claim for claim in series.claims if claim in selected or claim in known)
        if not claims:
            continue
        before = {id(known[claim]): known[claim] for claim in claims if claim in known}.values()
        tried = not selected.isdisjoint(claims)
        absences = {} if tried else {case.name: case.absence for one in before for case in one.cases if case.absence}
        cases = tuple(replace(case, absence=absences.get(case.name, case.absence)) for case in series.cases)
        blocks = sorted((block for one in before for block in _kept_blocks(series, one)), key=lambda each: each.started)
        found.append(replace(series, claims=claims, cases=cases, blocks=tuple(blocks[: stored.MAX_BLOCKS])))
    return found


def _kept_blocks(series: stored.ClaimSeries, earlier: stored.ClaimSeries) -> Iterable[stored.Block]:
    """Return the blocks of *earlier* with the indices of *series*; none if a case has changed."""
    if (earlier.given, earlier.processes) != (series.given, series.processes):
        return ()
    places = {case.name: (at, case) for at, case in enumerate(series.cases)}
    moved: dict[int, int] = {}
    for at, case in enumerate(earlier.cases):
        if case.name in places:
            moved[at], now = places[case.name]
            if (case.version, case.unit) != (now.version, now.unit):
                return ()
    return (
        replace(
            block, visits=tuple(replace(visit, case=moved[visit.case]) for visit in block.visits if visit.case in moved)
        )
        for block in earlier.blocks
        if any(visit.case in moved for visit in block.visits)
    )


def block_order(cases: Iterable[int], processes: stored.ProcessMode, seed: str) -> tuple[int, ...]:
    """Return the order of the runs of a block: random, and then reversed where the cases share a process.

    So drift that is linear in time does not affect a ratio.
    """
    order = sorted(cases)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order, not a secret
    return (*order, *reversed(order)) if processes is stored.ProcessMode.SHARED else tuple(order)


def combine(files: Iterable[stored.ClaimSamples]) -> tuple[stored.ClaimSamples, ...]:
    """Return one value for each machine, environment and commit: the newest of *files*, with the blocks of the others.

    Several jobs may have measured different claims, or the same ones on different days.
    """
    combined: dict[tuple[str, str, str], stored.ClaimSamples] = {}
    for newest in sorted(files, key=lambda each: (each.ended, each.started)):
        key = newest.machine.name, newest.environment, newest.commit
        series = list(newest.series)
        if older := combined.get(key):
            taken = {claim for each in series for claim in each.claims}
            if older.build == newest.build:
                series = [_joined(each, older) for each in series]
            left = ((each, tuple(claim for claim in each.claims if claim not in taken)) for each in older.series)
            series += [replace(each, claims=claims) for each, claims in left if claims]
        combined[key] = replace(newest, series=tuple(series))
    return tuple(combined.values())


def _joined(series: stored.ClaimSeries, older: stored.ClaimSamples) -> stored.ClaimSeries:
    """Return *series* with the blocks of *older* that measured the same cases, each once."""
    before = (one for one in older.series if not set(series.claims).isdisjoint(one.claims))
    blocks = {block.started: block for one in before for block in _kept_blocks(series, one)}
    blocks |= {block.started: block for block in series.blocks}
    return replace(series, blocks=tuple(block for _, block in sorted(blocks.items()))[-stored.MAX_BLOCKS :])


def counted_case(benchmark: Benchmark, params: Parameters) -> CountedCase:
    """Return the case of *benchmark* with *params*, whose combinations are in asv's order."""
    index = 0
    for value, values in zip(params, benchmark.params, strict=True):
        index = index * len(values) + values.index(value)
    return CountedCase(commit="head", benchmark=benchmark.name, index=index)
