"""Inserting rows with a commit for each: what waiting for the disk costs."""

from windtunnel_scenarios.bulk_insert import Rows
from windtunnel_scenarios.model import LoadName, Scenario, Variant

ROW_COMMITS = Scenario(
    name="row_commits",
    variants=(
        Variant(name="sync", needs=("_sqlite3",)),
        Variant(name="aiosqlite", needs=("_sqlite3", "aiosqlite")),
    ),
    loads=(
        Rows(name=LoadName.TRIAL, count=2),
        Rows(name=LoadName.QUICK, count=20),
        Rows(name=LoadName.STANDARD, count=100),
        Rows(name=LoadName.ARTICLE, count=500),
    ),
)
