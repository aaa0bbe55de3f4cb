"""How often a bisection names the right commit, simulated; studies.bisecting has the table."""

from collections import Counter

import numpy as np
from builders.bisections import bisected

from windtunnel.compare.bisection import CommitRange

COMMITS = 65


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
