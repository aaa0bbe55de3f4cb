"""bisect.json and bisect-request.json: what a reader refuses, and which packages a search moves."""

import pytest
from builders.bisections import a_search

from windtunnel.compare.bisect_format import (
    BISECT_FORMAT,
    REQUEST_FORMAT,
    BisectionRequest,
    CandidateCommit,
    package_candidates,
    package_set,
)
from windtunnel.compare.report_text import render_bisection
from windtunnel.errors import DataError
from windtunnel.model.build_change import PackageChange, find_package_changes

GOOD, BAD = "a" * 40, "b" * 40


def a_request(**what):
    fields = {
        "alert": "5d0c6f1f3a9e",
        "case": "m.time_it",
        "environment": "virtualenv-py3.12",
        "python": "3.12",
        "good": f"{GOOD}^",
        "bad": BAD,
        "minutes": 60,
    }
    return BisectionRequest(**(fields | what))


def a_package_search(**what):
    fields = {
        "packages": (PackageChange(name="numpy", before="1", after="2"), PackageChange(name="six", after="1")),
        "commit": BAD,
        "commits_explain": "36 rounds show no difference",
        "answer": "commit",
        "before": "numpy",
        "after": "six",
        "relative_change": 0.2,
        "decided_by": "instructions",
    }
    moved = ("(before)", "numpy", "six")
    return a_search((CandidateCommit(hash=one, subject=f"{one} moved") for one in moved), **(fields | what))


def test_a_request_is_read_as_it_was_written():
    """The parent of a commit is a commit."""
    request = a_request(packages=(PackageChange(name="numpy", before="1.26", after="2.0+local"),))
    assert REQUEST_FORMAT.decode(REQUEST_FORMAT.encode(request), "request") == request


@pytest.mark.parametrize(
    "what",
    [
        {"good": "--output=x"},
        {"bad": "main"},
        {"bad": f"{BAD}^^"},
        {"packages": (PackageChange(name="--pre", after="1"),)},
        {"packages": (PackageChange(name="x", after="1 --index-url=y"),)},
        {"packages": (PackageChange(name="x", after="file:///y"),)},
        {"packages": (PackageChange(name="x"),)},
        {"packages": tuple(PackageChange(name=f"x{number}", after="1") for number in range(501))},
    ],
)
def test_a_request_with_other_text_is_refused(what):
    """Its commits reach git, and its packages an installer."""
    with pytest.raises(DataError, match="request"):
        REQUEST_FORMAT.decode(REQUEST_FORMAT.encode(a_request(**what)), "request")


@pytest.mark.parametrize("name", ["-x", "x;y", "x\n", "../x", ""])
def test_a_result_with_a_package_of_another_form_is_refused(name):
    """The issue of an alert names it."""
    found = a_package_search(packages=(PackageChange(name=name, after="1"),))
    with pytest.raises(DataError, match="not a package"):
        BISECT_FORMAT.decode(BISECT_FORMAT.encode(found), "bisect.json")


@pytest.mark.parametrize(
    ("alone", "text"),
    [
        (True, "six moved changed m.time_it by +20.0% in instructions (bad against good)\n"),
        (False, "(bad against good), only together with others\n"),
        (None, "(bad against good); whether it does so alone is not known\n"),
    ],
)
def test_the_report_on_packages_says_whether_one_does_it_alone(alone, text):
    """And that no commit explains the change."""
    report = render_bisection(a_package_search(alone_shows=alone))
    assert text in report
    assert "2 packages moved, all measured with commit bbbbbbbbbb (36 rounds show no difference)" in report
    assert "instructions decide, which noise does not change" in report


def test_packages_that_cannot_be_separated_are_a_range():
    """They may need each other."""
    report = render_bisection(a_package_search(answer="range", before="(before)"))
    assert report.startswith("One of 2 packages, or several together, changed m.time_it by +20.0% in instructions")


OLD = ("numpy==1.26.4", "pip==24.0", "Spam==1", "gone==3", "same==1")
NEW = ("numpy==2.0.0", "pip==25.0", "spam==2", "new_one==0.1", "same==1")
CHANGES = find_package_changes(OLD, NEW, "spam")


def test_packages_that_moved_came_or_went_are_found():
    """Not the project, whose commits are searched, and not the installer."""
    assert (
        PackageChange(name="gone", before="3"),
        PackageChange(name="new-one", after="0.1"),
        PackageChange(name="numpy", before="1.26.4", after="2.0.0"),
    ) == CHANGES


def test_each_set_moves_one_package_more():
    """The first set is that of the earlier run, the last that of the later one."""
    assert package_set(CHANGES, ()) == ("gone==3", "-new-one", "numpy==1.26.4")
    assert package_set(CHANGES, range(2)) == ("-gone", "new-one==0.1", "numpy==1.26.4")
    assert package_set(CHANGES, range(3)) == ("-gone", "new-one==0.1", "numpy==2.0.0")
    assert [one.subject for one in package_candidates(CHANGES)] == [
        "the packages of the earlier run",
        "gone 3 was removed",
        "new-one 0.1 was added",
        "numpy 1.26.4 → 2.0.0",
    ]


def test_text_that_an_installer_would_take_for_an_option_or_an_address_is_left_out():
    """Run records come from jobs that ran the project's code."""
    hostile = ("--index-url==1", "x==1 --pre", "https://evil.example/x==1", "x @ file:///==1", "x==", "==1", "a/b==1")
    assert find_package_changes((), hostile, "spam") == ()
