"""The tables of docs/measurements/error-rates.md about comparisons, in full; about ten minutes on one core.

make study ARGS="studies.calibration_tables"
"""

import sys

import numpy as np
from calibration.comparison import ASV_FACTORS, CASES, compare, coverage
from calibration.noise import HARD, LEVELS, SHARED, Noise
from scipy import stats

from windtunnel.compare.samples_format import Rules

CHANGES = (0.02, 0.03, 0.05, 0.10, 0.20, -0.05)
POWER_CASES = (*CHANGES, *[0.0] * (CASES - len(CHANGES)))
SMALL_CHANGES = (0.005, 0.01, 0.015, 0.02, -0.01)
LEVEL_DISTANCES = (0.05, 0.08, 0.15, 0.30)


def upper(count, trials):
    """Return the upper end of the one-sided 95 % interval of a rate (Clopper and Pearson 1934)."""
    return float(stats.beta.ppf(0.95, count + 1, trials - count)) if count < trials else 1.0


def false_alarms(comparisons, seed=1):
    """Yield the lines of the table without any change."""
    yield "| noise | alarm | small change claimed | asv p < 0.002 | asv 1.05 | asv 1.1 | rounds | undecided |"
    yield "|---|---|---|---|---|---|---|---|"
    for noise in (*LEVELS, *HARD):
        out = compare(noise, np.random.default_rng(seed), comparisons=comparisons, changes=np.zeros(CASES))
        alarmed = int(out.alarm.any(axis=1).sum())
        asv = " | ".join(
            f"{out.asv[index].any(axis=1).mean():.1%} ({out.asv[index].mean():.2%} a case)"
            for index in range(len(ASV_FACTORS))
        )
        yield (
            f"| {noise.name} | {alarmed / comparisons:.2%} (below {upper(alarmed, comparisons):.2%}) "
            f"| {(out.significant & ~out.alarm).any(axis=1).mean():.2%} | {asv} "
            f"| {out.rounds.mean():.1f} | {out.inconclusive.mean():.1%} |"
        )


def power(comparisons, seed=2):
    """Yield the lines of the table of what is found: alarms, and in brackets every change beyond noise."""
    yield (
        "| noise | "
        + " | ".join(f"{change:+.0%}" for change in CHANGES)
        + " | asv 1.05: 5 % | 10 % | missed, claimed |"
    )
    yield "|---" * (len(CHANGES) + 4) + "|"
    for noise in (*LEVELS, *HARD):
        out = compare(noise, np.random.default_rng(seed), comparisons=comparisons, changes=POWER_CASES)
        found = " | ".join(
            f"{out.alarm[:, index].mean():.1%} ({out.significant[:, index].mean():.1%})"
            for index in range(len(CHANGES))
        )
        asv = " | ".join(f"{out.asv[1][:, CHANGES.index(change)].mean():.0%}" for change in (0.05, 0.10))
        changed = np.s_[:, : len(CHANGES)]
        yield f"| {noise.name} | {found} | {asv} | {out.missed[changed].mean():.2%}, {out.alpha[changed].mean():.2%} |"


def intervals(seed=3):
    """Yield the lines of the table of coverage: misses of a single interval, without selection."""
    plans = ((4, 0.05), (4, 0.01), (8, 0.01), (15, 0.01), (30, 0.01))
    yield "| noise | " + " | ".join(f"{rounds} rounds, {alpha:.0%}" for rounds, alpha in plans) + " |"
    yield "|---" * (len(plans) + 1) + "|"
    for noise in (*LEVELS, *HARD):
        rng = np.random.default_rng(seed)
        missed = (coverage(noise, rng, rounds=rounds, alpha=alpha) for rounds, alpha in plans)
        yield f"| {noise.name} | " + " | ".join(f"{share:.2%}" for share in missed) + " |"


