"""What asv.conf.json and ``[tool.windtunnel]`` say, as far as Windtunnel itself has to know; asv reads the rest."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import json5

from windtunnel.errors import ConfigurationError
from windtunnel.model import expectation as expectations
from windtunnel.model import settings as alert_settings
from windtunnel.model.expectation import Expectation
from windtunnel.model.settings import Thresholds

NAMES = ("asv.conf.json", "asv.conf.jsonc")
"""File names that asv itself looks for."""

IRRELEVANT = ("docs/", "doc/", "tests/", "test/", ".github/", ".ci/", "site/", "*.md", "*.rst", "LICENSE*")
"""Paths that neither an installed package nor a benchmark reads: a change of nothing else cannot matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What ``[tool.windtunnel]`` in pyproject.toml sets; each has a default."""

    results_branch: str = "windtunnel-results"
    irrelevant_paths: tuple[str, ...] = IRRELEVANT
    bench: tuple[str, ...] = ()
    """Regular expressions that ``windtunnel bench`` selects cases by when none is given; empty selects all."""
    expectations: tuple[Expectation, ...] = ()
    reference_benchmarks: tuple[str, ...] = ()
    """Regular expressions of benchmarks that only the machine can make slower."""
    watchdog: Thresholds = field(default_factory=Thresholds)
    claims: str = ""
    """The claims file, beside the configuration; empty: ``claims.toml`` among the benchmarks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """One asv suite: where it lies and what it covers. Paths are absolute."""

    path: Path
    project: str
    repo: str
    branches: tuple[str, ...]
    pythons: tuple[str, ...]
    environment_type: str
    benchmark_dir: Path
    results_dir: Path
    env_dir: Path
    settings: Settings

    @property
    def folder(self) -> Path:
        """The folder that holds the configuration: asv's working directory."""
        return self.path.parent

    @property
    def claims(self) -> Path:
        """The claims file, whether there is one or not."""
        return self.folder / self.settings.claims if self.settings.claims else self.benchmark_dir / "claims.toml"


def parse(content: str, path: Path, pyproject: str = "") -> Configuration:
    """Read *content* of the asv configuration at *path* (JSON with comments) and of the *pyproject* beside it.

    Raises ConfigurationError, naming the file and the key.
    """
    try:
        data = json5.loads(content)
    except ValueError as error:
        raise ConfigurationError(f"{path} is not JSON (comments allowed): {error}; mend it and try again") from None
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path} holds {type(data).__name__}, not an object with keys such as 'project'")
    reader = _Reader(path=path, data=data)
    return Configuration(
        path=path,
        project=reader.text("project", "project"),
        repo=reader.text("repo", "."),
        branches=reader.texts("branches", ("main",)),
        pythons=reader.texts("pythons", ()),
        environment_type=reader.text("environment_type", "virtualenv"),
        benchmark_dir=path.parent / reader.text("benchmark_dir", "benchmarks"),
        results_dir=path.parent / reader.text("results_dir", "results"),
        env_dir=path.parent / reader.text("env_dir", "env"),
        settings=_settings(pyproject, path.parent / "pyproject.toml"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Takes typed values out of a table and names the file and the key when one is wrong."""

    path: Path
    data: Mapping[str, object]

    def text(self, key: str, default: str) -> str:
        value = self.data.get(key, default)
        if not isinstance(value, str) or not value:
            raise ConfigurationError(f"{self.path}: {key!r} is {value!r}; write a text")
        return value

    def texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.data.get(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise ConfigurationError(f"{self.path}: {key!r} is {value!r}; write a list of texts")
        return tuple(cast("list[str]", value))


def _settings(pyproject: str, path: Path) -> Settings:
    try:
        tool = tomllib.loads(pyproject).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not TOML: {error}; mend it and try again") from None
    table = tool.get("windtunnel", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise ConfigurationError(f"{path}: [tool.windtunnel] is {table!r}; write a table")
    known = {
        "results-branch",
        "irrelevant-paths",
        "bench",
        "threshold",
        "expect",
        "reference-benchmarks",
        "claims",
        "alerts",
    }
    if unknown := set(table) - known:
        raise ConfigurationError(
            f"{path}: [tool.windtunnel] has no key {min(unknown)!r}; there are {', '.join(sorted(known))}"
        )
    reader, default = _Reader(path=path, data=table), Settings()
    return Settings(
        results_branch=reader.text("results-branch", default.results_branch),
        irrelevant_paths=reader.texts("irrelevant-paths", default.irrelevant_paths),
        bench=reader.texts("bench", default.bench),
        expectations=expectations.read(table, str(path)),
        watchdog=alert_settings.read(table, str(path)),
        reference_benchmarks=reader.texts("reference-benchmarks", default.reference_benchmarks),
        claims=reader.text("claims", default.claims) if "claims" in table else default.claims,
    )
