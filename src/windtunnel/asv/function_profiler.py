"""Profiles a case of an installed commit: calls of each function and instructions, or time, in it.

`profile_runner` counts the calls and times the functions. Where valgrind is installed and Python can name its functions
to it (CPython from 3.12 on), callgrind counts the instructions of each in two more processes.
"""

import contextlib
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from windtunnel.asv.callgrind import (
    INTERPRETER_LOOP,
    SKIP_SYMBOLS,
    CountedCosts,
    parse_costs,
    parse_trampolines,
    python_instructions,
)
from windtunnel.asv.instruction_counter import TUNABLES, missing_tool
from windtunnel.asv.measure import InstalledCommit
from windtunnel.asv.runner_process import RunnerProcess
from windtunnel.model.schedule import CaseProfile, CountedCase, FunctionCost, StackCost

SCRIPT = Path(__file__).with_name("profile_runner.py")

MIN_TIMEOUT = 180.0
"""Seconds that profiling may take at least; the profiler and the counter slow a benchmark down."""

MAX_UNKNOWN = 0.25
"""The share of instructions in code without a symbol from which the counts of Python functions are not used."""

MAX_STACKS = 4000
"""Stacks of a profile; those that cost least are added to the stack around them."""

MAX_SYMBOLS = 40
"""Compiled functions of a profile that only the counter sees."""

MAX_COUNTED = 200_000_000
"""Bytes of a file of the counter that are read."""

MAX_REASON = 500

COUNTER = ("setarch", "-R", "valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet", "--dump-line=no")
"""The command that counts instructions: without random addresses, so that two runs of the same code are equal."""

VARIABLES = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LD_BIND_NOW": "1", "GLIBC_TUNABLES": TUNABLES}
"""Variables of counted processes: equal hashes, no lazy linking, and equal code of glibc on all processors."""


class RunnerFunction(msgspec.Struct, frozen=True):
    """A function as `profile_runner` describes it."""

    name: str
    file: str
    path: str
    """Its file as Python names it."""
    line: int
    is_c: bool
    own: bool
    """Whether it belongs to the profiler."""


class RunnerNode(msgspec.Struct, frozen=True, array_like=True):
    """A stack as `profile_runner` describes it; numbers are per call of the benchmark."""

    parent: int
    """The number of the stack around it."""
    function: int
    calls: float
    entries: float
    """Calls and resumptions."""
    seconds: float
    """Own time."""
    gross_seconds: float
    """Own time with the profiler's."""


class RunnerProfile(msgspec.Struct, frozen=True):
    """What `profile_runner` reports."""

    functions: tuple[RunnerFunction, ...]
    nodes: tuple["RunnerNode", ...]
    """The stacks; the root, which is not among them, has the number 0."""
    countable: bool = False
    """Whether this Python has trampolines."""


class FailedError(Exception):
    """A case has no profile, or no counts; the text says why."""


def profile_case(commit: InstalledCommit, case: CountedCase) -> CaseProfile:
    """Return the profile of a case; it states the reason where there is none."""
    if failure := commit.caches.get(commit.entries[case.benchmark]).failure:
        return CaseProfile(reason=failure)
    try:
        with tempfile.TemporaryDirectory(prefix="windtunnel-profile-") as folder:
            events = _run(commit, case, folder, ())
    except FailedError as error:
        return CaseProfile(reason=str(error))
    found = next((event["profile"] for event in events if "profile" in event), None)
    if found is None:
        return CaseProfile(reason="the profiler reported nothing")
    profile = msgspec.convert(found, RunnerProfile, strict=False)
    if profile.countable:
        with contextlib.suppress(FailedError):
            return build_profile(profile, *count_functions(commit, case))
    return build_profile(profile)


def count_functions(commit: InstalledCommit, case: CountedCase) -> tuple[Mapping[tuple[str, str], int], CountedCosts]:
    """Return the own instructions of Python functions, by qualified name and path, and the costs of compiled functions.

    Raises FailedError where that is impossible.
    """
    if missing := missing_tool():
        raise FailedError(missing)
    python, unknown = python_instructions(*_counted(commit, case, SKIP_SYMBOLS))
    known = sum(python.values())
    if known <= 0 or unknown > MAX_UNKNOWN * (known + unknown):
        raise FailedError("this Python has no symbols, so callgrind cannot distinguish its functions")
    return python, _counted(commit, case, ())[0]


