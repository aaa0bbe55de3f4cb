"""The study that names the releases that made a step, one release at a time."""

from studies import release_search
from studies.time_machine import Day

LOCK = """
[[packages]]
name = "{name}"
version = "{version}"
wheels = [
    {{ url = "https://example.org/b.whl", upload-time = {published}T13:00:00.750Z, hashes = {{ sha256 = "00" }} }},
    {{ url = "https://example.org/a.whl", upload-time = {published}T12:00:00.750Z, hashes = {{ sha256 = "11" }} }},
]
"""

RELEASES = (
    ("2024-07-01", "aiohttp", "1"),
    ("2024-07-02", "yarl", "1"),
    ("2024-08-05", "aiohttp", "2"),
    ("2024-08-09", "yarl", "2"),
)


def resolve(day, _wanted, *_options):
    """Stands in for uv: the newest release of each library before the moment."""
    known = {name: (published, version) for published, name, version in RELEASES if f"{published}T12:00:00Z" < day.date}
    return "".join(
        LOCK.format(name=name, version=version, published=published) for name, (published, version) in known.items()
    )


def test_each_release_between_two_days_has_a_state(monkeypatch):
    """A release is there from its first file on; the oldest state is that of the first day."""
    monkeypatch.setattr(Day, "resolve", resolve)
    states = release_search.releases(Day("2024-09-01", "3.11"), ["aiohttp"], "2024-08-01")
    assert [(each.since, dict(each.versions)) for each in states] == [
        ("2024-07-02T12:00:00Z", {"aiohttp": "1", "yarl": "1"}),
        ("2024-08-05T12:00:00Z", {"aiohttp": "2", "yarl": "1"}),
        ("2024-08-09T12:00:00Z", {"aiohttp": "2", "yarl": "2"}),
    ]
    assert states[0].requirements.startswith(
        "aiohttp==1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nyarl==1 \\\n"
    )


def test_what_moved_is_said_with_what_came_and_went():
    """Names that are equal on both sides are left out."""
    said = release_search.moved({"a": "1", "b": "1", "c": "1"}, {"a": "2", "b": "1", "d": "3"})
    assert said == "a 1 → 2, c 1 → none, d none → 3"


def test_a_release_is_named_with_its_share():
    """After what all releases changed together; one without a count is not hidden."""
    states = [release_search.State(f"2024-08-0{at + 1}T00:00:00Z", {"a": str(at)}, "") for at in range(3)]
    lines = list(release_search.found_lines(states, [(100.0,), (100.0,), (90.0,)].__getitem__, 0.01))
    assert lines == [
        "2024-08-03\tall 2 releases since 2024-08-01\t-10.00%\t100\t90",
        "2024-08-03\ta 1 → 2\t-10.00%\t100\t90",
    ]
    lines = list(release_search.found_lines(states[:2], [(100.0,), None].__getitem__, 0.01))
    assert lines == ["2024-08-02\tall 1 releases since 2024-08-01\tnot counted\t\t"]


def searched(counts, least=0.01):
    """Return the pairs that a search finds in *counts*, and which it counted."""
    asked = []

    def count(place):
        asked.append(place)
        return (counts[place],) if counts[place] else None

    return list(release_search.search(count, 0, len(counts) - 1, least)), set(asked)


def test_all_releases_that_made_a_step_are_found():
    """In both directions, and without counting what lies between equal counts."""
    counts = [100.0] * 9 + [50.0] * 4 + [60.0] * 4
    found, asked = searched(counts)
    assert found == [(8, 9), (12, 13)]
    assert asked.isdisjoint(range(1, 8))


def test_a_state_without_a_count_is_passed_over():
    """The step then lies at one of several releases."""
    assert searched([100.0, 100.0, None, 50.0, 50.0])[0] == [(1, 3)]


def test_a_change_below_the_least_is_not_searched():
    """Two counts are enough."""
    assert searched([100.0, 100.4, 100.4, 100.4]) == ([], {0, 3})
