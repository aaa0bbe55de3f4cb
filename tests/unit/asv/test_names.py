"""Names of files and folders in a results tree."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.asv.results_format.names import long_run_file, machine_folder, run_files
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import RunKey


def key(environment="py3.12", machine="desk", commit="abcdef0123"):
    return RunKey(machine, CommitHash(commit), environment)


def test_files_are_called_as_asv_calls_them():
    """Folder of the machine, eight digits of the commit, environment."""
    assert run_files([key("virtualenv-py3.12-numpy2.0")]) == ("desk/abcdef01-virtualenv-py3.12-numpy2.0.json",)


@pytest.mark.parametrize(("length", "hashed"), [(127, False), (128, True), (400, True)])
def test_long_environments_are_called_by_their_hash(length, hashed):
    """From 128 characters on, as in asv."""
    name = "e" * length
    expected = f"env-{hashlib.md5(name.encode()).hexdigest()}" if hashed else name
    assert run_files([key(name)]) == (f"desk/abcdef01-{expected}.json",)


def test_commits_that_share_eight_digits_are_written_out():
    """Two files, both with the whole hash; others keep the short name."""
    one, two, other = key(commit="abcdef01" + "1" * 32), key(commit="abcdef01" + "2" * 32), key(commit="b" * 40)
    assert run_files([one, two, other]) == (long_run_file(one), long_run_file(two), f"desk/{'b' * 8}-py3.12.json")
    assert long_run_file(one) == f"desk/{one.commit}-py3.12.json"


@pytest.mark.parametrize("name", ["host.example.org", "Daniels-MBP.local", "runner 1", "läptop"])
def test_ordinary_machines_have_folders_of_their_name(name):
    """Dots, blanks and letters of any language are fine."""
    assert machine_folder(name) == name


@pytest.mark.parametrize(
    "name",
    ["..", ".", ".git", "a/b", "../../etc", "a\\b", "a\0b", "a\nb", "con", "LPT1.txt", "x" * 300, "records", "r.json"],
)
def test_no_name_leads_out_of_the_tree_or_means_something_else(name):
    """Whatever a hostile file calls its machine or environment."""
    folder = machine_folder(name)
    assert folder.startswith("machine-")
    (path,) = run_files([key(name)])
    assert path.count("/") == 1
    assert ".." not in path


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_machines_have_different_folders(one, two):
    """A folder never mixes machines."""
    assert (machine_folder(one) == machine_folder(two)) == (one == two)
