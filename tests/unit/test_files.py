"""Archives are unpacked into their folder, on every supported Python."""

import io
import tarfile

import pytest

from windtunnel.files import unpack


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


@pytest.fixture(params=["filter", "none"], autouse=True)
def python(request, monkeypatch):
    """Python 3.11.2, which Debian 12 has, knows no filter."""
    if request.param == "none":
        monkeypatch.delattr(tarfile, "data_filter", raising=False)


def test_files_and_folders_are_unpacked(tmp_path):
    """At their paths."""
    unpack(an_archive(**{"a.py": "1", "more/b.py": "2"}), tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")} == {"a.py", "more/b.py"}


@pytest.mark.parametrize("entries", [{"../a.py": "1"}, {"up": "->../..", "up/a.py": "1"}, {"a.py": "->/etc/passwd"}])
def test_no_entry_leaves_the_folder(tmp_path, entries):
    """Neither by its path nor by a link."""
    folder = tmp_path / "some" / "folder"
    with pytest.raises(tarfile.TarError):
        unpack(an_archive(**entries), folder)
    assert not list(tmp_path.rglob("a.py"))
