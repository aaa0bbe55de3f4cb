"""How often counts of instructions show a change of the work, simulated; decided by the tool's own code.

make study ARGS="calibration.counts"       # seconds, seeded
"""

import sys

import numpy as np

from windtunnel.compare.samples_format import PairedSamples, WorkSamples
from windtunnel.compare.significance import decide_work
from windtunnel.model.schedule import DEFAULT_SEEDS, InstructionCounts

INSTRUCTIONS = 1e6
SEEDS = len(DEFAULT_SEEDS)
SPREADS = (0.00002, 0.0002, 0.0005, 0.001, 0.0015)
"""How much the counts of one commit differ from seed to seed beyond what both commits share; 0.01 = 1 %."""

SHARED = 0.0015
"""How much a hash seed moves the counts of both commits alike."""

CHANGES = (0.0, 0.001, 0.003, 0.01)


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


def share(found, work):
    """Return how many of *found* are *work*."""
    return found.count(work) / len(found)


def main(cases=4000):
    """Print the table: more work found, by change and by spread over seeds."""
    heads = " | ".join(f"{change:+.1%}" for change in CHANGES[1:])
    sys.stdout.write(
        f"| spread over seeds | no change: same | more or less | {heads} |\n|{'---|' * (3 + len(CHANGES) - 1)}\n"
    )
    for spread in SPREADS:
        rng = np.random.default_rng(7)
        still, *moved = [decided(change=change, spread=spread, cases=cases, rng=rng) for change in CHANGES]
        wrong = share(still, "more") + share(still, "less")
        cells = " | ".join(f"{share(found, 'more'):.1%}" for found in moved)
        sys.stdout.write(f"| {spread * 100:.3g} % | {share(still, 'same'):.1%} | {wrong:.2%} | {cells} |\n")


if __name__ == "__main__":
    main()
