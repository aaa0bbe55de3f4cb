"""Files of claims grow: the newer of two with one name is kept, and a broken or hostile one hides no other."""

from pathlib import Path

import pytest
from builders.claim_blocks import a_block, a_series, claim_samples
from builders.reached import a_kept_map
from builders.records import a_record

from windtunnel import formats
from windtunnel.model.reach_map import KEPT_FORMAT, MAX_MAP_BYTES
from windtunnel.results.branch.listing import list_folder
from windtunnel.results.branch.reconcile import reconcile
from windtunnel.results.record_files import (
    MAX_MAPS,
    claim_file,
    join,
    map_file,
    read_claim_files,
    read_maps,
    record_name,
)
from windtunnel.results.tree import RECORDS, keep_record, read_records
from windtunnel_claims.samples_format import SAMPLES_FORMAT

EARLY, LATE = (
    formats.encode(claim_samples(a_series(*[a_block((0, 1.0))] * blocks), ended=ended))
    for blocks, ended in ((1, 1500.0), (2, 2500.0))
)
BROKEN = (b"", b"{", b"[]", b'{"ended": "soon"}', b'{"ended": 1e999}', b"\xff", b"[" * 100_000)


def a_file(folder, content, *identity):
    path = claim_file(folder, *identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_the_name_of_a_file_depends_on_all_of_its_identity():
    """Parts cannot run into each other."""
    names = {claim_file(Path(), *identity).name for identity in (("a", "bc"), ("ab", "c"), ("abc",))}
    assert len(names) == 3
    assert all(record_name(name, b"") == name for name in names)
    assert record_name("claims-../x.json", b"") != "claims-../x.json"


@pytest.mark.parametrize("broken", BROKEN)
def test_the_newer_content_is_kept_whatever_the_order(broken):
    """A broken one is older than any other."""
    assert join("claims-1", EARLY, LATE) == join("claims-1", LATE, EARLY) == LATE
    assert join("claims-1", EARLY, broken) == join("claims-1", broken, EARLY) == EARLY


def test_merging_keeps_the_newer_file_under_its_name(tmp_path):
    """``merge`` in both directions, and again."""
    early, late = a_file(tmp_path / "early", EARLY, "x"), a_file(tmp_path / "late", LATE, "x")
    for order in ((early, late), (late, early)):
        results = tmp_path / order[0].parent.parent.name / "merged"
        for path in (*order, *order):
            keep_record(path, results)
        assert [path.name for path in (results / RECORDS).iterdir()] == [early.name]
        assert claim_file(results, "x").read_bytes() == LATE


@pytest.mark.parametrize(("ours", "theirs"), [(EARLY, LATE), (LATE, EARLY), (b"{", LATE), (LATE, b"{")])
def test_a_push_or_pull_keeps_the_newer_file(tmp_path, ours, theirs):
    """An old copy in a folder does not replace what the branch has."""
    a_file(tmp_path / "ours", ours, "x")
    a_file(tmp_path / "theirs", theirs, "x")
    changes = reconcile(list_folder(tmp_path / "theirs"), list_folder(tmp_path / "ours"))
    assert changes.written == ({} if ours == LATE else {claim_file(Path(), "x").as_posix(): LATE})


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_file_is_named_and_hides_no_other(tmp_path, broken):
    """Neither of the claims nor of the runs."""
    good = a_file(tmp_path, LATE, "good")
    bad = a_file(tmp_path, broken, "bad")
    (tmp_path / RECORDS / "run.record").write_bytes(formats.encode(a_record()))
    found, (problem,) = read_claim_files(tmp_path, SAMPLES_FORMAT)
    assert found == (SAMPLES_FORMAT.decode(good.read_bytes(), "file"),)
    assert problem.startswith(f"a file of claims could not be read: {RECORDS}/{bad.name}")
    assert read_records(tmp_path) == ((a_record(),), ())


def a_reach_map(number, cases=("suite.a",), environment="py3.13"):
    """The map of the commit *number*, which has that date."""
    return a_kept_map(f"{number:040x}", {name: {} for name in cases}, date=number, environment=environment, total=2)


def a_map_file(folder, kept, content=None):
    path = map_file(folder, kept)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(KEPT_FORMAT.encode(kept) if content is None else content)
    return path


def test_reach_maps_of_one_commit_are_joined(tmp_path):
    """By a merge, a push and a pull: each shard has some of the cases."""
    one, other = (a_reach_map(1, cases) for cases in (("suite.a",), ("suite.b",)))
    path = a_map_file(tmp_path / "one", one)
    a_map_file(tmp_path / "other", other)
    changes = reconcile(list_folder(tmp_path / "one"), list_folder(tmp_path / "other"))
    keep_record(path, tmp_path / "other")
    (found,), problems = read_maps(tmp_path / "other")
    assert (found.cases.keys(), problems) == ({"suite.a", "suite.b"}, ())
    assert set(changes.written.values()) == {KEPT_FORMAT.encode(found)}


def test_the_reach_maps_of_the_newest_commits_are_kept(tmp_path):
    """Of each environment, on the branch and in a folder: an old copy does not come back."""
    ours = [a_map_file(tmp_path / "ours", a_reach_map(number)) for number in range(1, 2 + MAX_MAPS)]
    theirs = [a_map_file(tmp_path / "theirs", a_reach_map(number)) for number in (0, 2, 50)]
    alone = a_map_file(tmp_path / "theirs", a_reach_map(0, environment="py3.14"))
    changes = reconcile(list_folder(tmp_path / "theirs"), list_folder(tmp_path / "ours"))
    assert set(changes.written) == {f"{RECORDS}/{path.name}" for path in (theirs[-1], alone)}
    assert set(changes.removed) == {f"{RECORDS}/{path.name}" for path in ours[:2]}


@pytest.mark.parametrize("damage", [*BROKEN, b'{"schema": 1}', b" " * (MAX_MAP_BYTES + 1)])
def test_a_broken_or_huge_reach_map_is_named_and_replaced(tmp_path, damage):
    """It comes from a branch that others may write; neither another map nor a run record is lost."""
    kept = a_reach_map(2)
    bad = a_map_file(tmp_path, kept, damage)
    a_map_file(tmp_path, a_reach_map(1))
    (tmp_path / RECORDS / "run.record").write_bytes(formats.encode(a_record()))
    found, (problem,) = read_maps(tmp_path)
    assert [each.date for each in found] == [1]
    assert bad.name in problem
    assert read_records(tmp_path) == ((a_record(),), ())
    good = KEPT_FORMAT.encode(kept)
    assert join(bad.name, damage, good) == join(bad.name, good, damage) == good
