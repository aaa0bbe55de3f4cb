"""Draws findings as bars: how many times as long the slower of two ways takes, on each Python.

The picture is SVG text without scripts, so that a change of one number changes one line of the file. The axis is
logarithmic and begins at 1, where both sides take as long.
"""

import math
from html import escape

from studies.board import decisions_of, variant
from windtunnel.text.numbers import ratio

WIDTH, LEFT, RIGHT, TOP = 480, 62, 84, 40
BAR, GAP, HEAD, FOOT = 12, 2, 44, 42
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Those of Okabe and Ito, Color Universal Design, 2008, which colour-blind readers distinguish."""
SCALE = 1.2
"""The pixels of a unit where there is room; a phone shows fewer."""
SIZE = f'width="{round(WIDTH * SCALE)}" height="{{}}" font-family="Segoe UI, Helvetica, Arial, sans-serif" role="img"'
INK, FAINT = "#1f2328", "#6e7781"
LINES = "Black lines are intervals of the ratio; an arrow goes beyond the picture."
TICKS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)


def draw(findings, board):
    """Returns the SVG of *findings*; their ratios are those of *board*."""
    groups = [group for each in findings if (group := bars_of(each, board))]
    low, high = axis([(value, interval) for _, _, bars in groups for _, value, interval in bars])
    names = [target.name for target in board.targets]
    height = TOP + sum(HEAD + len(bars) * (BAR + GAP) for _, _, bars in groups) + FOOT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {SIZE.format(round(height * SCALE))}>',
        f"<title>{escape(alternative(groups))}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
        label(12, 24, "Slower way / faster way, by Python (log scale)", size=15, weight=600),
    ]
    place = lambda value: LEFT + (WIDTH - LEFT - RIGHT) * math.log(value / low) / math.log(high / low)  # noqa: E731
    for tick in TICKS:
        if low <= tick <= high:
            lines.append(
                f'<line x1="{place(tick):.1f}" x2="{place(tick):.1f}" y1="{TOP + 4}" y2="{height - FOOT}"'
                f' stroke="{FAINT if tick == 1 else "#d8dee4"}"/>'
            )
            lines.append(label(place(tick), height - FOOT + 15, f"{tick:g}×", size=12, fill=FAINT, anchor="middle"))
    lines.append(label(12, height - 10, LINES, size=12, fill=FAINT))
    y = TOP
    for question, sides, bars in groups:
        lines += [
            f'<rect x="4" y="{y + 4}" width="{WIDTH - 8}" height="{HEAD - 8}" fill="#ffffff"/>',
            label(12, y + 21, question, size=14, weight=600),
            label(12, y + 37, sides, size=12, fill=FAINT),
        ]
        y += HEAD
        for target, value, interval in bars:
            lines += bar(y, target, value, interval, place, COLOURS[names.index(target) % len(COLOURS)])
            y += BAR + GAP
    return "\n".join([*lines, "</svg>", ""])


def bars_of(finding, board):
    """Returns the question, what is divided by what, and name, ratio and interval of each bar; or None."""
    tests = {
        name: one.tests[finding.test]
        for name, one in decisions_of(board, finding.claim).items()
        if len(one.tests) > finding.test and one.tests[finding.test].ratio
    }
    if not tests:
        return None
    first = next(iter(tests.values()))
    slower = sum(math.log(test.ratio) for test in tests.values()) >= 0
    names = [variant(first.contender), variant(first.baseline)]
    long, short = names if slower else reversed(names)
    quantity = {"seconds": "time", "bytes": "memory"}.get(first.contender.unit, "value")
    sides = f"{quantity} of {long} / {quantity} of {short}"
    if finding.quantity:
        sides = f"{finding.quantity}: {long} / {short}"
    bars = [(name, *oriented(test, slower)) for name, test in tests.items()]
    return finding.question, sides.replace("_", " "), bars


def oriented(test, slower):
    """Returns the ratio and its interval, inverted unless the contender is the slower side."""
    low, high = (test.interval.low, test.interval.high) if test.interval else (test.ratio, test.ratio)
    if slower:
        return test.ratio, (low, high)
    return 1 / test.ratio, (1 / high, 1 / low if low > 0 else math.inf)


def axis(bars):
    """Returns the ends of the axis, which has 1, all ratios, and intervals up to twice the largest ratio."""
    largest = max([2.0, *(value for value, _ in bars)])
    lows = [low for _, (low, _) in bars if 0 < low < 1] + [value for value, _ in bars]
    highs = [high for _, (_, high) in bars if high <= 2 * largest] + [largest]
    return min([1.0, *lows]) / 1.02, max(highs) * 1.05


def bar(y, target, value, interval, place, colour):
    """Yields the name, the bar, the interval and the number of a Python."""
    start, end = sorted((place(1), place(value)))
    left, right = LEFT, WIDTH - RIGHT
    ends = [left if each <= 0 else min(place(each), right) if each < math.inf else right for each in interval]
    shown = ratio(value, None).value
    yield label(LEFT - 8, y + BAR - 2, target, size=12, anchor="end")
    yield f'<rect x="{start:.1f}" y="{y}" width="{max(end - start, 2):.1f}" height="{BAR}" rx="2" fill="{colour}"/>'
    arrow = f"M{right - 4} {y + 2}L{right} {y + BAR / 2}L{right - 4} {y + BAR - 2}" if ends[1] >= right else ""
    yield f'<path d="M{ends[0]:.1f} {y + BAR / 2}H{ends[1]:.1f}{arrow}" stroke="{INK}" stroke-width="2" fill="none"/>'
    yield label(max(end, *ends, place(1)) + 6, y + BAR - 2, shown, size=12, weight=600)


def label(x, y, text, *, size, weight=400, fill=INK, anchor="start"):
    """Returns a text element."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )


def alternative(groups):
    """Returns the picture in words."""
    return "; ".join(
        f"{question}: {', '.join(f'{ratio(value, None).value} on {name}' for name, value, _ in bars)}"
        for question, _, bars in groups
    )
