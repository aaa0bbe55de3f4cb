"""The claim board as text: the findings in sentences, then a table of each claim, a row for each target."""

import ast
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from windtunnel.text.escaping import MAX_COMMENT_LENGTH, preformatted, visible
from windtunnel.text.numbers import DASH, quantity, ratio, share
from windtunnel_claims import format as boards

MAX_FLIPS = 20
"""The flips between commits that a report lists; it counts the rest."""

MAX_SENTENCE, MAX_CELL = 400, 40
"""Characters of a sentence, and of a table cell."""

INDENT, GAP = 2, 2
"""The spaces before a row, and between columns."""

COLUMNS = ("target", "test", "decision", "ratio", "interval", "claimed", "published", "parameters")
TEST = COLUMNS.index("test")
"""Only a board with a claim of several tests has this column; a line above the rows says what each tests."""

TO_THE_RIGHT = frozenset({"ratio", "interval"})
SHRINKING = ("published", "claimed", "parameters", "target")
"""The columns that shrink if the terminal is narrow, in this order."""

Rows = Sequence[Sequence[str]]


def render_terminal(board: boards.ClaimBoard, width: int = 100) -> str:
    """Return the findings and the table of *board* as plain text of at most *width* columns."""
    return render_findings(board, width) + render_board(board, width)


def render_markdown(board: boards.ClaimBoard) -> str:
    """Return *board* for GitHub: the text of a terminal, as much of it as fits a comment."""
    return "## Claims\n\n" + preformatted(render_terminal(board, 120), MAX_COMMENT_LENGTH - 100)


def render_findings(board: boards.ClaimBoard, width: int = 100) -> str:
    """Return the findings of *board* that have an answer, and an empty line; empty if none has."""
    return _rendered(_findings(board), width)


def render_board(board: boards.ClaimBoard, width: int = 100) -> str:
    """Return *board* without its findings."""
    return _rendered(_parts(board, width), width)


def _rendered(parts: Iterable[RenderableType], width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, emoji=False, markup=False, highlight=False)
    console.print(Group(*parts))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _findings(board: boards.ClaimBoard) -> Iterator[RenderableType]:
    """Yield the questions that have an answer, with their answers; answers that differ begin with their targets."""
    for finding in (answered := [each for each in board.findings if each.answers]):
        yield _line(finding.question)
        for answer in finding.answers:
            where = _listed(answer.targets)
            if len(finding.answers) > 1:
                yield _indented(f"On {where}: {answer.sentence} ({finding.claim})")
            else:
                yield _indented(f"{answer.sentence} ({where}; {finding.claim})")
        if finding.caveat:
            yield _indented(finding.caveat)
    if answered:
        yield Text()


def _parts(board: boards.ClaimBoard, width: int) -> Iterator[RenderableType]:
    yield from (_line(f"{target.name}: {_summary(board, target)}") for target in board.targets)
    yield from (_line(text) for text in (*_method(board), *_flips(board), *board.notes))
    shown = _shown_decisions(board)
    tables = {claim.id: [row for each in shown[claim.id] for row in _rows(claim, each)] for claim in board.claims}
    left_out = set() if any(row[TEST] for rows in tables.values() for row in rows) else {"test"}
    widths = _widths([COLUMNS, *(row for rows in tables.values() for row in rows)], width - INDENT, left_out)
    if any(tables.values()):
        yield Text()
        yield _table([COLUMNS], widths)
    for claim in board.claims:
        if rows := tables[claim.id]:
            yield _line(f"{claim.id}  {visible(claim.sentence, MAX_SENTENCE)}")
            yield from (_indented(label) for label in _labels(shown[claim.id]))
            yield _table(rows, widths)
            yield from (_indented(f"{each.target}: {line}") for each in shown[claim.id] for line in _remarks(each))
    if not any(each.is_measured for each in board.decisions):
        yield _line("Nothing was measured that a claim is about.")


def _summary(board: boards.ClaimBoard, target: boards.ClaimTarget) -> str:
    """Return how many claims hold, fail and so on at *target*."""
    counts = Counter(
        "not measured" if each.decision is boards.Decision.UNDECIDED and not each.is_measured else _words(each.decision)
        for each in board.decisions
        if each.target == target.name
    )
    plural = {"holds": "hold", "fails": "fail", "holds in direction": "hold in direction"}
    named = ((each, each if counts[each] == 1 else plural.get(each, each)) for each in counts)
    order = [*map(_words, boards.Decision), "not measured"]
    return ", ".join(f"{counts[each]} {name}" for each, name in sorted(named, key=lambda one: order.index(one[0])))


def _method(board: boards.ClaimBoard) -> Iterator[str]:
    """Yield how often decisions are wrong."""
    if board.analyses and board.error is not None and board.false_discovery_rate is not None:
        yield (
            f"Claims are analysed after {_listed([*map(str, board.analyses)])} blocks, with an error of "
            f"{share(board.error)} each. Of their decisions at a target, at most {share(board.false_discovery_rate)} "
            "are expected to be wrong."
        )


def _flips(board: boards.ClaimBoard) -> Iterator[str]:
    """Yield a sentence for each decision that changed from one commit to the next."""
    turned = [each for each in board.decisions if each.before and each.before_commit and each.commit]
    for each in turned[:MAX_FLIPS]:
        was, now = ("failed", "holds") if each.holds else ("held", "fails")
        commits = f"{was} on commit {(each.before_commit or '')[:8]} and {now} on {(each.commit or '')[:8]}"
        yield f"{each.claim} {commits} ({each.target})."