def _counted(
    commit: InstalledCommit, case: CountedCase, options: Sequence[str]
) -> tuple[CountedCosts, Mapping[int, tuple[str, str]]]:
    """Return what a call executed, and the trampolines."""
    with tempfile.TemporaryDirectory(prefix="windtunnel-profile-") as folder:
        events = _run(commit, case, folder, (*COUNTER, f"--callgrind-out-file={folder}/callgrind.%p", *options))
        process = next((int(event["counted"]) for event in events if "counted" in event), 0)
        perf_map = Path(f"/tmp/perf-{process}.map")  # noqa: S108 - where Linux' perf expects it
        try:
            return parse_costs(_text(Path(folder) / f"callgrind.{process}")), parse_trampolines(_text(perf_map))
        finally:
            perf_map.unlink(missing_ok=True)


def _run(commit: InstalledCommit, case: CountedCase, folder: str, counter: Sequence[str]) -> list[dict[str, Any]]:
    """Run a process to its end and return what it reports; raises FailedError if it fails or skips the case."""
    timeout = max(MIN_TIMEOUT, float(commit.entries[case.benchmark]["timeout"]))
    process = RunnerProcess(runner=SCRIPT, commit=commit, cases=(case,), folder=folder, timeouts=(timeout,))
    with contextlib.closing(process.events({"counter": counter, "variables": VARIABLES})) as events:
        reported = list(events)
    for event in reported:
        if reason := event.get("failed") or event.get("skipped"):
            raise FailedError(str(reason).strip()[-MAX_REASON:])
    return reported


def build_profile(
    profile: RunnerProfile, python: Mapping[tuple[str, str], int] | None = None, compiled: CountedCosts | None = None
) -> CaseProfile:
    """Return the profile of a case, with instructions if those of *python* and of *compiled* functions were counted.

    The own instructions of a Python function include those of the compiled functions that it calls. They are divided
    among its stacks, and the compiled functions in them, in proportion to time with the profiler's own: that of a short
    function is proportional to its calls, and does not vanish in noise. So are those of a Python function that CPython
    entered without a trampoline: some constructors, which the counter sees as a part of their caller.
    """
    nodes = _without_profiler(profile)
    paths = _paths(nodes)
    calls: dict[int, float] = defaultdict(float)
    seconds: dict[int, float] = defaultdict(float)
    for node in nodes.values():
        calls[node.function] += node.calls
        seconds[node.function] += node.seconds
    weights = {number: node.seconds for number, node in nodes.items()}
    instructions: dict[int, float] = {}
    if python:
        weights = _weights(nodes, _instructions(profile, python, calls))
        instructions = _sums(profile, nodes, weights)
    kept = {function: place for place, function in enumerate(calls)}
    functions = [
        FunctionCost(
            name=described.name,
            file=described.file,
            line=described.line,
            calls=calls[number],
            instructions=instructions.get(number),
            seconds=None if python else seconds[number],
            is_c=described.is_c,
        )
        for number, described in ((number, profile.functions[number]) for number in kept)
    ]
    stacks: dict[tuple[int, ...], list[float]] = {}
    for number, node in nodes.items():
        frames = tuple(kept[nodes[each].function] for each in paths[number])
        stacks.setdefault(frames, [0.0, 0.0])
        stacks[frames][0] += weights[number]
        stacks[frames][1] += node.entries
    return CaseProfile(
        functions=(*functions, *(_symbols(compiled) if compiled else ())),
        stacks=tuple(
            StackCost(frames=frames, weight=weight, calls=count) for frames, (weight, count) in _largest(stacks)
        ),
    )


