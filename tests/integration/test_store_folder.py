"""A results folder on disk."""

import os

import pytest

from windtunnel.errors import DataError
from windtunnel.git.objects import blob_hash
from windtunnel.results.branch import sides as module
from windtunnel.results.branch.layout import LONGEST_NAME
from windtunnel.results.branch.sides import File, Folder


def a_folder(root, **files):
    for path, content in files.items():
        place = root / path.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.with_suffix(".json").write_text(content, encoding="utf-8")
    return Folder(root=root)


def test_results_are_listed_and_strays_are_not(tmp_path):
    """asv's files by their git names, nothing else."""
    folder = a_folder(tmp_path, benchmarks="{}", m__machine="{}", m__abcd1234="1", other="{}")
    (tmp_path / "m" / "clean.py").touch()
    (tmp_path / "m" / ".machine.json.x1y2z3").touch()
    os.mkfifo(tmp_path / "m" / "pipe.json")
    assert [item.path for item in folder.side().items] == ["benchmarks.json", "m/abcd1234.json", "m/machine.json"]
    assert folder.side().items[1].object == blob_hash(b"1") == "56a6051ca2b02b04ef92d5150c9ef600403cb1de"


def test_a_folder_that_is_not_there_is_empty(tmp_path):
    """Before the first pull."""
    assert Folder(root=tmp_path / "none").side().items == ()


def test_writing_leaves_only_whole_files(tmp_path):
    """What was there is replaced, nothing half-written stays."""
    folder = a_folder(tmp_path, m__machine="old")
    folder.write([File(path="m/machine.json", content=b"new"), File(path="n/machine.json", content=b"1")])
    assert {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*")} == {"m/machine.json", "n/machine.json"}
    assert (tmp_path / "m" / "machine.json").read_bytes() == b"new"


def test_the_longest_name_can_be_written(tmp_path):
    """Every name that is stored can be written; the unfinished file beside it has a longer one."""
    name = "é" * ((LONGEST_NAME - 5) // 2) + ".json"
    Folder(root=tmp_path).write([File(path=name, content=b"1")])
    assert len(os.fsencode(name)) == LONGEST_NAME
    assert (tmp_path / name).read_bytes() == b"1"


def test_a_file_as_a_folder_cannot_be_read(tmp_path):
    """Rather than being taken for an empty one."""
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is no folder; name a folder of results"):
        _ = Folder(root=tmp_path / "file").side().items


def test_a_huge_file_is_not_stored(tmp_path, monkeypatch):
    """A branch with one in it could not be pulled any more."""
    monkeypatch.setattr(module, "LARGEST_FILE", 3)
    with pytest.raises(DataError, match="has 4 bytes; at most 3 are stored"):
        _ = a_folder(tmp_path, m__machine="1234").side().items


@pytest.mark.parametrize("name", ["a\\b", "a\nb", "\udcff"])
def test_a_name_that_cannot_be_stored_is_refused(tmp_path, name):
    """Pulling it would be refused as well: better to say so before it is on the branch."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "machine.json").touch()
    with pytest.raises(DataError, match="cannot be stored; rename or remove it"):
        _ = Folder(root=tmp_path).side().items
