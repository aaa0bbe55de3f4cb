"""Find the functions that explain a change, from profiles of both commits and the functions that the diff changes.

The cost of a call of the benchmark is a sum over its call tree: of each function in each stack, its calls times its own
cost per call. The change of that sum is divided exactly among the functions where it originates:

- a function whose own cost per call changes has that part of it;
- a function that calls another one more often per call of itself has the cost of the further calls.

Each product changes by (change of the first factor) times (mean of the second), plus the reverse, which adds up without
a rest (Shapley's value for two factors; Shorrocks 2013, doi:10.1007/s10888-011-9214-z). What originates in a function
that the diff does not change is credited to the one around it in the stack that the diff does change, if there is any:
it passes on other arguments.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from windtunnel.compare.samples_format import MAX_FUNCTIONS, MAX_TEXT, Cause, ChangedFunction, CostUnit
from windtunnel.compare.touched_functions import MODULE, MatchedFunction, TouchedFile, match_functions
from windtunnel.model.schedule import CaseProfile
from windtunnel.text import numbers
from windtunnel.text.escaping import cut

MIN_SHARE = 0.1
"""The part of the change that a function must explain to be named."""

MIN_COMPILED_SHARE = 0.25
"""The same for a compiled function, whose cost is a part of that of its callers."""

MIN_CHANGES = {"instructions": 0.002, "seconds": 0.03}
"""Relative changes of the whole cost below this are not explained: profiles differ by as much without a change."""

ENOUGH = 0.5
"""The part of the change that the diff's functions explain, below which a note says so."""


OPPOSITE = (
    "The times of the profiles change in the other direction: the profiler cannot show this change. "
    "With valgrind and CPython 3.12 or newer it counts instructions instead."
)


UNTIMED = (
    "The diff changes no function that this run spends more time in, and times of the profiler vary. "
    "With valgrind and CPython 3.12 or newer it counts instructions instead."
)


def find_cause(
    base: CaseProfile, head: CaseProfile, touched: Mapping[str, TouchedFile] | None, measured: float | None = None
) -> Cause:
    """Return the functions that explain the change from *base* to *head*.

    *touched* has the files that the diff changes, by path on head (on base for removed ones); None if it is unknown.
    *measured* is the relative change without a profiler, which the times of profiles must not contradict.
    """
    if reasons := dict.fromkeys(filter(None, (base.reason, head.reason))):
        return Cause(notes=tuple(cut(f"No profile: {reason}", MAX_TEXT) for reason in reasons))
    unit = unit_of(base)
    if unit is not unit_of(head):
        return Cause(notes=("Instructions of functions were counted on one commit only, so costs cannot be compared.",))
    functions, numbers_of = match_functions(base, head, touched)
    trees = build_tree(base, numbers_of[0]), build_tree(head, numbers_of[1])
    before, after = (sum(node.cost for node in tree.walk()) for tree in trees)
    change, relative = after - before, after / before - 1 if before > 0 else None
    if abs(change) <= MIN_CHANGES[unit] * before:
        noun = "instructions" if unit == "instructions" else "time"
        note = f"The profiles of both commits have the same {noun}: no function does more or less work."
        return Cause(relative_change=relative, notes=(note,))
    if unit == "seconds" and measured is not None and measured * change < 0:
        return Cause(relative_change=relative, notes=(OPPOSITE,))
    origins = divide(*trees, [bool(one.touched) for one in functions])
    only = by_elimination(origins, functions, change, touched)
    costs = _costs(functions, trees)
    named = [
        _changed(functions[number], share, costs[number], unit)
        for number, share in rank(origins, functions, costs, change, only)
    ]
    if unit == "seconds" and touched and not _changed_outside_functions(touched):
        # own times vary by the profiler alone; instructions, other calls or other code do not
        kept = [one for one in named if one.touched is not False or one.calls_differ]
        if named and not kept:
            return Cause(relative_change=relative, notes=(UNTIMED,))
        named = kept
    return Cause(
        functions=tuple(named),
        relative_change=relative,
        notes=() if only is not None else _notes(named, functions, origins, change, touched),
    )


