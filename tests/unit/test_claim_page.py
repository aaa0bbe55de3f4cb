"""Studies write parts of the documents, such as the claim board of a run."""

from pathlib import Path

import pytest
from builders.claim_boards import a_claim_board, a_decided_claim, a_decided_test
from builders.records import a_build, a_record, a_task
from msgspec import structs

from studies import article_page, claim_page, durations, noise
from studies.page import put
from windtunnel.claims.format import Decision
from windtunnel.model.run_format import CaseState

DOCS = Path(__file__).parents[2] / "docs" / "measurements"
MARKS = "<!-- written by studies.noise -->\n", "<!-- end of what studies.noise wrote -->\n"


@pytest.mark.parametrize(
    ("document", "study"), [("claims.md", claim_page), ("noise.md", noise), ("article.md", article_page)]
)
def test_the_documents_have_marks_for_studies(document, study, tmp_path):
    """Writing again replaces the part and leaves the rest."""
    copy = tmp_path / document
    copy.write_text((DOCS / document).read_text(encoding="utf-8"), encoding="utf-8")
    name = study.__name__.rpartition(".")[2]
    put(copy, name, "first")
    once = copy.read_text(encoding="utf-8")
    put(copy, name, "second\n")
    assert copy.read_text(encoding="utf-8") == once.replace("\nfirst\n", "\nsecond\n")


@pytest.mark.parametrize("content", ["", "".join(MARKS) * 2, "".join(MARKS[::-1])])
def test_a_document_without_marks_is_not_changed(content, tmp_path):
    """The message names the missing line."""
    (tmp_path / "page.md").write_text(content)
    with pytest.raises(SystemExit, match="needs one line"):
        put(tmp_path / "page.md", "noise", "text")
    assert (tmp_path / "page.md").read_text() == content


def test_the_page_lists_the_runs():
    """Python, commit, date, hardware and the number of cases come from run records."""
    records = [a_record(a_task(case=case, state=CaseState.MEASURED)) for case in ("a", "b", "a")]
    page = claim_page.page(a_claim_board(a_decided_claim()), records)
    (line,) = (line for line in page.splitlines() if line.startswith("| 3.12 "))
    assert "| 1970-01-01 |" in line
    assert "2 cores, 8.00 GiB" in line
    assert line.endswith("| 2 | 3 s |")
    assert "| Z1 | Gathering" in page


def test_the_page_shows_the_build_of_the_python_and_the_background_load():
    """The background load is the highest number of processors that other processes used."""
    task = structs.replace(
        a_task(case="a", state=CaseState.MEASURED, background_load=(0.02, 0.31)), build=a_build(gil=False)
    )
    page = claim_page.page(a_claim_board(a_decided_claim()), [a_record(task)])
    assert "| 3.12 (cpython 3.12.1, optimised, no GIL) |" in page
    assert "| ≤ 0.3 processors |" in page


def test_the_page_lists_ratios_that_differ_from_published_ones():
    """The interval of such a ratio does not contain the published ratio."""
    near, far = a_decided_test(), a_decided_test(Decision.FAILS, ratio=0.9)
    board = a_claim_board(
        a_decided_claim(tests=(near,)),
        a_decided_claim("Z2", tests=(near, far)),
        a_decided_claim("Z3", tests=(a_decided_test(published=None),)),
    )
    assert list(claim_page.differing_ratios(board)) == ["| Z2 (2) | 0.333× | **0.900× (0.891 – 0.909)** |"]


def test_benchmarks_are_listed_by_duration():
    """The longest is first, the sum last; a case counts once."""
    lines = durations.render([a_record(a_task(case="b"), a_task(case="a"), a_task(case="a"))]).splitlines()
    assert [line.split() for line in lines] == [
        ["2.0", "s", "1", "cases", "3.12", "a"],
        ["1.0", "s", "1", "cases", "3.12", "b"],
        ["3.0", "s", "2", "cases", "in", "all"],
    ]
