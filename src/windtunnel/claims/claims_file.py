"""A claims file to claims; docs/claims.md explains it to those who write one."""

import re
import tomllib
from collections import Counter
from dataclasses import replace

from windtunnel.claims import hypothesis
from windtunnel.claims.claim import (
    Claim,
    ClaimBook,
    ClaimedCase,
    ClaimedRatio,
    ClaimFigure,
    ClaimTest,
    Given,
    Scope,
    Statistic,
)
from windtunnel.claims.format import ClaimSource, Setting
from windtunnel.claims.table import Table
from windtunnel.errors import ConfigurationError
from windtunnel.model.identity import BenchmarkName

FILE = {"sources", "never", "canary", "claim"}
RATIO = {"benchmark", "contender", "baseline", "contender-benchmark", "baseline-benchmark"}
TEST = RATIO | {"article", "divided-by", *hypothesis.KEYS}
FIGURE = RATIO | {"name", "per", "cost", "cost-benchmark"}
CANARY = RATIO | {"statistic", "given", *hypothesis.KEYS}
CLAIM = TEST | {"id", "source", "sentence", "storage", "article-says", "statistic", "given", "scope", "test", "figure"}
SCOPE = {"python", "gil", "cores"}


def read(content: str, source: str) -> ClaimBook:
    """Return the claims in *content* (TOML) of the file *source*.

    Raises ConfigurationError, naming file, claim and key, and what to write.
    """
    try:
        data = tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{source} is not TOML: {error}; mend it and try again") from None
    file = Table(data=data, where=source)
    file.only(FILE)
    table = file.table("sources")
    sources = tuple(ClaimSource(id=key, title=table.text(key)) for key in table.data)
    never = {(key, value) for key, values in file.table("never").settings() for value in values}
    claims = tuple(_claim(each, source, sources, never) for each in file.tables("claim"))
    if twice := [name for name, count in Counter(claim.id for claim in claims).items() if count > 1]:
        raise ConfigurationError(f"{source}: two claims have the id {twice[0]!r}; give each its own")
    return ClaimBook(sources=sources, claims=claims, canary=_canary(file.table("canary"), never))


def _canary(table: Table, never: set[tuple[str, str]]) -> Claim | None:
    if not table.data:
        return None
    table.only(CANARY)
    claim = Claim(
        id="canary",
        source="",
        sentence="",
        storage="",
        article_says="",
        statistic=_statistic(table),
        given=_given(table),
        tests=(_test(replace(table, data={key: value for key, value in table.data.items() if key in TEST})),),
    )
    _refuse_never(claim, table, never)
    return claim


def _claim(numbered: Table, source: str, sources: tuple[ClaimSource, ...], never: set[tuple[str, str]]) -> Claim:
    table = replace(numbered, where=f"{source}, claim {numbered.text('id')!r}")
    table.only(CLAIM)
    said_by = table.text("source")
    if said_by not in {each.id for each in sources}:
        raise table.wrong("source", "write a key of [sources]")
    claim = Claim(
        id=table.text("id"),
        source=said_by,
        sentence=table.text("sentence"),
        storage=table.text("storage", ""),
        article_says=table.text("article-says", ""),
        statistic=_statistic(table),
        scope=_scope(table.table("scope")),
        given=_given(table),
        tests=_tests(table),
        figures=tuple(_figure(each, table) for each in table.tables("figure")),
    )
    _refuse_never(claim, table, never)
    return claim


def _given(table: Table) -> tuple[Given, ...]:
    return tuple(Given(name=name, values=values) for name, values in table.table("given").settings())


def _statistic(table: Table) -> Statistic:
    name = table.text("statistic", Statistic.MEDIAN)
    if name not in {*Statistic}:
        raise table.wrong("statistic", f"write one of {', '.join(Statistic)}")
    return Statistic(name)


