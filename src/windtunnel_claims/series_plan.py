"""Groups claims into series of blocks, keeps earlier blocks of the same cases, and draws the order of a block.

It also says which cases have their instructions counted. A count hardly varies, so each case is counted once, before
the first block; a later call keeps the counts.
"""

import random
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from windtunnel.model.benchmark import Benchmark
from windtunnel.model.identity import Parameters
from windtunnel.model.schedule import CountedCase, InstructionCounts
from windtunnel_claims import samples_format as stored
from windtunnel_claims.block_values import Benchmarks, find_case
from windtunnel_claims.claim import Claim
from windtunnel_claims.format import ClaimTarget, Setting


def plan_series(claims: Iterable[Claim], benchmarks: Benchmarks, target: ClaimTarget) -> tuple[stored.ClaimSeries, ...]:
    """Return the series of *claims*, without blocks; a claim that is out of scope at *target* is left out.

    Claims of a series share the given parameters, the process mode and the benchmarks. A claim whose cases do not exist
    has a series of its own, which says so.
    """
    groups: dict[object, list[stored.ClaimSeries]] = {}
    unknown: list[stored.ClaimSeries] = []
    for claim in (each for each in claims if not each.scope.exclusion(target)):
        given, cases = _place(claim, benchmarks)
        empty = stored.ClaimSeries(given=given, processes=claim.processes, claims=(), cases=())
        if isinstance(cases, str):
            unknown.append(replace(empty, claims=(claim.id,), skipped=cases[: stored.MAX_REASON]))
            continue
        parts = groups.setdefault((given, claim.processes, frozenset(case.benchmark for case in cases)), [empty])
        joined = {case.name: case for case in (*parts[-1].cases, *cases)}
        if len(joined) > stored.MAX_CASES and parts[-1].claims:
            parts.append(empty)
            joined = {case.name: case for case in cases}
        parts[-1] = replace(parts[-1], claims=(*parts[-1].claims, claim.id), cases=tuple(joined.values()))
    return (*(part for parts in groups.values() for part in parts), *unknown)


def _place(claim: Claim, benchmarks: Benchmarks) -> tuple[tuple[Setting, ...], tuple[stored.CaseOfSeries, ...] | str]:
    """Return the first given parameters of *claim* for which all its cases exist, with these; else why they do not."""
    missing: list[tuple[tuple[Setting, ...], str]] = []
    for given in claim.choices():
        found = [find_case(benchmarks, case, given) for case in claim.cases]
        if problems := [case for case in found if isinstance(case, str)]:
            missing.append((given, problems[0]))
        else:
            return given, tuple(case for case in found if not isinstance(case, str))
    return missing[0]


def resume(
    planned: Sequence[stored.ClaimSeries], earlier: stored.ClaimSamples | None, selected: frozenset[str]
) -> list[stored.ClaimSeries]:
    """Return the *planned* series with the blocks and the counts that *earlier* has of them.

    Only claims that are *selected* or that were measured before remain. Blocks of a series are kept if none of their
    cases has another version now, and the counts of a case while its version stays. What failed or was skipped before
    is tried again where a claim of the series is selected.
    """
    earlier_series = earlier.series if earlier else ()
    known = {claim: series for series in earlier_series for claim in series.claims}
    counts = {(case.name, case.version): case.instructions for one in earlier_series for case in one.cases}
    found = []
    for series in planned:
        claims = tuple(claim for claim in series.claims if claim in selected or claim in known)
        if not claims:
            continue
        before = {id(known[claim]): known[claim] for claim in claims if claim in known}.values()
        tried = not selected.isdisjoint(claims)
        absences = {} if tried else {case.name: case.absence for one in before for case in one.cases if case.absence}
        cases = tuple(
            replace(
                case,
                absence=absences.get(case.name, case.absence),
                instructions=counts.get((case.name, case.version)),
            )
            for case in series.cases
        )
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
    """Return one value for each machine, environment and commit; of a claim in several *files*, the newest counts.

    Several jobs may have measured different claims.
    """
    combined: dict[tuple[str, str, str], stored.ClaimSamples] = {}
    for newer in sorted(files, key=lambda each: (each.ended, each.started)):
        key = newer.machine.name, newer.environment, newer.commit
        older = combined.get(key)
        taken = {claim for series in newer.series for claim in series.claims}
        others = (
            replace(series, claims=claims)
            for series in (older.series if older else ())
            if (claims := tuple(claim for claim in series.claims if claim not in taken))
        )
        combined[key] = replace(newer, series=(*newer.series, *others))
    return tuple(combined.values())


def counted_case(benchmark: Benchmark, params: Parameters) -> CountedCase:
    """Return the case of *benchmark* with *params*, whose combinations are in asv's order."""
    index = 0
    for value, values in zip(params, benchmark.params, strict=True):
        index = index * len(values) + values.index(value)
    return CountedCase(commit="head", benchmark=benchmark.name, index=index)


def cases_to_count(
    series: Iterable[stored.ClaimSeries], claims: Mapping[str, Claim], selected: frozenset[str], benchmarks: Benchmarks
) -> dict[str, CountedCase]:
    """Return the cases, by name, whose instructions the *selected* claims ask for and that have no counts yet.

    A case that could not be counted before is tried again. Figures decide nothing, so theirs are not counted.
    """
    found: dict[str, CountedCase] = {}
    for each in series:
        described = {case.name: case for case in each.cases}
        asking = [claims[claim] for claim in each.claims if claim in selected and claims[claim].instructions]
        for claimed in (case for claim in asking for test in claim.tests for case in test.cases):
            case = find_case(benchmarks, claimed, each.given)
            if not isinstance(case, str) and _lacks_counts(described.get(case.name)):
                found[case.name] = counted_case(benchmarks[case.benchmark], case.params)
    return found


def add_counts(series: stored.ClaimSeries, counts: Mapping[str, InstructionCounts]) -> stored.ClaimSeries:
    """Return *series* with the *counts* of its cases, which are by name; other cases keep theirs."""
    limited = {name: replace(each, reason=each.reason.strip()[-stored.MAX_REASON :]) for name, each in counts.items()}
    cases = (replace(case, instructions=limited.get(case.name, case.instructions)) for case in series.cases)
    return replace(series, cases=tuple(cases))


def _lacks_counts(case: stored.CaseOfSeries | None) -> bool:
    if case is None or case.absence:
        return False
    return case.instructions is None or not (case.instructions.per_call or case.instructions.other_threads)
