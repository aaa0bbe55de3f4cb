"""How often counts of instructions show a change of the work, simulated; decided by the tool's own code.

studies.counts has the table.
"""

import numpy as np

from windtunnel.compare.samples_format import PairedSamples, WorkSamples
from windtunnel.compare.significance import decide_work
from windtunnel.model.schedule import DEFAULT_SEEDS, InstructionCounts

INSTRUCTIONS = 1e6
SEEDS = len(DEFAULT_SEEDS)

SHARED = 0.0015
"""How much a hash seed moves the counts of both commits alike."""


def decided(*, change, spread, cases, rng, seeds=SEEDS):
    """Return what the counts of each case show: *change* more instructions per call on head."""
    shared = rng.normal(0, SHARED, (cases, seeds))
    own = rng.normal(0, spread, (2, cases, seeds))
    counts = INSTRUCTIONS * np.exp(shared + own) * np.array([1, 1 + change])[:, None, None]
    samples = [
        PairedSamples(benchmark=f"suite.time_{number}", work=WorkSamples(base=counted(base), head=counted(head)))
        for number, (base, head) in enumerate(zip(*counts, strict=True))
    ]
    return [found.work for found in decide_work(samples)]


def counted(values):
    """The counts of one commit."""
    return InstructionCounts(per_call=tuple(values.tolist()), calls=10)
