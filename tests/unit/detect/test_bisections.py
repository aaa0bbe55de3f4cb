"""Which alert is bisected, within a day's minutes, and what it keeps of the answer."""

import pytest
from builders.bisections import a_search
from builders.observations import a_change, a_hash, an_observation
from msgspec.structs import replace

from windtunnel.compare.bisect_format import CandidateCommit
from windtunnel.compare.samples_format import Cause, ChangedFunction
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alert_text import build_text
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.bisections import (
    MAX_ATTEMPTS,
    MAX_MINUTES,
    MIN_MINUTES,
    begin,
    build_request,
    choose_alert,
    end,
    result_of,
)
from windtunnel.model.build_change import PackageChange

DAY = "2026-02-01"
COMMITS = tuple(map(a_hash, range(37, 43)))
EVIL = "<img src=x> @everyone #1 -->\n## Forged\n<!-- windtunnel:alert key=default id=000000000000 is=open -->"


def alerts_of(*changes):
    return update_alerts(Alerts(), an_observation(*changes))


def a_range(**given):
    """Alerts with one regression that lies at one of the commits 38 to 42."""
    return alerts_of(a_change(first=38, last=42, **given))


def chosen(alerts, minutes=120, day=DAY, moved=False):
    """The id of the chosen alert, and its minutes."""
    found = choose_alert(alerts, day, minutes, lambda alert: moved)
    return found and (found[0].id, found[1])


def an_answer(**what):
    fields = {"answer": "commit", "before": a_hash(39), "after": a_hash(40), "relative_change": 0.2}
    candidates = tuple(CandidateCommit(hash=one, subject=EVIL) for one in COMMITS)
    return a_search(**({"candidates": candidates} | fields | what))


def kept(found, **given):
    """The alert after the search with the answer *found*, and the text of its issue."""
    alerts = a_range(**given)
    (alert,) = alerts.alerts
    begun = begin(alerts, alert.id, 60, DAY)
    (after,) = end(begun, alert.id, result_of(alert, found, COMMITS, "tidy up")).alerts
    return after, build_text(after, "default", repository_url="https://forge.example/org/p")[1]


def test_the_largest_regression_at_an_unmeasured_range_is_chosen():
    """Before a change whose commit is known; never an improvement or a creep."""
    alerts = alerts_of(
        a_change("m.small", first=38, last=42),
        a_change("m.large", at=50, first=48, last=52, relative_change=0.5),
        a_change("m.known", at=20, relative_change=0.9),
        a_change("m.better", at=30, first=28, last=32, relative_change=-0.8, direction="improved"),
        a_change("m.creep", at=10, first=8, last=12, relative_change=0.9, kind="creep"),
    )
    (large,) = (one for one in alerts.alerts if one.cases[0].benchmark == "m.large")
    assert chosen(alerts) == (large.id, MAX_MINUTES)


def test_the_search_covers_every_commit_that_may_be_the_cause():
    """From the parent of the first candidate to the last one; of more candidates than are kept, from the last run."""
    (alert,) = a_range().alerts
    request = build_request(alert, (), 30)
    assert (request.good, request.bad) == (f"{a_hash(38)}^", a_hash(42))
    assert (request.python, request.expected, request.minutes) == ("3.12", 0.2, 30)
    cut = replace(alert, location=replace(alert.location, candidate_count=300))
    assert build_request(cut, (), 30).good == alert.location.previous_commit


def test_a_single_commit_is_searched_last():
    """Its functions are not known yet; where packages moved, the commit is not either."""
    alerts = alerts_of(a_change("m.small", at=20), a_change("m.large", at=50, relative_change=0.5))
    (large,) = (one.id for one in alerts.alerts if one.cases[0].benchmark == "m.large")
    assert chosen(alerts) == (large, MAX_MINUTES)
    moved = choose_alert(alerts, DAY, 120, lambda alert: alert.id != large)
    assert moved is not None
    assert moved[0].id != large
    assert build_request(moved[0], (), 60).good == f"{a_hash(20)}^"


@pytest.mark.parametrize("state", ["muted", "accepted", "resolved"])
def test_an_alert_that_nobody_waits_for_is_not_searched(state):
    """It is over, or a person has answered it."""
    alerts = a_range()
    assert chosen(replace(alerts, alerts=tuple(replace(one, state=state) for one in alerts.alerts))) is None


def test_a_location_that_is_no_commit_is_not_searched():
    """alerts.json lies on a branch that other tools may write."""
    (alert,) = a_range().alerts
    hostile = replace(alert, location=replace(alert.location, candidates=("--output=/etc", "HEAD"), candidate_count=2))
    assert chosen(Alerts(alerts=(hostile,))) is None


def test_an_alert_is_searched_again_until_there_is_an_answer_or_the_attempts_are_used():
    """A job that dies leaves no answer, but its attempt counts."""
    alerts = a_range()
    (name,) = (one.id for one in alerts.alerts)
    for _ in range(MAX_ATTEMPTS):
        assert chosen(alerts, minutes=1000) is not None
        alerts = begin(alerts, name, 60, DAY)
    assert chosen(alerts, minutes=1000) is None
    (after,) = alerts.alerts
    assert f"did not end in {MAX_ATTEMPTS} attempts" in build_text(after, "default")[1]


def with_candidates(alert, numbers):
    """The *alert* after new results, which leave these candidates."""
    candidates = tuple(map(a_hash, numbers))
    return replace(alert, location=replace(alert.location, candidates=candidates, candidate_count=len(candidates)))