def small_thresholds(comparisons, seed=5):
    """Yield the lines of the table of thresholds of 1 %: what is found, and after how many rounds."""
    changes = [*SMALL_CHANGES, *[0.0] * (CASES - len(SMALL_CHANGES))]
    found = " | ".join(f"{change:+.1%}" for change in SMALL_CHANGES)
    yield f"| noise | {found} | alarm without a change | undecided | rounds, unchanged | rounds, +1 % |"
    yield "|---" * (len(SMALL_CHANGES) + 5) + "|"
    for noise in (*LEVELS, HARD[2]):
        rng = np.random.default_rng(seed)
        still = compare(noise, rng, comparisons=comparisons, changes=np.zeros(CASES), threshold=0.01)
        moved = compare(noise, rng, comparisons=comparisons, changes=changes, threshold=0.01)
        alarmed = int(still.alarm.any(axis=1).sum())
        cells = " | ".join(f"{share:.1%}" for share in moved.alarm[:, : len(SMALL_CHANGES)].mean(axis=0))
        yield (
            f"| {noise.name} | {cells} | {alarmed / comparisons:.2%} (below {upper(alarmed, comparisons):.2%}) "
            f"| {still.inconclusive.mean():.1%} | {still.rounds.mean():.0f} | {moved.rounds[:, 1].mean():.0f} |"
        )


def two_levels(comparisons, seed=6):
    """Yield the lines of the table of cases with two levels, by how far the levels are apart."""
    yield "| levels apart | recognised | undecided | alarm | +3% | +5% | +10% | -5% |"
    yield "|---" * 8 + "|"
    changes = (0.03, 0.05, 0.10, -0.05)
    for distance in LEVEL_DISTANCES:
        noise, rng = Noise(name="levels", slow=distance), np.random.default_rng(seed)
        still = compare(noise, rng, comparisons=comparisons, changes=np.zeros(CASES))
        moved = compare(noise, rng, comparisons=comparisons, changes=[*changes, *[0.0] * (CASES - len(changes))])
        alarmed = int(still.alarm.any(axis=1).sum())
        cells = " | ".join(f"{share:.1%}" for share in moved.alarm[:, : len(changes)].mean(axis=0))
        yield (
            f"| {distance:.0%} | {still.two_levels.mean():.1%} | {still.inconclusive.mean():.1%} "
            f"| {alarmed / comparisons:.2%} (below {upper(alarmed, comparisons):.2%}) | {cells} |"
        )


def all_the_time(comparisons, seed=8):
    """Yield the lines of the table of cases that go on while a time limit leaves time, and of values in loops."""
    yield "| noise | rounds | alarm | +3% | +5% | +10% | undecided | rounds of a case |"
    yield "|---" * 8 + "|"
    changes = (0.03, 0.05, 0.10)
    for noise in (LEVELS[3], HARD[0], *SHARED):
        for name, rules, early in (("24", Rules(), 0), ("270", Rules().timed(), 24)):
            rng, truth = np.random.default_rng(seed), [*changes, *[0.0] * 27]
            out = compare(noise, rng, comparisons=comparisons, changes=truth, rules=rules, early=early)
            alarmed = int(out.alarm[:, len(changes) :].any(axis=1).sum())
            cells = " | ".join(f"{share:.1%}" for share in out.alarm[:, : len(changes)].mean(axis=0))
            yield (
                f"| {noise.name} | {name} | {alarmed / comparisons:.2%} (below {upper(alarmed, comparisons):.2%}) "
                f"| {cells} | {out.inconclusive.mean():.1%} | {out.rounds.mean():.1f} |"
            )


def main(comparisons):
    """Print the tables."""
    tables = (
        false_alarms(comparisons),
        power(comparisons // 4),
        intervals(),
        two_levels(comparisons // 6),
        small_thresholds(comparisons // 30),
        all_the_time(comparisons // 5),
    )
    for table in tables:
        for line in table:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        sys.stdout.write("\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
