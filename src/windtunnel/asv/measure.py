"""Times the selected cases of one commit: a process for each case and round.

The rounds alternate between the cases of a benchmark, so that drift affects all of them alike. asv's command line
cannot do that, nor save before the last benchmark is done. Its objects can.
"""

import contextlib
import json
import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from signal import Signals
from time import monotonic
from typing import Any

from asv import util
from asv.repo import get_repo
from asv.results import Results
from asv.runner import JSON_ERROR_RETCODE, fail_benchmark, get_spawner, run_benchmark

from windtunnel.asv import builds, protocol
from windtunnel.asv.machine import watch_background_load
from windtunnel.asv.open_case import SKIPPED
from windtunnel.asv.suite import create, open_place, python_build, refuser, step
from windtunnel.model.benchmark import COUNTS_OF, Case, Selection
from windtunnel.model.run_format import CaseState

MAX_OUTPUT = 2000
"""Characters of a benchmark's output that are kept: its end, which holds the error."""

TRACEBACK = "Traceback (most recent call last)"
"""What Python prints before an exception that ends the process."""


def measure(
    request: protocol.Measure, emit: protocol.Emit, count_rows: "CountRows", map_measured: "MapMeasured"
) -> None:
    """Build and install the commit, time the selected cases, and save each benchmark when its rounds are done.

    Then *count_rows* counts the instructions that are selected, and *map_measured* finds what the cases run.
    """
    conf, env = open_place(request.place)
    with step("configuration"):
        repo = get_repo(conf)
        entries = read_entries(Path(request.benchmarks), conf)
    emit(install(conf, env, request.commit, request.place.builds, emit))
    results = _new_results(request, env, repo)
    notes: dict[str, Any] = {}
    with (
        contextlib.closing(get_spawner(env, conf.benchmark_dir, conf.launch_method)) as spawner,
        contextlib.closing(SetupCaches(entries=entries, create=spawner.create_setup_cache)) as caches,
    ):
        with step("import of the suite"):
            success, output = spawner.preimport()  # forking launch methods import the suite once
            if not success:
                raise util.UserError(output)
        timed = [each for each in request.selections if not entries[each.benchmark].get(COUNTS_OF)]
        counts = [each for each in request.selections if entries[each.benchmark].get(COUNTS_OF)]
        counted = [entries[each.benchmark][COUNTS_OF] for each in counts]
        for position, selection in enumerate(timed, 1):
            rounds = Rounds(
                entry=entries[selection.benchmark], spawner=spawner, caches=caches, results=results, emit=emit
            )
            rounds.run(selection)
            caches.keep_for((*(one.benchmark for one in timed[position:]), *counted))
            notes[selection.benchmark] = {"process_sizes": rounds.process_sizes()}
            _save(results, notes, Path(request.out))
            emit(protocol.Saved(benchmark=selection.benchmark))
        installed = InstalledCommit(env=env, suite=conf.benchmark_dir, entries=entries, caches=caches)
        for rows in count_rows(installed, results, counts, emit):
            notes |= rows
            _save(results, notes, Path(request.out))
            for benchmark in rows:
                emit(protocol.Saved(benchmark=benchmark))
        if request.map:
            map_measured(request, installed, conf.repo, emit)


