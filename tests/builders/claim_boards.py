"""Claim boards for tests: a test sets what matters, the rest has defaults."""

from builders.trees import a_hash
from msgspec.structs import replace

from windtunnel.model.identity import BenchmarkName, EnvironmentName, MachineName
from windtunnel.model.run import Interval
from windtunnel_claims.format import (
    SCHEMA,
    ClaimBoard,
    ClaimSource,
    ClaimStatement,
    ClaimTarget,
    DecidedClaim,
    DecidedFinding,
    DecidedTest,
    Decision,
    FindingAnswer,
    Measurement,
    Setting,
)

LOAD = (Setting(name="load", value="'standard'"),)


def a_claim_statement(name="Z1", *, sentence="Gathering takes a third.", published_text=""):
    """A claim in words."""
    return ClaimStatement(id=name, source="Z", sentence=sentence, published_text=published_text)


def a_claim_target(python="3.12", *, name=None, machine="desk", cores=8):
    """A target that claims are decided at."""
    return ClaimTarget(
        name=name or python,
        python=python,
        machine=MachineName(machine),
        environment=EnvironmentName(f"virtualenv-py{python}"),
        cores=cores,
        gil=not python.endswith("t"),
    )


def a_side(variant, value=0.2):
    """One case of a test."""
    return Measurement(
        benchmark=BenchmarkName("sleep.Sleep.time_run"),
        params=(repr(variant), "'standard'"),
        value=value,
        unit="seconds",
    )


def a_decided_test(decision=Decision.HOLDS, *, ratio=0.333, published=0.333, reason=""):
    """A test of gather against sync."""
    return DecidedTest(
        contender=a_side("gather", 0.6 * ratio),
        baseline=a_side("sync", 0.6),
        low=0.323,
        high=0.343,
        published=published,
        decision=decision,
        reason=reason,
        ratio=ratio,
        interval=Interval(low=ratio * 0.99, high=ratio * 1.01),
    )


def a_decided_claim(claim="Z1", target="3.12", decision=Decision.HOLDS, *, reason="", tests=None, figures=()):
    """The decision on a claim at a target."""
    tests = (a_decided_test(decision, reason=reason),) if tests is None else tests
    return DecidedClaim(
        claim=claim,
        target=target,
        decision=decision,
        reason=reason,
        given=LOAD,
        commit=a_hash(1) if tests else None,
        date="2026-01-30T09:12:00Z" if tests else "",
        decisive=0,
        measured="2026-01-30" if tests else "",
        tests=tests,
        figures=figures,
    )


def a_flip(claim="Z2", target="3.12"):
    """A claim that held on one commit and fails on the next."""
    return replace(
        a_decided_claim(claim, target, Decision.FAILS), commit=a_hash(2), before=Decision.HOLDS, before_commit=a_hash(1)
    )


def a_finding(*answers, claim="Z1", question="I wait for many things at once", caveat=""):
    """A question that a claim answers; by default with one sentence, on Python 3.12."""
    default = FindingAnswer(sentence="Gather them: a third of the time.", decision=Decision.HOLDS, targets=("3.12",))
    return DecidedFinding(
        id=f"about-{claim}", question=question, claim=claim, caveat=caveat, answers=answers or (default,)
    )


def a_claim_board(*decisions, claims=None, targets=None, notes=(), findings=()):
    """A board of *decisions* with the claims and targets that they name by default."""
    names = dict.fromkeys(one.claim for one in decisions)
    here = dict.fromkeys(one.target for one in decisions)
    return ClaimBoard(
        schema=SCHEMA,
        sources=(ClaimSource(id="Z", title="an article"),),
        claims=tuple(map(a_claim_statement, names)) if claims is None else claims,
        targets=tuple(map(a_claim_target, here)) if targets is None else targets,
        decisions=decisions,
        notes=notes,
        findings=findings,
    )
