"""Commits with relevant changes are timed, spread evenly when there are too many."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.asv.project_repository import project_name
from windtunnel.bench.commit_selection import is_irrelevant, spread_order
from windtunnel.model.settings import IRRELEVANT_PATHS


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
    """However it is reached, and whoever has forked it."""
    assert project_name(address) == "spam"
