"""How often a bisection names the right commit, simulated.

make study ARGS="studies.bisecting"       # about a minute, seeded
"""

import sys

from calibration.bisecting import outcomes

CHANGES = (1.03, 1.05, 1.10, 1.20)
SPREADS = (0.01, 0.02)


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
