"""The files that every page begins with: the site, and the lists of its commits and benchmarks.

Commits, targets and benchmarks are referred to by index: a commit among all commits, oldest first; a target in
site.json; a benchmark in data/benchmarks.json.gz.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from windtunnel.detect.alert_format import AlertState
from windtunnel.detect.format import Direction
from windtunnel.model.settings import BoardSettings
from windtunnel.publish.format.changes import ChartData
from windtunnel.publish.format.error_rates import ErrorRatesData

Index = Annotated[int, Meta(ge=0)]
Limits = tuple[float, float]
"""The lower and the upper limit of an interval."""


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """The measured project."""

    name: str
    """The project's name."""
    url: str | None
    """Its web address."""


class CommitSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A commit with results."""

    hash: str
    """The full hash."""
    subject: str | None
    """The first line of the message; null where the publishing clone does not have the commit."""
    date: int | None
    """The author's date, in seconds since 1970; null where the publishing clone does not have the commit."""
    url: str | None
    """The commit's web address."""


class SiteTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A target, an environment on a machine, and the results of the newest commit measured there."""

    name: str
    """A name that no other target of the file has."""
    python: str
    """The Python, as asv names it."""
    machine: str
    """The machine's name."""
    environment: str
    """The environment's name."""
    commit: Index
    """The newest commit measured there."""
    measured: Index
    """The number of its cases with a value."""
    failed: Index
    """The number of its cases that failed."""
    runs: Index
    """The number of commits measured there."""


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """A tag on a commit with results."""

    name: str
    """The tag."""
    commit: Index
    """The commit."""


class SiteBranch(msgspec.Struct, frozen=True, kw_only=True):
    """A branch with results. A commit on several branches belongs to the first of them alone."""

    name: str
    """The name, with unprintable characters escaped, at most 160 characters."""
    commits: Index
    """The number of its commits with results."""
    newest: Index
    """The newest of them."""


class MachineData(msgspec.Struct, frozen=True, kw_only=True):
    """A machine as its machine.json describes it."""

    name: str
    """The machine's name."""
    details: tuple[tuple[str, str], ...]
    """Pairs of a field's name and its value."""


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the measurements."""

    series: Index
    """The number of series."""
    stale: Index
    """The number of benchmarks that newer commits at their target did not measure."""
    newest: int | None
    """When the newest result was measured, in seconds since 1970; without that, the date of the newest commit."""
    untried: Index = 0
    """The number of benchmarks of the suite without any result."""
    open_regressions: Index = 0
    """The number of events in changes.json with a regression whose new level is still the current one."""


class AlertSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an alert, in short."""

    id: str
    """The alert's id."""
    state: AlertState
    """Its state."""
    author: str
    """Who set the state; empty if no person did."""
    reason: str
    """Why."""
    since: str
    """When, in UTC (ISO 8601)."""


class RecentChange(msgspec.Struct, frozen=True, kw_only=True):
    """An event of changes.json, represented by its largest open regression, else by its largest member."""

    event: str
    """The event's id."""
    commit: str
    """The hash of the first commit of the new level."""
    subject: str | None
    """The first line of its message."""
    date: str
    """Its date, ISO 8601 in UTC."""
    benchmark: str
    """The benchmark of the member that represents it."""
    params: tuple[str, ...]
    """Its parameter values."""
    param_names: tuple[str, ...] = ()
    """The names of the parameters; empty where the suite no longer has the benchmark."""
    target: Index | None
    """Its target."""
    unit: str
    """The unit of its values."""
    before: float
    """Its level before the change."""
    after: float
    """Its level after the change."""
    members: Index
    """The number of changes in the event."""
    regressed: Index
    """The number of them that are regressions."""
    open: Index = 0
    """The number of them that are regressions whose new level is still the current one."""
    relative_change: float | None
    """The relative change of that member."""
    interval: Limits | None
    """The 95 % interval of the relative change."""
    direction: Direction
    """Whether that member is worse or better."""
    status: str
    """Whether the new level is the current one, as in changes.json."""
    chart: ChartData | None
    """The values around the change; null where changes.json has none."""
    alert: AlertSummary | None = None
    """The alert about it; null without one."""


