"""Draws the answers as rows with dots: how many times as long the other way takes, on each Python.

The picture is SVG text without scripts, so that a change of one number changes few lines of the file. The axis is
logarithmic, because one axis for all rows makes them comparable; a line is the interval of the ratio.
"""

import math
from html import escape

from studies.board import decisions_of
from windtunnel.text.numbers import ratio

WIDTH, LEFT, RIGHT, TOP, ROW, FOOT = 900, 490, 110, 60, 46, 34
DOT, STEP = 3.5, 9
FONT = "Segoe UI, Helvetica, Arial, sans-serif"
TICKS = (1, 2, 5, 10, 20, 50)
MIN_SIZE = 1.03
"""The least ratio that counts as a difference where its interval excludes 1; the site has the same rule."""

SCHEMES = {
    "light": {"paper": "#ffffff", "ink": "#1f2328", "faint": "#59636e", "rule": "#d1d9e0", "good": "#0b5cad"},
    "dark": {"paper": "#0d1117", "ink": "#f0f6fc", "faint": "#9198a1", "rule": "#3d444d", "good": "#6cb6ff"},
}


def draw(findings, board, scheme="light"):
    """Return the SVG of *findings*; their ratios are those of *board*."""
    colours = SCHEMES[scheme]
    rows = [row for each in findings if (row := row_of(each, board))]
    largest = max((high for *_, dots in rows for _, _, (_, high) in dots if high < math.inf), default=2.0)
    least = min((low for *_, dots in rows for _, _, (low, _) in dots if low > 0), default=1.0)
    ends = math.log(min(least, 0.9)), math.log(max(largest, 2.0) * 1.1)
    height = TOP + ROW * len(rows) + FOOT
    place = lambda value: LEFT + (WIDTH - LEFT - RIGHT) * (math.log(value) - ends[0]) / (ends[1] - ends[0])  # noqa: E731
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">',
        f"<title>{escape(alternative(rows))}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{colours["paper"]}"/>',
        label(16, 26, "Your program, and what to use", colours["ink"], size=15, weight=600),
        label(LEFT, 26, "The other way takes … times as much", colours["ink"], size=15, weight=600),
    ]
    for tick in (each for each in TICKS if math.log(each) <= ends[1]):
        x = place(tick)
        stroke = colours["faint"] if tick == 1 else colours["rule"]
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - FOOT}" stroke="{stroke}"/>')
        lines.append(label(x, TOP - 14, f"{tick}×", colours["faint"], anchor="middle"))
    for number, row in enumerate(rows):
        lines += drawn_row(TOP + ROW * number, row, place, colours)
    names = list(dict.fromkeys(name for *_, dots in rows for name, _, _ in dots))
    legend = (
        f"A dot is a Python, from the top {', '.join(names)}; its line is the 95 % interval. At 1× both ways are alike."
    )
    lines.append(label(16, height - 12, legend, colours["faint"]))
    return "\n".join([*lines, "</svg>", ""])


def row_of(finding, board):
    """Return the program, what to use, and for each Python its name, the ratio and the interval; None without one."""
    tests = {
        name: one.tests[0]
        for name, one in decisions_of(board, finding.claim).items()
        if one.tests and one.tests[0].ratio
    }
    dots = [(name, *oriented(test, finding.best)) for name, test in tests.items()]
    return (finding.program or finding.question, finding.use, dots) if dots else None


def oriented(test, best):
    """Return the other way divided by the *best* side, and the interval of that."""
    low, high = (test.interval.low, test.interval.high) if test.interval else (test.ratio, test.ratio)
    if best == "baseline":
        return test.ratio, (low, high)
    return 1 / test.ratio, (1 / high, 1 / low if low > 0 else math.inf)


def drawn_row(y, row, place, colours):
    """Yield the elements of a row whose upper end is at *y*."""
    program, use, dots = row
    yield f'<line x1="16" x2="{WIDTH - 16}" y1="{y}" y2="{y}" stroke="{colours["rule"]}"/>'
    yield label(16, y + 19, program, colours["ink"], size=14, weight=600)
    yield label(16, y + 36, use, colours["faint"], size=13)
    start = y + ROW / 2 - STEP * (len(dots) - 1) / 2
    for number, (_, value, (low, high)) in enumerate(dots):
        clear = max(value, 1 / value) >= MIN_SIZE and not low <= 1 <= high
        colour, middle = colours["good" if clear and value > 1 else "faint"], start + STEP * number
        right = min(place(high) if high < math.inf else WIDTH, WIDTH - RIGHT + 8)
        left = max(place(low) if low > 0 else 0, LEFT - 4)
        yield f'<path d="M{left:.1f} {middle:.1f}H{right:.1f}" stroke="{colour}" stroke-width="1.5"/>'
        yield f'<circle cx="{place(value):.1f}" cy="{middle:.1f}" r="{DOT}" fill="{colour}"/>'
    yield label(WIDTH - 16, y + ROW / 2 + 5, spread(dots), colours["ink"], size=15, weight=600, anchor="end")


def spread(dots):
    """Return the least and the largest ratio of *dots* as text."""
    values = sorted(value for _, value, _ in dots)
    shown = list(dict.fromkeys(f"{each:.0f}" if each >= 10 else f"{each:.1f}" for each in (values[0], values[-1])))
    return " – ".join(shown) + "×"


def label(x, y, text, fill, *, size=12, weight=400, anchor="start"):
    """Return a text element."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )


def alternative(rows):
    """Return the picture in words."""
    said = []
    for program, use, dots in rows:
        sizes = ", ".join(f"{ratio(value, None).value} on {name}" for name, value, _ in dots)
        said.append(f"{program}: {use}; the other way takes {sizes}")
    return "; ".join(said)
