"""verdict.json: a judgement as bytes and back; docs/verdict.schema.json is its published form."""

import msgspec

from windtunnel import formats
from windtunnel.compare.format import SCHEMA, Judgement, Overall, StageRules, Verdict
from windtunnel.errors import DataError
from windtunnel.model.measure import Pairing, Trial

DESCRIPTION = "What windtunnel compare says of two commits; docs/verdict.md explains it."


def encode(judgement: Judgement) -> bytes:
    """Return the content of verdict.json."""
    return formats.encode_pretty(judgement)


def decode(content: bytes, source: str) -> Judgement:
    """Return the judgement that *content* holds; raises DataError, naming *source* and the place in it.

    Whoever wrote the file is not trusted: types are checked, and whatever judging it again would stumble on.
    """
    judgement = formats.decode(content, Judgement, source)
    if judgement.schema != SCHEMA:
        raise DataError(f"{source} has the schema {judgement.schema[:80]!r}; this version reads {SCHEMA!r}")
    for stage in (judgement.rules.screening, judgement.rules.confirmation):
        _check_rules(stage, source)
    seen: set[tuple[str, tuple[str, ...], str]] = set()
    for one in judgement.comparisons:
        if one.identity in seen:
            raise DataError(f"{source} compares {one.benchmark[:200]!r} with the same parameters and environment twice")
        seen.add(one.identity)
        _check_trial(one, source)
    for overall, verdict in ((Overall.REGRESSED, Verdict.REGRESSED), (Overall.IMPROVED, Verdict.IMPROVED)):
        if judgement.overall is overall and not judgement.having(verdict):
            raise DataError(f"{source} contradicts itself: overall is {overall}, but no comparison is")
    return judgement


def schema() -> bytes:
    """Return the JSON schema of verdict.json (draft 2020-12)."""
    found = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": DESCRIPTION,
        **msgspec.json.schema(Judgement),
    }
    return formats.encode_pretty(found)


def _check_rules(rules: StageRules, source: str) -> None:
    looks = rules.looks
    if not looks or any(later <= earlier for earlier, later in zip((0, *looks), looks, strict=False)):
        raise DataError(
            f"{source}: looks are {list(looks)[:20]}; they are numbers of rounds, each above the one before"
        )
    if not 0 < rules.error < 1:
        raise DataError(f"{source}: an error rate is {rules.error}; it lies between 0 and 1")


def _check_trial(trial: Trial, source: str) -> None:
    if not 0 < trial.threshold < float("inf"):
        raise DataError(f"{source}: the threshold of {trial.benchmark[:200]!r} is {trial.threshold}; it is above zero")
    for one in trial.passes:
        sizes = {len(side.values) for side in (one.baseline, one.contender)}
        if one.pairing is Pairing.INTERLEAVED and len(sizes) > 1:
            raise DataError(
                f"{source}: a pass of {trial.benchmark[:200]!r} has {min(sizes)} and {max(sizes)} processes"
            )
