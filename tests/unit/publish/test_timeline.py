"""The order of commits on the site, the branch of each, and where releases are."""

from dataclasses import replace

from builders.trees import a_run

from windtunnel.git.history import BranchHistory
from windtunnel.git.repository import Branch, Commit, Tag
from windtunnel.model.identity import CommitHash
from windtunnel.publish.site_index import SiteCommit, releases, timeline


def a_branch_history(**branches):
    """The history of *branches*, each a string with a letter for each of its own commits, oldest first."""
    commits = {name: [_commit(letter) for letter in reversed(own)] for name, own in branches.items()}
    return BranchHistory(
        branches=tuple(Branch(name=name, head=CommitHash(own[-1])) for name, own in branches.items()),
        commits=tuple(commit for own in commits.values() for commit in own),
        branch_of={commit.hash: name for name, own in commits.items() for commit in own},
        notes=(),
    )


def _commit(letter):
    return Commit(hash=CommitHash(letter), author_date=ord(letter), subject="", parent=None)


def a_site_commit(letter, revision, branch="main"):
    return SiteCommit(hash=CommitHash(letter), commit=None, date=0, revision=revision, branch=branch)


def test_each_commit_has_its_branch():
    """The first branch is the newest part of the order; commits elsewhere, and all without a repository, have none."""
    runs = [replace(a_run(date=ord(letter) * 1000), commit=CommitHash(letter)) for letter in "abdxz"]
    found = timeline(runs, a_branch_history(main="cd", old="ab"), {})
    assert [(each.hash, each.branch) for each in found] == [
        ("a", "old"),
        ("b", "old"),
        ("d", "main"),
        ("x", None),
        ("z", None),
    ]
    assert {each.branch for each in timeline(runs, a_branch_history(), {})} == {None}


def test_a_release_is_at_the_last_measured_commit_that_it_contains():
    """Few projects measure the tagged commit itself; a tag before all results, or on no branch, is left out."""
    measured = [a_site_commit("b", 1), a_site_commit("x", None, None), a_site_commit("e", 4)]
    tags = [Tag(name=f"v{at}", commit=CommitHash(name)) for at, name in enumerate("abdfz")]
    found = releases(tags, measured, a_branch_history(main="abcdefg"))
    assert [(each.name, each.commit) for each in found] == [("v1", 0), ("v2", 0), ("v3", 2)]


def test_a_release_is_at_a_commit_of_its_own_branch():
    """The commits of another branch are older in the order alone."""
    measured = [a_site_commit("b", 1, "old"), a_site_commit("d", 3)]
    tags = [Tag(name=letter, commit=CommitHash(letter)) for letter in "bcd"]
    found = releases(tags, measured, a_branch_history(main="cd", old="ab"))
    assert [(each.name, each.commit) for each in found] == [("b", 0), ("d", 1)]
