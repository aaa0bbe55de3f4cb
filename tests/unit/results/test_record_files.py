"""Files of claims grow: the newer of two with one name is kept, and a broken or hostile one hides no other."""

from pathlib import Path

import pytest
from builders.claim_blocks import a_block, a_series, claim_samples
from builders.records import a_record

from windtunnel import formats
from windtunnel.results.branch.listing import list_folder
from windtunnel.results.branch.reconcile import reconcile
from windtunnel.results.record_files import claim_file, newest, read_claim_files, record_name
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
    assert newest([EARLY, LATE]) == newest([LATE, EARLY]) == LATE
    assert newest([EARLY, broken]) == newest([broken, EARLY]) == EARLY


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
