"""The tables of docs/measurements/error-rates.md about claims in blocks; three minutes on one core, seeded.

make study ARGS="studies.claim_error_rates"
"""

import sys

from calibration.claim_blocks import NOISES, NORMAL, decided, false_discoveries, wrong

from windtunnel.text.numbers import share

TRIALS = 10_000
"""Claims for each rate of wrong decisions."""

DISTANCES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
"""Distances of the ratio from an end of the band, relative."""

BOARDS = 500
"""Boards for each false discovery rate."""


def main():
    """Print the tables."""
    tables = (wrong_decisions(TRIALS), decided_shares(TRIALS // 5), boards(BOARDS))
    sys.stdout.write("\n\n".join("\n".join(table) for table in tables) + "\n")


def wrong_decisions(trials):
    """Returns the lines of the table of wrong decisions: the larger rate of both ends of the band."""
    settings = ({}, {"zone": 0.02}, {"tests": 3})
    rows = [
        "| noise between blocks | holds | fails | with a zone: holds | fails | three tests: holds | fails |",
        "|---|---|---|---|---|---|---|",
    ]
    for noise in NOISES:
        rates = [rate for setting in settings for rate in wrong(noise, trials, **setting)]
        rows.append(f"| {noise.name} | " + " | ".join(f"{rate:.1%}" for rate in rates) + " |")
    return rows


def decided_shares(trials):
    """Returns the lines of the table of what is decided, by the distance of the ratio from an end of the band."""
    rows = [
        "| noise between blocks | "
        + " | ".join(share(distance) for distance in DISTANCES)
        + " | at an end, with a zone |",
        "|---" * (len(DISTANCES) + 2) + "|",
    ]
    for noise in NORMAL:
        cells = [decided(noise, distance, trials) for distance in DISTANCES]
        cells.append(decided(noise, 0.0, trials, zone=0.02))
        rows.append(f"| {noise.name} | " + " | ".join(f"{part:.0%} ({blocks:.0f})" for part, blocks in cells) + " |")
    return rows


def boards(count):
    """Returns the lines of the table of wrong decisions among those of a board."""
    rows = ["| claims at an end | wrong among the decisions | with the control |", "|---|---|---|"]
    for at_ends in (0.1, 0.25, 0.5, 1.0):
        without, controlled = false_discoveries(NORMAL[1], at_ends, count)
        rows.append(f"| {share(at_ends)} | {without:.1%} | {controlled:.1%} |")
    return rows


if __name__ == "__main__":
    main()
