"""The index of the site: commits, branches, releases."""

from dataclasses import replace

from builders.trees import a_hash, a_run

from windtunnel import formats
from windtunnel.git.history import BranchHistory
from windtunnel.git.repository import Commit, Reference
from windtunnel.model.identity import CommitHash
from windtunnel.publish.site_index import (
    MAX_BRANCHES,
    MAX_COMMITS,
    SiteCommit,
    commit_files,
    releases,
    site_branches,
    timeline,
)


def on(*branches):
    """A commit on each of *branches*, oldest first."""
    return [
        SiteCommit(hash=a_hash(at), commit=None, date=0.0, revision=None, branch=branch)
        for at, branch in enumerate(branches)
    ]


def test_commits_name_their_branch_by_its_index():
    """In the order of the configuration; a branch without results is left out, a commit on none has null."""
    commits = on("2.x", "2.x", "main", None, "main")
    branches = site_branches(commits, ["main", "unmeasured", "2.x"])
    assert [(each.name, each.commits, each.newest) for each in branches.values()] == [("main", 2, 4), ("2.x", 2, 1)]
    ((_, file),) = commit_files(commits, branches)
    assert file.branch == (1, 1, 0, None, 0)


def test_without_branches_commits_have_no_column_of_them():
    """As where no repository is known."""
    commits = on(None, None)
    assert site_branches(commits, []) == {}
    ((_, file),) = commit_files(commits, {})
    assert file.branch == ()


def test_one_more_commit_changes_the_last_file_of_commits_alone():
    """Also with branches: the files of older commits are linked from the old site."""
    commits = on(*["2.x"] * 10, *["main"] * MAX_COMMITS)
    one_more = [*commits, *on("main")]
    before, after = (dict(commit_files(each, site_branches(each, ["main", "2.x"]))) for each in (commits, one_more))
    assert [path for path, file in before.items() if after[path] != file] == ["data/commits/1.json.gz"]


def test_names_of_branches_are_escaped_and_the_branches_are_limited():
    """git allows bytes that are no text, and control characters of Unicode; commits beyond the limit are on none."""
    names = ["\u202etxt", "caf\udce9", *(f"b{at}" for at in range(MAX_BRANCHES))]
    commits = on(*names)
    branches = site_branches(commits, names)
    assert [each.name for each in branches.values()][:3] == ["\\u202etxt", "caf\\udce9", "b0"]
    ((_, file),) = commit_files(commits, branches)
    assert file.branch == (*range(MAX_BRANCHES), None, None)
    assert formats.encode(tuple(branches.values()))


def a_branch_history(**branches):
    """The history of *branches*, each a string with a letter for each of its own commits, oldest first."""
    commits = {name: [_commit(letter) for letter in reversed(own)] for name, own in branches.items()}
    return BranchHistory(
        branches=tuple(Reference(name=name, commit=CommitHash(own[-1])) for name, own in branches.items()),
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
    tags = [Reference(name=f"v{at}", commit=CommitHash(name)) for at, name in enumerate("abdfz")]
    found = releases(tags, measured, a_branch_history(main="abcdefg"))
    assert [(each.name, each.commit) for each in found] == [("v1", 0), ("v2", 0), ("v3", 2)]


def test_a_release_is_at_a_commit_of_its_own_branch():
    """The commits of another branch are older in the order alone."""
    measured = [a_site_commit("b", 1, "old"), a_site_commit("d", 3)]
    tags = [Reference(name=letter, commit=CommitHash(letter)) for letter in "bcd"]
    found = releases(tags, measured, a_branch_history(main="cd", old="ab"))
    assert [(each.name, each.commit) for each in found] == [("b", 0), ("d", 1)]
