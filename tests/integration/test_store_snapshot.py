"""Valid and refused content of a branch, in repositories with trees that git would not write."""

import re

import pytest
from builders.repositories import ENV, a_hub, put_tree, raw_tree

from windtunnel.errors import DataError
from windtunnel.git.branch import open_branch
from windtunnel.git.remote import Remote
from windtunnel.results.branch.listing import MAX_FOLDERS, MAX_TREE_BYTES, take_snapshot

MACHINE = ("100644", b"machine.json", "{}")


def taken(hub):
    with open_branch("results", Remote.find(str(hub), hub.parent, ENV), ENV) as branch:
        return take_snapshot(branch)


def a_hub_with(tmp_path, *entries, machine=(MACHINE,)):
    """A hub whose results branch has a folder ``m`` with *machine* beside *entries*."""
    hub = a_hub(tmp_path / "hub.git")
    put_tree(hub, "results", ("40000", b"m", raw_tree(hub, *machine)), *entries)
    return hub


def test_no_branch_is_an_empty_snapshot(tmp_path):
    """Before the first push the snapshot is empty."""
    empty = taken(a_hub(tmp_path / "hub.git"))
    assert (empty.commit, empty.files) == (None, {})


def test_a_snapshot_separates_results_from_orphan_files(hub):
    """Real histories hold .gitkeep, scripts and pages; they are listed as orphans."""
    put_tree(
        hub,
        "results",
        ("100644", b".gitkeep", ""),
        ("100644", b"benchmarks.json", "{}"),
        ("100755", b"clean.py", ""),
        ("40000", b"m", raw_tree(hub, ("100644", b"abcd1234-py3.12.json", "{}"), MACHINE)),
        ("40000", b"src", raw_tree(hub, ("40000", b"deep", raw_tree(hub, ("120000", b"link", "/etc"))))),
    )
    found = taken(hub)
    assert list(found.files) == ["benchmarks.json", "m/abcd1234-py3.12.json", "m/machine.json"]
    assert found.orphans == (".gitkeep", "clean.py")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (("120000", b"evil.json", "/etc/passwd"), "symbolic link"),
        (("160000", b"sub", "x"), "submodule"),
        (("100600", b"odd.json", "x"), "unknown"),
        (("100644", b"..", "x"), "a name with a special meaning"),
        (("100644", b".", "x"), "a name with a special meaning"),
        (("100644", b".GIT", "x"), "a name with a special meaning"),
        (("100644", b"../../etc/cron.d/x.json", "x"), "not a plain file name"),
        (("100644", b"..\\x.json", "x"), "not a plain file name"),
        (("100644", b"a\nb.json", "x"), "not a plain file name"),
        (("100644", b"\xff.json", "x"), "not UTF-8"),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_hostile_entries_are_left_out(tmp_path, entry, reason, inside):
    """In the root and in folders; the message has path, reason and remedy, and the others are read."""
    hub = a_hub_with(tmp_path, machine=(MACHINE, entry)) if inside else a_hub_with(tmp_path, entry)
    found = taken(hub)
    assert list(found.files) == ["m/machine.json"]
    (refused,) = found.refused
    assert re.search(rf"branch results of .*{reason}.*: it is not read; remove it from the branch", refused)


def test_a_duplicate_name_is_left_out(tmp_path):
    """A name that is both a file and a folder would differ between disks; neither is read."""
    hub = a_hub_with(tmp_path, ("100644", b"m", "x"), ("40000", b"n", raw_tree(a_hub(tmp_path / "hub.git"), MACHINE)))
    found = taken(hub)
    assert list(found.files) == ["n/machine.json"]
    assert len(found.refused) == 2
    assert "'m', twice" in found.refused[0]


def test_a_folder_that_multiplies_itself_costs_nothing(hub):
    """Forty small objects can describe 10 to the power of 40 paths; deeper folders are not read."""
    tree = raw_tree(hub, MACHINE)
    for _ in range(40):
        tree = raw_tree(hub, *(("40000", b"%d" % number, tree) for number in range(10)))
    put_tree(hub, "results", ("40000", b"bomb", tree), ("40000", b"m", raw_tree(hub, MACHINE)))
    assert list(taken(hub).files) == ["m/machine.json"]


def test_too_many_folders_are_refused(hub):
    """The limit is far above the number of machines in any history."""
    machine = raw_tree(hub, MACHINE)
    put_tree(hub, "results", *(("40000", b"%05d" % number, machine) for number in range(MAX_FOLDERS + 1)))
    with pytest.raises(DataError, match="holds 10001 folders; a results branch has at most 10000"):
        taken(hub)


def test_a_huge_folder_is_refused(hub):
    """The size of a tree is checked before the tree is read."""
    machine = raw_tree(hub, MACHINE)
    count = MAX_TREE_BYTES // 267 + 1
    put_tree(hub, "results", *(("40000", b"%0240d" % number, machine) for number in range(count)))
    with pytest.raises(DataError, match=rf"an object of {count * 267} bytes"):
        taken(hub)
