"""The study that collects what the page Years of the site shows."""

import pytest
from packaging.version import Version

from studies import years
from windtunnel.errors import DataError
from windtunnel.publish.format.results import YEARS_FORMAT

CASE, NULL = "HttpInTurn aiohttp", "Tasks gather"
DATES = ["2023-05-01", "2023-08-01", "2024-02-01"]
COUNTS = {
    CASE: {"2023-05-01": (100.0,), "2024-02-01": (80.0,)},
    NULL: {"2023-05-01": (5.0,), "2023-08-01": (5.0,), "2024-02-01": (5.01,)},
}
NOTE = {"cases": [CASE], "library": "aiohttp", "version": "3.9.0", "text": "faster", "snapshot": "2024-02"}


@pytest.fixture(autouse=True)
def no_search(request, monkeypatch, tmp_path):
    """Counts of COUNTS were not searched."""
    if "archive" not in request.node.name and "file" not in request.node.name:
        monkeypatch.setattr(years, "RELEASES", tmp_path / "releases.tsv")


def causes_of(*notes):
    """The versions that explain the only step of COUNTS."""
    (step,) = years.steps(COUNTS, DATES, notes)
    return [each.version for each in step.causes]


def test_a_step_lies_between_two_days_with_a_count_and_has_its_null():
    """A move of less than 0.5 % is none."""
    (step,) = years.steps(COUNTS, DATES, ())
    assert (step.since, step.date, step.before, step.after) == ("2023-05-01", "2024-02-01", 5.0, 4.0)
    assert (step.null, step.null_change) == (NULL, pytest.approx(0.002))


def test_a_prediction_explains_a_step_of_its_sign_and_a_reviewed_cause_stands_alone():
    """Within the days of the step, also where the quarter of the release was not counted."""
    right, wrong = NOTE | {"sign": "-", "version": "1"}, NOTE | {"sign": "+", "version": "2"}
    early, late = NOTE | {"snapshot": "2023-05"}, NOTE | {"snapshot": "2024-05"}
    assert causes_of(right, wrong, NOTE | {"sign": "-", "version": "3", "snapshot": "2023-08"}) == ["1", "3"]
    assert causes_of(right, NOTE, early, late, NOTE | {"cases": [NULL]}) == ["3.9.0"]


def test_a_release_that_a_search_found_stands_with_its_note():
    """The largest first; a note that says the opposite is none."""
    rows = [
        "case\tpython\tday\trelease\tchange",
        f"{CASE}\t3.11\t2024-01-05\tall 9 releases since 2023-05-01\t-20.00%",
        f"{CASE}\t3.11\t2023-06-05\tyarl 1.9.2 → 1.9.3\t-2.50%",
        f"{CASE}\t3.11\t2023-11-18\taiohttp 3.8.6 → 3.9.0\t-17.00%",
        f"{CASE}\t3.11\t2024-02-02\taiohttp 3.9.0 → 3.9.1\t-17.00%",
    ]
    years.RELEASES.write_text("\n".join(rows), encoding="utf-8")
    (step,) = years.steps(
        COUNTS, DATES, (NOTE | {"version": "3.8.7"}, NOTE | {"library": "yarl", "version": "1.9.3", "sign": "+"})
    )
    assert [(each.library, each.text, each.alone) for each in step.causes] == [
        ("aiohttp", "faster", -0.17),
        ("yarl", "", -0.025),
    ]


def test_the_page_shows_what_the_archive_has():
    """So do the pictures of README; each release that explains a step came between its two locks."""
    found = years.collect(years.ARCHIVE)
    assert YEARS_FORMAT.encode(found) == years.YEARS.read_bytes(), 'run make study ARGS="studies.years"'
    assert all(path.read_text(encoding="utf-8") == picture for path, picture in years.pictures(found).items())
    at = {date: index for index, date in enumerate(found.dates)}
    for step in found.steps:
        for cause in step.causes:
            old, new = (Version(found.packages[cause.library][at[each]] or "0") for each in (step.since, step.date))
            assert old < Version(cause.version.split()[-1]) <= new, (step, cause)


def test_a_file_with_other_dates_is_refused():
    """A column with a value too few, and a step that ends elsewhere."""
    good = YEARS_FORMAT.encode(years.collect(years.ARCHIVE)).decode()
    for text in (good.replace('"2026-11-01"]', '"2026-11-01","x"]'), good.replace('"since":"', '"since":"x', 1)):
        with pytest.raises(DataError, match=r"years\.json: .* (needs a value for each|is not between two)"):
            YEARS_FORMAT.decode(text.encode(), "years.json")
