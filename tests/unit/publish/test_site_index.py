"""The files of commits, and the branches that they refer to."""

from builders.trees import a_hash

from windtunnel import formats
from windtunnel.publish.site_index import MAX_BRANCHES, MAX_COMMITS, SiteCommit, commit_files, site_branches


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
