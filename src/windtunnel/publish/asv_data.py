"""The tree of data that ``asv publish`` leaves, for front ends and links that expect it, without asv's own pages.

Those load scripts from other hosts. asv itself makes the data, so nothing about it can differ. It gets a results tree
written anew, since one value that is no number kills it, a configuration that names only what is there, and folders
that nobody reads yet.
"""

import html
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import json5

from windtunnel.errors import ConfigurationError, DataError
from windtunnel.git.process import HOSTILE
from windtunnel.measurement import Benchmark, ResultsTree
from windtunnel.publish.history import History
from windtunnel.tree import write_tree

ASV_DATA = ("index.json", "info.json", "graphs", "regressions.json")
"""What front ends read; the rest of asv's tree is pages, scripts and styles, and a feed
that sites have anyway."""

LAST_LINES = 15
"""Of asv's output, shown when it fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsvJob:
    """What asv needs: its configuration, the results, the history and the bare repository made of it."""

    configuration: Path
    results: ResultsTree
    history: History
    view: Path
    env: Mapping[str, str]


def build_asv_data(job: AsvJob, folder: Path, scratch: Path) -> None:
    """Add asv's data to the site in *folder*; *scratch* is an empty folder for what asv reads and writes.

    Raises DataError with asv's last words where it fails.
    """
    results = scratch / "results"
    write_tree(harmless(job.results), results)
    made = scratch / "html"
    configuration = scratch / "asv.conf.json"
    configuration.write_text(json.dumps(_configuration(job, results)), encoding="utf-8")
    env = {name: value for name, value in job.env.items() if name not in HOSTILE}
    beside = os.pathsep.join(filter(None, (str(job.configuration.parent), env.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "asv", "--config", configuration, "publish", "--no-pull", "--html-dir", made],
        env=env | {"PYTHONPATH": beside},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode or not (made / "index.json").is_file():
        said = "\n".join(done.stdout.decode("utf-8", "replace").strip().splitlines()[-LAST_LINES:])
        raise DataError(
            f"asv publish failed with exit code {done.returncode} on the results of {job.configuration}:\n{said}\n"
            "the old site is untouched; without --asv-compatible asv is not asked"
        )
    for name in ASV_DATA:
        shutil.move(made / name, folder / name)


def harmless(results: ResultsTree) -> ResultsTree:
    """Return *results* so that asv's front end shows names and sources of benchmarks and obeys nothing in them.

    It puts names and sources into markup as they are: sources are escaped, names with markup are left out.
    """
    kept = {benchmark.name for benchmark in results.benchmarks if not has_markup(benchmark)}
    return replace(
        results,
        benchmarks=tuple(
            replace(benchmark, code=html.escape(benchmark.code))
            for benchmark in results.benchmarks
            if benchmark.name in kept
        ),
        runs=tuple(replace(run, rows=tuple(row for row in run.rows if row.name in kept)) for run in results.runs),
    )


def has_markup(benchmark: Benchmark) -> bool:
    """Tell whether a page that takes the name of *benchmark* for markup would show something else."""
    pretty = "".join(field.text for field in benchmark.extra if field.name == "pretty_name")
    return any(char in f"{benchmark.name}{pretty}" for char in "<>&\"'")


def _configuration(job: AsvJob, results: Path) -> dict[str, Any]:
    return read_raw(job.configuration) | {
        "repo": str(job.view),
        "dvcs": "git",
        "branches": [branch.name for branch in job.history.branches],
        "results_dir": str(results),
    }


def read_raw(configuration: Path) -> dict[str, Any]:
    """Return every key of the asv configuration: asv knows more of them than Windtunnel."""
    try:
        raw = json5.loads(configuration.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{configuration} cannot be read: {error}; mend it or name another") from None
    return cast("dict[str, Any]", raw)
