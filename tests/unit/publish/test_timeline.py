"""The order of commits on the site, and where releases are."""

from windtunnel.git.repository import Commit, Tag
from windtunnel.model.identity import CommitHash
from windtunnel.publish.timeline import SiteCommit, releases

HISTORY = [Commit(hash=CommitHash(name), author_date=0, subject="", parent=None) for name in "gfedcba"]


def test_a_release_is_at_the_last_measured_commit_that_it_contains():
    """Few projects measure the tagged commit itself; a tag before all results, or on no branch, is left out."""
    measured = [
        SiteCommit(hash=CommitHash("b"), commit=None, date=0, revision=1),
        SiteCommit(hash=CommitHash("x"), commit=None, date=0, revision=None),
        SiteCommit(hash=CommitHash("e"), commit=None, date=0, revision=4),
    ]
    tags = [Tag(name=f"v{at}", commit=CommitHash(name)) for at, name in enumerate("abdfz")]
    found = releases(tags, measured, HISTORY)
    assert [(each.name, each.commit) for each in found] == [("v1", 0), ("v2", 0), ("v3", 2)]