def _shown_decisions(board: boards.ClaimBoard) -> Mapping[str, Sequence[boards.DecidedClaim]]:
    """Return the decisions at targets that measured any case of their claim, by the id of the claim."""
    found: dict[str, list[boards.DecidedClaim]] = {claim.id: [] for claim in board.claims}
    for decision in board.decisions:
        if decision.tests and decision.is_measured:
            found[decision.claim].append(decision)
    return found


def _rows(claim: boards.ClaimStatement, decision: boards.DecidedClaim) -> Iterator[Sequence[str]]:
    """Yield the rows of *decision*: that of its only test, or one for the claim and one for each test."""
    target, given = decision.target, ", ".join(_readable(setting.value) for setting in decision.given)
    several = len(decision.tests) > 1
    if several:
        yield _cells(target, "all", _words(decision.decision), "", "", "", claim.published_text, given)
    for number, test in enumerate(decision.tests, 1):
        found, interval = _ratio(test)
        published = "" if several else claim.published_text
        yield _cells(
            "" if several else target,
            str(number) if several else "",
            _words(test.decision if several else decision.decision),
            found,
            interval,
            _band(test),
            published if test.published is None else ratio(test.published, None).value,
            "" if several else given,
        )


def _cells(*texts: str) -> Sequence[str]:
    return [visible(text, MAX_CELL) for text in texts]


def _ratio(test: boards.DecidedTest) -> tuple[str, str]:
    """Return the ratio of *test* and its interval; empty without one."""
    if test.ratio is None or test.interval is None:
        return "", ""
    found = ratio(test.ratio, (test.interval.low, test.interval.high))
    return found.value, found.interval or ""


def _band(test: boards.DecidedTest) -> str:
    if test.low is not None and test.high is not None:
        return f"{test.low:.3g} {DASH} {test.high:.3g}"
    if test.low is not None:
        return f"above {test.low:.3g}"
    return "" if test.high is None else f"below {test.high:.3g}"


def _labels(shown: Sequence[boards.DecidedClaim]) -> Iterator[str]:
    """Yield what each of several tests divides, only the contender if all tests have the same baseline."""
    tests = max((decision.tests for decision in shown), key=len)
    if len(tests) > 1:
        common = len({(test.baseline.benchmark, test.baseline.params) for test in tests}) == 1
        for number, test in enumerate(tests, 1):
            sides = [_side(test.contender, test.baseline)] if common else _sides(test)
            yield f"test {number}: {', '.join(filter(None, (' / '.join(sides), test.at, test.condition)))}"


def _remarks(decision: boards.DecidedClaim) -> Iterator[str]:
    """Yield why *decision* is undecided, its crossing, and the figures."""
    if decision.reason:
        yield decision.reason
    if found := decision.crossing:
        yield f"the contender takes less {found.words} ({found.parameter})"
    for figure in decision.figures:
        if figure.value is None:
            yield f"{figure.name}: {figure.reason}"
            continue
        ends = (figure.low, figure.high) if figure.low is not None and figure.high is not None else None
        shown = ratio(figure.value, ends) if figure.unit is None else quantity(figure.value, ends, figure.unit)
        interval = shown.interval or ""
        if ends is None and figure.low is not None:
            least = ratio(figure.low, None) if figure.unit is None else quantity(figure.low, None, figure.unit)
            interval = f"at least {least.value}"
        yield f"{figure.name}: {shown.value}" + (f" ({interval})" if interval else "")


def _words(decision: boards.Decision) -> str:
    return decision.value.replace("_", " ")


def _listed(names: Sequence[str]) -> str:
    """Return *names* as a list in words; names with commas are separated by semicolons."""
    if any(", " in name for name in names):
        return "; ".join(names)
    return " and ".join(", ".join(names).rsplit(", ", 1))


def _readable(value: str) -> str:
    """Return the string that *value*, a ``repr``, stands for; other values stay as they are."""
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return text if isinstance(text, str) and text else value


def _sides(test: boards.DecidedTest) -> list[str]:
    """Return what *test* divides by what."""
    return [_side(test.contender, test.baseline), _side(test.baseline, test.contender)]


def _side(case: boards.Measurement, other: boards.Measurement) -> str:
    """Return what distinguishes *case* from the *other* side: its class, the parameters that differ, or both."""
    same = case.benchmark == other.benchmark
    differing = [value for value, against in zip(case.params, other.params, strict=False) if value != against]
    values = ", ".join(map(_readable, differing if same and differing else case.params[:1]))
    if same:
        return values or case.benchmark
    name = case.benchmark.split(".")[-2] if "." in case.benchmark else case.benchmark
    return f"{values} of {name}" if values else name


def _widths(rows: Rows, width: int, left_out: set[str]) -> Mapping[str, int]:
    """Return the widths of the columns for *rows*; where they exceed *width*, columns shrink in their order."""
    found = zip(COLUMNS, (max(map(len, cells)) for cells in zip(*rows, strict=True)), strict=True)
    widths = {name: most for name, most in found if name not in left_out}
    excess = sum(widths.values()) + GAP * (len(widths) - 1) - width
    for name in SHRINKING:
        narrower = max(len(name), widths[name] - max(0, excess))
        excess -= widths[name] - narrower
        widths[name] = narrower
    return widths


def _table(rows: Rows, widths: Mapping[str, int]) -> Padding:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, GAP, 0, 0))
    for name, width in widths.items():
        justify: JustifyMethod = "right" if name in TO_THE_RIGHT else "left"
        table.add_column(width=width, justify=justify, no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*(Text(cell) for name, cell in zip(COLUMNS, row, strict=True) if name in widths))
    return Padding(table, (0, 0, 0, INDENT))


def _indented(text: str) -> Padding:
    return Padding(_line(text), (0, 0, 0, INDENT))


def _line(text: str) -> Text:
    return Text(visible(text, MAX_SENTENCE))
