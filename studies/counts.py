"""How often counts of instructions show a change of the work, simulated.

make study ARGS="studies.counts"       # seconds, seeded
"""

import sys

import numpy as np
from calibration.counts import decided

SPREADS = (0.00002, 0.0002, 0.0005, 0.001, 0.0015)
"""How much the counts of one commit differ from seed to seed beyond what both commits share; 0.01 = 1 %."""

CHANGES = (0.0, 0.001, 0.003, 0.01)


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
