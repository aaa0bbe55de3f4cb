"""The folder of a site is replaced as a whole or not at all."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.errors import DataError, UsageError
from windtunnel.publish.site_folder import BEGINNING, DATA_FILE, exchange_folders, replace_site

KILLED = """
import sys
from pathlib import Path
from windtunnel.publish.site_folder import replace_site
with replace_site(Path(sys.argv[1])) as folder:
    (folder / "overview.json").write_text("half")
    print("building", flush=True)
    sys.stdin.read()
"""


def a_site(folder, content="old"):
    folder.mkdir(parents=True)
    (folder / DATA_FILE).write_bytes(BEGINNING + b"}")
    (folder / "page").write_text(content)
    return folder


def fill(folder, content="new"):
    (folder / DATA_FILE).write_bytes(BEGINNING + b"}")
    (folder / "page").write_text(content)


def break_off(folder):
    (folder / "page").write_text("half")
    raise ZeroDivisionError


def test_a_site_appears_when_it_is_complete(tmp_path):
    """Missing parent folders are created, and nothing else remains beside the site."""
    site = tmp_path / "deep" / "site"
    with replace_site(site) as folder:
        fill(folder)
        assert not site.exists()
    assert (site / "page").read_text() == "new"
    assert list(site.parent.iterdir()) == [site]


@pytest.mark.parametrize("exchange", [exchange_folders, lambda *_: False])
def test_an_old_site_is_replaced_completely(tmp_path, exchange):
    """Old files are gone, also on systems that cannot exchange folders in one step."""
    site = a_site(tmp_path / "site")
    (site / "gone").write_text("")
    with replace_site(site, exchange) as folder:
        fill(folder)
        assert (site / "page").read_text() == "old"
    assert sorted(path.name for path in site.iterdir()) == [DATA_FILE, "page"]
    assert list(tmp_path.iterdir()) == [site]


def test_an_error_leaves_the_old_site_unchanged(tmp_path):
    """The unfinished site is removed."""
    site = a_site(tmp_path / "site")
    with pytest.raises(ZeroDivisionError), replace_site(site) as folder:
        break_off(folder)
    assert (site / "page").read_text() == "old"
    assert list(tmp_path.iterdir()) == [site]


def test_a_killed_publisher_leaves_the_old_site_complete(tmp_path):
    """The next publisher removes the unfinished folder, but not that of a running publisher."""
    site = a_site(tmp_path / "site")
    command = [sys.executable, "-c", KILLED, str(site)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "building\n"
        with replace_site(site) as folder:
            fill(folder, "second")
        assert len(list(tmp_path.iterdir())) == 3  # with the unfinished folder and its lock
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert (site / "page").read_text() == "second"
    with replace_site(site) as folder:
        fill(folder, "third")
    assert list(tmp_path.iterdir()) == [site]


@pytest.mark.parametrize("name", ["README.md", DATA_FILE])
def test_a_folder_with_other_files_is_never_replaced(tmp_path, name):
    """`--out .` must not delete a repository, not even one with a file named like ours."""
    (tmp_path / name).write_text("precious")
    with pytest.raises(UsageError, match="would delete them"), replace_site(tmp_path):
        pass
    assert (tmp_path / name).read_text() == "precious"


def test_an_empty_folder_is_replaced(tmp_path):
    """A workflow may have created it."""
    (tmp_path / "site").mkdir()
    with replace_site(tmp_path / "site") as folder:
        fill(folder)
    assert (tmp_path / "site" / "page").exists()


def test_a_link_is_followed_and_kept(tmp_path):
    """The target of the link is replaced."""
    site = a_site(tmp_path / "real")
    link = tmp_path / "link"
    link.symlink_to(site)
    with replace_site(link) as folder:
        fill(folder)
    assert link.is_symlink()
    assert (site / "page").read_text() == "new"


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    """It is not deleted."""
    (tmp_path / "site").write_text("")
    with pytest.raises(UsageError, match="is a file"), replace_site(tmp_path / "site"):
        pass


def test_a_folder_that_cannot_be_created_is_named(tmp_path):
    """The test uses a file as the parent, because root can write everywhere."""
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be built"), replace_site(tmp_path / "file" / "site"):
        pass


def test_the_site_has_the_permissions_of_other_folders(tmp_path):
    """The user's umask applies."""
    with replace_site(tmp_path / "site") as folder:
        fill(folder)
    plain = Path(tmp_path, "plain")
    plain.mkdir()
    assert (tmp_path / "site").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("refused", [1, 2])
def test_a_site_that_a_program_has_open_stays(tmp_path, monkeypatch, refused):
    """Windows refuses to move such a folder, at the first step or at the second one."""
    site, usual, calls = a_site(tmp_path / "site"), Path.rename, []

    def rename(path, target):
        calls.append(path)
        if len(calls) == refused:
            raise PermissionError(13, "Permission denied")
        return usual(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(DataError, match="end the programs that have it open"):  # noqa: SIM117
        with replace_site(site, lambda *_: False) as folder:
            fill(folder, "second")
    assert (site / "page").read_text() == "old"
    assert list(tmp_path.iterdir()) == [site]
