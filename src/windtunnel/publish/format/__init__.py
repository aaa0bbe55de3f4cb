"""The data files of the site: a public contract, described in docs/explanation/site.md.

A change that breaks readers raises the number in the *schema* field of the file.
"""

from windtunnel.publish.format.changes import (
    AlertsData,
    ChangesData,
    ChangesOfBenchmarks,
    EventCharts,
    EventMembers,
    EventsData,
    MarksData,
)
from windtunnel.publish.format.results import BenchmarkData, OverviewData, RunBlock, RunsData
from windtunnel.publish.format.site import BenchmarksData, CommitsData, SiteData

FILES = (
    SiteData,
    CommitsData,
    BenchmarksData,
    BenchmarkData,
    RunsData,
    RunBlock,
    ChangesData,
    EventsData,
    EventMembers,
    ChangesOfBenchmarks,
    AlertsData,
    EventCharts,
    MarksData,
    OverviewData,
)
"""The types of the files; the field *schema* of a file says which it is."""
