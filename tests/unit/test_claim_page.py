"""What studies write into README.md and docs/claims.md follows from the committed board alone."""

import re
import tomllib

import pytest
from builders.claim_blocks import HEAD, SLEEP, THIRD, a_series, claim_samples, ratios
from builders.claim_boards import a_claim_board, a_claim_target, a_decided_claim, a_decided_test, a_side
from builders.records import a_record, a_task
from msgspec import structs

from studies import article_page, claim_page, durations, renewed_board
from studies import worse as worse_cases
from studies.board import BOARD, DOCS, read_board
from studies.findings_picture import SCHEMES, draw
from studies.page import BEGIN, END, put
from studies.years import read_years
from windtunnel.model.run import Interval
from windtunnel_claims.board import claim_board
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.format import CLAIMS_FORMAT, DecidedFinding, Decision, FindingAnswer

MARKS = "<!-- written by studies.noise -->\n", "<!-- end of what studies.noise wrote -->\n"
PROSE = tomllib.loads((DOCS / "claims.toml").read_text(encoding="utf-8"))
"""Why each claim comes out as it does, and what its number does not show."""


def written(page, study):
    """What the study wrote into a page."""
    text = page.read_text(encoding="utf-8")
    return text.partition(BEGIN.format(study))[2].partition(END.format(study))[0].strip()


def a_finding(
    name="slow", *, claim="Z1", answers=(("Gathering takes a third.", Decision.HOLDS, ("3.12",)),), caveat=""
):
    """A question with its answers."""
    return DecidedFinding(
        id=name,
        question="I wait for many services",
        claim=claim,
        caveat=caveat,
        answers=tuple(FindingAnswer(sentence=text, decision=decision, targets=on) for text, decision, on in answers),
    )


def a_board(*decisions, findings=()):
    """A board with findings."""
    return structs.replace(a_claim_board(*decisions or (a_decided_claim(),)), findings=findings)


def test_pages_and_pictures_are_what_the_commands_write_now():
    """README.md, docs/claims.md, the pictures, and the tables of articles and of worse cases follow from the board."""
    board = read_board(BOARD)
    for study, page, text in (
        ("claim_page", claim_page.README, claim_page.readme_part(board)),
        ("claim_page", claim_page.PAGE, claim_page.page_part(board)),
        (
            "article_page",
            article_page.PAGE,
            article_page.page(article_page.read_articles(), board, *article_page.read_cases()),
        ),
        ("worse", worse_cases.PAGE, worse_cases.page(board)),
    ):
        assert written(page, study) == text.strip(), f'run make study ARGS="studies.{study}"'
    for scheme in SCHEMES:
        picture = claim_page.PICTURES / f"answers-{scheme}.svg"
        assert picture.read_text(encoding="utf-8") == draw(board.findings, board, scheme)


def test_every_claim_of_the_suite_has_a_reason_and_a_caveat():
    """A claim that is renamed or removed takes its text along; one that is added has a text once it is measured."""
    claims = parse_claims((DOCS.parent / "benchmarks" / "claims.toml").read_text(encoding="utf-8"), "claims.toml")
    assert PROSE.keys() == {claim.id for claim in read_board(BOARD).claims} <= {claim.id for claim in claims.claims}


def test_reasons_and_caveats_are_one_sentence_without_measured_numbers():
    """Numbers come from the board, so that a new measurement cannot contradict the prose."""
    for claim, table in PROSE.items():
        assert table.keys() == {"why", "caveat"}, claim
        for text in table.values():
            assert text.endswith("."), claim
            assert not re.search(r"\d+([.,]\d+)? ?(×|%|s|ms|µs|MiB|GiB|times)\b|\d×", text), claim


FINDING = """
[[finding]]
id = "slow"
question = "I wait for many services"
claim = "Z1"
holds = "Ask all at once: it takes {ratio} the time."
fails = "It does not help."
caveat = "A sleep is not a service."
"""


