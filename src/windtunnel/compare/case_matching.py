"""Match the cases of two suites: which can be compared, and which only one commit has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeGuard, TypeVar

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


Selected = Sequence[tuple[Benchmark, Selection]]
"""The benchmarks of a suite, each with its selected cases."""


Item = TypeVar("Item")

ByVersion = Mapping[str, tuple[str | None, Mapping[Parameters, Item]]]
"""What one commit has of each benchmark: its version, None if unknown, and one item for each case."""


def pair_up(
    base: ByVersion[Item], head: ByVersion[Item], environment: str, removed: str = ""
) -> tuple[list[tuple[CaseIdentity, Item, Item]], Missing]:
    """Pair the items of *base* and *head* by name and parameter values; *removed* is the reason if head lacks one."""
    pairs: list[tuple[CaseIdentity, Item, Item]] = []
    missing: Missing = {kind: [] for kind in MISSING_KINDS}
    for name in sorted({*base, *head}):
        version, before = base.get(name, (None, {}))
        other_version, after = head.get(name, (None, {}))
        if name not in base or name not in head or (None not in {version, other_version} and version != other_version):
            whole = CaseIdentity(benchmark=name, environment=environment)
            if name not in base:
                missing["added"].append(NotCompared.of(whole))
            elif name not in head:
                missing["removed"].append(NotCompared.of(whole, removed))
            else:
                missing["incomparable"].append(NotCompared.of(whole, VERSION_CHANGED))
            continue
        for params in {**after, **before}:
            case = CaseIdentity(benchmark=name, params=params, environment=environment)
            if params not in before:
                missing["added"].append(NotCompared.of(case))
            elif params not in after:
                missing["removed"].append(NotCompared.of(case, removed))
            else:
                pairs.append((case, before[params], after[params]))
    return pairs, missing


class Suites(Struct, frozen=True, kw_only=True):
    """Head's suite, which both commits run, and base's own suite, which shows what head changed."""

    base: Selected
    """Head's suite with base's project."""
    head: Selected
    """Head's suite with head's project."""
    own: Selected
    """Base's own suite with base's project."""
    base_problems: Mapping[str, str] = {}
    """Why modules of head's suite cannot be imported with base's project."""
    head_problems: Mapping[str, str] = {}
    """Why modules of head's suite cannot be imported with head's project."""
    own_problems: Mapping[str, str] = {}
    """Why modules of base's own suite cannot be imported."""


def match_cases(suites: Suites, environment: str, expectations: Sequence[Expectation]) -> ComparableCases:
    """Match the selected cases of *suites*; settings are those of head's suite."""
    base, head, own = map(_by_name, (suites.base, suites.head, suites.own))
    pairs, missing = pair_up(base, head, environment)
    changes = SuiteChanges(own=own, head=head, problems=suites.own_problems)
    benchmarks = {str(benchmark.name): benchmark for benchmark, _ in suites.head}
    rules = {name: with_own_threshold(benchmark, expectations) for name, benchmark in benchmarks.items()}
    cases = tuple(
        ComparableCase(
            case=case,
            base_index=None if before.index == case.index else before.index,
            samples=replace(
                without_samples(one, benchmarks[one.benchmark], rules[one.benchmark]), suite_change=changes.of(one)
            ),
        )
        for one, before, case in pairs
    )
    only_head, missing["added"] = missing["added"], []
    for one in only_head:
        reason = error_line(_problem(one.benchmark, suites.base_problems) or ONLY_HEAD)
        kind, entry = not_on_base(one, changes.of(one), reason)
        missing[kind].append(entry)
    removed = [*missing["removed"], *pair_up(own, head, environment)[1]["removed"]]
    missing["removed"] = [one for one in dict.fromkeys(removed) if not _problem(one.benchmark, suites.head_problems)]
    for module, reason in suites.head_problems.items():
        known = module in suites.base_problems and (module in suites.own_problems or changes.has_module(module))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteChanges:
    """What head's suite changed in base's own suite."""

    own: ByVersion[Case]
    head: ByVersion[Case]
    problems: Mapping[str, str]
    """Why modules of base's own suite cannot be imported; nothing is known of their benchmarks."""

    def of(self, one: CaseIdentity) -> SuiteChange:
        """Return the change of a case of head's suite."""
        if one.benchmark not in self.own:
            return "" if _problem(one.benchmark, self.problems) else "new"
        (version, before), (other_version, after) = self.own[one.benchmark], self.head[one.benchmark]
        if one.params in after and one.params not in before:
            return "new"
        return "" if version == other_version else "changed"

    def has_module(self, module: str) -> bool:
        """Return whether base's own suite has benchmarks in *module*."""
        return any(_problem(name, {module: module}) for name in self.own)


def _problem(benchmark: str, problems: Mapping[str, str]) -> str:
    """Return why the module of *benchmark* or a package around it cannot be imported; empty if it can."""
    parts = benchmark.split(".")
    modules = (".".join(parts[:count]) for count in range(len(parts)))
    return next((problems[module] for module in modules if module in problems), "")


def without_samples(
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


def _by_name(selected: Selected) -> ByVersion[Case]:
    """Return each benchmark's version and its selected cases by their parameter values."""
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