def install(conf: Any, env: Any, commit: str, saved: str, emit: protocol.Emit) -> protocol.Installed:
    """Create *env*, and install *commit* from the folder of builds *saved*, else from a build of its own."""
    with step("environment"):
        started = monotonic()
        create(env)
        environment_seconds, started = monotonic() - started, monotonic()
    with step("install"):
        elsewhere = builds.install(env, conf, commit, saved, refuser(commit, emit))
        seconds = monotonic() - started
        return protocol.Installed(
            environment_seconds=environment_seconds,
            seconds=seconds,
            build=python_build(env),
            elsewhere_seconds=elsewhere,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupCache:
    """What a setup_cache gave."""

    folder: str | None = None
    """The working folder of the benchmarks that use it; None without a setup_cache, or if it failed."""
    failure: str = ""
    """Why it failed."""
    seconds: float = 0.0
    """How long it took."""


NO_SETUP_CACHE = SetupCache()


@dataclass(slots=True, kw_only=True)
class SetupCaches:
    """The setup caches of an installed commit: each is computed once, and all its benchmarks share it, as in asv."""

    entries: Mapping[str, Mapping[str, Any]]
    """Entries of benchmarks.json by name, each with a timeout."""
    create: Callable[[str, float, str], tuple[str | None, str | None]]
    """asv's ``create_setup_cache``: runs the setup_cache of a benchmark; returns the folder and the output."""
    computed: dict[str, SetupCache] = field(default_factory=dict)
    """By ``setup_cache_key``."""

    def get(self, entry: Mapping[str, Any]) -> SetupCache:
        """Return the cache of a benchmark; compute it if this has not been done."""
        key = entry.get("setup_cache_key")
        if not key:
            return NO_SETUP_CACHE
        if key not in self.computed:
            started = monotonic()
            users = [one for one in self.entries.values() if one.get("setup_cache_key") == key]
            timeout = max(one.get("setup_cache_timeout", one["timeout"]) for one in users)
            folder, output = self.create(entry["name"], timeout, "{}")
            failure = "" if folder else f"setup_cache failed\n{output or ''}"
            self.computed[key] = SetupCache(folder=folder, failure=failure, seconds=monotonic() - started)
        return self.computed[key]

    def keep_for(self, benchmarks: Iterable[str]) -> None:
        """Remove the folders that none of *benchmarks* uses: a cache may be large."""
        used = {self.entries[name].get("setup_cache_key") for name in benchmarks}
        for key, cache in self.computed.items():
            if key not in used and cache.folder:
                util.long_path_rmtree(cache.folder, ignore_errors=True)

    def close(self) -> None:
        """Remove all folders."""
        self.keep_for(())


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledCommit:
    """A commit that is installed."""

    env: Any
    """asv's environment."""
    suite: str
    """The folder of the suite."""
    entries: Mapping[str, dict[str, Any]]
    """Entries of benchmarks.json, by name."""
    caches: SetupCaches


CountRows = Callable[[InstalledCommit, Any, Sequence[Selection], protocol.Emit], Iterable[Mapping[str, Any]]]
"""Counts the instructions of selected cases, adds them to asv's Results, and yields the notes of finished rows."""

MapMeasured = Callable[[protocol.Measure, InstalledCommit, str, protocol.Emit], None]
"""Writes the map of the timed cases, of the project in a repository."""


@dataclass(slots=True, kw_only=True)
class Rounds:
    """The rounds of one benchmark of an installed commit."""

    entry: dict[str, Any]
    """Entry of benchmarks.json."""
    spawner: Any
    caches: SetupCaches
    results: Any
    """asv's Results."""
    emit: protocol.Emit
    numbers: dict[int, int] = field(default_factory=dict)
    """Calls per sample of each combination, from its first process."""
    sizes: dict[int, list[int]] = field(default_factory=dict)
    """Number of values of each process of a combination; asv does not record it."""
    seconds: float = 0.0

    def run(self, selection: Selection) -> None:
        """Time every selected case in every round; each round starts with the next case.

        A case that fails or is skipped is not run again.
        """
        rounds = selection.rounds or int(self.entry.get("rounds") or 1)
        cases = list(selection.cases)
        cache = self.caches.get(self.entry)
        if cache is not NO_SETUP_CACHE:
            self.results.set_setup_cache_duration(self.entry["setup_cache_key"], cache.seconds)
        for number in range(rounds):
            for case in rotate(cases, number):
                self.emit(protocol.Started(case=case.name))
                timed = self._run_process(case, number, rounds, cache)
                self.emit(timed)
                if timed.state != "measured":
                    cases.remove(case)

    def process_sizes(self) -> list[list[int] | None]:
        """Return the number of values of each process, for each combination; None for combinations without values."""
        count = math.prod(len(values) for values in self.entry["params"])
        return [self.sizes.get(combination) for combination in range(count)]

    def _run_process(self, case: Case, number: int, rounds: int, cache: SetupCache) -> protocol.Timed:
        """Run one process and add its values to the results."""
        index = case.index
        started_at, started, processors = datetime.now(UTC), monotonic(), watch_background_load()
        if cache.failure:
            result = fail_benchmark(self.entry, stderr=cache.failure)
        else:
            calls = self.numbers.get(index)
            result = run_benchmark(
                self.entry,
                self.spawner,
                profile=False,
                selected_idx={index},
                extra_params={"number": calls} if calls else {},
                cwd=cache.folder,
            )
        value, samples = result.result[index], result.samples[index]
        state, reason = process_outcome(value, samples, result.stderr, result.errcode)
        if cache.failure:
            state, reason = "failed", cache.failure[-MAX_OUTPUT:]
        if state != "measured":
            self.sizes.pop(index, None)
        if state == "failed":
            result.result[index] = result.samples[index] = result.number[index] = None
        elif samples is not None:
            self.numbers[index] = int(result.number[index])
            self.sizes.setdefault(index, []).append(len(samples))
        background_load, seconds = processors(), monotonic() - started
        self.seconds += seconds
        self.results.add_result(
            self.entry,
            result,
            selected_idx={index},
            started_at=started_at,
            duration=self.seconds,
            record_samples=True,
            append_samples=number > 0,
        )
        return protocol.Timed(
            benchmark=self.entry["name"],
            case=case.name,
            round=number + 1,
            rounds=rounds,
            state=state,
            seconds=seconds,
            reason=reason,
            background_load=background_load,
        )


def read_entries(path: Path, conf: Any) -> dict[str, dict[str, Any]]:
    """Return the entries of a benchmarks.json by name, each with a timeout."""
    entries = json.loads(path.read_text(encoding="utf-8")).items()
    return {
        name: {"timeout": conf.default_benchmark_timeout, **entry} for name, entry in entries if isinstance(entry, dict)
    }


def rotate(cases: list[Case], by: int) -> tuple[Case, ...]:
    """Return *cases* rotated to the left: A B C, B C A, C A B."""
    start = by % len(cases) if cases else 0
    return (*cases[start:], *cases[:start])


def process_outcome(value: object, samples: object, output: str, exit_code: int = 0) -> tuple[CaseState, str]:
    """Return how a process ended, and why when it has no value; *value* is True when it returned *samples*.

    asv stores whatever a ``track_`` benchmark returns; anything but a number would break every later publish. The
    *output* holds what the suite prints at import too, so it is a reason only if it states one.
    """
    if samples is not None and not _are_numbers(samples):
        return "failed", "the benchmark returned samples that are not numbers"
    match value:
        case None if exit_code:
            return "failed", f"{output}\n{process_ending(output, exit_code)}".strip()[-MAX_OUTPUT:]
        case float() if math.isnan(value):
            stated = SKIPPED.findall(output)
            return "skipped", stated[-1] if stated else "it is in skip_params, or it returned NaN"
        case int() | float():
            return "measured", ""
        case _:
            kind = "nothing" if value is None else f"a {type(value).__name__}"
            return "failed", f"the benchmark returned {kind}; asv stores only numbers, so return one number"


def process_ending(output: str, exit_code: int) -> str:
    """Return how a process ended; empty if its *output* states that, because of an exception or by asv."""
    if exit_code in {util.TIMEOUT_RETCODE, JSON_ERROR_RETCODE} or (exit_code == 1 and TRACEBACK in output):
        return ""
    if exit_code > 0:
        return f"the process ended with exit code {exit_code}"
    try:
        return f"the process ended with signal {Signals(-exit_code).name}"
    except ValueError:
        return f"the process ended with signal {-exit_code}"


def _are_numbers(samples: object) -> bool:
    return isinstance(samples, list) and bool(samples) and all(isinstance(each, int | float) for each in samples)


def _new_results(request: protocol.Measure, env: Any, repo: Any) -> Any:
    """Return asv's Results of this run, empty: the folder of a run is new."""
    machine = json.loads(Path(request.machine).read_text(encoding="utf-8"))
    machine.pop("version", None)
    params = {**machine, "python": env.python, **env.requirements}
    date = repo.get_date(request.commit)
    return Results(params, env.requirements, request.commit, date, env.python, env.name, env.env_vars)


def _save(results: Any, notes: dict[str, Any], tree: Path) -> None:
    """Replace the results file in *tree* atomically, which asv's own save() does not do.

    *notes* record which values came from one process. asv ignores them; ``asv.results_format`` reads them.
    """
    tree.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tree, prefix=".saving-") as folder:
        results.save(folder)
        (saved,) = Path(folder).rglob("*.json")
        content = json.loads(saved.read_text(encoding="utf-8"))
        saved.write_text(json.dumps({**content, "windtunnel": {"rows": notes}}), encoding="utf-8")
        target = tree / saved.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        saved.replace(target)
