"""Read what valgrind's callgrind wrote: instructions of each Python function and of each compiled one.

CPython from 3.12 on can enter every Python function through machine code of its own, a trampoline, and lists these in a
file for Linux' perf. Where callgrind skips every function with a symbol, it adds their instructions to the trampoline
that they were called from: these are the own instructions of the Python function. Without skipping, it shows those of
the compiled functions.

The formats: "Callgrind Format Specification" in valgrind's manual; CPython's manual, "Python support for the Linux perf
profiler"; tools/perf/Documentation/jit-interface.txt of Linux.
"""

import re
import string
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

LETTERS = f"{string.ascii_letters}_"

SKIP_SYMBOLS = tuple(
    f"--fn-skip={start}*"
    for start in (
        *string.ascii_letters,
        *(f"_{letter}" for letter in LETTERS if letter not in "ds"),
        *(f"_d{letter}" for letter in LETTERS if letter != "l"),
        *(f"_s{letter}" for letter in LETTERS if letter != "t"),
    )
)
"""Options with which costs belong to functions without a symbol, such as trampolines.

Callgrind 3.19 cannot skip the outermost function, ``_start``, nor those of the linker, ``_dl_...``.
"""

TRAMPOLINE = re.compile(r"([0-9a-f]{1,16}) [0-9a-f]+ py::([^:]*):?(.*)")
"""A line of the file for perf: address, size and name; a name may have any characters, so other lines are ignored."""

INTERPRETER_LOOP = frozenset(("_PyEval_EvalFrameDefault", "_PyEval_Vector", "_PyEval_EvalFrame"))
"""Symbols that stand for all Python code."""

POSITION = re.compile(r"[+*\-\d]")
"""The beginning of a line with costs."""

NAMED = re.compile(r"\((\d+)\)(?: (.*))?")
"""A number that stands for a name, which follows where it is used first."""


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """A compiled function as the counter sees it."""

    symbol: str
    """Its name; an address where it has none."""
    library: str
    """The file that holds its code; ``???`` for code that was made while the program ran."""


@dataclass(slots=True)
class CountedCosts:
    """What one process executed."""

    instructions: Counter[CompiledFunction]
    """Own instructions."""
    calls: Counter[CompiledFunction]
    inclusive: Counter[tuple[CompiledFunction, CompiledFunction]]
    """Instructions of a callee and what it calls, by caller and callee."""


def _name(text: str, known: dict[str, str]) -> str:
    """Return the name in *text*: ``(3) malloc`` and later ``(3)``, which *known* keeps, or the name itself."""
    if not (numbered := NAMED.fullmatch(text)):
        return text
    number, name = numbered.groups()
    if name is not None:
        known[number] = name
    return known.get(number, "")


def parse_costs(text: str) -> CountedCosts:
    """Return the own instructions and the calls of all functions in a file of callgrind; other lines are ignored."""
    costs = CountedCosts(Counter(), Counter(), Counter())
    functions: dict[str, str] = {}
    libraries: dict[str, str] = {}
    library = called_library = called = current = ""
    callee: CompiledFunction | None = None
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if not equals or " " in key:
            if not POSITION.match(line):
                continue
            fields = line.split()
            cost = _number(fields[1:2])
            if callee:
                costs.inclusive[CompiledFunction(current, library), callee] += cost
            else:
                costs.instructions[CompiledFunction(current, library)] += cost
            callee = None
        elif key == "ob":
            library = called_library = _name(value, libraries)
        elif key == "cob":
            called_library = _name(value, libraries)
        elif key == "fn":
            current, called_library, callee = _name(value, functions), library, None
        elif key == "cfn":
            called = _name(value, functions)
        elif key == "calls":
            callee = CompiledFunction(called, called_library)
            costs.calls[callee] += _number(value.split()[:1])
            called_library = library
    return costs


def _number(fields: list[str]) -> int:
    """Return the number in *fields*; 0 if there is none, as in a line that is the rest of a name."""
    return int(fields[0]) if fields and fields[0].isdecimal() else 0


def parse_trampolines(text: str) -> Mapping[int, tuple[str, str]]:
    """Return the qualified name and the file of the Python function at each address, from a file for perf."""
    found = filter(None, map(TRAMPOLINE.match, text.splitlines()))
    return {int(each[1], 16): (each[2], each[3]) for each in found}


def python_instructions(
    costs: CountedCosts, trampolines: Mapping[int, tuple[str, str]]
) -> tuple[Mapping[tuple[str, str], int], int]:
    """Return the own instructions of each Python function, and those that belong to none.

    *costs* are of a run with `SKIP_SYMBOLS`. Code without a symbol, such as a stub of the linker, is compiled code: its
    cost belongs to its caller. Where it calls Python functions, that cost is unknown.
    """
    names = {
        function: trampolines[address]
        for function in costs.instructions
        if (address := _address(function.symbol)) in trampolines
    }
    entering = _callers(costs, frozenset(names))
    found: Counter[tuple[str, str]] = Counter()
    for function, name in names.items():
        found[name] += costs.instructions[function]
    for (caller, callee), instructions in costs.inclusive.items():
        if caller in names and callee not in entering:
            found[names[caller]] += instructions
    between = entering - names.keys()
    return found, sum(costs.instructions[function] for function in between)


def _callers(costs: CountedCosts, functions: frozenset[CompiledFunction]) -> frozenset[CompiledFunction]:
    """Return *functions* and all that call them, through others too."""
    while True:
        more = functions | {caller for caller, callee in costs.inclusive if callee in functions}
        if more == functions:
            return functions
        functions = more


def _address(symbol: str) -> int:
    """Return the address that stands for a function without a symbol, such as ``0x0000000004a8c010``; else 0."""
    name = symbol.partition("'")[0].split()[0] if symbol else ""
    try:
        return int(name, 16) if name.startswith("0x") else 0
    except ValueError:
        return 0
