"""Archives are unpacked into their folder, on every supported Python; many files are replaced together."""

import io
import os
import tarfile
from pathlib import Path

import pytest
from builders.folders import write_files

from windtunnel import files
from windtunnel.errors import DataError
from windtunnel.files import unpack, write_atomically


def an_archive(**entries):
    """A tar file: names with their content, or with the target of a symbolic link behind ``->``."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, text in entries.items():
            entry = tarfile.TarInfo(name)
            if text.startswith("->"):
                entry.type, entry.linkname = tarfile.SYMTYPE, text.removeprefix("->")
            entry.size = 0 if entry.issym() else len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return content.getvalue()


@pytest.fixture(params=["filter", "none"])
def python(request, monkeypatch):
    """Python 3.11.2, which Debian 12 has, knows no filter."""
    if request.param == "none":
        monkeypatch.delattr(tarfile, "data_filter", raising=False)


@pytest.mark.usefixtures("python")
def test_files_and_folders_are_unpacked(tmp_path):
    """At their paths."""
    unpack(an_archive(**{"a.py": "1", "more/b.py": "2"}), tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")} == {"a.py", "more/b.py"}


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize("entries", [{"../a.py": "1"}, {"up": "->../..", "up/a.py": "1"}, {"a.py": "->/etc/passwd"}])
def test_no_entry_leaves_the_folder(tmp_path, entries):
    """Neither by its path nor by a link."""
    folder = tmp_path / "some" / "folder"
    with pytest.raises(tarfile.TarError):
        unpack(an_archive(**entries), folder)
    assert not list(tmp_path.rglob("a.py"))


def some_files(folder, count):
    """So many files with an old content, and what replaces it."""
    paths = [f"machine{number % 3}/{number}.json" for number in range(count)]
    write_files(folder, dict.fromkeys(paths, b"old"))
    return [(folder / path, b"new %d" % number) for number, path in enumerate(paths)]


@pytest.fixture
def calls(monkeypatch):
    """What the system is asked for, in order: ``flush`` and ``replace``, each with the content of the file."""
    found = []

    def flush_file(handle):
        found.append(("flush", os.pread(handle, 100, 0)))

    def flush_all(folder):
        found.extend(("flush", path.read_bytes()) for path in folder.iterdir())
        return True

    def replace(path, target, original=Path.replace):
        found.append(("replace", target.read_bytes()))
        return original(path, target)

    monkeypatch.setattr(files.os, "fsync", flush_file)
    monkeypatch.setattr(files, "flush_file_system", flush_all)
    monkeypatch.setattr(Path, "replace", replace)
    return found


@pytest.mark.parametrize("count", [1, files.MAX_SEPARATE, 40])
def test_all_new_contents_are_on_the_disk_before_the_first_old_one_is_replaced(calls, tmp_path, count):
    """So each file holds its old content or its new one after a crash, with one barrier or with a flush each."""
    wanted = some_files(tmp_path, count)
    files.write_together(tmp_path, wanted)
    assert sorted(calls[:count]) == sorted(("flush", content) for _, content in wanted)
    assert calls[count:] == [("replace", b"old")] * count
    assert [path.read_bytes() for path, _ in wanted] == [content for _, content in wanted]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_many_files_wait_for_the_disk_once(monkeypatch, tmp_path):
    """No flush for each file, where the system can flush all together."""
    monkeypatch.setattr(files.os, "fsync", lambda _: pytest.fail("a file was flushed by itself"))
    if not files.flush_file_system(tmp_path):
        pytest.skip("this system flushes each file by itself")
    files.write_together(tmp_path, some_files(tmp_path, 40))
    assert (tmp_path / "machine0" / "39.json").read_bytes() == b"new 39"


def test_a_content_that_cannot_be_made_leaves_all_files_as_they_were(tmp_path):
    """Also those before it."""
    (first, *others) = some_files(tmp_path, 12)

    def contents():
        yield first
        raise DataError("broken")

    with pytest.raises(DataError):
        files.write_together(tmp_path, contents())
    assert {path.read_bytes() for path, _ in (first, *others)} == {b"old"}
    assert {path.name for path in tmp_path.iterdir()} == {"machine0", "machine1", "machine2"}


def test_a_folder_that_cannot_be_written_is_an_error_with_advice(tmp_path):
    """A file is in its place."""
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(DataError, match=r"taken cannot be written: .*name another folder"):
        files.write_together(tmp_path / "taken", [(tmp_path / "taken" / "x", b"")])


def test_what_a_killed_call_left_is_removed_when_it_is_old(tmp_path):
    """A folder that another process may be writing stays, and so does everything with another name."""
    for name in (".writing.old", ".writing.new", ".writ"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "0").write_bytes(b"x")
    for name in (".writing.old", ".writ"):
        os.utime(tmp_path / name, (1, 1))
    files.write_together(tmp_path, some_files(tmp_path, 1))
    assert {path.name for path in tmp_path.glob(".*")} == {".writing.new", ".writ"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_device_or_pipe_gets_the_content_and_stays_what_it_is(tmp_path):
    """``--out /dev/null`` of root must not replace the device by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, b"content")
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