def test_blocks_become_sentences_numbers_and_a_picture(tmp_path):
    """The whole way from samples of two Pythons through claims.json."""
    samples = [claim_samples(a_series(*ratios(0.333, 4)), python=python) for python in ("3.12", "3.13")]
    claims = parse_claims(HEAD + THIRD + FINDING, "claims.toml")
    file = tmp_path / "claims.json"
    file.write_bytes(CLAIMS_FORMAT.encode(claim_board(claims, {SLEEP.name: SLEEP}, samples)))
    board = read_board(file)
    readme, page = claim_page.readme_part(board), " ".join(claim_page.page_part(board).split())
    answer = "Ask all at once: it takes 0.33 the time. ([Z1](#z1)) A sleep is not a service."
    assert f"- **I wait for many services.** {answer}" in page
    assert " ".join(readme.split()).startswith("- **I wait for many services**: . ")
    assert "At most 5 % of the decisions" in " ".join(readme.split())
    assert "Decided: 2 of 2." in page
    assert f"Z1: {claims.claims[0].sentence} *holds*" in page
    assert draw(claim_page.shown_findings(board), board).count("<circle") == 2


def test_a_decision_about_at_the_limit_and_one_of_another_size_have_words_of_their_own():
    """Neither is said to hold or to fail; how many there are stands above the claims."""
    decided = [
        a_decided_claim(target="3.11", decision=Decision.ABOUT),
        a_decided_claim(decision=Decision.DIRECTION),
        a_decided_claim(target="3.13"),
    ]
    words = claim_page.decision_words({one.target: one for one in decided})
    assert words == "holds on 3.13; direction holds, size does not on 3.12; about at the limit on 3.11"
    said = claim_page.close(a_board(*decided))
    assert said.startswith("1 are about at the limit")
    assert "1 hold in direction, but not in size" in said
    assert claim_page.close(a_board(decided[2])) == ""


def test_pythons_that_were_built_alike_are_named_together():
    """Only these are compared with each other."""
    built = {
        "3.13": "3.13.15, GCC 14, --with-lto",
        "3.14": "3.14.6, GCC 14, --with-lto",
        "3.11": "3.11.7, GCC 12, ",
        "3.12": "",
    }
    targets = tuple(structs.replace(a_claim_target(name), build=build) for name, build in built.items())
    elsewhere = structs.replace(targets[2], machine="rack")
    said = claim_page.builds(a_claim_board(targets=(*targets, elsewhere)))
    assert said == "Built alike: 3.13.15 and 3.14.6 (GCC 14, --with-lto)."
    assert claim_page.builds(a_claim_board(targets=targets[2:])) == ""


def test_who_asks_stands_beside_a_claim_that_no_article_makes():
    """Claims of the suite itself stand under its own heading."""
    board = a_board(a_decided_claim())
    asked = [
        claim_page.claim_line(board, structs.replace(board.claims[0], said_by=by))
        for by in ("article", "readers", "suite")
    ]
    assert ["(readers)" in line for line in asked] == [False, True, False]
    assert ["(ours)" in line for line in asked] == [False, False, True]


def test_the_pythons_that_are_usual_are_those_of_one_machine():
    """A claim that was measured on all of one machine names none; builds without a lock and PyPy do not count."""
    there = a_claim_target("3.14", name="3.14.10", machine="rack")
    others = [a_claim_target("3.13t"), a_claim_target("pypy3.11")]
    board = a_claim_board(targets=(a_claim_target("3.11"), a_claim_target("3.14"), *others, there))
    assert claim_page.usual(board) == ({"3.11", "3.14"}, {"3.14.10"})