def _scope(table: Table) -> Scope:
    table.only(SCOPE)
    python = table.text("python", "")
    try:
        re.compile(python)
    except re.error as error:
        raise table.wrong("python", f"that is no regular expression: {error}") from None
    return Scope(python=python, gil=table.flag("gil"), cores=table.count("cores", 1))


def _tests(table: Table) -> tuple[ClaimTest, ...]:
    """Return the tests, each with what the claim itself says of cases and band unless it says so itself."""
    own = {key: value for key, value in table.data.items() if key in TEST}
    listed = tuple(table.tables("test"))
    if not listed:
        return (_test(replace(table, data=own)),)
    return tuple(_test(replace(each, data=_inherited(own, each))) for each in listed)


def _inherited(own: dict[str, object], test: Table) -> dict[str, object]:
    test.only(TEST)
    kept = {key: value for key, value in own.items() if key not in hypothesis.KEYS or not hypothesis.stated(test)}
    return {**kept, **test.data}


def _test(table: Table) -> ClaimTest:
    contender, baseline = _sides(table)
    return ClaimTest(
        contender=contender,
        baseline=baseline,
        band=hypothesis.band(table),
        article=table.number("article"),
        divided_by=_divided_by(table),
    )


def _divided_by(table: Table) -> ClaimedRatio | None:
    """Return the ratio that a test's own is divided by; its benchmarks are the test's unless it names others."""
    other = table.table("divided-by")
    if not other.data:
        return None
    other.only(RATIO)
    own = {key: value for key, value in table.data.items() if key.endswith("benchmark")}
    contender, baseline = _sides(replace(other, data={**own, **other.data}))
    return ClaimedRatio(contender=contender, baseline=baseline)


def _figure(numbered: Table, claim: Table) -> ClaimFigure:
    """Return a figure beside the claim *claim*, which has the cases that it does not name itself."""
    numbered.only(FIGURE)
    own = {key: value for key, value in claim.data.items() if key in RATIO}
    table = replace(numbered, data={**own, **numbered.data})
    if {"per", "cost"} <= {*table.data}:
        raise table.wrong("cost", "a figure is per so many or about a cost, not both; leave one out")
    contender, baseline = _sides(table)
    cost = _case(table, "cost") if "cost" in table.data else None
    return ClaimFigure(name=table.text("name"), contender=contender, baseline=baseline, per=_per(table), cost=cost)


def _per(table: Table) -> tuple[tuple[str, float], ...]:
    """Return per how many, by what is given as asv keeps it."""
    if not isinstance(table.data.get("per", {}), dict):
        return (("", table.number("per") or 1.0),)
    counts = table.table("per")
    return tuple((repr(key), counts.number(key) or 1.0) for key in counts.data)


def _sides(table: Table) -> tuple[ClaimedCase, ClaimedCase]:
    contender, baseline = _case(table, "contender"), _case(table, "baseline")
    if contender == baseline:
        raise table.wrong("contender", "it is the baseline, and the ratio 1; name another case")
    return contender, baseline


def _case(table: Table, side: str) -> ClaimedCase:
    key = f"{side}-benchmark"
    name = table.text(key if key in table.data else "benchmark")
    pairs = tuple(table.table(side).settings())
    if many := [each for each, values in pairs if len(values) > 1]:
        raise table.table(side).wrong(many[0], "write one value; alternatives belong under 'given'")
    settings = tuple(Setting(name=each, value=values[0]) for each, values in pairs)
    return ClaimedCase(benchmark=BenchmarkName(name), settings=settings)


def _refuse_never(claim: Claim, table: Table, never: set[tuple[str, str]]) -> None:
    """Refuse what the file itself says that no claim is judged on."""
    said = {(one.name, one.value) for case in claim.cases for one in case.settings}
    said |= {(one.name, value) for one in claim.given for value in one.values}
    if wrong := sorted(said & never):
        name, value = wrong[0]
        raise ConfigurationError(f"{table.where}: {name} {value} is under 'never'; no claim is judged on it")
