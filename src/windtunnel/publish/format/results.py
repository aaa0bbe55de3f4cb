"""Histories of benchmarks, and scenarios: one job done in several ways, with the newest figures of each."""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from windtunnel.formats import Format
from windtunnel.publish.format import changes, site
from windtunnel.publish.format.site import CommitSummary, Index, Limits, Project


class OverviewTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A target and the newest commit measured there."""

    name: str
    """A name that no other target of the file has."""
    python: str
    """The Python, as asv names it."""
    machine: str
    """The machine's name."""
    commit: Index
    """Index into *commits* of the file."""


class MeasuredResult(msgspec.Struct, frozen=True, kw_only=True):
    """A value: the median, in the benchmark's unit."""

    value: float
    """The median."""
    interval: Limits | None
    """Its interval; null where there are too few samples for one."""
    samples: Index | None
    """The number of samples; null where it was not recorded."""


NoValue = Literal["failed", "skipped", "missing", "infinite"]
"""Why a case has no value: an error or a failed build, a skip of the suite, no run that has it, no finite number."""
ResultData = MeasuredResult | NoValue


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """The median divided by that of the reference."""

    value: float
    """The ratio."""
    interval: Limits | None
    """Its interval; null where one of the two has none."""


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """How the samples of a case are distributed."""

    quantiles: tuple[float | None, ...]
    """At the *levels* of the file, in the benchmark's unit; null where unknown."""
    processes: Index | None
    """The number of processes that took the samples; null where it was not recorded."""


class LoadName(msgspec.Struct, frozen=True, kw_only=True):
    """A load, one size of the job."""

    name: str
    """The name for readers."""
    parameter: str
    """The parameter value, as asv writes it."""


class ScenarioCase(msgspec.Struct, frozen=True, kw_only=True):
    """The newest result of one variant at one load and target."""

    target: Index
    """Index into *targets* of the file."""
    commit: Index
    """Index into *commits* of the file."""
    load: Index
    """Index into the scenario's *loads*."""
    variant: Index
    """Index into the scenario's *variants*."""
    result: ResultData
    """The newest result, or why there is no value."""
    ratio: Ratio | None
    """The ratio to the reference; null for the reference itself, and where one of the two has no value."""
    distribution: Distribution | None
    """How the samples are distributed; null where neither samples nor quartiles were recorded."""
    profiles: tuple[tuple[float, ...], ...]
    """Of the kind *profile*: the values of each process at equal intervals of time. Empty for other kinds."""


class Fastest(msgspec.Struct, frozen=True, kw_only=True):
    """The variant with the smallest median, and those whose intervals overlap its own."""

    target: Index
    """Index into *targets* of the file."""
    load: Index
    """Index into the scenario's *loads*."""
    variants: tuple[Index, ...]
    """Indices into the scenario's *variants*."""