def test_what_was_measured_anew_replaces_what_other_builds_decided():
    """Builds that differ are not mixed within a claim; the other claims keep their decisions."""
    old = a_claim_board(a_decided_claim("Z1"), a_decided_claim("Z2"), notes=("An old note.",))
    fails = a_decided_claim("Z1", "3.14", Decision.FAILS)
    missing = a_decided_claim("Z2", "3.14", Decision.UNDECIDED, tests=())
    built = structs.replace(a_claim_target("3.14", machine="rack"), build="3.14.10, GCC 16")
    new = structs.replace(a_claim_board(fails, missing), targets=(built,), notes=("A new note.",))
    board = renewed_board.renewed(old, new, parse_claims(HEAD + THIRD, "claims.toml"), "optimised")
    assert [(one.claim, one.target, one.decision, one.is_measured) for one in board.decisions] == [
        ("Z1", "3.12", Decision.UNDECIDED, False),
        ("Z1", "3.14.10", Decision.FAILS, True),
        ("Z2", "3.12", Decision.HOLDS, True),
        ("Z2", "3.14.10", Decision.UNDECIDED, False),
    ]
    assert [each.name for each in board.targets] == ["3.12", "3.14.10"]
    assert board.targets[1].build == "3.14.10, optimised"
    assert board.notes == ("An old note.", "A new note.")
    CLAIMS_FORMAT.decode(CLAIMS_FORMAT.encode(board), "claims.json")


def test_another_python_that_was_built_alike_keeps_its_decisions():
    """A board grows by a Python at a time, and a Python that is measured again replaces itself."""
    here, there = (
        structs.replace(a_claim_target(python), name=name, build=f"{name}, GCC 16")
        for python, name in (("3.13", "3.13.18"), ("3.14", "3.14.10"))
    )
    old = structs.replace(
        a_claim_board(a_decided_claim(target="3.13.18"), a_decided_claim(target="3.14.10")), targets=(here, there)
    )
    new = structs.replace(
        a_claim_board(a_decided_claim(target="3.14", decision=Decision.FAILS)),
        targets=(structs.replace(there, name="3.14"),),
    )
    board = renewed_board.renewed(old, new, parse_claims(HEAD + THIRD, "claims.toml"))
    assert [(one.target, one.decision) for one in board.decisions] == [
        ("3.13.18", Decision.HOLDS),
        ("3.14.10", Decision.FAILS),
    ]


def test_a_claim_is_a_line_that_other_pages_lead_to():
    """Pythons are named where they disagree, or where not all of the usual ones measured it."""
    undecided = a_decided_claim(target="3.13", decision=Decision.UNDECIDED)
    missing = structs.replace(undecided, target="3.14", commit=None, tests=())
    board = a_board(a_decided_claim(), undecided, missing)
    (statement,) = board.claims
    line = claim_page.claim_line(board, statement)
    assert line == f'- <a id="z1"></a>Z1: {statement.sentence} *holds on 3.12; undecided on 3.13*'
    everywhere = a_board(a_decided_claim(), a_decided_claim(target="3.13"))
    assert claim_page.claim_line(everywhere, statement).endswith(" *holds*")
    assert claim_page.claim_line(a_board(missing), statement).endswith(" *not measured*")


def test_a_finding_names_pythons_and_leads_to_its_claim():
    """Where Pythons disagree, each answer begins with its Pythons. The first screen leaves caveats to the claim."""
    one = claim_page.finding_item(a_finding(caveat="On one machine."), "docs/claims.md", a_claim_board())
    assert " ".join(one.split()) == (
        "- **I wait for many services.** Gathering takes a third. ([Z1](docs/claims.md#z1), 3.12) On one machine."
    )
    two = a_finding(
        answers=(("It does.", Decision.HOLDS, ("3.14t",)), ("It does not.", Decision.FAILS, ("3.11", "3.13")))
    )
    text = " ".join(claim_page.finding_item(two, "", a_claim_board()).split())
    assert text == "- **I wait for many services.** 3.14t: It does. 3.11 and 3.13: It does not. ([Z1](#z1))"


