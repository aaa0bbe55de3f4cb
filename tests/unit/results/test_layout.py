"""The layout of a results branch."""

import pytest

from windtunnel.results.branch.listing import is_proof_of_results, is_results_file, merge_group, name_problem

ELSEWHERE = (b"", b".", b"..", b".git", b".GIT", b".git. .", b"GIT~1", b"a/b", b"..\\x")
DECEPTIVE = (b"a\nb", b"a\0b", b"\xff", b"\x1b[31mred", "\u202egnp.exe".encode(), b"x" * 246)


@pytest.mark.parametrize("name", [*ELSEWHERE, *DECEPTIVE])
def test_unsafe_names_have_a_problem(name):
    """Traversal, git's folder, separators, control characters, and names that are too long or not text."""
    assert name_problem(name)


@pytest.mark.parametrize(
    "name", ["abcd1234-py3.12-numpy2.0.json", "machine.json", "host.example.org", "Größe 7", ".gitkeep", "x" * 245]
)
def test_the_names_of_real_histories_are_safe(name):
    """Dots, spaces and any language are allowed."""
    assert name_problem(name.encode()) is None


@pytest.mark.parametrize(
    "path",
    [
        "benchmarks.json",
        "alerts.json",
        "error-rates.json",
        "m/machine.json",
        "m/abcd1234-py3.12.json",
        "records/1-2.record",
    ],
)
def test_results_alerts_and_records_are_results_files(path):
    """asv's files, the alerts and the records belong to the layout."""
    assert is_results_file(path)


@pytest.mark.parametrize(
    "path", ["README.md", "other.json", "m/clean.py", "m/benchmarks.json", ".github/x.json", "m/.x.json", "m/.gitkeep"]
)
def test_other_files_are_not_results_files(path):
    """Other files are neither copied nor removed."""
    assert not is_results_file(path)


@pytest.mark.parametrize(
    ("path", "proof"),
    [("m/machine.json", True), ("benchmarks.json", True), ("src/tsconfig.json", False), ("package.json", False)],
)
def test_a_branch_is_known_by_what_only_results_have(path, proof):
    """A folder with any JSON file is not enough."""
    assert is_proof_of_results(path) is proof


def test_a_merge_group_holds_the_files_that_may_have_to_be_merged():
    """One commit may be filed under 8 or 40 digits, and two commits may share the 8; machines are separate."""
    assert merge_group("m/abcd1234-py3.12.json") == merge_group(f"m/abcd1234{'0' * 32}.json")
    assert merge_group("m/abcd1234-py3.12.json") != merge_group("n/abcd1234-py3.12.json")
    assert merge_group("m/machine.json") != merge_group("m/machine1.json")
    assert merge_group("benchmarks.json") == "benchmarks.json"
    assert merge_group("records/abcd1234-1.record") != merge_group("records/abcd1234-2.record")