def unit_of(profile: CaseProfile) -> CostUnit:
    """Return the unit of the weights of a profile's stacks."""
    counted = any(one.instructions is not None for one in profile.functions)
    return "instructions" if counted else "seconds"


@dataclass(slots=True)
class Node:
    """A stack of the call tree."""

    function: int
    """The number of the matched function; -1 for the caller of the benchmark."""
    calls: float = 0.0
    cost: float = 0.0
    """Its own cost."""
    children: dict[int, "Node"] = field(default_factory=dict)

    def walk(self) -> Iterator["Node"]:
        """Yield this node and all below it, each before those below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            waiting += node.children.values()
            yield node


def build_tree(profile: CaseProfile, numbers_of: Sequence[int]) -> Node:
    """Return the call tree of *profile*; *numbers_of* has the number of the matched function of each of its functions.

    A lambda or a generator expression counts for the function around it, so a function in itself is one node. What
    compiled functions cost counts for the function that calls them.
    """
    root = Node(-1, calls=1.0)
    for stack in profile.stacks:
        node, inner = root, False
        for frame in stack.frames:
            number = numbers_of[frame]
            inner = number == node.function or (profile.functions[frame].is_c)
            if not inner:
                node = node.children.setdefault(number, Node(number))
        node.cost += stack.weight
        node.calls += 0.0 if inner else stack.calls
    return root


def divide(base: Node, head: Node, touched: Sequence[bool]) -> Mapping[int, float]:
    """Divide the change between two call trees over the functions in which it originates.

    What originates below a function that the diff changes (*touched*) counts for that one.
    """
    credited: dict[int, float] = defaultdict(float)
    totals = _totals(base) | _totals(head)

    def add(number: int, owner: int, cost: float) -> None:
        credited[owner if owner >= 0 else number] += cost

    waiting = [(base, head, 1.0, -1)]
    while waiting:
        before, after, weight, around = waiting.pop()
        number = before.function
        is_touched = number >= 0 and touched[number]
        owner = number if is_touched else around
        add(number, owner, (_per(after.cost, after.calls) - _per(before.cost, before.calls)) * weight)
        for callee in dict.fromkeys((*before.children, *after.children)):
            sides = before.children.get(callee), after.children.get(callee)
            there = [node for node in sides if node and node.calls]
            if not there:
                continue
            rates = [
                _per(node.calls if node else 0.0, outer.calls)
                for node, outer in zip(sides, (before, after), strict=True)
            ]
            mean = sum(totals[id(node)] / node.calls for node in there) / len(there)
            starts_there = touched[callee] and not is_touched
            add(number, callee if starts_there else owner, (rates[1] - rates[0]) * mean * weight)
            if sides[0] and sides[1] and len(there) == len(sides):
                waiting.append((sides[0], sides[1], weight * sum(rates) / 2, owner))
    return credited


def by_elimination(
    origins: Mapping[int, float],
    functions: Sequence[MatchedFunction],
    change: float,
    touched: Mapping[str, TouchedFile] | None,
) -> int | None:
    """Return the only function that the diff changes, if it runs and the change originates elsewhere.

    It acts through state: it stores a list where others expect a set, or empties a cache that others fill.
    """
    diff = {name for one in (touched or {}).values() for name in one.base_functions | one.head_functions}
    run = [number for number, one in enumerate(functions) if one.touched]
    if len(diff) != 1 or len(run) != 1 or origins.get(run[0], 0.0) / change >= ENOUGH:
        return None
    return run[0]


def _per(amount: float, calls: float) -> float:
    return amount / calls if calls else 0.0


def _totals(tree: Node) -> dict[int, float]:
    """Return the cost of each node with what it calls, by the node's id."""
    totals: dict[int, float] = {}
    for node in reversed(list(tree.walk())):
        totals[id(node)] = node.cost + sum(totals[id(child)] for child in node.children.values())
    return totals


OwnCosts = tuple[float, float]
"""The own cost of a function on base and on head."""