def test_an_answer_says_since_when_counts_with_past_libraries_agree():
    """All later quarters must; one without both counts is passed over, which the words say."""
    real = read_years()
    for claim, (name, *cases) in claim_page.COUNTED.items():
        assert {*cases} <= next(set(job.cases) for job in real.jobs if job.id == name), claim
    for fewer, said in (
        ((1, 1, 1, 1), "Counts: in each quarter since 2024-02."),
        ((1, 2, 1, 1), "Counts: in each quarter since 2024-08, not before."),
        ((2, None, 1, 1), "Counts: in each counted quarter since 2024-08, not before."),
        ((1, None, 1, 2), ""),
    ):
        job = structs.replace(real.jobs[0], cases={"aiohttp": fewer, "httpx_async": (2,) * 4})
        years = structs.replace(real, dates=("2024-02-01", "2024-05-01", "2024-08-01", "2024-11-01"), jobs=(job,))
        assert claim_page.history("S120", years) == said
        assert claim_page.history("S63", years) == claim_page.history("Z1", years) == ""


def test_the_first_screen_shows_the_first_five_findings_with_an_answer():
    """A finding that no Python decides is left out."""
    findings = (a_finding("none", answers=()), *(a_finding(f"f{index}") for index in range(7)))
    shown = claim_page.shown_findings(a_board(findings=findings))
    assert [each.id for each in shown] == ["f0", "f1", "f2", "f3", "f4"]


def test_the_share_of_decided_claims_leaves_out_what_is_out_of_scope_or_was_not_tried():
    """The denominator is what can be decided at a target, not a new claim or one that only other Pythons tried."""
    board = a_board(
        a_decided_claim("Z1"),
        a_decided_claim("Z2", decision=Decision.UNDECIDED),
        a_decided_claim("Z3", decision=Decision.OUT_OF_SCOPE, tests=()),
    )
    assert claim_page.decided_share(board) == "Decided: 1 of 2."
    untried = (a_decided_claim(name, decision=Decision.UNDECIDED, tests=()) for name in ("S1", "S2"))
    elsewhere = a_decided_claim("Z1", target="3.13")
    assert claim_page.decided_share(a_board(a_decided_claim("Z1"), *untried, elsewhere)) == "Decided: 2 of 2."


def test_the_error_rate_and_the_notes_are_those_of_the_board():
    """A board that is not measured in blocks states no rate. Notes say which results were discarded, on both pages."""
    board = structs.replace(a_board(), false_discovery_rate=0.05)
    assert claim_page.wrong_share(board) == (
        "At most 5 % of the decisions on a Python are expected to be wrong, "
        "for this machine, these days, builds and commit."
    )
    board = structs.replace(a_board(), notes=("A control was off",))
    assert claim_page.wrong_share(board) == ""
    assert "A control was off.*" in claim_page.readme_part(board)
    assert "- A control was off.\n" in claim_page.page_part(board)


def test_the_first_screen_names_the_pythons_of_its_own_answers():
    """Others were measured for other claims, on other days and machines."""
    there = a_claim_target("3.14", name="3.14.10", machine="rack")
    board = a_board(a_decided_claim(), a_decided_claim(target="3.14.10"), findings=(a_finding(),))
    said = claim_page.readme_part(structs.replace(board, targets=(*board.targets, there)))
    assert "3.12" in said
    assert "3.14.10" not in said
    assert "rack" not in said


def shown(finding, *decisions, targets=()):
    """The picture of a finding."""
    board = a_board(*decisions, findings=(finding,))
    return draw([finding], structs.replace(board, targets=targets) if targets else board)


def test_a_dot_is_drawn_for_each_python_with_the_other_way_divided_by_the_recommended_one():
    """A contender that takes a third of the time is recommended: the other way takes three times as long."""
    picture = shown(structs.replace(a_finding(), best="contender", use="Ask all at once"))
    assert picture.count("<circle") == 1
    assert ">3.0×</text>" in picture
    assert ">Ask all at once</text>" in picture
    assert "3.00× on 3.12" in picture


def test_where_the_advice_is_wrong_the_dot_lies_on_the_other_side_and_is_grey():
    """Only advice that helps has the colour of advice."""
    wrong, right = shown(a_finding()), shown(structs.replace(a_finding(), best="contender"))
    place = {name: float(re.search(r'<circle cx="([\d.]+)"', each)[1]) for name, each in (("w", wrong), ("r", right))}
    one = [float(re.search(r'<text x="([\d.]+)"[^>]*>1×</text>', each)[1]) for each in (wrong, right)]
    assert place["w"] < one[0]
    assert place["r"] > one[1]
    assert re.search(r'<circle[^>]*fill="#59636e"', wrong)
    assert re.search(r'<circle[^>]*fill="#0b5cad"', right)