class MapRow(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark of the map."""

    benchmark: str
    """Its name."""
    more_is_worse: bool
    """Whether a larger value is worse."""
    cells: tuple[float | None, ...]
    """For each commit the median of its cases, divided by the level before; null where it was not measured."""


class ChangeMap(msgspec.Struct, frozen=True, kw_only=True):
    """The newest commits, of benchmarks that changed there; what moved all times of a run alike is taken out."""

    first: Index
    """The oldest of its commits; the others follow it."""
    hashes: tuple[str, ...]
    """The first 8 digits of the commits."""
    dates: tuple[int, ...]
    """Their dates, in seconds since 1970."""
    rows: tuple[MapRow, ...]
    """The benchmarks, the newest change first."""


class TargetFactors(msgspec.Struct, frozen=True, kw_only=True):
    """What moved all times of the runs at a target alike."""

    target: Index
    """The target."""
    commits: tuple[int, ...]
    """The index of the first commit, then the differences between neighbours."""
    factors: tuple[int, ...]
    """The factor of each run in ten-thousandths; dividing a time by it takes the machine out."""


class FactorsData(msgspec.Struct, frozen=True, kw_only=True):
    """data/factors.json.gz: what moved all times of a run alike."""

    schema: Literal["windtunnel.factors/1"]
    """The format of the file."""
    targets: tuple[TargetFactors, ...]
    """The targets with such runs."""


class DataFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The paths of the other files, from the top of the site; null where a file was not published."""

    commits: tuple[str, ...]
    """The lists of commits."""
    benchmarks: str
    """The list of benchmarks."""
    runs: str
    """The list of runs."""
    changes: str | None
    """What the page of changes begins with."""
    benchmark_changes: tuple[tuple[Index, str], ...] = ()
    """The files with the changes and alerts of benchmarks: the index of the first one of each, up to the next file."""
    claims: str | None
    """The claims that were decided."""
    published_claims: str | None = None
    """Those that were decided elsewhere and are stored in the repository."""
    alerts: str | None
    """The alerts with their states."""
    marks: str | None = None
    """What else changed at commits: machines, Pythons, packages, versions of benchmarks."""
    factors: str | None = None
    """What moved all times of a run alike; null where nothing did."""
    charts: str | None = None
    """The folder of the charts of events: X.json.gz has those whose id begins with the digit X."""
    years: str | None = None
    """How values moved with the releases of libraries."""


class SiteData(msgspec.Struct, frozen=True, kw_only=True):
    """site.json: what every page needs first."""

    schema: Literal["windtunnel.site/1"]
    """The format of the file."""
    project: Project
    """The measured project."""
    commit_url: str | None
    """The prefix of a commit's web address, before its hash."""
    confidence: float
    """The confidence of the intervals in histories."""
    commits: Index
    """The number of commits with results."""
    benchmarks: Index
    """The number of benchmarks."""
    scenarios: Index
    """The number of scenarios in overview.json."""
    board: BoardSettings | None
    """The parameters of scenarios; null where the project configures none."""
    newest: CommitSummary | None
    """The newest commit with results."""
    targets: tuple[SiteTarget, ...]
    """Every target with results."""
    dates: tuple[int | None, ...]
    """The date of every 64th commit, the first one included: for axes on which not all commits are loaded."""
    branches: tuple[SiteBranch, ...] = ()
    """The branches that are shown, in the order of the configuration; empty where no repository is known."""
    releases: tuple[Release, ...]
    """The tags, oldest first."""
    machines: tuple[MachineData, ...]
    """The machines."""
    health: Health
    """The state of the measurements."""
    error_rates: ErrorRatesData | None = None
    """How often verdicts were wrong where the truth is known; null where nothing was collected."""
    recent: tuple[RecentChange, ...]
    """The newest changes, and the newest with open regressions, newest first."""
    faster: tuple[RecentChange, ...] = ()
    """The newest improvements that hold, newest first; each represents its event."""
    changes: Index = 0
    """The number of events in changes.json."""
    map: ChangeMap | None = None
    """The newest commits of benchmarks that changed there; null where nothing did."""
    claims: Any = None
    """The claims in short, a ClaimSummary of windtunnel-claims; null where none were decided."""
    files: DataFiles
    """Where the other files are."""
    notes: tuple[str, ...]
    """Sentences about data that was left out."""


class CommitsData(msgspec.Struct, frozen=True, kw_only=True):
    """data/commits/N.json.gz: commits with results, oldest first, in columns."""

    schema: Literal["windtunnel.commits/1"]
    """The format of the file."""
    first: Index
    """The index of the first commit of this file."""
    hash: tuple[str, ...]
    """The full hashes."""
    subject: tuple[str | None, ...]
    """The first lines of the messages; null where the publishing clone does not have the commit."""
    author: tuple[str | None, ...]
    """The authors' names; null where the publishing clone does not have the commit."""
    date: tuple[int | None, ...]
    """The authors' dates, in seconds since 1970; null where the publishing clone does not have the commit."""
    revision: tuple[int | None, ...]
    """The positions along the branch; null for commits on no branch that is shown."""
    branch: tuple[Index | None, ...] = ()
    """Indices into the branches of site.json; null for commits on none of them; empty for a site without branches."""


class BenchmarksData(msgspec.Struct, frozen=True, kw_only=True):
    """data/benchmarks.json.gz: all benchmarks by name, in columns. One case at one target represents each."""

    schema: Literal["windtunnel.benchmarks/1"]
    """The format of the file."""
    units: tuple[str, ...]
    """The different units."""
    name: tuple[str, ...]
    """The full names."""
    file: tuple[str, ...]
    """The paths of the histories, from the top of the site."""
    unit: tuple[Index, ...]
    """Indices into *units*."""
    params: tuple[tuple[str, ...], ...]
    """The names of the parameters."""
    cases: tuple[Index, ...]
    """The numbers of cases."""
    measured: tuple[Index, ...]
    """The numbers of cases with a value when the benchmark was last run at the target."""
    target: tuple[Index, ...]
    """The targets of the representative cases."""
    target_sets: tuple[tuple[Index, ...], ...] = ()
    """The different sets of targets that benchmarks were measured at."""
    measured_at: tuple[Index, ...] = ()
    """Indices into *target_sets*."""
    case: tuple[tuple[str, ...], ...]
    """The parameter values of the representative cases."""
    last: tuple[float | None, ...]
    """The newest values."""
    low: tuple[float | None, ...]
    """The lower limits of the newest values."""
    high: tuple[float | None, ...]
    """The upper limits of the newest values."""
    trend: tuple[float | None, ...]
    """The relative changes over the sparklines, without what moved all times of a run alike; 0 within the noise."""
    spark: tuple[str, ...]
    """Sparklines: a character for each commit, 0-9a-z from the lowest to the highest value; a dot is a gap."""
    stale: tuple[Index, ...]
    """The numbers of commits measured at the target since the benchmark was last run there."""
