"""Reads a claims file (TOML); docs/claims.md explains how to write one.

A test has the keys of its claim unless it sets them itself, so tables are merged before msgspec converts them.
"""

import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import fields

from windtunnel.claims.claim import (
    Claim,
    ClaimedBand,
    ClaimedCase,
    ClaimedRatio,
    ClaimFigure,
    ClaimsFile,
    ClaimTest,
    GivenParameter,
    Scope,
    Statistic,
)
from windtunnel.claims.format import ClaimSource, ClaimStatement, Setting
from windtunnel.errors import ConfigurationError
from windtunnel.formats import convert
from windtunnel.model.identity import BenchmarkName

MAX_NUMBER = 1e100
"""The largest ratio or count; larger ones could overflow in computations."""

Text = Annotated[str, Meta(min_length=1)]
Number = Annotated[float, Meta(gt=0, le=MAX_NUMBER)]
Value = str | int | float
Values = Value | Annotated[tuple[Value, ...], Meta(min_length=1)]
TomlTable = dict[str, Any]


class Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of the claims file."""


class RatioTable(Table, frozen=True, kw_only=True):
    """The keys that name two cases."""

    benchmark: Text | None = None
    """The benchmark of both cases."""
    contender: dict[str, Value] = {}
    """The parameters of the case in the numerator."""
    baseline: dict[str, Value] = {}
    """The parameters of the case in the denominator."""
    contender_benchmark: Text | None = None
    """The benchmark of the contender, if it differs."""
    baseline_benchmark: Text | None = None
    """The benchmark of the baseline, if it differs."""


class BandTable(RatioTable, frozen=True, kw_only=True):
    """The keys that name two cases and a band. Exactly one form of a band is set."""

    ratio: Number | None = None
    """The middle of the band."""
    tolerance: Annotated[float, Meta(gt=0, lt=1)] | None = None
    """The distance of both ends from *ratio*, as a share of it."""
    between: tuple[Number, Number] | None = None
    """Both ends."""
    below: Number | None = None
    """The upper end."""
    above: Number | None = None
    """The lower end."""
    above_per_core: Number | None = None
    """The lower end as a share of the number of cores."""
    most_cores: Annotated[int, Meta(ge=1)] | None = None
    """The most cores that count."""


class TestTable(BandTable, frozen=True, kw_only=True):
    """``[[claim.test]]``: two cases, the band of their ratio, and the published ratio."""

    published: Number | None = None
    """The ratio that the source reports."""
    divided_by: TomlTable = {}
    """A ratio that divides this one: the keys of a ratio; benchmarks are inherited."""


class FigureTable(RatioTable, frozen=True, kw_only=True):
    """``[[claim.figure]]``: a figure that decides nothing."""

    name: Text
    """What the figure is."""
    per: Number | dict[str, Number] | None = None
    """A count, or a count for each value of a given parameter."""
    cost: dict[str, Value] | None = None
    """The parameters of the case whose cost must pay off."""
    cost_benchmark: Text | None = None
    """The benchmark of the cost, if it differs."""


class ControlTable(BandTable, frozen=True, kw_only=True):
    """``[control]``: a ratio that is known."""

    statistic: Statistic = Statistic.MEDIAN
    """The statistic that represents a process."""
    given: dict[str, Values] = {}
    """The parameters that all cases share; of several values the first is preferred."""


class ClaimTable(TestTable, frozen=True, kw_only=True):
    """``[[claim]]``: a claim and the keys that its tests and figures inherit."""

    id: Text
    """A name that no other claim has."""
    source: Text
    """A key of ``[sources]``."""
    sentence: Text
    """What is claimed."""
    storage: str = ""
    """The kind of storage that the claim is about."""
    published_text: str = ""
    """What the source says where it has no figure."""
    statistic: Statistic = Statistic.MEDIAN
    """The statistic that represents a process."""
    given: dict[str, Values] = {}
    """The parameters that all cases share; of several values the first is preferred."""
    scope: Scope = Scope()
    """The targets that the claim is about."""
    test: tuple[TomlTable, ...] = ()
    """The tests; without any, the claim itself is the test."""
    figure: tuple[TomlTable, ...] = ()
    """The figures."""


class FileTable(Table, frozen=True, kw_only=True):
    """The whole file."""

    sources: dict[str, Text] = {}
    """The title of each source, by the id that claims use."""
    never: dict[str, Values] = {}
    """Values of parameters that no claim may use."""
    control: TomlTable = {}
    """The control ratio."""
    claim: tuple[TomlTable, ...] = ()
    """The claims."""


def _keys(table: type[Table]) -> frozenset[str]:
    return frozenset(field.encode_name for field in fields(table))


RATIO_KEYS = _keys(RatioTable)
BAND_KEYS = _keys(BandTable) - RATIO_KEYS
TEST_KEYS = _keys(TestTable)

BAND_FORMS = (("ratio", "tolerance"), ("between",), ("below", "above"), ("above_per_core", "most_cores"))
"""The fields of each way to write a band."""

BAND_ADVICE = (
    "write one of: ratio and tolerance (0.333 and 0.03: 3 % to both sides), between = [0.8, 1.25], "
    "below and above, one or both, or above-per-core"
)


def parse_claims(content: str, source: str) -> ClaimsFile:
    """Return the claims in *content* (TOML); *source* names the file in messages.

    Raises ConfigurationError, naming the file, the claim and the key, and what to write.
    """
    try:
        data = tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{source} is not TOML: {error}; correct it and try again") from None
    file = convert(data, FileTable, source)
    never = {(name, value) for name, values in file.never.items() for value in _stored(values)}
    reader = _Reader(source=source, sources=frozenset(file.sources), never=frozenset(never))
    claims = tuple(reader.claim(table, index) for index, table in enumerate(file.claim))
    if twice := [name for name, count in Counter(claim.id for claim in claims).items() if count > 1]:
        raise ConfigurationError(f"{source}: two claims have the id {twice[0]!r}; give each its own")
    return ClaimsFile(
        sources=tuple(ClaimSource(id=key, title=title) for key, title in file.sources.items()),
        claims=claims,
        control=reader.control(file.control) if file.control else None,
    )


class _Reader(Struct, frozen=True, kw_only=True):
    """Builds claims from their tables."""

    source: str
    """The name of the file."""
    sources: frozenset[str]
    """The ids of the sources."""
    never: frozenset[tuple[str, str]]
    """Parameters and values that no claim may use."""

    def control(self, table: TomlTable) -> Claim:
        control = convert(table, ControlTable, self.source, "control")
        claim = Claim(
            statement=ClaimStatement(id="control", source="", sentence=""),
            statistic=control.statistic,
            given=_given(control.given),
            tests=(self.test({key: value for key, value in table.items() if key in TEST_KEYS}, "control"),),
        )
        self._refuse_never(claim, "control")
        return claim

    def claim(self, table: TomlTable, index: int) -> Claim:
        where = f"claim {table['id']!r}" if isinstance(table.get("id"), str) and table["id"] else f"claim[{index}]"
        claim = convert(table, ClaimTable, self.source, where)
        if claim.source not in self.sources:
            raise self._error(where, f"source is {claim.source!r}; write a key of [sources]")
        own = {key: value for key, value in table.items() if key in TEST_KEYS}
        tests = {f"{where}.test[{at}]": _inherit(own, test) for at, test in enumerate(claim.test)} or {where: own}
        ratio = {key: value for key, value in table.items() if key in RATIO_KEYS}
        found = Claim(
            statement=ClaimStatement(
                id=claim.id,
                source=claim.source,
                sentence=claim.sentence,
                storage=claim.storage,
                published_text=claim.published_text,
            ),
            statistic=claim.statistic,
            scope=claim.scope,
            given=_given(claim.given),
            tests=tuple(self.test(test, place) for place, test in tests.items()),
            figures=tuple(
                self.figure({**ratio, **figure}, f"{where}.figure[{at}]") for at, figure in enumerate(claim.figure)
            ),
        )
        self._refuse_never(found, where)
        return found

    def test(self, table: TomlTable, where: str) -> ClaimTest:
        test = convert(table, TestTable, self.source, where)
        contender, baseline = self._cases(test, where)
        return ClaimTest(
            contender=contender,
            baseline=baseline,
            band=self._band(test, where),
            published=test.published,
            divided_by=self._divisor(test, where) if test.divided_by else None,
        )

    def _divisor(self, test: TestTable, where: str) -> ClaimedRatio:
        own = {
            "benchmark": test.benchmark,
            "contender-benchmark": test.contender_benchmark,
            "baseline-benchmark": test.baseline_benchmark,
        }
        place = f"{where}.divided-by"
        contender, baseline = self._cases(convert({**own, **test.divided_by}, RatioTable, self.source, place), place)
        return ClaimedRatio(contender=contender, baseline=baseline)

    def figure(self, table: TomlTable, where: str) -> ClaimFigure:
        figure = convert(table, FigureTable, self.source, where)
        if figure.per is not None and figure.cost is not None:
            raise self._error(where, "a figure has 'per' or 'cost', not both; remove one")
        contender, baseline = self._cases(figure, where)
        cost = None if figure.cost is None else self._case(figure, figure.cost, figure.cost_benchmark, where)
        per = figure.per
        counts = {repr(key): count for key, count in per.items()} if isinstance(per, dict) else {"": per} if per else {}
        return ClaimFigure(
            name=figure.name, contender=contender, baseline=baseline, per=tuple(counts.items()), cost=cost
        )

    def _cases(self, table: RatioTable, where: str) -> tuple[ClaimedCase, ClaimedCase]:
        contender = self._case(table, table.contender, table.contender_benchmark, where)
        baseline = self._case(table, table.baseline, table.baseline_benchmark, where)
        if contender == baseline:
            raise self._error(where, "the contender is the baseline, so the ratio is 1; name another case")
        return contender, baseline

    def _case(self, table: RatioTable, settings: dict[str, Value], benchmark: str | None, where: str) -> ClaimedCase:
        name = benchmark or table.benchmark
        if name is None:
            raise self._error(where, "the key 'benchmark' is missing; add it")
        found = tuple(Setting(name=key, value=repr(value)) for key, value in settings.items())
        return ClaimedCase(benchmark=BenchmarkName(name), settings=found)

    def _band(self, test: TestTable, where: str) -> ClaimedBand:
        used = [form for form in BAND_FORMS if any(getattr(test, name) is not None for name in form)]
        if len(used) != 1:
            raise self._error(where, f"there are {len(used)} bands; a test has exactly one: {BAND_ADVICE}")
        if test.between is not None:
            return self._ends(*test.between, where)
        if test.ratio is not None and test.tolerance is not None:
            return ClaimedBand(low=test.ratio * (1 - test.tolerance), high=test.ratio * (1 + test.tolerance))
        if test.above_per_core is not None:
            return ClaimedBand(low=test.above_per_core, per_core=True, max_cores=test.most_cores)
        if test.above is not None or test.below is not None:
            return self._ends(test.above, test.below, where)
        missing = "above-per-core" if test.most_cores else "ratio" if test.ratio is None else "tolerance"
        raise self._error(where, f"the key {missing!r} is missing; {BAND_ADVICE}")

    def _ends(self, low: float | None, high: float | None, where: str) -> ClaimedBand:
        if low is not None and high is not None and low >= high:
            raise self._error(where, f"the band from {low:g} to {high:g} is empty; write the smaller number first")
        return ClaimedBand(low=low, high=high)

    def _refuse_never(self, claim: Claim, where: str) -> None:
        used = {(setting.name, setting.value) for case in claim.cases for setting in case.settings}
        used |= {(given.name, value) for given in claim.given for value in given.values}
        if wrong := sorted(used & self.never):
            name, value = wrong[0]
            raise self._error(where, f"{name} {value} is listed under 'never'; use another value")

    def _error(self, where: str, problem: str) -> ConfigurationError:
        return ConfigurationError(f"{self.source}: {where}: {problem}")


def _inherit(claim: TomlTable, test: TomlTable) -> TomlTable:
    """Return *test* with the keys of *claim* that it does not set; a band is inherited only as a whole."""
    dropped = BAND_KEYS if BAND_KEYS & test.keys() else frozenset()
    return {**{key: value for key, value in claim.items() if key not in dropped}, **test}


def _given(parameters: Mapping[str, Values]) -> tuple[GivenParameter, ...]:
    return tuple(GivenParameter(name=name, values=_stored(values)) for name, values in parameters.items())


def _stored(values: Values) -> tuple[str, ...]:
    """Return *values* as asv stores them: the ``repr`` of each."""
    return tuple(map(repr, values)) if isinstance(values, tuple) else (repr(values),)
