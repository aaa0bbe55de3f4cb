"""A TOML table that is read strictly: every key once, by type, and no other; errors name file, claim and key."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from windtunnel.claims.claim import (
    Band,
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
from windtunnel.errors import ConfigurationError
from windtunnel.model.identity import BenchmarkName

LARGEST = 1e100
"""What a float can still be reckoned with; no ratio comes near it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of a file; *where* names both for messages."""

    data: Mapping[str, object]
    where: str

    def wrong(self, key: str, advice: str) -> ConfigurationError:
        """Return the error that *key* has a value that cannot be; *advice* says what to write."""
        found = f"is {_shown(self.data[key])}" if key in self.data else "is missing"
        return ConfigurationError(f"{self.where}: {key!r} {found}; {advice}")

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that are not *known*."""
        if unknown := {*self.data}.difference(known):
            raise ConfigurationError(
                f"{self.where}: there is no key {min(unknown)!r}; the keys are {', '.join(sorted(known))}"
            )

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; *default* (None: there must be one) where the key is missing."""
        value = self.data.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.wrong(key, "write a text in quotes")
        return value

    def number(self, key: str) -> float | None:
        """Return a number above zero, None where the key is missing."""
        if key not in self.data:
            return None
        value = self.data[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LARGEST:
            raise self.wrong(key, "write a number above zero")
        return float(value)

    def count(self, key: str, default: int) -> int:
        """Return a whole number, 1 or more."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(key, "write a whole number, 1 or more")
        return value

    def flag(self, key: str) -> bool | None:
        """Return true or false, None where the key is missing."""
        value = self.data.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(key, "write true or false")
        return value

    def table(self, key: str) -> "Table":
        """Return a table, an empty one where the key is missing."""
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "write a table")
        return Table(data=value, where=f"{self.where}, {key}")

    def tables(self, key: str) -> Iterator["Table"]:
        """Yield the tables of an array, in their order and numbered."""
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.wrong(key, f"write [[{key}]] tables")
        for place, each in enumerate(value, 1):
            yield Table(data=each, where=f"{self.where}, {key} {place}")

    def settings(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each key with its value or values as asv keeps them: the ``repr`` of what Python would have."""
        for key, value in self.data.items():
            values = value if isinstance(value, list) else [value]
            if not values or not all(isinstance(each, str | int | float) for each in values):
                raise self.wrong(key, "write a text, a number, or a list of them")
            yield key, tuple(map(repr, values))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


KEYS = ("ratio", "tolerance", "between", "below", "above", "above-per-core", "most-cores")
"""All words for bands."""

ADVICE = (
    "write one of: ratio and tolerance (0.333 and 0.03: 3 % to both sides), between = [0.8, 1.25], "
    "below and above, one or both, or above-per-core"
)


def stated(table: Table) -> bool:
    """Tell whether *table* says anything of a band."""
    return any(key in table.data for key in KEYS)


def band(table: Table) -> Band:
    """Return the band that *table* states in exactly one way; raises ConfigurationError."""
    forms = [{"ratio", "tolerance"}, {"between"}, {"below", "above"}, {"above-per-core", "most-cores"}]
    used = [form for form in forms if form & {*table.data}]
    if len(used) != 1:
        what = "no band" if not used else f"{len(used)} bands"
        raise table.wrong(min(used[1]) if used else "ratio", f"a test with {what} cannot be decided: {ADVICE}")
    match min(used[0]):
        case "ratio":
            return _around(table)
        case "between":
            return _between(table)
        case "above":
            return _beyond(table)
        case _:
            return _per_core(table)


def _around(table: Table) -> Band:
    ratio, tolerance = table.number("ratio"), table.number("tolerance")
    if ratio is None:
        raise table.wrong("ratio", "a tolerance needs the ratio that it is about")
    if tolerance is None or tolerance >= 1:
        raise table.wrong("tolerance", "write a share between 0 and 1, 0.05 for 5 % to both sides")
    return Band(low=ratio * (1 - tolerance), high=ratio * (1 + tolerance))


def _between(table: Table) -> Band:
    ends = table.data["between"]
    if not isinstance(ends, list) or len(ends) != 2:
        raise table.wrong("between", "write two numbers, [0.8, 1.25]")
    pair = Table(data=dict(zip(("low", "high"), ends, strict=True)), where=f"{table.where}, between")
    low, high = pair.number("low"), pair.number("high")
    if low is None or high is None or low >= high:
        raise table.wrong("between", "write the smaller number first, [0.8, 1.25]")
    return Band(low=low, high=high)


def _beyond(table: Table) -> Band:
    low, high = table.number("above"), table.number("below")
    if low is not None and high is not None and low >= high:
        raise table.wrong("above", f"nothing lies above it and below {high:g}; write a smaller number")
    return Band(low=low, high=high)


def _per_core(table: Table) -> Band:
    low = table.number("above-per-core")
    if low is None:
        raise table.wrong("above-per-core", "most-cores needs the share of the cores that it is about")
    most = table.count("most-cores", 1) if "most-cores" in table.data else None
    return Band(low=low, per_core=True, most_cores=most)


FILE = {"sources", "never", "canary", "claim"}
RATIO = {"benchmark", "contender", "baseline", "contender-benchmark", "baseline-benchmark"}
TEST = RATIO | {"article", "divided-by", *KEYS}
FIGURE = RATIO | {"name", "per", "cost", "cost-benchmark"}
CANARY = RATIO | {"statistic", "given", *KEYS}
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
    kept = {key: value for key, value in own.items() if key not in KEYS or not stated(test)}
    return {**kept, **test.data}


def _test(table: Table) -> ClaimTest:
    contender, baseline = _sides(table)
    return ClaimTest(
        contender=contender,
        baseline=baseline,
        band=band(table),
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