def test_the_first_screen_has_a_line_for_each_answer():
    """The program, what to use, and what that changes."""
    finding = structs.replace(a_finding(), program="Waits", use="Ask all at once", best="contender", quantity="wait")
    line = " ".join(claim_page.first_line(a_board(findings=(finding,)), finding).split())
    assert line == "- **Waits**: ask all at once. 600 ms → 200 ms (wait) ([Z1](docs/claims.md#z1))"


def test_names_in_the_picture_are_escaped_and_a_finding_without_a_ratio_has_no_bars():
    """A question is text, not markup."""
    board = a_board(findings=(structs.replace(a_finding(), question="<b>&"),))
    assert "&lt;b&gt;&amp;" in draw(board.findings, board)
    empty = structs.replace(a_decided_test(Decision.UNDECIDED), ratio=None, interval=None)
    board = a_board(a_decided_claim(tests=(empty,)), findings=(a_finding(),))
    assert "I wait" not in draw(board.findings, board)


def test_an_interval_down_to_zero_ends_at_the_edge():
    """A memory of nothing has no logarithm."""
    wide = structs.replace(a_decided_test(ratio=0.2), interval=Interval(low=0.0, high=0.4))
    board = a_board(a_decided_claim(tests=(wide,)), findings=(a_finding(),))
    assert ">0.2×</text>" in draw(board.findings, board)
    assert ">5.0×</text>" in draw([structs.replace(a_finding(), best="contender")], board)


@pytest.mark.parametrize("content", ["", "".join(MARKS) * 2, "".join(MARKS[::-1])])
def test_a_document_without_marks_is_not_changed(content, tmp_path):
    """The message names the missing line."""
    (tmp_path / "page.md").write_text(content)
    with pytest.raises(SystemExit, match="needs one line"):
        put(tmp_path / "page.md", "noise", "text")
    assert (tmp_path / "page.md").read_text() == content


def test_benchmarks_are_listed_by_duration():
    """The longest is first, the sum last; a case counts once."""
    lines = durations.render([a_record(a_task(case="b"), a_task(case="a"), a_task(case="a"))]).splitlines()
    assert [line.split() for line in lines] == [
        ["2.0", "s", "1", "cases", "3.12", "a"],
        ["1.0", "s", "1", "cases", "3.12", "b"],
        ["3.0", "s", "2", "cases", "in", "all"],
    ]


def test_cases_in_which_asyncio_is_worse_are_listed_with_how_much():
    """Whichever side it is on, only beyond the margin, and only where something is known about the claim."""

    def a_pair(ratio, names=("gather", "sync")):
        test = a_decided_test(ratio=ratio)
        sides = (structs.replace(a_side(name), params=(repr(name),)) for name in names)
        return structs.replace(test, **dict(zip(("contender", "baseline"), sides, strict=True)))

    worse, alike = a_pair(2.0), a_pair(1.05)
    turned, between_threads = a_pair(0.25, ("threads", "aiofiles")), a_pair(3.0, ("threads", "sync"))
    disputed = a_decided_claim("Z5", decision=Decision.UNDECIDED, reason="two generators disagree", tests=(worse,))
    board = a_board(
        a_decided_claim("Z1", tests=(worse,)),
        a_decided_claim("Z2", tests=(alike,)),
        a_decided_claim("Z3", tests=(turned,)),
        a_decided_claim("Z4", tests=(between_threads,)),
        disputed,
    )
    found = {claim: (ways, listed) for (claim, ways, _), listed in worse_cases.cases(board).items()}
    assert found == {"Z1": (("gather", "sync"), [(2.0, "3.12")]), "Z3": (("aiofiles", "threads"), [(4.0, "3.12")])}
    assert worse_cases.page(board).splitlines()[2].split(" | ")[4] == "4.0 ×"
