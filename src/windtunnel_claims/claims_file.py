"""Reads a claims file (TOML); docs/how-to/claims.md explains how to write one.

Tests and figures have the keys of their claim unless they set them, so tables are merged before they are converted.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from string import Formatter
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from msgspec.structs import fields, replace

from windtunnel.errors import ConfigurationError
from windtunnel.formats import convert
from windtunnel.model.run_format import MAX_BACKGROUND_LOAD
from windtunnel_claims.claim import BAND_KEYS, Claim, ClaimedRatio, ClaimFigure, ClaimsTable, ClaimTest, Value
from windtunnel_claims.format import ClaimSource, ClaimStatement, Question, Text, Verdict

TomlTable = dict[str, Any]

MAX_ERROR = 0.05
"""The largest probability that any interval of a test misses, over all analyses."""


PLACEHOLDERS = ("ratio", "inverse", "percent", "contender", "baseline", "crossing")
"""What the sentences of a finding may contain in braces."""


class Measuring(ClaimsTable, frozen=True, kw_only=True):
    """``[measuring]``: how claims are measured in blocks, fixed before anything is measured."""

    analyses: Annotated[tuple[Annotated[int, Meta(ge=3, le=1000)], ...], Meta(min_length=1, max_length=20)] = (
        4,
        6,
        10,
        16,
        24,
    )
    """The numbers of blocks after which a claim may be decided; the last is the maximum."""
    error: Annotated[float, Meta(gt=0, le=0.05)] = 0.01
    """The probability that the interval of a test misses at one analysis, both directions together."""
    background_load: Annotated[float, Meta(ge=0)] = MAX_BACKGROUND_LOAD
    """A block counts if other processes used at most this many processors meanwhile."""

    def __post_init__(self) -> None:
        """Check that the analyses ascend and that their errors leave some confidence."""
        if any(first >= second for first, second in pairwise(self.analyses)):
            raise ValueError(f"'analyses' is {list(self.analyses)}; write ascending numbers of blocks")
        if self.error * len(self.analyses) > MAX_ERROR:
            raise ValueError(
                f"{len(self.analyses)} analyses with an error of {self.error:g} each miss in more than "
                f"{MAX_ERROR:.0%} of cases; write fewer analyses or a smaller error"
            )


class Finding(Question, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[finding]]``: a question of a reader, and the sentences that answer it."""

    more: tuple[Text, ...] = ()
    """Claims that the advice and the caveat rest on as well; they are measured with the answers."""
    holds: Text
    """The answer where the test holds."""
    fails: Text
    """The answer where the test fails."""
    about: str = ""
    """The answer where the test is about at the limit; there is none if empty."""

    def __post_init__(self) -> None:
        """Check the placeholders of the sentences."""
        for key, sentence in (("holds", self.holds), ("fails", self.fails), ("about", self.about)):
            for name in _placeholders(key, sentence):
                if name not in PLACEHOLDERS:
                    known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
                    raise ValueError(f"'{key}' has the placeholder {{{name}}}; write one of {known}")


def _placeholders(key: str, sentence: str) -> list[str]:
    """Return the names in braces of *sentence*."""
    try:
        parts = [*Formatter().parse(sentence)]
    except ValueError as error:
        raise ValueError(f"'{key}' has a brace without its partner ({error}); write {{{{ for a brace") from None
    return [f"{name}{'!' if kind else ''}{':' if spec else ''}" for _, name, spec, kind in parts if name is not None]


