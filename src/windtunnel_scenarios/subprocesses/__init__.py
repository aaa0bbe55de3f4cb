"""Starting many programs that end at once: what starting a process costs each way."""

from dataclasses import dataclass

from windtunnel_scenarios.model import LoadName, Outcome, Scenario, Variant

COMMAND = "true"
"""Does nothing, successfully (POSIX)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """How many."""

    name: LoadName
    count: int

    @property
    def outcome(self) -> Outcome:
        """The exit code of each."""
        return (0,) * self.count


SUBPROCESSES = Scenario(
    name="subprocesses",
    variants=(
        Variant(name="sync", tools=(COMMAND,)),
        Variant(name="threads", tools=(COMMAND,)),
        Variant(name="asyncio_exec", tools=(COMMAND,)),
        Variant(name="uvloop_exec", tools=(COMMAND,), needs=("uvloop",)),
    ),
    loads=(
        Programs(name=LoadName.TRIAL, count=3),
        Programs(name=LoadName.QUICK, count=20),
        Programs(name=LoadName.STANDARD, count=100),
        Programs(name=LoadName.ARTICLE, count=500),
    ),
)
