"""Gives the processes of a round one random hash seed and one random size of the environment.

Both move data in memory, which can change a time by several per cent: Mytkowicz, T., Diwan, A., Hauswirth, M. and
Sweeney, P. F. (2009), Producing wrong data without doing anything obviously wrong, doi:10.1145/1508244.1508275. A fixed
layout can make such an effect look like a change of the code. A random one makes it noise: Curtsinger, C. and Berger,
E. D. (2013), Stabilizer, doi:10.1145/2451116.2451141. Base and head have the same values in a round, so effects
that both share cancel in its difference. The kernel also randomises all addresses (ASLR), for each process anew.
"""

import contextlib
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from windtunnel.model.schedule import Arm, ScheduledProcess

HASH_SEED = "PYTHONHASHSEED"
MAX_HASH_SEED = 2**32 - 1

PADDING = "WINDTUNNEL_PADDING"
"""An environment variable without a meaning; only its length matters."""

MAX_PADDING = 4096
"""The length of a page: from there on, offsets in memory repeat."""


@dataclass(slots=True, kw_only=True)
class RoundLayouts:
    """The layouts of one commit's processes; both commits of a comparison have the same *seed*."""

    seed: int = 0
    rounds: Counter[tuple[Arm, str, int]] = field(default_factory=Counter)
    """How many processes each case has had."""

    @contextlib.contextmanager
    def next(self, scheduled: ScheduledProcess) -> Iterator[None]:
        """Give the processes that start in this context the layout of the next round of *scheduled*.

        Variables that the suite sets in asv's matrix replace these.
        """
        case = scheduled.arm, scheduled.benchmark, scheduled.case.index
        self.rounds[case] += 1
        with _set(layout_variables(self.seed, self.rounds[case])):
            yield


def layout_variables(seed: int, number: int) -> dict[str, str]:
    """Return the environment variables of all processes in round *number*."""
    rng = random.Random(f"{seed} {number}")  # noqa: S311 - a layout, not a secret
    return {HASH_SEED: str(rng.randint(1, MAX_HASH_SEED)), PADDING: "x" * rng.randrange(MAX_PADDING)}


@contextlib.contextmanager
def _set(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
