"""The files that pages draw, which are the contract with anyone who reads them (docs/site-data.md).

``docs/site-data.schema.json`` is made from these classes, and a test holds the front end's types against it. A change
that breaks readers raises the number in the file's ``schema``.
"""

import msgspec

from windtunnel.publish.format.front import SiteData
from windtunnel.publish.format.lists import BenchmarksData, CommitsData
from windtunnel.publish.format.scenarios import OverviewData
from windtunnel.publish.format.series import BenchmarkData, RunBlock, RunsData

FILES = (SiteData, CommitsData, BenchmarksData, BenchmarkData, RunsData, RunBlock, OverviewData)
"""What a file may hold; its field *schema* says which."""


def schema() -> bytes:
    """Return the JSON Schema of all files of data: each file is one of them."""
    found, definitions = msgspec.json.schema_components(FILES, ref_template="#/$defs/{name}")
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Data of a Windtunnel site",
        "anyOf": list(found),
        "$defs": definitions,
    }
    return msgspec.json.format(msgspec.json.encode(made, order="deterministic"), indent=2) + b"\n"
