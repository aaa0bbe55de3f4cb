"""Detection with a cache gives the same bytes as detection without one, whatever happened to files and cache."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from builders.examples import examples
from builders.histories import a_history, a_history_tree, histories
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import formats
from windtunnel.detect.detection import detect
from windtunnel.model.identity import Instant
from windtunnel.model.settings import Settings
from windtunnel.results.column_reading import read_with_cache
from windtunnel.results.tree import write_tree

COMMITS = 14
BENCHMARKS = 3
SETTINGS = Settings()


def refuse(text):
    """Fail when a cache cannot be written; here it always can."""
    raise AssertionError(text)


def a_suite(seed):
    """Times of a few benchmarks, twice as slow from the eighth commit on."""
    times = 0.1 * np.exp(histories(seed, count=BENCHMARKS, points=COMMITS))
    times[:, 7:] *= 2
    tree = a_history_tree({f"m.time_{number}": row for number, row in enumerate(times)})
    started = [replace(row, started_at=Instant(1_700_000_000_000)) for row in tree.runs[-1].rows]
    return replace(tree, runs=(*tree.runs[:-1], replace(tree.runs[-1], rows=tuple(started))))


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    """Two projects whose results have the same names."""
    folder = tmp_path_factory.mktemp("suites")
    for seed in (1, 2):
        write_tree(a_suite(seed), folder / str(seed))
    return folder


class Folder:
    """A results folder, the cache beside it, and what may happen to both."""

    def __init__(self, suites, root):
        self.suites, self.results, self.cache = suites, root / "results", root / "cache"
        shutil.copytree(suites / "1", self.results)
        self.away = root / "away"
        self.away.mkdir()

    def files(self):
        return sorted(path for path in (self.results / "desk").glob("*.json") if path.name != "machine.json")

    def leave(self, file):
        file.rename(self.away / file.name)

    def arrive(self, file):
        for path in sorted(self.away.iterdir())[:1]:
            path.rename(file.parent / path.name)

    def touch(self, file):
        os.utime(file, ns=(0, 10**9))

    def alter(self, file):
        """Another content, as long and as old as the one before."""
        before = file.stat()
        file.write_bytes(file.read_bytes().translate(bytes.maketrans(b"1234", b"4321")))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def cut(self, file):
        file.write_bytes(file.read_bytes()[:-40])

    def double(self, file):
        """The same run in a second file: the two are merged."""
        shutil.copyfile(file, file.with_name(f"{file.stem}-again.json"))

    def damage(self, file):
        for path in self.cache.glob("*"):
            content = bytearray(path.read_bytes())
            content[file.stat().st_size % len(content)] ^= 1
            path.write_bytes(content)

    def lose(self, file):
        shutil.rmtree(self.cache, ignore_errors=True)

    def use_for_another_suite(self, file):
        read_with_cache(self.suites / "2", self.cache, refuse)


EVENTS = ("leave", "arrive", "touch", "alter", "cut", "double", "damage", "lose", "use_for_another_suite")


def written(points):
    return formats.encode(detect(points, a_history(COMMITS), SETTINGS))


def without_cache(folder):
    return written(read_with_cache(folder.results, None, refuse))


@examples(15)
@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(0, COMMITS - 1)), max_size=4))
def test_a_cache_never_changes_the_result(suites, happened):
    """Files are added, removed, changed and damaged; the cache is lost, damaged or used for another suite."""
    with TemporaryDirectory() as root:
        folder = Folder(suites, Path(root))
        assert written(read_with_cache(folder.results, folder.cache, refuse)) == without_cache(folder)
        for what, where in happened:
            files = folder.files()
            getattr(folder, what)(files[where % len(files)] if files else folder.results / "desk" / "none.json")
            assert written(read_with_cache(folder.results, folder.cache, refuse)) == without_cache(folder)


def test_only_the_new_commit_is_read(suites, tmp_path):
    """The cache saves reading the other files."""
    folder = Folder(suites, tmp_path)
    newest = folder.files()[-1]
    folder.leave(newest)
    assert read_with_cache(folder.results, folder.cache, refuse).new == COMMITS - 1
    assert read_with_cache(folder.results, folder.cache, refuse).new == 0
    folder.arrive(newest)
    read = read_with_cache(folder.results, folder.cache, refuse)
    assert (read.new, read.newest) == (1, 1_700_000_000_000)
    assert len(detect(read, a_history(COMMITS), SETTINGS).changes) == BENCHMARKS


def test_a_cache_that_cannot_be_written_is_a_warning(suites, tmp_path):
    """The values are read without it."""
    folder = Folder(suites, tmp_path)
    folder.cache.write_text("a file where the folder should be")
    warnings = []
    assert len(read_with_cache(folder.results, folder.cache, warnings.append).tree.runs) == COMMITS
    assert "cannot be written" in warnings[0]
