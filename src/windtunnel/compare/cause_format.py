"""The part of verdict.json that says why a case changed: the functions that do more or less work."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.text import numbers

MAX_FUNCTIONS = 3
"""Functions that a cause names."""

MAX_TEXT = 300
"""Characters of a name, a path or a note; longer ones are cut in the middle."""

MAX_NOTES = 5

MAX_FACTOR = 1e9
"""Costs that differ by more are not divided: the file may come from outsiders."""

SMALLEST_CHANGE = 0.001
"""Relative changes of calls and of costs below this are not stated."""

TIME_RESOLUTION = 1e-6
"""Seconds; the profiler takes about as much for each call, so that shorter own times are not known."""

Text = Annotated[str, Meta(max_length=MAX_TEXT)]


class CostUnit(StrEnum):
    """What the cost of a function is."""

    INSTRUCTIONS = "instructions"
    """Instructions that the processor executes."""
    SECONDS = "seconds"
    """Time, of which the profiler's own share is subtracted; it is not deterministic."""


class ChangedFunction(Struct, frozen=True, kw_only=True):
    """A function that explains a part of a change. Calls and costs are per call of the benchmark."""

    name: Text
    """Its qualified name on head; on base if head does not have it."""
    base_file: Text = ""
    """Its file on base; empty if it does not run there."""
    base_line: Annotated[int, Meta(ge=0)] = 0
    """The line of its definition on base; 0 if it has none."""
    head_file: Text = ""
    head_line: Annotated[int, Meta(ge=0)] = 0
    calls_base: Annotated[float, Meta(ge=0)] = 0.0
    """Calls on base."""
    calls_head: Annotated[float, Meta(ge=0)] = 0.0
    cost_base: float | None = None
    """Its own cost on base, in ``cost_unit``, without what it calls; null if unknown."""
    cost_head: float | None = None
    cost_unit: CostUnit = CostUnit.INSTRUCTIONS
    share: float = 0.0
    """The part of the change that it explains: 1 for all of it."""
    touched: bool | None = None
    """Whether the diff changes it; null if the diff is unknown."""
    is_c: bool = False
    """Whether it is compiled code."""

    @property
    def place(self) -> str:
        """``file:line`` on head, and that on base where it differs; empty for compiled code."""
        base, head = (
            f"{file}:{line}" if file and line else file
            for file, line in ((self.base_file, self.base_line), (self.head_file, self.head_line))
        )
        if not base or not head or base == head:
            return head or base
        return f"{head}, on base {base.removeprefix(self.base_file) if self.base_file == self.head_file else base}"

    def figures(self) -> str:
        """Return what changed, such as ``calls 1 → 2,000 per run, instructions +38 %``."""
        parts = []
        if _differ(self.calls_base, self.calls_head):
            parts.append(f"calls {_calls(self.calls_base)} → {_calls(self.calls_head)} per run")
        if self.cost_base is not None and self.cost_head is not None:
            parts += filter(None, [_own(self.cost_base, self.cost_head, self.cost_unit)])
        return ", ".join(parts) or "its own calls and cost are the same"

    def sentence(self) -> str:
        """Return the function, its place and what changed as plain text; a caller escapes it for its page."""
        touched = {True: "changed by the diff", False: "not changed by the diff", None: ""}[self.touched]
        where = ", ".join(filter(None, (self.place or ("compiled code" if self.is_c else ""), touched)))
        return f"{self.name}{f' ({where})' if where else ''}: {self.figures()}"


class Cause(Struct, frozen=True, kw_only=True):
    """Why a case changed, as far as profiles of both commits show it."""

    functions: Annotated[tuple[ChangedFunction, ...], Meta(max_length=MAX_FUNCTIONS)] = ()
    """The functions that explain most of the change, the most important first; empty if none does."""
    relative_change: float | None = None
    """The change of the cost of the whole call of the benchmark in the profiles; null if unknown."""
    notes: Annotated[tuple[Text, ...], Meta(max_length=MAX_NOTES)] = ()
    """What is not explained, and why."""

    def sentences(self) -> tuple[str, ...]:
        """Return one line for each function, then the notes; plain text."""
        return (*(one.sentence() for one in self.functions), *self.notes)


def _differ(base: float, head: float) -> bool:
    return abs(head - base) > SMALLEST_CHANGE * max(abs(base), abs(head))


def _own(base: float, head: float, unit: CostUnit) -> str:
    """Return how the own cost changed; empty if it did not, or not by what can be measured."""
    noun = "instructions" if unit is CostUnit.INSTRUCTIONS else "time"
    if unit is CostUnit.SECONDS and min(base, head) < TIME_RESOLUTION:
        return "" if max(base, head) < TIME_RESOLUTION else f"own time {_time(base)} → {_time(head)}"
    if not _differ(base, head):
        return ""
    if base > 0 and abs(head) < MAX_FACTOR * base:
        return f"own {noun} {numbers.relative_change(head / base - 1, None).value}"
    return f"own {noun} from 0"


def _time(seconds: float) -> str:
    return "below 1 µs" if seconds < TIME_RESOLUTION else numbers.quantity(seconds, None, "seconds").value


def _calls(calls: float) -> str:
    """Format a number of calls; fractions only below ten."""
    if calls >= 1e9:
        return f"{calls:.2e}"
    return f"{calls:,.0f}" if calls >= 10 or calls == int(calls) else f"{calls:.2g}"
