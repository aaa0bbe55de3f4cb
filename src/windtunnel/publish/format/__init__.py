"""The files that pages draw, which are the contract with anyone who reads them (docs/site-data.md).

``docs/site-data.schema.json`` is made from these classes, and a test holds the front end's types against it. A change
that breaks readers raises the number in the file's ``schema``.
"""

from windtunnel.publish.format.front import SiteData
from windtunnel.publish.format.lists import BenchmarksData, CommitsData
from windtunnel.publish.format.scenarios import OverviewData
from windtunnel.publish.format.series import BenchmarkData, RunBlock, RunsData

FILES = (SiteData, CommitsData, BenchmarksData, BenchmarkData, RunsData, RunBlock, OverviewData)
"""What a file may hold; its field *schema* says which."""
