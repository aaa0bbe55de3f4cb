"""Names of files and folders in a results tree."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.asv.results_format.files import long_run_file, machine_folder, run_files
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import RunKey


def key(environment="py3.12", machine="desk", commit="abcdef0123"):
    return RunKey(machine, CommitHash(commit), environment)


def test_files_have_asvs_names():
    """The name is made of the machine's folder, eight digits of the commit, and the environment."""
    assert run_files([key("virtualenv-py3.12-numpy2.0")]) == ("desk/abcdef01-virtualenv-py3.12-numpy2.0.json",)


@pytest.mark.parametrize(("length", "hashed"), [(127, False), (128, True), (400, True)])
def test_a_long_environment_name_is_replaced_by_its_hash(length, hashed):
    """The limit is 128 characters, as in asv."""
    name = "e" * length
    expected = f"env-{hashlib.md5(name.encode()).hexdigest()}" if hashed else name
    assert run_files([key(name)]) == (f"desk/abcdef01-{expected}.json",)


def test_commits_that_share_eight_digits_have_full_hashes():
    """The files of other commits keep the short hash."""
    one, two, other = key(commit="abcdef01" + "1" * 32), key(commit="abcdef01" + "2" * 32), key(commit="b" * 40)
    assert run_files([one, two, other]) == (long_run_file(one), long_run_file(two), f"desk/{'b' * 8}-py3.12.json")
    assert long_run_file(one) == f"desk/{one.commit}-py3.12.json"


@pytest.mark.parametrize("name", ["host.example.org", "Daniels-MBP.local", "runner 1", "läptop"])
def test_a_safe_machine_name_is_the_name_of_its_folder(name):
    """Dots, spaces and letters of any language are safe."""
    assert machine_folder(name) == name


@pytest.mark.parametrize(
    "name",
    ["..", ".", ".git", "a/b", "../../etc", "a\\b", "a\0b", "a\nb", "con", "LPT1.txt", "x" * 300, "records", "r.json"],
)
def test_no_name_leads_out_of_the_tree(name):
    """A hostile name of a machine or environment is replaced."""
    folder = machine_folder(name)
    assert folder.startswith("machine-")
    (path,) = run_files([key(name)])
    assert path.count("/") == 1
    assert ".." not in path


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_machines_have_different_folders(one, two):
    """A folder never mixes machines."""
    assert (machine_folder(one) == machine_folder(two)) == (one == two)