class ScenarioData(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark whose variants are shown side by side."""

    name: str
    """A short name that no other scenario of the file has."""
    benchmark: str
    """The benchmark's full name."""
    group: str
    """The benchmark's module: benchmarks of one group measure the same job."""
    kind: str
    """asv's type: time, latency, peakmemory, profile, track and others."""
    unit: str
    """The unit of the values."""
    variant_parameter: str
    """The name of the parameter whose values are the variants."""
    load_parameter: str | None
    """The name of the parameter whose values are the loads; null where there is none."""
    reference: Index
    """Index into *variants*."""
    variants: tuple[str, ...]
    """The names of the variants."""
    loads: tuple[LoadName, ...]
    """The loads."""
    cases: tuple[ScenarioCase, ...]
    """The newest result of each variant, load and target."""
    fastest: tuple[Fastest, ...]
    """The fastest variants at each target and load."""


class OverviewData(msgspec.Struct, frozen=True, kw_only=True):
    """overview.json: the scenarios. Values are in base units: seconds, bytes, or the benchmark's own unit."""

    format: Literal["windtunnel/overview"]
    """The format of the file."""
    version: Literal[1]
    """The version of the format."""
    project: Project
    """The measured project."""
    confidence: float
    """The least confidence of every interval."""
    levels: tuple[Annotated[float, Meta(ge=0, le=1)], ...]
    """The levels of quantiles: the share of samples at or below each."""
    commits: tuple[CommitSummary, ...]
    """The commits that a figure comes from, newest first."""
    targets: tuple[OverviewTarget, ...]
    """The targets that a figure comes from."""
    scenarios: tuple[ScenarioData, ...]
    """The scenarios."""


class SeriesColumns(msgspec.Struct, frozen=True, kw_only=True):
    """One case over commits, in columns. A value is its steps / 10 ** digits, in the benchmark's unit."""

    params: tuple[str, ...]
    """The parameter values of the case."""
    digits: int
    """The decimal places that are kept; negative for tens, hundreds and so on."""
    commits: tuple[int, ...]
    """The index of the first commit, then the differences between neighbours."""
    values: tuple[int | None, ...]
    """The first value in steps, then the differences between neighbours; null is a gap, which differences skip."""
    below: tuple[int | None, ...]
    """The steps from each value down to the lower limit of its interval; null where the interval is unknown."""
    above: tuple[int | None, ...]
    """The steps from each value up to the upper limit of its interval; null where the interval is unknown."""


class SeriesData(SeriesColumns, frozen=True, kw_only=True):
    """One case at one target."""

    target: Index
    """The target."""


class BenchmarkData(msgspec.Struct, frozen=True, kw_only=True):
    """data/benchmarks/NAME.json.gz: one benchmark, every case at every target, of the present version."""

    schema: Literal["windtunnel.benchmark/2"]
    """The format of the file."""
    name: str
    """The full name."""
    unit: str
    """The unit of the values."""
    kind: str
    """asv's type of the benchmark."""
    version: str | None
    """The present version."""
    params: tuple[str, ...]
    """The names of the parameters."""
    code: str
    """The source code."""
    confidence: float
    """The confidence of the intervals."""
    exact_from: Index
    """From this commit on each value has a point. An older point is the median of several commits, at the newest of
    them, and its limits enclose their values and intervals; the values are in the files of runs."""
    commits_per_point: Index
    """How many neighbouring commits share an older point."""
    changed: dict[str, Index]
    """The commits at which the level changed, by hash."""
    series: tuple[SeriesData, ...]
    """The series, in the suite's order of parameters."""


class BlockSeries(SeriesColumns, frozen=True, kw_only=True):
    """A series of one of many benchmarks."""

    benchmark: Index
    """An index into *benchmarks* of the file."""


class RunBlock(msgspec.Struct, frozen=True, kw_only=True):
    """data/runs/TARGET-N/BLOCK-PART.json.gz: one target on 64 neighbouring commits of a branch, or a part of it.

    A benchmark is in one part of a block. Commits are counted from the first of the block.
    """

    schema: Literal["windtunnel.runs-block/3"]
    """The format of the file."""
    machine: str
    """The machine's name."""
    environment: str
    """The environment's name."""
    benchmarks: tuple[str, ...]
    """The names of the benchmarks."""
    series: tuple[BlockSeries, ...]
    """The series of all benchmarks."""


class BlockRuns(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a block: one target on 64 neighbouring commits of a branch."""

    target: Index
    """The target."""
    block: Index
    """Index into *starts* of the file."""
    commits: tuple[int, ...]
    """The commits with values: the index of the first, then the differences between neighbours."""
    files: tuple[str, ...]
    """The paths of the files with the values, from the top of the site."""
    first: tuple[Index, ...]
    """The first benchmark of each file; a file has the benchmarks up to the first one of the next."""


class RunsData(msgspec.Struct, frozen=True, kw_only=True):
    """data/runs.json.gz: which commits were measured at which target."""

    schema: Literal["windtunnel.runs/3"]
    """The format of the file."""
    starts: tuple[int, ...]
    """The first commit of each block, the oldest first: an index, then the differences between neighbours."""
    blocks: tuple[BlockRuns, ...]
    """The blocks, newest first."""


class StepCause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A release that moved a case, or may have."""

    library: str
    """The package."""
    version: str
    """Its release."""
    text: str
    """What its notes say, or what was found."""
    link: str = ""
    """Where that stands."""
    alone: float | None = None
    """The relative change with this package alone at its new version; null where that was not measured."""


class YearsStep(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a case between two dates on which it was measured, one after the other."""

    job: str
    """The id of the job."""
    case: str
    """The case of the job."""
    since: str
    """The earlier date."""
    date: str
    """The later one."""
    before: float
    """The earlier value."""
    after: float
    """The later one."""
    null: str = ""
    """A case on which no release can act, measured on both dates; empty where there is none."""
    null_change: float | None = None
    """Its relative change."""
    causes: tuple[StepCause, ...] = ()
    """What explains it, the most likely first."""


class YearsJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job, done with several libraries."""

    id: str
    """Its name in addresses."""
    title: str
    """Its name for readers."""
    each: str
    """What the values are for: a request."""
    cases: Annotated[dict[str, tuple[float | None, ...]], Meta(min_length=1)]
    """A value for each date, null where it was not measured."""
    pythons: dict[str, Annotated[dict[str, tuple[float | None, ...]], Meta(min_length=1)]] = {}
    """The cases on other Pythons, by the Python's version."""


class YearsData(msgspec.Struct, frozen=True, kw_only=True):
    """data/years.json.gz: how values moved with the releases of libraries."""

    schema: Literal["windtunnel.years/1"]
    """The format of the file."""
    python: str
    """The Python of the cases of all jobs, and of the steps."""
    unit: str
    """The unit of all values."""
    about: str
    """What was measured, and what was not."""
    command: str
    """Repeats a step: {since}, {until}, {months}, {job} and {case} stand for its own."""
    dates: tuple[str, ...]
    """The dates of the locks, the oldest first."""
    jobs: Annotated[tuple[YearsJob, ...], Meta(min_length=1)]
    """The jobs, the first one is shown first."""
    steps: tuple[YearsStep, ...]
    """The steps, the largest first."""
    packages: dict[str, tuple[str | None, ...]]
    """The version of each package in the lock of each date; null where the lock does not have it."""


def _wrong_dates(years: YearsData) -> Iterator[str]:
    tables = [(job.id, cases) for job in years.jobs for cases in (job.cases, *job.pythons.values())]
    columns = [(f"{job} {case}", values) for job, cases in tables for case, values in cases.items()]
    for name, values in (*columns, *years.packages.items()):
        if len(values) != len(years.dates) or not any(values):
            yield f"{name} needs a value for each of the {len(years.dates)} dates, one of them not null"
    for step in years.steps:
        if not {step.since, step.date} <= set(years.dates):
            yield f"the step of {step.job} {step.case} from {step.since} to {step.date} is not between two of the dates"


YEARS_FORMAT = Format(
    name="years.json",
    type=YearsData,
    schema="windtunnel.years/1",
    remedy="write it again with studies.years",
    check=_wrong_dates,
    indented=False,
)

FILES = (
    site.SiteData,
    site.CommitsData,
    site.BenchmarksData,
    BenchmarkData,
    RunsData,
    RunBlock,
    changes.ChangesData,
    changes.EventsData,
    changes.EventMembers,
    changes.ChangesOfBenchmarks,
    changes.AlertsData,
    changes.EventCharts,
    changes.MarksData,
    site.FactorsData,
    OverviewData,
    YearsData,
)
"""The types of the files; the field *schema* of a file says which it is."""
