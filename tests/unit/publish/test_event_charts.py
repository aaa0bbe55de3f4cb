"""The charts of events on the site, and the marks of what else changed there."""

from builders.observations import a_change, a_shift
from builders.observations import changes as detected
from builders.records import a_build, a_record, a_task
from builders.trees import a_hash
from msgspec.structs import replace

from windtunnel.detect.format import ChartLevel, EventChart, VersionStart
from windtunnel.model.target import Target
from windtunnel.publish.change_files import chart_files, event_charts, run_marks
from windtunnel.publish.format.changes import RunMark
from windtunnel.publish.format.site import Release
from windtunnel.publish.site_index import SiteCommit

DESK = Target(name="3.12", python="3.12", machine="desk", environment="virtualenv-py3.12")
LAP = Target(name="3.12, lap", python="3.12", machine="lap", environment="conda-py3.12")
COMMITS = [SiteCommit(hash=a_hash(at), commit=None, date=1e9 + at, revision=at) for at in range(60)]
CHARTED = [SiteCommit(hash=f"{at:012x}{'0' * 28}", commit=None, date=1e9 + at, revision=at) for at in range(60)]
"""Commits that differ in their first digits."""


def with_chart(change, positions, **given):
    """The content of changes.json with *change*, whose event has a chart of the commits at *positions*."""
    found = detected(change, **given)
    (event,) = found.events
    chart = EventChart(
        change=change.id,
        commits=tuple(f"{at:012x}" for at in positions),
        values=(1.0,) * len(positions),
        levels=(ChartLevel(start=0, value=1.0),),
        change_index=1,
    )
    return replace(found, events=(replace(event, id="ab12", charts=(chart,)),))


def charts_of(found, *, releases=(), marks=()):
    return event_charts(found, CHARTED, [DESK, LAP], releases, marks)


def marks_of(found, *records):
    return [
        (each.kind, each.commit, each.label, each.targets)
        for each in run_marks(found, records, COMMITS, [DESK, LAP], "spam")
    ]


def test_marks_of_a_chart_are_at_the_first_run_that_has_them():
    """Those outside, of other targets and of other benchmarks are left out; so is what is old with the first run."""
    marks = (
        RunMark(commit=41, kind="package", label="numpy", targets=(0,)),
        RunMark(commit=41, kind="machine", label="other target", targets=(1,)),
        RunMark(commit=41, kind="version", label="other benchmark", benchmark="m.other"),
        RunMark(commit=30, kind="python", label="before all runs", targets=(0,)),
    )
    releases = [Release(name="v1", commit=44), Release(name="v2", commit=50)]
    (chart,) = charts_of(with_chart(a_change(at=40), (38, 40, 42, 44)), releases=releases, marks=marks)["ab12"]
    assert [(each.at, each.label) for each in chart.marks] == [(2, "numpy"), (3, "v1")]
    assert (chart.commits, chart.dates) == ((38, 40, 42, 44), (1_000_000_038, 1_000_000_044))


def test_a_chart_of_unknown_commits_is_left_out():
    """The results may have lost them since detection."""
    assert charts_of(with_chart(a_change(at=40), (38, 99))) == {"ab12": ()}


def test_charts_are_found_by_the_id_of_their_event():
    """A file for each first digit."""
    ((path, file),) = chart_files(charts_of(with_chart(a_change(at=40), (38, 40))))
    assert (path, list(file.events)) == ("data/charts/a.json.gz", ["ab12"])


def test_packages_and_pythons_are_compared_from_run_to_run():
    """In one environment; a run without a record changes nothing, and neither does the project's own version."""
    old = a_build(packages=("attrs==1", "numpy==1.0", "pip==20", "Spam==1"))
    new = a_build(version="3.12.2", packages=("numpy==2.0", "pip==20", "Spam==2", "six==1"))
    tasks = [replace(a_task(commit=at), build=build) for at, build in ((3, old), (5, None), (7, old), (9, new))]
    assert marks_of(detected(), a_record(*tasks)) == [
        ("python", 9, "Python 3.12.1 → 3.12.2", (0,)),
        ("package", 9, "attrs 1 was removed, numpy 1.0 → 2.0, six 1 was added", (0,)),
    ]


def test_a_mark_names_four_packages():
    """And how many more moved."""
    builds = [a_build(packages=tuple(f"p{number}=={version}" for number in range(9))) for version in (1, 2)]
    tasks = [replace(a_task(commit=at), build=build) for at, build in enumerate(builds)]
    ((_, _, label, _),) = marks_of(detected(), a_record(*tasks))
    assert label.endswith("p3 1 → 2 and 5 more")


def test_machine_shifts_and_new_versions_are_marked():
    """A shift at the targets of its machine, a version at those of all."""
    found = replace(detected(shifts=(a_shift(at=20),)), versions=(VersionStart(benchmark="m.a", commit=a_hash(10)),))
    assert marks_of(found) == [
        ("version", 10, "new version of the benchmark", ()),
        ("machine", 20, "all times on desk by +10 %", (0,)),
    ]
