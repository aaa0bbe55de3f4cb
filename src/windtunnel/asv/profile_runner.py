"""Profiles one case: calls of each function in each stack, and the time in it, without the profiler's own.

`function_profiler` starts this file with the Python of the environment: it imports only asv_runner and the standard
library. `sys.setprofile` reports the calls of this thread, those of compiled functions too. What lies between two
readings of the benchmark's clock is profiled, so setups are not.
"""

import ctypes
import json
import mmap
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, perf_counter_ns
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":
    from windtunnel.asv.open_case import TimedCase, begin, counted_allocator, name_files
else:  # the environment has no windtunnel
    sys.path.insert(0, str(Path(__file__).parent))
    from open_case import TimedCase, begin, counted_allocator, name_files

    del sys.path[0]

ROOT = 0
"""The node of the benchmark's caller."""

MAX_NODES = 20_000
"""Stacks that are distinguished; calls in further ones count for their function alone."""

MAX_CALLS = 100
"""Calls of the benchmark in a sample."""

SAMPLES = 5
"""Samples whose minimum is the time of a function: other processes only add to it."""

SAMPLE_SECONDS = 0.02
"""Seconds, without the profiler, that a sample may take; a longer call is a sample alone."""

MAX_SECONDS = 2.0
"""Seconds after which no further sample begins."""

CALIBRATION_CALLS, CALIBRATIONS = 2000, 10

WARM_UP_CALLS = 2
"""Calls before those that are counted: the interpreter specialises code in the first ones."""

COUNTING = "WINDTUNNEL_COUNTS"
"""Environment variable of a process that runs under the counter of instructions."""

TRAMPOLINES = "perf"
"""CPython's name for entries of functions in machine code, which a counter of instructions distinguishes."""

CALLGRIND = ord("C") << 24 | ord("T") << 16
"""What valgrind adds to the numbers of callgrind's client requests."""

START_INSTRUMENTATION, STOP_INSTRUMENTATION = 4, 5

CLIENT_REQUEST = bytes.fromhex("48c1c703 48c1c70d 48c1c73d 48c1c733 4887db")
"""``rol rdi`` by 3, 13, 61 and 51, ``xchg rbx, rbx``: what valgrind.h uses on x86-64; without valgrind, nothing."""

COUNTED_CALL = (
    bytes.fromhex("53 4154 4883ec08")  # push rbx; push r12; sub rsp, 8
    + bytes.fromhex("4889f3 4989d4")  # mov rbx, rsi; mov r12, rdx
    + bytes.fromhex("4889f8 31d2")  # mov rax, rdi; xor edx, edx
    + CLIENT_REQUEST
    + bytes.fromhex("41ffd4")  # call r12
    + bytes.fromhex("4889d8 31d2")  # mov rax, rbx; xor edx, edx
    + CLIENT_REQUEST
    + bytes.fromhex("4883c408 415c 5b c3")  # add rsp, 8; pop r12; pop rbx; ret
)
"""A function that makes the client request in its first argument, calls its third one, and makes that in its second."""

Key = int | str
"""A code object's id, or the name of a compiled function."""


