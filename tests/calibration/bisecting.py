"""How often a bisection names the right commit, simulated.

make study ARGS="calibration.bisecting"       # about a minute, seeded
"""

import sys
from collections import Counter

import numpy as np
from builders.bisections import bisected

from windtunnel.compare.bisection import CommitRange

COMMITS = 65
CHANGES = (1.03, 1.05, 1.10, 1.20)
SPREADS = (0.01, 0.02)


def outcomes(*, factor, spread, trials, seed):
    """Count what bisections of 65 commits with one step somewhere end in, and the rounds they took."""
    rng = np.random.default_rng(seed)
    said, rounds = Counter(), 0
    for number in range(trials):
        first_bad = int(rng.integers(1, COMMITS))
        levels = [1.0 if place < first_bad else factor for place in range(COMMITS)]
        answer, probes = bisected(levels, spread=spread, seed=[seed, number])
        rounds += sum(samples.stage_samples[0].rounds for samples in probes.values())
        said[verdict(answer, first_bad)] += 1
    return said, rounds / trials


def verdict(answer, first_bad):
    """Right, a range that holds the commit, nothing found, or wrong."""
    if not isinstance(answer, CommitRange):
        return "nothing"
    if not answer.before < first_bad <= answer.after:
        return "wrong"
    return "exact" if answer.exact else "range"


def main():
    """Print the table."""
    sys.stdout.write("| change | noise | exact | range | nothing | wrong | rounds |\n|---|---|---|---|---|---|---|\n")
    trials = 200
    for factor in CHANGES:
        for spread in SPREADS:
            said, rounds = outcomes(factor=factor, spread=spread, trials=trials, seed=5)
            shares = " | ".join(f"{said[kind] / trials:.1%}" for kind in ("exact", "range", "nothing", "wrong"))
            sys.stdout.write(f"| {factor - 1:+.0%} | {spread:.0%} | {shares} | {rounds:.0f} |\n")


if __name__ == "__main__":
    main()
