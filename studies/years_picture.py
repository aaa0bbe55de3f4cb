"""Draws a job over the years for README: a line of steps for each case, and rings at the releases that moved one.

The picture is SVG text without scripts, as that of studies.findings_picture. The axis of values is logarithmic.
"""

import math
from html import escape

from studies.findings_picture import FONT, SCHEMES, label

WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 900, 380, 64, 190, 56, 58
COLOURS = {
    "light": ("#0b62c4", "#b54a00", "#00785a", "#7a35e0", "#a4005c", "#6b5a00"),
    "dark": ("#6cb0ff", "#ff9a5c", "#4cd3a5", "#c4a1ff", "#ff8ac4", "#e0c84a"),
}
MIN_STEP, MAX_NAMED, LINE = 0.03, 5, 17
"""The least step with a ring, the most of them with a name, and the height of a line of text."""


def draw(years, scheme="light"):
    """Return the SVG of the first job of *years*."""
    colours, job = SCHEMES[scheme], years.jobs[0]
    moves = moves_of(job)
    hues = dict(zip(moves, COLOURS[scheme], strict=False))
    known = [value for case in hues for value in job.cases[case] if value]
    low, high = math.log(min(known) / 1.15), math.log(max(known) * 1.15)
    measured = [at for case in hues for at, value in enumerate(job.cases[case]) if value]
    first, last = min(measured), max(measured)
    x = lambda at: LEFT + (WIDTH - LEFT - RIGHT) * (at - first) / max(1, last - first)  # noqa: E731
    y = lambda value: TOP + (HEIGHT - TOP - FOOT) * (high - math.log(value)) / (high - low)  # noqa: E731
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">',
        f"<title>{escape(alternative(years))}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{colours["paper"]}"/>',
        label(16, 26, f"Million {years.unit} for {job.each}", colours["ink"], size=15, weight=600),
    ]
    for tick in (each for power in range(9) for each in (10**power, 2 * 10**power, 5 * 10**power)):
        if low < math.log(tick) < high:
            line = f'x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"'
            lines.append(f'<line {line} stroke="{colours["rule"]}"/>')
            lines.append(label(LEFT - 8, y(tick) + 4, f"{tick / 1e6:g}", colours["faint"], anchor="end"))
    lines += (
        label(x(at), HEIGHT - FOOT + 18, f"Feb {years.dates[at][:4]}", colours["faint"], anchor="middle")
        for at in range(first, last + 1)
        if years.dates[at][5:7] == "02"
    )
    for case, colour in hues.items():
        lines.append(f'<path d="{steps(job.cases[case], x, y)}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
    lines += rings(years, hues, x, y, colours["paper"])
    lines += names(job, moves, hues, y, colours["faint"])
    legend = (
        f"Python {years.python}, the libraries of each date. A ring is a step of 3 % or more, with what explains it."
    )
    lines.append(label(16, HEIGHT - 14, legend, colours["faint"]))
    return "\n".join([*lines, "</svg>", ""])


def moves_of(job):
    """Return how each case moved from its first value to its last, the largest move first."""
    known = {case: [value for value in values if value] for case, values in job.cases.items()}
    moves = {case: values[-1] / values[0] - 1 for case, values in known.items()}
    return dict(sorted(moves.items(), key=lambda each: -abs(math.log1p(each[1]))))


def steps(values, x, y):
    """Return the path of a line: a level goes on to the next date with a value."""
    known = [(at, value) for at, value in enumerate(values) if value]
    return f"M{x(known[0][0]):.1f} {y(known[0][1]):.1f}" + "".join(
        f"H{x(at):.1f}V{y(value):.1f}" for at, value in known[1:]
    )


def rings(years, hues, x, y, paper):
    """Yield a ring for each large step, and the name of the release that explains it, where there is room."""
    named = []
    for step in (each for each in years.steps if each.job == years.jobs[0].id and each.case in hues):
        if abs(step.after / step.before - 1) < MIN_STEP:
            continue
        at, colour = (x(years.dates.index(step.date)), y(step.after)), hues[step.case]
        yield f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="4.5" fill="{paper}" stroke="{colour}" stroke-width="2"/>'
        free = all(abs(at[0] - other[0]) > 100 or abs(at[1] - other[1]) > LINE for other in named)
        if step.causes and len(named) < MAX_NAMED and free:
            named.append(at)
            yield label(at[0] + 8, at[1] - 7, f"{step.causes[0].library} {step.causes[0].version}", colour)


def names(job, moves, hues, y, faint):
    """Yield the names at the ends of lines, moved apart, with how far each moved."""
    last = {case: y(next(value for value in reversed(job.cases[case]) if value)) for case in hues}
    place = -math.inf
    for case in sorted(last, key=last.__getitem__):
        place = max(place + LINE, last[case])
        yield label(WIDTH - RIGHT + 12, place + 4, case, hues[case], size=13, weight=600)
        yield label(WIDTH - 16, place + 4, signed(moves[case]), faint, anchor="end")


def signed(move):
    """Return a move in percent: “−92 %”, “0 %”."""
    return f"{'' if abs(move) < 0.005 else '−' if move < 0 else '+'}{abs(move) * 100:.0f} %"


def alternative(years):
    """Return the picture in words."""
    job = years.jobs[0]
    since = min(at for values in job.cases.values() for at, value in enumerate(values) if value)
    said = (
        f"{abs(move) * 100:.0f} % {'less' if move < 0 else 'more'} with {case}" for case, move in moves_of(job).items()
    )
    return f"{job.each[:1].upper()}{job.each[1:]} since {years.dates[since][:7]}, in {years.unit}: {', '.join(said)}"
