"""Claim boards for tests: say what matters, the rest is filled in."""

from builders.trees import a_hash

from windtunnel.claims.format import (
    SCHEMA,
    Basis,
    ClaimBoard,
    ClaimPlace,
    ClaimSource,
    DecidedClaim,
    DecidedTest,
    Decision,
    Measurement,
    Setting,
    StatedClaim,
)
from windtunnel.model.identity import BenchmarkName, EnvironmentName, MachineName
from windtunnel.model.result import Interval

LOAD = (Setting(name="load", value="'standard'"),)


def a_stated_claim(name="Z1", *, sentence="Gathering takes a third.", says="", storage=""):
    """A claim in words."""
    return StatedClaim(id=name, source="Z", sentence=sentence, storage=storage, article_says=says)


def a_claim_place(python="3.12", *, name=None, machine="desk", cores=8):
    """A place that claims are decided at."""
    return ClaimPlace(
        name=name or python,
        python=python,
        machine=MachineName(machine),
        environment=EnvironmentName(f"virtualenv-py{python}"),
        cores=cores,
        gil=not python.endswith("t"),
    )


def a_side(variant, value=0.2, processes=4):
    """One side of a test."""
    return Measurement(
        benchmark=BenchmarkName("sleep.Sleep.time_run"),
        params=(repr(variant), "'standard'"),
        value=value,
        unit="seconds",
        processes=processes,
        samples=3 * processes,
    )


def a_decided_test(decision=Decision.HOLDS, *, ratio=0.333, article=0.333, reason="", needed=None):
    """A test of gather against sync."""
    return DecidedTest(
        contender=a_side("gather", 0.6 * ratio),
        baseline=a_side("sync", 0.6),
        low=0.323,
        high=0.343,
        article=article,
        decision=decision,
        reason=reason,
        ratio=ratio,
        interval=Interval(low=ratio * 0.99, high=ratio * 1.01),
        confidence=0.95,
        basis=Basis.PROCESSES,
        processes_needed=needed,
    )


def a_decided_claim(claim="Z1", place="3.12", decision=Decision.HOLDS, *, reason="", tests=None, figures=()):
    """What is decided of a claim at a place."""
    tests = (a_decided_test(decision, reason=reason),) if tests is None else tests
    return DecidedClaim(
        claim=claim,
        place=place,
        decision=decision,
        reason=reason,
        given=LOAD,
        commit=a_hash(1) if tests else None,
        date="2026-01-30T09:12:00Z" if tests else "",
        confidence=0.95 if tests else None,
        decisive=0,
        tests=tests,
        figures=figures,
    )


def a_claim_board(*decisions, claims=None, places=None, commit_flips=(), place_flips=(), notes=()):
    """A board of *decisions* with the claims and places that they name, unless told otherwise."""
    names = dict.fromkeys(one.claim for one in decisions)
    here = dict.fromkeys(one.place for one in decisions)
    return ClaimBoard(
        schema=SCHEMA,
        confidence=0.95,
        sources=(ClaimSource(id="Z", title="an article"),),
        claims=tuple(map(a_stated_claim, names)) if claims is None else claims,
        places=tuple(map(a_claim_place, here)) if places is None else places,
        decisions=decisions,
        commit_flips=commit_flips,
        place_flips=place_flips,
        notes=notes,
    )
