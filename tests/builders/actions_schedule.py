"""When GitHub runs what: the ``concurrency`` of the real workflow files, applied to a sequence of events.

https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
At most one job or run of a group is in progress and one is pending; a new one takes the place of the pending one, which
is cancelled; names of groups ignore case.
"""

import heapq
import itertools
import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|&&|\|\||!=|==|!|\(|\)|,|[\w.*-]+)")
OPERATORS = {"&&": "and", "||": "or", "!": "not ", "==": "==", "!=": "!=", "(": "(", ")": ")", ",": ","}
FUNCTIONS = {
    "cancelled": lambda: False,
    "contains": lambda where, what: what in where,
    "format": lambda text, *parts: text.format(*parts),
}


def evaluate(text, **contexts):
    """The value of *text* with its ``${{ }}``; a name that has no value is empty, as on GitHub."""

    def value(name):
        found = contexts
        for part in name.split("."):
            if isinstance(found, list):
                found = found if part == "*" else [one[part] for one in found]
            else:
                found = found.get(part, "") if isinstance(found, dict) else ""
        return found

    def expression(match):
        parts = TOKEN.findall(match[1])
        assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", match[1]), "the test cannot read this expression"
        python = " ".join(
            OPERATORS.get(one) or (one if one.startswith("'") or one in FUNCTIONS else f"value({one!r})")
            for one in parts
        )
        return str(eval(python, {"value": value, **FUNCTIONS}) or "")

    return re.sub(r"\$\{\{(.*?)\}\}", expression, text, flags=re.DOTALL)


@dataclass
class Group:
    """One concurrency group."""

    running: object = None
    pending: object = None


@dataclass
class Clock:
    """Events in the order of their times; what happens at one time happens in the order of its addition."""

    now: float = 0.0
    queue: list = field(default_factory=list)
    number: itertools.count = field(default_factory=itertools.count)
    groups: dict = field(default_factory=dict)
    cancelled: list = field(default_factory=list)

    def at(self, time, action):
        heapq.heappush(self.queue, (time, next(self.number), action))

    def run(self):
        while self.queue:
            self.now, _, action = heapq.heappop(self.queue)
            action()

    def enter(self, name, member, start):
        """*member* asks for its turn in the group *name*; *start* is called when it comes; None is no group."""
        if name is None:
            start()
            return
        group = self.groups.setdefault(name.lower(), Group())
        if group.running is None:
            group.running = member
            start()
            return
        if group.pending is not None:
            self.cancelled.append(group.pending[0])
        group.pending = (member, start)

    def leave(self, name):
        """The member in progress has ended."""
        if name is None:
            return
        group = self.groups[name.lower()]
        group.running = None
        if group.pending is not None:
            (group.running, start), group.pending = group.pending, None
            start()
