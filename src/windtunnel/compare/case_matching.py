"""Match the cases of two suites: which can be compared, and which only one commit has."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from windtunnel.compare.format import MISSING_KINDS, MissingKind, NotCompared
from windtunnel.compare.samples_format import PairedSamples, SuiteChange
from windtunnel.model.benchmark import Benchmark, Case, CaseIdentity, Selection, unit_better
from windtunnel.model.identity import Parameters
from windtunnel.model.run_format import error_line
from windtunnel.model.schedule import COMPARED_COMMITS, ComparedCommit
from windtunnel.model.settings import Dependency, Expectation, case_expectation, find_unaffected

OWN_THRESHOLD = "windtunnel_threshold"
"""The attribute of a benchmark that sets its own threshold."""

MAX_QUOTE = 80
"""Characters of an invalid threshold that a note quotes."""

VERSION_CHANGED = "its version differs between the commits, so they run different code"
ONLY_HEAD = "the suite has it with head's project only"
NEW_NOT_ON_BASE = "new, not measurable on base"
CHANGED_NOT_ON_BASE = "changed, not measurable on base"
CANNOT_BE_IMPORTED = "the module cannot be imported"

Missing = dict[MissingKind, list[NotCompared]]
"""The cases without a verdict, by the reason."""


class ComparableCase(Struct, frozen=True, kw_only=True):
    """A case that both commits have."""

    case: Case
    """Its place in head's suite."""
    base_index: int | None = None
    """Its place with base's project, from which a suite may compute its parameters; None if it is the same."""
    samples: PairedSamples
    """Its settings, without any samples."""


class ComparableCases(Struct, frozen=True, kw_only=True):
    """The result of matching two suites."""

    cases: tuple[ComparableCase, ...]
    missing: Missing
    notes: tuple[str, ...] = ()
    """Notes for the report about settings that do not apply."""


ByVersion = Mapping[str, tuple[str | None, Mapping[Parameters, Case]]]
"""What one commit has of each benchmark: its version, None if unknown, and its selected cases."""


def _pair_up(
    base: ByVersion, head: ByVersion, environment: str
) -> tuple[list[tuple[CaseIdentity, Case, Case]], Missing]:
    """Pair the cases of *base* and *head* by name and parameter values."""
    pairs: list[tuple[CaseIdentity, Case, Case]] = []
    missing: Missing = {kind: [] for kind in MISSING_KINDS}
    for name in sorted({*base, *head}):
        version, before = base.get(name, (None, {}))
        other_version, after = head.get(name, (None, {}))
        whole = CaseIdentity(benchmark=name, environment=environment)
        if name not in base:
            missing["added"].append(NotCompared.of(whole))
        elif name not in head:
            missing["removed"].append(NotCompared.of(whole))
        elif None not in {version, other_version} and version != other_version:
            missing["incomparable"].append(NotCompared.of(whole, VERSION_CHANGED))
        else:
            for params in {**after, **before}:
                case = CaseIdentity(benchmark=name, params=params, environment=environment)
                if params not in before:
                    missing["added"].append(NotCompared.of(case))
                elif params not in after:
                    missing["removed"].append(NotCompared.of(case))
                else:
                    pairs.append((case, before[params], after[params]))
    return pairs, missing


class Suite(Struct, frozen=True):
    """A suite with the project of one commit."""

    selected: Sequence[tuple[Benchmark, Selection]]
    """Its benchmarks, each with its selected cases."""
    problems: Mapping[str, str] = {}
    """Why modules cannot be imported."""


def match_cases(
    base: Suite, head: Suite, own: Suite, environment: str, expectations: Sequence[Expectation]
) -> ComparableCases:
    """Match the selected cases of head's suite, which *base* and *head* run; it has the settings.

    *own* is base's own suite with base's project, which shows what head changed.
    """
    on_base, on_head, before_head = map(_by_name, (base.selected, head.selected, own.selected))
    pairs, missing = _pair_up(on_base, on_head, environment)

    def change_of(one: CaseIdentity) -> SuiteChange:
        return _suite_change(one, before_head, on_head, own.problems)

    benchmarks = {str(benchmark.name): benchmark for benchmark, _ in head.selected}
    rules = {name: with_own_threshold(benchmark, expectations) for name, benchmark in benchmarks.items()}
    cases = tuple(
        ComparableCase(
            case=case,
            base_index=None if before.index == case.index else before.index,
            samples=replace(
                _without_samples(one, benchmarks[one.benchmark], rules[one.benchmark]), suite_change=change_of(one)
            ),
        )
        for one, before, case in pairs
    )
    only_head, missing["added"] = missing["added"], []
    for one in only_head:
        reason = error_line(_problem(one.benchmark, base.problems) or ONLY_HEAD)
        kind, entry = not_on_base(one, change_of(one), reason)
        missing[kind].append(entry)
    removed = [*missing["removed"], *_pair_up(before_head, on_head, environment)[1]["removed"]]
    missing["removed"] = [one for one in dict.fromkeys(removed) if not _problem(one.benchmark, head.problems)]
    for module, reason in head.problems.items():
        on_own = module in own.problems or any(_problem(name, {module: module}) for name in before_head)
        known = module in base.problems and on_own
        on: tuple[ComparedCommit, ...] = COMPARED_COMMITS if known else ("head",)
        whole = CaseIdentity(benchmark=module, environment=environment)
        missing["failed"].append(NotCompared.of(whole, f"{CANNOT_BE_IMPORTED}: {error_line(reason)}", on))
    compared = dict.fromkeys(one.samples.benchmark for one in cases)
    notes = _threshold_notes(benchmarks[name] for name in compared)
    return ComparableCases(cases=cases, missing=missing, notes=notes)