def _costs(functions: Sequence[MatchedFunction], trees: tuple[Node, Node]) -> list[OwnCosts]:
    """Return the costs of all functions: of Python functions in the call trees, of compiled ones as measured."""
    own = [[0.0, 0.0] for _ in functions]
    for side, tree in enumerate(trees):
        for node in tree.walk():
            if node.function >= 0:
                own[node.function][side] += node.cost
    for number, function in enumerate(functions):
        if function.main.is_c:
            sides = function.base, function.head
            own[number] = [(one.instructions or one.seconds or 0.0) if one else 0.0 for one in sides]
    return [(base, head) for base, head in own]


def rank(
    origins: Mapping[int, float],
    functions: Sequence[MatchedFunction],
    costs: Sequence[OwnCosts],
    change: float,
    only: int | None = None,
) -> list[tuple[int, float]]:
    """Return up to `MAX_FUNCTIONS` functions and the share of the *change* that each explains.

    First comes *only*, which explains all of it. Then come those in which the change originates, then those whose own
    cost changes most: they do the work that the first ones cause.
    """
    origin = {number: cost / change for number, cost in origins.items() if number >= 0}
    first = [each for each in _above(MIN_SHARE, origin) if each[0] != only]
    if only is not None:
        first.insert(0, (only, 1.0))
    named = {number for number, _ in first}
    caused = {number: (head - base) / change for number, (base, head) in enumerate(costs) if number not in named}
    python = {number: share for number, share in caused.items() if not functions[number].main.is_c}
    compiled = {number: share for number, share in caused.items() if functions[number].main.is_c}
    return [*first, *_above(MIN_SHARE, python), *_above(MIN_COMPILED_SHARE, compiled)][:MAX_FUNCTIONS]


def _above(least: float, shares: Mapping[int, float]) -> list[tuple[int, float]]:
    """Return the numbers whose share is *least* or more, the largest first."""
    return sorted((each for each in shares.items() if each[1] >= least), key=lambda each: -each[1])


def _changed(matched: MatchedFunction, share: float, costs: OwnCosts, unit: CostUnit) -> ChangedFunction:
    base, head, main = matched.base, matched.head, matched.main
    return ChangedFunction(
        name=cut(main.name, MAX_TEXT),
        base_file=cut(matched.base_file, MAX_TEXT),
        base_line=base.line if base else 0,
        head_file=cut(matched.head_file, MAX_TEXT),
        head_line=head.line if head else 0,
        calls_base=base.calls if base else 0.0,
        calls_head=head.calls if head else 0.0,
        cost_base=costs[0],
        cost_head=costs[1],
        cost_unit=unit,
        share=share,
        touched=None if main.is_c else matched.touched,
        is_c=main.is_c,
    )


def _changed_outside_functions(touched: Mapping[str, TouchedFile]) -> list[str]:
    """Return the files whose code outside of functions the diff changes."""
    return sorted(path for path, one in touched.items() if MODULE in one.base_functions | one.head_functions)


def _notes(
    named: Sequence[ChangedFunction],
    functions: Sequence[MatchedFunction],
    origins: Mapping[int, float],
    change: float,
    touched: Mapping[str, TouchedFile] | None,
) -> tuple[str, ...]:
    """Return what the functions do not explain."""
    if not named:
        return ("No single function explains a tenth of the change: it is spread over many.",)
    if touched is None:
        return ()
    owned = sum(cost for number, cost in origins.items() if number >= 0 and functions[number].touched) / change
    if owned >= ENOUGH:
        return ()
    if any(one.touched for one in functions):
        notes = [f"Functions that the diff changes explain {numbers.share(max(0.0, owned))} of the change."]
    else:
        notes = ["The diff changes no function that this benchmark runs."]
    if module := _changed_outside_functions(touched):
        more = f" and {numbers.count(len(module) - 1, 'other file')}" if len(module) > 1 else ""
        notes.append(cut(f"It also changes code outside of functions, in {module[0]}{more}.", MAX_TEXT))
    return tuple(notes)
