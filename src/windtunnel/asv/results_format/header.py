"""What a results file says apart from its rows: of which commit, machine and environment."""

import re
from collections.abc import Mapping
from typing import Any

from windtunnel.asv.results_format.names import environment_name
from windtunnel.asv.results_format.row_layout import EARLIEST, LATEST
from windtunnel.asv.results_format.text import UnreadableError, field
from windtunnel.model.environment import Environment
from windtunnel.model.identity import CommitHash, EnvironmentName, Field, Fields, Instant, MachineName
from windtunnel.model.run import Run

KNOWN = frozenset(
    {
        *("commit_hash", "env_name", "date", "params", "python", "requirements", "env_vars"),
        *("result_columns", "results", "durations", "version", "windtunnel"),
        *("benchmark_version", "started_at", "ended_at", "duration", "profiles"),
    }
)
"""Fields of formats 1 and 2; others pass through."""

_HASH = re.compile(r"[0-9a-fA-F]{4,64}")


def run_of(header: Mapping[str, Any], source: str) -> Run:
    """Return the run without its rows; raises UnreadableError, naming the key, where it cannot be told what was run."""
    params = fields(header, "params")
    python = _text(header, "python")
    requirements = fields(header, "requirements")
    name = header.get("env_name") or environment_name(python, requirements)
    if not isinstance(name, str):
        raise UnreadableError(_wrong(name, "a text"), "env_name")
    return Run(
        commit=_commit(header),
        machine=MachineName(_text(header.get("params") or {}, "machine", "params.machine")),
        environment=Environment(
            name=EnvironmentName(name), python=python, requirements=requirements, variables=fields(header, "env_vars")
        ),
        date=_date(header),
        params=tuple(param for param in params if param.name != "machine"),
        durations=fields(header, "durations"),
        extra=tuple(sorted(field(key, value) for key, value in header.items() if key not in KNOWN)),
        source=source,
    )


def fields(header: Mapping[str, Any], key: str) -> Fields:
    """Return the object under *key* as fields; none where the key is missing."""
    value = header.get(key)
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise UnreadableError(_wrong(value, "an object"), key)
    return tuple(sorted(_field(key, name, inner) for name, inner in value.items()))


def version_of(header: Mapping[str, Any], newest: int) -> int:
    """Return the version of the file's format; raises UnreadableError where it is not 1 to *newest*."""
    version = header.get("version")
    if type(version) is not int:
        raise UnreadableError("is missing: no file of asv" if version is None else _wrong(version, "1 or 2"), "version")
    if not 1 <= version <= newest:
        raise UnreadableError(f"is {version}, known are 1 to {newest}; a newer Windtunnel may read it", "version")
    return version


def _field(key: str, name: str, value: object) -> Field:
    try:
        return field(name, value)
    except UnreadableError as error:
        raise UnreadableError(error.reason, f"{key}.{name}") from None


def _commit(header: Mapping[str, Any]) -> CommitHash:
    commit = _text(header, "commit_hash")
    if not _HASH.fullmatch(commit):
        raise UnreadableError(f"{commit[:80]!r} is no commit hash", "commit_hash")
    return CommitHash(commit)


def _date(header: Mapping[str, Any]) -> Instant:
    date = header.get("date")
    if isinstance(date, bool) or not isinstance(date, int | float):
        raise UnreadableError(_wrong(date, "a number of milliseconds"), "date")
    if not EARLIEST <= date <= LATEST:
        raise UnreadableError("is not between the years 1 and 9999", "date")
    return Instant(int(date))


def _text(values: Mapping[str, Any], name: str, key: str = "") -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value:
        raise UnreadableError(_wrong(value, "a text"), key or name)
    return value


def _wrong(value: object, wanted: str) -> str:
    if value is None:
        return f"is missing; {wanted} is needed"
    return f"is {value!r:.80}, not {wanted}" if value != "" else f"is empty; {wanted} is needed"