def without_unaffected(
    comparable: ComparableCases, changed: Sequence[str], dependencies: Sequence[Dependency]
) -> ComparableCases:
    """Return *comparable* without the cases that the *changed* files cannot affect; the reasons are listed.

    A case that head's suite adds or changes stays.
    """
    known = (one.case.name for one in comparable.cases if not one.samples.suite_change)
    reasons = find_unaffected(known, changed, dependencies)
    left_out = [
        NotCompared.of(one.samples, reasons[one.case.name]) for one in comparable.cases if one.case.name in reasons
    ]
    return replace(
        comparable,
        cases=tuple(one for one in comparable.cases if one.case.name not in reasons),
        missing={**comparable.missing, "unaffected": left_out},
    )


def not_on_base(case: CaseIdentity, change: SuiteChange, reason: str) -> tuple[MissingKind, NotCompared]:
    """Return the entry of a *case* without a value on base only: a failure unless head's suite adds or changes it."""
    match change:
        case "new":
            return "added", NotCompared.of(case, f"{NEW_NOT_ON_BASE}: {reason}")
        case "changed":
            return "incomparable", NotCompared.of(case, f"{CHANGED_NOT_ON_BASE}: {reason}")
        case "":
            return "failed", NotCompared.of(case, reason, ("base",))


def _suite_change(one: CaseIdentity, own: ByVersion, head: ByVersion, problems: Mapping[str, str]) -> SuiteChange:
    """Return how head's suite changed *one* of its cases; nothing is known where base's *own* has *problems*."""
    if one.benchmark not in own:
        return "" if _problem(one.benchmark, problems) else "new"
    (version, before), (other_version, after) = own[one.benchmark], head[one.benchmark]
    if one.params in after and one.params not in before:
        return "new"
    return "" if version == other_version else "changed"


def _problem(benchmark: str, problems: Mapping[str, str]) -> str:
    """Return why the module of *benchmark* or a package around it cannot be imported; empty if it can."""
    parts = benchmark.split(".")
    modules = (".".join(parts[:count]) for count in range(len(parts)))
    return next((problems[module] for module in modules if module in problems), "")


def _without_samples(
    case: CaseIdentity, benchmark: Benchmark | None, expectations: Sequence[Expectation]
) -> PairedSamples:
    """Return the settings of *case*; the first of *expectations* that sets one applies."""
    usual = Expectation(match="", better=unit_better(benchmark))
    wanted = case_expectation(case, (*expectations, usual))
    timed = benchmark is None or benchmark.kind == "time" or benchmark.unit == "seconds"
    return PairedSamples(
        benchmark=case.benchmark,
        params=case.params,
        environment=case.environment,
        unit=(benchmark and benchmark.unit) or ("seconds" if timed else "unit"),
        kind="time" if timed else "other",
        better=wanted.better,
        threshold=wanted.threshold,
        instructions_threshold=wanted.instructions_threshold if timed else 0.0,
    )


def _by_name(selected: Sequence[tuple[Benchmark, Selection]]) -> ByVersion:
    found = {}
    for benchmark, selection in selected:
        combinations = tuple(product(*benchmark.params))
        cases = {combinations[case.index]: case for case in selection.cases}
        found[str(benchmark.name)] = benchmark.version, cases
    return found


def with_own_threshold(benchmark: Benchmark, expectations: Sequence[Expectation]) -> tuple[Expectation, ...]:
    """Insert the benchmark's own threshold: after the project's rules for names, before its rule for all cases."""
    own = benchmark.attribute(OWN_THRESHOLD)
    if not _is_threshold(own):
        return tuple(expectations)
    named = [one for one in expectations if one.match]
    usual = [one for one in expectations if not one.match]
    return (*named, Expectation(match="", threshold=own), *usual)


def _is_threshold(own: object) -> TypeGuard[float]:
    return isinstance(own, int | float) and not isinstance(own, bool) and 0 < own < float("inf")


def _threshold_notes(benchmarks: Iterable[Benchmark]) -> tuple[str, ...]:
    """Return a note for each of *benchmarks* whose own threshold is invalid."""
    own: Mapping[str, object] = {benchmark.name: benchmark.attribute(OWN_THRESHOLD) for benchmark in benchmarks}
    return tuple(
        f"{name}: its {OWN_THRESHOLD} is ignored, because {str(value)[:MAX_QUOTE]} is not a number above zero; "
        "write 0.1 for 10 %."
        for name, value in own.items()
        if value is not None and not _is_threshold(value)
    )
