"""What lies where on a results branch."""

import pytest

from windtunnel.results.branch.layout import is_proof_of_results, is_results_file, merge_group, name_problem

ELSEWHERE = (b"", b".", b"..", b".git", b".GIT", b".git. .", b"GIT~1", b"a/b", b"..\\x")
DECEPTIVE = (b"a\nb", b"a\0b", b"\xff", b"\x1b[31mred", "\u202egnp.exe".encode(), b"x" * 246)


@pytest.mark.parametrize("name", [*ELSEWHERE, *DECEPTIVE])
def test_names_that_could_land_elsewhere_are_trouble(name):
    """Traversal, git's own folder, separators, control characters, names too long or not text."""
    assert name_problem(name)


@pytest.mark.parametrize(
    "name", ["abcd1234-py3.12-numpy2.0.json", "machine.json", "host.example.org", "Größe 7", ".gitkeep", "x" * 245]
)
def test_the_names_of_real_histories_are_no_trouble(name):
    """Dots, spaces, any language."""
    assert name_problem(name.encode()) is None


@pytest.mark.parametrize(
    "path", ["benchmarks.json", "alerts.json", "m/machine.json", "m/abcd1234-py3.12.json", "records/1-2.json"]
)
def test_results_and_what_we_keep_beside_them_are_ours(path):
    """asv's files, the alerts and the records."""
    assert is_results_file(path)


@pytest.mark.parametrize(
    "path", ["README.md", "other.json", "m/clean.py", "m/benchmarks.json", ".github/x.json", "m/.x.json", "m/.gitkeep"]
)
def test_strays_are_not_ours(path):
    """Whatever else histories hold is neither carried nor removed."""
    assert not is_results_file(path)


@pytest.mark.parametrize(
    ("path", "proof"), [("m/machine.json", True), ("benchmarks.json", True), ("src/tsconfig.json", False)]
)
def test_a_branch_is_known_by_what_only_results_have(path, proof):
    """A folder with some JSON in it proves nothing."""
    assert is_proof_of_results(path) is proof


def test_a_family_is_what_may_have_to_be_merged():
    """One commit filed under 8 or 40 digits, and two commits that share the 8; nothing across machines."""
    assert merge_group("m/abcd1234-py3.12.json") == merge_group(f"m/abcd1234{'0' * 32}.json")
    assert merge_group("m/abcd1234-py3.12.json") != merge_group("n/abcd1234-py3.12.json")
    assert merge_group("m/machine.json") != merge_group("m/machine1.json")
    assert merge_group("benchmarks.json") == "benchmarks.json"
    assert merge_group("records/abcd1234-1.json") != merge_group("records/abcd1234-2.json")
