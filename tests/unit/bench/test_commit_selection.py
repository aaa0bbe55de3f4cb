"""Commits with relevant changes are timed, spread evenly when there are too many."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.asv.configuration import project_name
from windtunnel.bench.commit_selection import (
    CommitFilter,
    PlanRequest,
    choose,
    is_irrelevant,
    spread_order,
    without_new,
)
from windtunnel.git.repository import Commit
from windtunnel.model.settings import IRRELEVANT_PATHS


class Log:
    """A repository with the commits 9 (the newest) to 0; 8 changes only a page."""

    def first_parent_log(self, revisions, limit):
        log = [
            Commit(hash=str(number), author_date=0, subject="", parent=str(number - 1))
            for number in range(int(revisions), -1, -1)
        ]
        return tuple(log[:limit])

    def diff_names(self, parent, commit):
        return ("docs/a.md" if commit == "8" else "src/a.py",)


def chosen(known, request=None):
    return "".join(commit.hash for commit in choose(Log(), request or PlanRequest(commits=2, revisions="9"), known)[0])


KNOWN = CommitFilter(irrelevant=("docs/",))
NEW = replace(KNOWN, stored=frozenset("63"), incomplete=frozenset("3"))


def test_new_commits_come_first_then_those_that_a_run_left_incomplete():
    """Only commits of the log; without any stored commit, as many as requested."""
    assert chosen(replace(NEW, incomplete=frozenset("3x"))) == "973"
    assert chosen(replace(NEW, stored=frozenset("93"))) == "3"
    assert chosen(KNOWN) == "97"


def test_a_request_can_leave_out_exactly_what_is_new():
    """Together, both requests have every commit once."""
    rest = without_new(Log(), KNOWN, "9", {"6", "3"}, {"3"})
    assert chosen(rest) == "65"
    whole = PlanRequest(commits=1, revisions="9", backfill=10)
    assert sorted(chosen(rest, whole) + chosen(NEW)) == sorted("976543210")


@given(st.integers(0, 300))
def test_spread_order_has_every_index_once(count):
    """A backfill that runs long enough times every commit."""
    assert sorted(spread_order(count)) == list(range(count))


@given(st.integers(2, 300), st.data())
def test_every_prefix_of_spread_order_is_even(count, data):
    """Wherever the backfill stops, no gap is much longer than in an even spread."""
    taken = data.draw(st.integers(2, count))
    places = sorted(spread_order(count)[:taken])
    widest = max((b - a for a, b in pairwise(places)), default=0)
    assert widest <= 2 * (count - 1) / (taken - 1) + 1


def test_spread_order_starts_with_the_ends():
    """The order is first, last, middle."""
    assert spread_order(5)[:3] == (0, 4, 2)


@pytest.mark.parametrize(
    "paths", [(), ("docs/explanation/method.md",), ("README.md", "tests/unit/test_x.py"), (".github/w.yml",)]
)
def test_documentation_is_irrelevant(paths):
    """Files that neither an installed package nor a benchmark reads change no timing."""
    assert is_irrelevant(paths, IRRELEVANT_PATHS)


@pytest.mark.parametrize("path", ["src/pkg/data.md", "pyproject.toml", "requirements.txt", "documents/x.py", "doc.py"])
def test_any_other_path_is_relevant(path):
    """A pattern without a slash matches at the top level only."""
    assert not is_irrelevant(("docs/a.md", path), IRRELEVANT_PATHS)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/org/spam",
        "https://example.org/org/Spam.git/",
        "git@example.org:spam.git",
        "ssh://git@example.org:22/org/spam.git",
        "/somewhere/spam",
        "C:\\\\spam",
        "spam",
    ],
)
def test_a_project_is_known_by_the_end_of_its_address(address):
    """However it is reached, and whatever forks exist."""
    assert project_name(address) == "spam"