class ClaimsFile(ClaimsTable, frozen=True, kw_only=True):
    """The content of a claims file."""

    sources: dict[str, ClaimSource] = field(default_factory=dict)
    """The sources, by the id that claims use."""
    verdict: Verdict | None = None
    """The question of the whole suite, and its answer."""
    measuring: Measuring = Measuring()
    """How claims are measured in blocks."""
    controls: tuple[Claim, ...] = field(name="control", default=())
    """Tests whose ratio is known; a commit whose control fails decides nothing."""
    claims: tuple[Claim, ...] = field(name="claim", default=())
    """The claims."""
    findings: tuple[Finding, ...] = field(name="finding", default=())
    """The findings."""

    def __post_init__(self) -> None:
        """Check that ids are unique, that what is named exists, and that a control has one test."""
        _refuse_repeated("claims or controls", [claim.id for claim in self.all_claims])
        _refuse_repeated("findings", [finding.id for finding in self.findings])
        known = {claim.id for claim in self.claims}
        for finding in self.findings:
            if unknown := {finding.claim, *finding.more} - known:
                raise ValueError(f"finding {finding.id!r}: there is no claim {min(unknown)!r}; write ids of claims")
        if unknown := {*(self.verdict.claims if self.verdict else ())}.difference(known):
            raise ValueError(f"verdict: claims has {min(unknown)!r}; write ids of claims")
        for claim in self.claims:
            if claim.source not in self.sources:
                raise ValueError(f"claim {claim.id!r}: source is {claim.source!r}; write a key of [sources]")
        for control in self.controls:
            if len(control.tests) > 1:
                raise ValueError(f"control {control.id!r}: it has {len(control.tests)} tests; write a control for each")

    @property
    def listed_sources(self) -> tuple[ClaimSource, ...]:
        """The sources as boards list them."""
        return tuple(replace(one, id=key) for key, one in self.sources.items())

    def statement(self, claim: Claim) -> ClaimStatement:
        """Return *claim* in words; the sources of the suite itself say nothing that an article says."""
        said_by = "suite" if self.sources[claim.source].own and claim.said_by == "article" else claim.said_by
        words = {name: getattr(claim, name) for name in ClaimStatement.__struct_fields__}
        return ClaimStatement(**{**words, "said_by": said_by})

    @property
    def all_claims(self) -> tuple[Claim, ...]:
        """The claims and the controls."""
        return (*self.claims, *self.controls)


def _refuse_repeated(kind: str, names: Iterable[str]) -> None:
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"two {kind} have the id {twice[0]!r}; give each its own")


def _keys(table: type[Struct]) -> frozenset[str]:
    return frozenset(each.encode_name for each in fields(table))


CLAIM_KEYS, TEST_KEYS, RATIO_KEYS = _keys(Claim), _keys(ClaimTest) - {"at"}, _keys(ClaimedRatio)


def parse_claims(content: str, source: str) -> ClaimsFile:
    """Return the claims in *content* (TOML); *source* names the file in messages.

    Raises ConfigurationError, naming the file, the claim and the key, and what to write.
    """
    try:
        data = tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{source} is not TOML: {error}; correct it and try again") from None
    claims = [_claim(table, "claim", at, source) for at, table in enumerate(_tables(data, "claim", source))]
    controls = [
        _claim({"source": "control", "sentence": "a control", **table}, "control", at, source)
        for at, table in enumerate(_tables(data, "control", source))
    ]
    return convert({**data, "claim": claims, "control": controls}, ClaimsFile, source)


def _claim(table: TomlTable, kind: str, index: int, source: str) -> Claim:
    name = table.get("id")
    where = f"{kind} {name!r}" if isinstance(name, str) and name else f"{kind}[{index}]"
    known = CLAIM_KEYS | TEST_KEYS
    if unknown := table.keys() - known:
        keys = ", ".join(sorted(known))
        raise ConfigurationError(f"{source}: {where}: there is no key {min(unknown)!r}; the keys are {keys}")
    tests = [
        convert(test, ClaimTest, source, f"{where}.test[{at}]" if "test" in table else where)
        for at, test in enumerate(_merged_tests(table, source, where))
    ]
    figures = [
        convert({**_only(table, RATIO_KEYS), **figure}, ClaimFigure, source, f"{where}.figure[{at}]")
        for at, figure in enumerate(_tables(table, "figure", source, where))
    ]
    return convert({**_only(table, CLAIM_KEYS), "test": tests, "figure": figures}, Claim, source, where)


def _merged_tests(claim: TomlTable, source: str, where: str) -> Iterator[TomlTable]:
    """Yield the tests of *claim*, with its keys that they do not set; a series has a test for each value."""
    series = convert(claim.get("series", {}), dict[str, list[Value]], source, f"{where}.series")
    if series:
        for name, value in ((name, value) for name, values in series.items() for value in values):
            sides = {side: {**claim.get(side, {}), name: value} for side in ("contender", "baseline")}
            yield {**_only(claim, TEST_KEYS), "below": 1, **sides, "at": value}
        return
    for test in _tables(claim, "test", source, where) or ({},):
        yield {**_only(claim, TEST_KEYS - BAND_KEYS if BAND_KEYS & test.keys() else TEST_KEYS), **test}


def _only(table: TomlTable, keys: frozenset[str]) -> TomlTable:
    return {key: value for key, value in table.items() if key in keys}


def _tables(table: TomlTable, key: str, source: str, where: str = "") -> tuple[TomlTable, ...]:
    """Return the array of tables *key* of *table*; empty if it is missing."""
    return convert(table.get(key, ()), tuple[TomlTable, ...], source, f"{where}.{key}")