def _without_profiler(profile: RunnerProfile) -> dict[int, RunnerNode]:
    """Return the nodes by number, without those of the profiler and what it calls."""
    kept: dict[int, RunnerNode] = {}
    for number, node in enumerate(profile.nodes, 1):
        if not profile.functions[node.function].own and (node.parent == 0 or node.parent in kept):
            kept[number] = node
    return kept


def _paths(nodes: Mapping[int, RunnerNode]) -> dict[int, tuple[int, ...]]:
    """Return the nodes on the way to each node, outermost first; a node follows its parent."""
    paths: dict[int, tuple[int, ...]] = {0: ()}
    for number, node in nodes.items():
        paths[number] = (*paths[node.parent], number)
    return paths


def _instructions(
    profile: RunnerProfile, python: Mapping[tuple[str, str], int], calls: Mapping[int, float]
) -> dict[int, float]:
    """Return the own instructions of each Python function that has a trampoline; those of one name share by calls."""
    same: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number in calls:
        described = profile.functions[number]
        if not described.is_c:
            same[described.name, described.path].append(number)
    found = {}
    for key, numbers in same.items():
        total, entered = python.get(key, 0), sum(calls[number] for number in numbers)
        for number in numbers if total > 0 else ():
            found[number] = total * (calls[number] / entered if entered else 1 / len(numbers))
    return found


def _weights(nodes: Mapping[int, RunnerNode], instructions: Mapping[int, float]) -> dict[int, float]:
    """Return the instructions of each node: those of a function, divided by time among it and what has none."""
    region: dict[int, list[int]] = defaultdict(list)
    owner: dict[int, int] = {}
    for number, node in nodes.items():
        owner[number] = node.function if node.function in instructions else owner.get(node.parent, -1)
        region[owner[number]].append(number)
    weights = {}
    for function, numbers in region.items():
        seconds = sum(nodes[number].gross_seconds for number in numbers)
        for number in numbers:
            part = nodes[number].gross_seconds / seconds if seconds else 1 / len(numbers)
            weights[number] = instructions.get(function, 0.0) * part
    return weights


def _sums(profile: RunnerProfile, nodes: Mapping[int, RunnerNode], weights: Mapping[int, float]) -> dict[int, float]:
    """Return the instructions of each Python function, with those of the compiled functions that it calls."""
    sums: dict[int, float] = defaultdict(float)
    owner: dict[int, int] = {}
    for number, node in nodes.items():
        is_c = profile.functions[node.function].is_c
        owner[number] = owner.get(node.parent, -1) if is_c else node.function
        sums[owner[number]] += weights[number]
    return sums


def _symbols(costs: CountedCosts) -> list[FunctionCost]:
    """Return the compiled functions that execute most, as the counter names them."""
    named = [
        (function, own)
        for function, own in costs.instructions.most_common()
        if own > 0 and not function.symbol.startswith("0x") and _plain(function.symbol) not in INTERPRETER_LOOP
    ]
    return [
        FunctionCost(
            name=_plain(function.symbol),
            file=Path(function.library).name,
            line=0,
            calls=max(0, costs.calls[function]),
            instructions=own,
            is_c=True,
        )
        for function, own in named[:MAX_SYMBOLS]
    ]


def _plain(symbol: str) -> str:
    """Return a symbol without callgrind's number of a recursion and the compiler's of a copy."""
    return symbol.partition("'")[0].partition(".")[0]


def _largest(stacks: dict[tuple[int, ...], list[float]]) -> list[tuple[tuple[int, ...], list[float]]]:
    """Return the stacks that cost most; each of the others is added to the next one around it that is kept."""
    order = sorted(stacks, key=lambda frames: stacks[frames][0], reverse=True)
    kept = {frames: list(stacks[frames]) for frames in order[:MAX_STACKS]}
    for frames in order[MAX_STACKS:]:
        around = frames[:-1]
        while around and around not in kept:
            around = around[:-1]
        if around:
            kept[around][0] += stacks[frames][0]
    return list(kept.items())


def _text(path: Path) -> str:
    """Return the beginning of a file that the benchmark's own process could write to; empty without one."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_COUNTED).decode("utf-8", "replace")
    except OSError:
        return ""
