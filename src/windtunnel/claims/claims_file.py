"""Reads a claims file (TOML); docs/how-to/claims.md explains how to write one.

Tests and figures have the keys of their claim unless they set them, so tables are merged before they are converted.
"""

import tomllib
from collections import Counter
from typing import Any

from msgspec import field
from msgspec.structs import fields

from windtunnel.claims.claim import (
    BAND_FORMS,
    Claim,
    ClaimedRatio,
    ClaimFigure,
    ClaimsTable,
    ClaimTest,
    Statistic,
    Text,
    Values,
    stored_values,
)
from windtunnel.errors import ConfigurationError
from windtunnel.formats import convert

TomlTable = dict[str, Any]


class Control(ClaimTest, frozen=True, kw_only=True):
    """``[control]``: a test whose ratio is known. Runs whose control ratio is off are discarded."""

    statistic: Statistic = Statistic.MEDIAN
    """The statistic that represents a process."""
    given: dict[str, Values] = field(default_factory=dict)
    """The parameters that all cases share; of several values the first is preferred."""

    @property
    def claim(self) -> Claim:
        """The control as a claim."""
        return Claim(
            id="control", source="control", sentence="", statistic=self.statistic, given=self.given, tests=(self,)
        )


class ClaimsFile(ClaimsTable, frozen=True, kw_only=True):
    """The content of a claims file."""

    sources: dict[str, Text] = field(default_factory=dict)
    """The title of each source, by the id that claims use."""
    never: dict[str, Values] = field(default_factory=dict)
    """Values of parameters that no claim may use."""
    control: Control | None = None
    """A ratio that is known."""
    claims: tuple[Claim, ...] = field(name="claim", default=())
    """The claims."""

    def __post_init__(self) -> None:
        """Check that ids are unique, that sources exist, and that no claim uses a value listed under *never*."""
        if twice := [name for name, count in Counter(claim.id for claim in self.claims).items() if count > 1]:
            raise ValueError(f"two claims have the id {twice[0]!r}; give each its own")
        for claim in self.claims:
            if claim.source not in self.sources:
                raise ValueError(f"claim {claim.id!r}: source is {claim.source!r}; write a key of [sources]")
            self._refuse_never(claim, f"claim {claim.id!r}")
        if self.control:
            self._refuse_never(self.control.claim, "control")

    @property
    def all_claims(self) -> tuple[Claim, ...]:
        """The claims, and the control as one of them."""
        return (*self.claims, *((self.control.claim,) if self.control else ()))

    def _refuse_never(self, claim: Claim, where: str) -> None:
        never = {(name, value) for name, values in self.never.items() for value in stored_values(values)}
        settings = [
            setting for part in (*claim.choices(), *(case.settings for case in claim.cases)) for setting in part
        ]
        for setting in settings:
            if (setting.name, setting.value) in never:
                raise ValueError(f"{where}: {setting.name} {setting.value} is listed under 'never'; use another value")


def _keys(table: type[ClaimsTable]) -> frozenset[str]:
    return frozenset(each.encode_name for each in fields(table))


CLAIM_KEYS, TEST_KEYS, RATIO_KEYS = _keys(Claim), _keys(ClaimTest), _keys(ClaimedRatio)
BAND_KEYS = frozenset(key for form in BAND_FORMS for key in form)
BENCHMARK_KEYS = frozenset(key for key in RATIO_KEYS if key.endswith("benchmark"))


def parse_claims(content: str, source: str) -> ClaimsFile:
    """Return the claims in *content* (TOML); *source* names the file in messages.

    Raises ConfigurationError, naming the file, the claim and the key, and what to write.
    """
    try:
        data = tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{source} is not TOML: {error}; correct it and try again") from None
    claims = [_claim(table, index, source) for index, table in enumerate(_tables(data, "claim", source))]
    return convert({**data, "claim": claims}, ClaimsFile, source)


def _claim(table: TomlTable, index: int, source: str) -> Claim:
    name = table.get("id")
    where = f"claim {name!r}" if isinstance(name, str) and name else f"claim[{index}]"
    known = CLAIM_KEYS | TEST_KEYS
    if unknown := table.keys() - known:
        keys = ", ".join(sorted(known))
        raise ConfigurationError(f"{source}: {where}: there is no key {min(unknown)!r}; the keys are {keys}")
    tests = [
        convert(_merged_test(table, test), ClaimTest, source, f"{where}.test[{at}]")
        for at, test in enumerate(_tables(table, "test", source, where))
    ]
    figures = [
        convert({**_only(table, RATIO_KEYS), **figure}, ClaimFigure, source, f"{where}.figure[{at}]")
        for at, figure in enumerate(_tables(table, "figure", source, where))
    ]
    tests = tests or [convert(_merged_test(table, {}), ClaimTest, source, where)]
    return convert({**_only(table, CLAIM_KEYS), "test": tests, "figure": figures}, Claim, source, where)


def _merged_test(claim: TomlTable, test: TomlTable) -> TomlTable:
    """Return *test* with the keys of *claim* that it does not set; a band is inherited only as a whole."""
    merged = {**_only(claim, TEST_KEYS - BAND_KEYS if BAND_KEYS & test.keys() else TEST_KEYS), **test}
    if isinstance(divisor := merged.get("divided-by"), dict):
        merged["divided-by"] = {**_only(merged, BENCHMARK_KEYS), **divisor}
    return merged


def _only(table: TomlTable, keys: frozenset[str]) -> TomlTable:
    return {key: value for key, value in table.items() if key in keys}


def _tables(table: TomlTable, key: str, source: str, where: str = "") -> tuple[TomlTable, ...]:
    """Return the array of tables *key* of *table*; empty if it is missing."""
    return convert(table.get(key, ()), tuple[TomlTable, ...], source, f"{where}.{key}")
