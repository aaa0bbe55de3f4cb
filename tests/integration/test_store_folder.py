"""A results folder on disk."""

import os

import pytest

from windtunnel.errors import DataError
from windtunnel.git.branch import blob_hash
from windtunnel.results.branch.listing import MAX_FILE_BYTES, MAX_NAME_BYTES, list_folder
from windtunnel.results.branch.reconcile import FileChanges, write_files


def a_folder(root, **files):
    written = {f"{path.replace('__', '/')}.json": content.encode() for path, content in files.items()}
    write_files(root, FileChanges(written=written))
    return root


def test_only_results_files_are_listed(tmp_path):
    """asv's files are listed with git's hashes."""
    folder = a_folder(tmp_path, benchmarks="{}", m__machine="{}", m__abcd1234="1", other="{}")
    (tmp_path / "m" / "clean.py").touch()
    (tmp_path / "m" / ".machine.json.x1y2z3").touch()
    os.mkfifo(tmp_path / "m" / "pipe.json")
    files = list_folder(folder).files
    assert list(files) == ["benchmarks.json", "m/abcd1234.json", "m/machine.json"]
    assert files["m/abcd1234.json"] == blob_hash(b"1") == "56a6051ca2b02b04ef92d5150c9ef600403cb1de"


def test_a_folder_that_is_not_there_is_empty(tmp_path):
    """A missing folder has no files."""
    assert list_folder(tmp_path / "none").files == {}


def test_writing_leaves_only_complete_files(tmp_path):
    """Existing files are replaced, and no partial file stays."""
    folder = a_folder(tmp_path, m__machine="old")
    write_files(folder, FileChanges(written={"m/machine.json": b"new", "n/machine.json": b"1"}))
    assert {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*")} == {"m/machine.json", "n/machine.json"}
    assert (tmp_path / "m" / "machine.json").read_bytes() == b"new"


def test_the_longest_name_can_be_written(tmp_path):
    """Every stored name can be written, although the temporary file has a longer name."""
    name = "é" * ((MAX_NAME_BYTES - 5) // 2) + ".json"
    write_files(tmp_path, FileChanges(written={name: b"1"}))
    assert len(os.fsencode(name)) == MAX_NAME_BYTES
    assert (tmp_path / name).read_bytes() == b"1"


def test_a_file_as_a_folder_cannot_be_read(tmp_path):
    """It is not treated as an empty folder."""
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is not a folder; name a folder of results"):
        list_folder(tmp_path / "file")


def test_a_huge_file_is_not_stored(tmp_path):
    """A branch that holds one could no longer be pulled."""
    folder = a_folder(tmp_path, m__machine="1234")
    os.truncate(tmp_path / "m" / "machine.json", MAX_FILE_BYTES + 1)
    with pytest.raises(DataError, match="has 67108865 bytes; at most 67108864 are stored"):
        list_folder(folder)


@pytest.mark.parametrize("name", ["a\\b", "a\nb", "\udcff"])
def test_a_name_that_cannot_be_stored_is_refused(tmp_path, name):
    """A pull would refuse the name, so the push refuses it too."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "machine.json").touch()
    with pytest.raises(DataError, match="cannot be stored; rename or remove it"):
        list_folder(tmp_path)
