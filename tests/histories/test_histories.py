"""Public histories: read, written and read again unchanged, and understood as asv understands them.

They are not part of this repository. ``WINDTUNNEL_HISTORIES`` names their folder: one folder per history, with the
results tree of its owners in ``results.tar.xz`` and what asv 0.6.6 makes of it in ``published.tar.xz``. ``make test``
reads one commit in five of each; ``WINDTUNNEL_PRESSURE=full make test ARGS="-n 0 -k histories"`` reads all.
"""

import gzip
import json
from collections import defaultdict
from dataclasses import replace
from statistics import median

import pytest
from builders.commands import run_command
from builders.damage import damaged_objects, damaged_rows, require_kept_or_reported
from builders.plans import a_piece
from builders.repositories import ENV, a_repository

from tests.histories.archives import ARCHIVES, FULL, REASON, trees, unpacked
from windtunnel.asv.results_format.files import decode_run, encode_run
from windtunnel.bench.sharding import distribute
from windtunnel.errors import ExitCode
from windtunnel.results.merge import merge_trees
from windtunnel.results.tree import read_tree, write_tree

MAX_ROW = 500
"""Bytes of the rows that are damaged."""
NEWEST = None if FULL else 60
"""Commits that are published."""

pytestmark = pytest.mark.skipif(not ARCHIVES, reason=REASON)


@pytest.fixture(scope="module", params=ARCHIVES, ids=lambda path: path.parent.name)
def archive(request):
    """The file of a history."""
    return request.param


@pytest.fixture(scope="module")
def history(archive, tmp_path_factory):
    """A history, unpacked."""
    return unpacked(archive, tmp_path_factory.mktemp(archive.parent.name))


@pytest.fixture(scope="module")
def contents(history):
    """Each results tree of the history: its folder, and what it holds."""
    return [(source, read_tree(source)) for source in trees(history)]


@pytest.fixture(scope="module")
def durations(contents):
    """The durations of each benchmark of the history in each environment, in seconds."""
    found = defaultdict(lambda: defaultdict(list))
    for run in (run for _, tree in contents for run in tree.runs):
        for row in run.rows:
            if row.duration:
                found[run.environment.name][row.name].append(row.duration)
    return found


def test_a_history_is_read_without_a_problem_and_survives_writing(contents, tmp_path):
    """Writing and reading give the same runs and the same file names."""
    for number, (source, tree) in enumerate(contents):
        assert tree.problems == ()
        target = tmp_path / str(number)
        write_tree(tree, target)
        assert read_tree(target) == tree
        assert names(target) == names(source)


def test_what_asv_wrote_in_format_2_is_written_as_asv_writes_it(history):
    """Value for value."""
    for path in history.rglob("*-*.json"):
        content = path.read_bytes()
        if json.loads(content)["version"] == 2:
            written = encode_run(decode_run(content, path.name).value)
            assert json.dumps(json.loads(written), sort_keys=True) == json.dumps(json.loads(content), sort_keys=True)


def test_merging_a_history_with_itself_changes_nothing(contents):
    """Merging is idempotent."""
    for _, tree in contents:
        merged, conflicts = merge_trees([tree, tree])
        assert conflicts == ()
        assert merged.runs == tree.runs


def test_of_a_damaged_file_everything_is_kept_or_reported(history):
    """The rows with most columns of each kind, of one file in 100, each with every damage in turn."""
    for path in sorted(history.rglob("*-*.json"))[::100]:
        file = json.loads(path.read_bytes())
        rows = {name: row for name, row in file["results"].items() if len(json.dumps(row)) < MAX_ROW}
        kinds = {_kind(row): name for name, row in rows.items()}
        for name in kinds.values():
            damage = damaged_rows if file["version"] == 2 else damaged_objects
            for what, row in damage(rows[name]):
                content = json.dumps(file | {"results": {each: rows[each] for each in kinds.values()} | {name: row}})
                require_kept_or_reported(content.encode(), name, what, None)


def _kind(row):
    """What a row has: its columns, or its fields."""
    return len(row) if isinstance(row, list) else tuple(row) if isinstance(row, dict) else type(row)


def test_shards_are_balanced_by_the_durations_of_a_history(durations):
    """Three commits in every environment: the longest of 4, 8 or 16 shards takes at most 1.15 times the mean."""
    assert durations
    pieces = [
        a_piece(benchmark, commit=commit, environment=environment, seconds=median(values))
        for commit in ("one", "two", "three")
        for environment, benchmarks in durations.items()
        for benchmark, values in sorted(benchmarks.items())
    ]
    for count in (4, 8, 16):
        lengths = [shard.seconds for shard in distribute(pieces, count)]
        assert max(lengths) <= 1.15 * sum(lengths) / count


def names(folder):
    """The JSON files in *folder*."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json"))


def test_format_1_is_understood_as_asv_understands_it(archive, contents, tmp_path):
    """Every result of ``asv update`` is ours too."""
    published = archive.with_name("published.tar.xz")
    if not published.exists():
        pytest.skip("asv has not published this history")
    updated = unpacked(published, tmp_path / "published") / "updated_results"
    if not updated.is_dir():
        pytest.skip("this history is in format 2")
    ours = {run.key: run for _, tree in contents for run in tree.runs}
    asvs = read_tree(updated)
    assert asvs.problems == ()
    for theirs in asvs.runs:
        run = ours[theirs.key]
        assert [(row.name, row.version, row.params) for row in run.rows] == [
            (row.name, row.version, row.params) for row in theirs.rows
        ]
        for row, other in zip(run.rows, theirs.rows, strict=True):
            assert list(map(value, row.results)) == list(map(value, other.results))


def value(result):
    """What a result is worth comparing; asv cuts statistics to five digits."""
    return getattr(result, "value", type(result))


def write_newest(tree, folder):
    """Write the runs of the newest commits of *tree* into *folder*, and return it."""
    dates = {run.commit: run.date for run in tree.runs}
    newest = set(sorted(dates, key=lambda commit: (dates[commit], commit))[-NEWEST:])
    write_tree(replace(tree, runs=tuple(run for run in tree.runs if run.commit in newest)), folder)
    return folder


PUBLISHED_ANYWAY = ("on no branch shown", "Without results of their present version")
"""Warnings that every history gets that is published without the repository of its project."""


def test_a_history_is_published_with_every_warning_explained(contents, tmp_path):
    """The commits are in no repository here, and benchmarks come and go; there is no other warning."""
    for number, (source, tree) in enumerate(contents):
        if NEWEST:
            source = write_newest(tree, tmp_path / f"newest-{number}")  # noqa: PLW2901 - a part of the same history
        folder = a_repository(tmp_path / str(number), "one")
        (folder / "asv.conf.json").write_text('{"version": 1, "project": "p", "repo": "."}', encoding="utf-8")
        argv = ["publish", source, "--out", site := folder / "site", "--config", folder / "asv.conf.json"]
        _, _, err = run_command(argv, ENV, code=ExitCode.FINE)
        warnings = [line for line in err.splitlines() if "warning" in line]
        assert [line for line in warnings if not any(known in line for known in PUBLISHED_ANYWAY)] == []
        listed = json.loads(gzip.decompress((site / "data" / "benchmarks.json.gz").read_bytes()))
        assert len(listed["name"]) == len(listed["file"]) > 0
