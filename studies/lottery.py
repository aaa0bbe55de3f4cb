"""What slow machines behind a good name do to detection: suites in which whole runs are slow, and two cases change.

    make study ARGS="studies.lottery"       # two minutes, seeded

40 cases of 150 runs with 2.2 % noise. A slow run is slower by 10 to 25 %, as much for each case as its loading of
1 +- 0.3 says. One case becomes 15 % slower at run 60, another 15 % faster at run 100.
"""

import argparse
import sys

import numpy as np
from builders.histories import a_history, a_history_tree, detect, histories

CASES, RUNS = 40, 150
SLOWER, FASTER = (3, 60), (7, 100)
NEAR = 2


def scattered(rng, share):
    """Each run is slow by chance."""
    return np.where(rng.random(RUNS) < share, rng.uniform(0.1, 0.25, RUNS), 0)


def blocks(rng, length):
    """Five stretches of slow runs."""
    slow = np.zeros(RUNS)
    for start in (12, 35, 75, 115, 135):
        slow[start : start + length] = rng.uniform(0.1, 0.25)
    return slow


def lasting(rng, at):
    """Another machine for good."""
    return np.where(np.arange(RUNS) >= at, rng.uniform(0.1, 0.25), 0)


KINDS = {
    "no slow run": lambda _: np.zeros(RUNS),
    "one run in four": lambda rng: scattered(rng, 0.25),
    "45 % of the runs": lambda rng: scattered(rng, 0.45),
    "five times two in a row": lambda rng: blocks(rng, 2),
    "five times four in a row": lambda rng: blocks(rng, 4),
    "from run 80 on, for good": lambda rng: lasting(rng, 80),
}


def main():
    """Print a row for each kind of slow runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", type=int, default=20)
    suites = parser.parse_args().suites
    say("| slow runs | found of two changes | elsewhere | others | their events | machine shifts |")
    say("|---|---:|---:|---:|---:|---:|")
    for number, (name, slow) in enumerate(KINDS.items()):
        rows = [look(np.random.default_rng((number, seed)), seed, slow) for seed in range(suites)]
        cells = np.mean(rows, axis=0)
        say(f"| {name} | {cells[0]:.2f} | {' | '.join(f'{cell:.2f}' for cell in cells[1:])} |")


def look(rng, seed, slow):
    """Return counts for one suite: changes found, others of their cases, other cases, their events, machine shifts."""
    logs = histories((1000, seed), count=CASES, points=RUNS)
    logs += np.outer(np.clip(rng.normal(1, 0.3, CASES), 0, None), slow(rng))
    for (case, at), change in ((SLOWER, 0.15), (FASTER, -0.15)):
        logs[case, at:] += np.log1p(change)
    names = [f"m.time_{case:02}" for case in range(CASES)]
    result = detect(a_history_tree(dict(zip(names, 0.1 * np.exp(logs), strict=True))), a_history(RUNS))
    true = {names[case]: at for case, at in (SLOWER, FASTER)}
    off = {change.id: abs(int(change.commit, 16) - true.get(change.benchmark, RUNS * 2)) for change in result.changes}
    found = sum(distance <= NEAR for distance in off.values())
    others = [change for change in result.changes if change.benchmark not in true]
    misplaced = len(result.changes) - found - len(others)
    return found, misplaced, len(others), len({change.event for change in others}), len(result.machine_shifts)


def say(text):
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
