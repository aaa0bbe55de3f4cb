"""Names of files, and the files of suites and machines that asv writes."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.asv.results_format.files import (
    decode_benchmarks,
    decode_machine,
    encode_benchmarks,
    encode_machine,
    long_run_file,
    machine_folder,
    run_files,
)
from windtunnel.model.identity import CommitHash, text_of
from windtunnel.model.run import RunKey

ENTRY = {
    "code": "def time_it(): pass",
    "name": "a.time_it",
    "param_names": ["size", "kind"],
    "params": [["1", "2"], ["'x'"]],
    "timeout": 60.0,
    "type": "time",
    "unit": "seconds",
    "version": "v1",
}


def listing(*entries, version=2, **more):
    """A benchmarks.json as asv writes it."""
    data = {entry["name"]: entry for entry in entries} | {"version": version} | more
    return json.dumps(data, indent=4, sort_keys=True).encode()


def read(content):
    decoded = decode_benchmarks(content, "benchmarks.json")
    assert decoded.problems == ()
    return decoded.value


@pytest.mark.parametrize("version", [1, 2])
def test_entries_are_read_in_both_versions(version):
    """All keys of asv and of suites are read."""
    (found,) = read(listing(ENTRY, version=version))
    assert (found.name, found.kind, found.unit, found.version) == ("a.time_it", "time", "seconds", "v1")
    assert found.params == (("1", "2"), ("'x'",))
    assert found.param_names == ("size", "kind")
    assert text_of(found.extra, "timeout") == "60.0"


def test_a_file_of_asv_is_written_byte_for_byte():
    """A file that was read and written is unchanged."""
    content = listing(ENTRY, ENTRY | {"name": "b.track", "unit": "", "setup_cache_key": None})
    assert encode_benchmarks(read(content)) == content


def test_an_entry_may_have_only_a_name():
    """Old lists had no parameters."""
    (found,) = read(listing({"name": "a"}))
    assert (found.type_word, found.unit, found.version, found.params) == ("", None, None, ())


@pytest.mark.parametrize("broken", [5, None, [1], {"params": 5}, {"params": [["1"] * 400] * 3}, {"unit": 5}])
def test_a_broken_entry_is_reported_and_the_others_are_used(broken):
    """The problem names file, key and reason."""
    decoded = decode_benchmarks(listing(ENTRY, broken=broken), "benchmarks.json")
    assert [problem.key for problem in decoded.problems] == ["broken"]
    assert [benchmark.name for benchmark in decoded.value] == ["a.time_it"]


def test_parameters_without_names_are_numbered():
    """asv does not publish anything when names are missing."""
    decoded = decode_benchmarks(listing(ENTRY | {"param_names": ["size"]}), "benchmarks.json")
    assert [problem.key for problem in decoded.problems] == ["a.time_it"]
    assert decoded.value[0].param_names == ("size", "param2")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"version": 3}', b'{"version": "2"}', b"{" * 100_000, b"\xff"]
)
@pytest.mark.parametrize("decode", [decode_benchmarks, decode_machine])
def test_any_other_content_is_one_problem(decode, content):
    """The problem names the file, and there is no error."""
    decoded = decode(content, "file.json")
    assert decoded.value is None
    assert len(decoded.problems) == 1


def test_a_machine_is_read_and_written_byte_for_byte():
    """A machine may have any details, or only a name."""
    data = {"arch": "x86_64", "machine": "desk", "ram": 16, "version": 1}
    for content in (data, {"machine": "desk", "version": 1}):
        text = json.dumps(content, indent=4, sort_keys=True).encode()
        machine = decode_machine(text, "machine.json").value
        assert machine.name == "desk"
        assert encode_machine(machine) == text
    assert decode_machine(json.dumps(data).encode(), "machine.json").value.detail("ram") == "16"


@pytest.mark.parametrize("name", [None, 5, "", ["desk"]])
def test_a_machine_without_a_name_is_a_problem(name):
    """Results could not be stored under it."""
    decoded = decode_machine(json.dumps({"machine": name, "version": 1}).encode(), "machine.json")
    assert decoded.value is None
    assert decoded.problems[0].key == "machine"


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
    assert machine_folder(name).startswith("machine-")
    (path,) = run_files([key(name)])
    assert path.count("/") == 1
    assert ".." not in path


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_machines_have_different_folders(one, two):
    """A folder never mixes machines."""
    assert (machine_folder(one) == machine_folder(two)) == (one == two)