@pytest.mark.parametrize("answer", ["commit", "range", "nothing"])
def test_an_alert_is_searched_once(answer):
    """Until its change lies elsewhere."""
    after, _ = kept(an_answer(answer=answer))
    assert chosen(Alerts(alerts=(after,))) is None
    assert chosen(Alerts(alerts=(with_candidates(after, (41, 42)),))) is not None


def test_a_found_commit_stays_the_answer_while_it_is_a_candidate():
    """New results move the ends of a range a little; "nothing" holds for the searched range alone."""
    found, _ = kept(an_answer())
    moved = with_candidates(found, (39, 40, 41))
    assert chosen(Alerts(alerts=(moved,))) is None
    assert "**Bisected:**" in build_text(moved, "default")[1]
    nothing, _ = kept(an_answer(answer="nothing"))
    assert chosen(Alerts(alerts=(with_candidates(nothing, (39, 40, 41)),))) is not None


def test_the_minutes_of_a_day_are_never_exceeded():
    """They count when a search begins; the next day begins at zero."""
    alerts = alerts_of(*(a_change(f"m.b{at}", at=at, first=at - 2, last=at + 2) for at in range(10, 60, 10)))
    granted = []
    while found := chosen(alerts, minutes=145):
        granted.append(found[1])
        alerts = begin(alerts, *found, DAY)
    assert granted == [60, 60, 25]
    assert chosen(alerts, minutes=120 + MIN_MINUTES - 1) is None
    assert chosen(alerts, minutes=145, day="2026-02-02") is not None
    assert chosen(alerts_of(a_change(first=38)), minutes=0) is None


def test_the_issue_names_the_commit():
    """With its subject from git, the size of the change and what decided; the advice to search is gone."""
    after, text = kept(an_answer(decided_by="instructions"))
    assert after.bisection.attempts == 1
    assert "**Bisected:** [`0000000000`](https://forge.example/org/p/commit/" + a_hash(40) in text
    assert "tidy up, changed `m.time_it` by +20 % in instructions. Instruction counts decided" in text
    assert "To find the commit" not in text
    _, by_time = kept(an_answer())
    assert "Time decided; the answer is wrong with a probability of at most 5%" in by_time


def test_the_issue_names_a_range_and_keeps_no_word_of_the_result():
    """The subjects in bisect.json come from a job that ran the project's code."""
    _, text = kept(an_answer(answer="range", before=a_hash(38), after=a_hash(41)))
    assert "one of 3 commits up to" in text
    assert "Forged" not in text


def test_the_issue_names_the_package():
    """And whether it does so alone."""
    packages = (PackageChange(name="numpy", before="1.26.4", after="2.0.0"), PackageChange(name="six", after="1"))
    sets = tuple(CandidateCommit(hash=one, subject=EVIL) for one in ("(before)", "numpy", "six"))
    found = an_answer(
        candidates=sets, packages=packages, commit=a_hash(42), before="(before)", after="numpy", alone_shows=True
    )
    _, text = kept(found)
    assert "no commit of the project, but the package `numpy 1.26.4 → 2.0.0` changed `m.time_it` by +20 %. " in text
    _, together = kept(replace(found, before="numpy", after="six", alone_shows=False))
    assert "`six 1 was added` changed `m.time_it` by +20 %, only together with other packages that moved." in together


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        ({"case": "m.other"}, "another case"),
        ({"after": "f" * 40}, "not in the range"),
        ({"before": a_hash(41), "after": a_hash(40)}, "not in order"),
        ({"relative_change": float("inf")}, "not plausible"),
        ({"relative_change": float("nan")}, "not plausible"),
        ({"relative_change": -1e300}, "not plausible"),
        ({"packages": (PackageChange(name="x", after="1"),), "commit": "f" * 40}, "not in the range"),
    ],
)
def test_a_result_about_something_else_is_refused(what, problem):
    """Code of the project can write any bisect.json."""
    after, text = kept(an_answer(**what))
    assert after.bisection.answer == "failed"
    assert problem in text
    assert after.bisection.after == ""


def test_hostile_text_of_a_result_stays_text():
    """A reason and a case are escaped and cut."""
    after, text = kept(an_answer(answer="nothing", reason=EVIL * 50))
    assert len(after.bisection.reason) <= 300
    functions = tuple(ChangedFunction(name=EVIL, head_file=EVIL, head_line=1, calls_head=2.0) for _ in range(3))
    named, more = kept(an_answer(cause=Cause(functions=functions, notes=(EVIL,))))
    assert len(named.bisection.functions) == 3
    text += more
    assert "<img" not in text
    assert "@everyone" not in text
    assert text.count("<!--") == 2  # our own, one of each text


def test_a_hostile_alert_of_the_results_branch_stays_text():
    """Whoever can write alerts.json writes no markup, mention or marker into an issue."""
    (alert,) = a_range().alerts
    forged = replace(alert, id=EVIL, over=EVIL, state="resolved", raised=EVIL, updated=EVIL)
    text = build_text(forged, "default")[1].removesuffix(f"<!-- windtunnel:alert key=default id={EVIL} -->\n")
    assert not any(each in text for each in ("<img", "@everyone", "## Forged")), text


def test_a_job_without_a_result_can_be_repeated():
    """The attempt counts, and the alert stays without an answer."""
    after, text = kept(None)
    assert after.bisection.answer == "unfinished"
    assert "Bisected" not in text
    assert chosen(Alerts(alerts=(after,))) is not None


def test_a_result_of_a_range_that_has_moved_meanwhile_changes_nothing():
    """New results came while the job measured."""
    (alert,) = a_range().alerts
    result = result_of(alert, an_answer(), COMMITS)
    moved = with_candidates(alert, range(39, 43))
    begun = begin(Alerts(alerts=(moved,)), moved.id, 60, DAY)
    assert end(begun, moved.id, result) == begun