class CallTree:
    """Calls and nanoseconds by stack; in a recursion, all calls of a function count for its first one."""

    def __init__(self) -> None:
        """Begin at the root."""
        self.keys: list[Key] = [""]
        self.parents = [ROOT]
        self.calls = [0]
        self.entries = [0]
        """Calls and resumptions of each node."""
        self.nanoseconds = [0]
        self.intervals = [0]
        """Spans of time that each node's nanoseconds are the sum of; each contains a part of the profiler."""
        self.codes: dict[Key, CodeType] = {}
        self.node = ROOT
        self._stack: list[int] = []
        self._children: dict[tuple[int, Key], int] = {}
        self._starts: dict[tuple[int, int], int] = {}
        self._since = 0

    def begin(self) -> None:
        """Forget the present stack; the clock runs from now on."""
        self.node = ROOT
        self._stack.clear()
        self._since = perf_counter_ns()

    def handle(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take an event of `sys.setprofile`."""
        if event == "call":
            code = frame.f_code
            key = id(code)
            self.codes[key] = code
            self.enter(key, self._is_start(key, code, frame.f_lasti))
        elif event == "return":
            self.leave(id(frame.f_code))
        elif event == "c_call":
            self.enter(_compiled(argument), 1)
        else:
            self.leave(_compiled(argument))

    def _is_start(self, key: int, code: CodeType, offset: int) -> int:
        """Return 1, or 0 if a generator or coroutine is resumed: the argument of RESUME says which."""
        known = self._starts.get((key, offset))
        if known is None:
            known = self._starts[key, offset] = int(offset < 0 or code.co_code[offset + 1] & 3 == 0)
        return known

    def enter(self, key: Key, calls: int) -> None:
        """Enter a function: *calls* is 1, or 0 if it is resumed."""
        node = self.node
        self.nanoseconds[node] += perf_counter_ns() - self._since
        self.intervals[node] += 1
        self._stack.append(node)
        child = self._children.get((node, key))
        if child is None:
            child = self._child(node, key)
        self.calls[child] += calls
        self.entries[child] += 1
        self.node = child
        self._since = perf_counter_ns()

    def leave(self, key: Key) -> None:
        """Leave a function, and those inside it whose end was not reported; ignore one that was not entered."""
        node, keys, stack = self.node, self.keys, self._stack
        self.nanoseconds[node] += perf_counter_ns() - self._since
        self.intervals[node] += 1
        if keys[node] != key and any(keys[other] == key for other in stack):
            while keys[node] != key:
                node = stack.pop()
        if keys[node] == key and stack:
            node = stack.pop()
        self.node = node
        self._since = perf_counter_ns()

    def _child(self, node: int, key: Key) -> int:
        """Return the node for a call of *key* in *node*: an outer call of the same function, else a new one."""
        around = node
        while around != ROOT and self.keys[around] != key:
            around = self.parents[around]
        if around == ROOT:
            parent = node if len(self.keys) < MAX_NODES else ROOT
            around = self._children.get((parent, key), ROOT)
            if around == ROOT:
                around = len(self.keys)
                self.keys.append(key)
                self.parents.append(parent)
                for column in (self.calls, self.entries, self.nanoseconds, self.intervals):
                    column.append(0)
                self._children[parent, key] = around
        self._children[node, key] = around
        return around


def _compiled(function: Any) -> str:
    """Return the name of a compiled function, which is its key."""
    try:
        module = getattr(function, "__module__", None)
        name = str(function.__qualname__)
    except Exception:  # noqa: BLE001 - an attribute of a foreign type
        return type(function).__qualname__
    return f"{module}.{name}" if module and module != "builtins" else name


class ProfilingClock:
    """The clock of a benchmark: the first of two readings begins to profile, the second one stops."""

    def __init__(self) -> None:
        """Start without readings."""
        self.tree = CallTree()
        self.is_on = False
        """Whether to profile."""
        self.samples: list[list[int]] = []
        """Nanoseconds of the nodes, for each sample."""
        self._running = False

    def __call__(self) -> float:
        """Return seconds."""
        if self._running:
            sys.setprofile(None)
            self._running = False
        elif self.is_on:
            self._running = True
            self.tree.begin()
            sys.setprofile(self.tree.handle)
        return perf_counter()

    def end_sample(self) -> None:
        """Keep the nanoseconds since the last sample apart."""
        self.samples.append(self.tree.nanoseconds[:])
        self.tree.nanoseconds[:] = [0] * len(self.tree.nanoseconds)


def profiler_cost() -> float:
    """Return the nanoseconds of the profiler itself in each interval, from calls of an empty function."""

    def empty() -> None:
        pass

    def work() -> None:
        for _ in range(CALIBRATION_CALLS):
            empty()

    plain, profiled, intervals = [], [], 1
    for _ in range(CALIBRATIONS):
        start = perf_counter_ns()
        work()
        plain.append(perf_counter_ns() - start)
        clock = ProfilingClock()
        clock.is_on = True
        clock()
        work()
        clock()
        profiled.append(sum(clock.tree.nanoseconds))
        intervals = max(1, sum(clock.tree.intervals))
    return max(0.0, (min(profiled) - min(plain)) / intervals)  # other processes only add


def describe(clock: ProfilingClock, calls: int, file_name: Callable[[str], str], cost: float) -> dict[str, Any]:
    """Return functions and nodes: parent, function, calls, entries, seconds, and seconds with the profiler's.

    The numbers are for a call of the benchmark.
    """
    tree, total = clock.tree, calls * len(clock.samples)
    functions: dict[Key, int] = {}
    described: list[dict[str, Any]] = []
    nodes = []
    for node in range(1, len(tree.keys)):
        key = tree.keys[node]
        if key not in functions:
            functions[key] = len(described)
            described.append(_function(key, tree.codes, file_name))
        gross = min((sample[node] for sample in clock.samples if node < len(sample) and sample[node]), default=0)
        own = max(0.0, gross - cost * tree.intervals[node] / len(clock.samples))
        counted = tree.calls[node] / total, tree.entries[node] / total
        seconds = own / 1e9 / calls, gross / 1e9 / calls
        nodes.append((tree.parents[node], functions[key], *counted, *seconds))
    return {"functions": described, "nodes": nodes, "countable": is_countable()}


def is_countable() -> bool:
    """Return whether callgrind can distinguish the functions of this Python on this machine."""
    return hasattr(sys, "activate_stack_trampoline") and platform.machine() in {"x86_64", "AMD64"}


def _function(key: Key, codes: dict[Key, CodeType], file_name: Callable[[str], str]) -> dict[str, Any]:
    if isinstance(key, str):
        return {"name": key, "file": "", "path": "", "line": 0, "is_c": True, "own": False}
    code = codes[key]
    return {
        "name": getattr(code, "co_qualname", code.co_name),  # new in Python 3.11
        "file": file_name(code.co_filename),
        "path": code.co_filename,
        "line": code.co_firstlineno,
        "is_c": False,
        "own": code.co_filename == __file__,
    }


def profile(case: TimedCase, clock: ProfilingClock) -> int:
    """Call the benchmark, to warm up and to choose the calls of a sample; then take samples; return the calls."""
    case.run(1)
    case.renew()
    start = perf_counter()
    case.run(1)
    seconds = perf_counter() - start
    calls = 1
    while calls < MAX_CALLS and calls * 10 * seconds <= SAMPLE_SECONDS and not case.isolated:
        calls *= 10
    clock.is_on = True
    began = perf_counter()
    while len(clock.samples) < SAMPLES and (not clock.samples or perf_counter() - began < MAX_SECONDS):
        case.renew()
        case.run(calls)
        clock.end_sample()
    clock.is_on = False
    return calls


def count(case: TimedCase) -> int:
    """Call the benchmark with callgrind counting; return the process ID, which names callgrind's file.

    Callgrind counts between two client requests. They lie around a call in machine code, so that all counted frames are
    inside a frame that callgrind sees begin and end.
    """
    sys.activate_stack_trampoline(TRAMPOLINES)  # type: ignore[attr-defined,unused-ignore]  # from 3.12 on
    for _ in range(WARM_UP_CALLS):
        case.run(1)
        case.renew()
    failures: list[BaseException] = []

    def call() -> None:
        try:
            case.run(1)
        except BaseException as error:  # noqa: BLE001 - nothing passes through machine code
            failures.append(error)

    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(COUNTED_CALL)
    start, stop = (
        (ctypes.c_ulong * 6)(CALLGRIND + request) for request in (START_INSTRUMENTATION, STOP_INSTRUMENTATION)
    )
    callback = ctypes.CFUNCTYPE(None)(call)
    enter = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    enter(ctypes.addressof(start), ctypes.addressof(stop), ctypes.cast(callback, ctypes.c_void_p))
    for failure in failures:
        raise failure
    return os.getpid()


def main() -> None:
    """Profile the case that the file in the first argument describes."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    counting = bool(request["counter"])
    if counting and COUNTING not in os.environ:
        os.environ.update({**request["variables"], **counted_allocator(), COUNTING: "1"})
        os.execvp(request["counter"][0], [*request["counter"], sys.executable, *sys.argv])  # noqa: S606 - not a shell
    os.environ.pop(COUNTING, None)
    report = begin()
    clock = ProfilingClock()
    case = TimedCase(request["cases"][0], request["folders"][0], {"timer": clock})
    report(case=0, step="setup")
    case.enter()
    case.find(request["suite"])

    def act() -> None:
        report(case=0, step="run")
        if counting:
            report(case=0, counted=count(case))
        else:
            calls = profile(case, clock)
            report(case=0, profile=describe(clock, calls, name_files(request["suite"]), profiler_cost()))
        report(case=0, step="teardown")

    if reason := case.within(act):
        report(case=0, skipped=reason)
    report(case=0, step="exit")


if __name__ == "__main__":
    main()
