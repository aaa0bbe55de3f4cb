"""Renders the overview as tables for the terminal."""

import io
from collections.abc import Iterator, Sequence
from typing import assert_never

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from windtunnel.model.result import Failed, Skipped
from windtunnel.publish.figures import CellState, Figure, Infinite, Missing
from windtunnel.publish.overview import BenchmarkFigures, Overview
from windtunnel.publish.scenario_board import Scenario, ScenarioBoard, scenario_names
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import FormattedFigure, quantity, ratio

NO_INTERVAL = "needs more samples"


def overview_text(overview: Overview, width: int = 100) -> str:
    """Return the tables as plain text of at most *width* columns."""
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(overview_tables(overview))
    return out.getvalue()


def overview_tables(overview: Overview) -> Group:
    """Return a table for each scenario and load, and one for the other benchmarks."""
    names = scenario_names([each.benchmark for each in overview.scenarios])
    pairs = zip(overview.scenarios, names, strict=True)
    tables = [table for scenario, name in pairs for table in _scenario_tables(scenario, name)]
    tables += [_benchmark_table(overview.benchmarks)] if overview.benchmarks else []
    return Group(*(part for table in tables for part in (table, Text())))


def _scenario_tables(scenario: Scenario, name: str) -> Iterator[Table]:
    unit = scenario.unit or "unit"
    for load in scenario.loads:
        boards = [board for board in scenario.boards if board.load == load]
        if boards:
            reference = visible(scenario.reference.name)
            columns = (
                visible(scenario.settings.variant),
                "Python",
                _measure(unit),
                "interval",
                f"to {reference}",
                "interval",
            )
            table = _table(f"{name}, {load.name}" if load.name else name, columns)
            for index, variant in enumerate(scenario.variants):
                rows = [_row(board, index, unit) for board in boards]
                _add(table, variant.name, rows)
            yield table


def _row(board: ScenarioBoard, index: int, unit: str) -> tuple[str, ...]:
    row = board.rows[index]
    compared = _cells(ratio(row.ratio.value, _limits(row.ratio))) if row.ratio else ("", "")
    return (board.target.name, *_state_cells(row.state, unit), *compared)


def _benchmark_table(benchmarks: Sequence[BenchmarkFigures]) -> Table:
    table = _table("benchmarks", ("benchmark", "Python", "value", "interval"))
    for found in benchmarks:
        unit = found.benchmark.unit or "unit"
        for parameters in dict.fromkeys(each.parameters for each in found.figures):
            name = f"{found.benchmark.name}({', '.join(parameters)})" if parameters else found.benchmark.name
            mine = [each for each in found.figures if each.parameters == parameters]
            _add(table, name, [(each.target.name, *_state_cells(each.state, unit)) for each in mine])
    return table


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=Text(visible(title)), title_justify="left", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(
            Text(column),
            justify="left" if index < 2 else "right",
            no_wrap=index > 0,
            overflow="ellipsis" if index else "fold",
        )
    return table


def _add(table: Table, name: str, rows: Sequence[tuple[str, ...]]) -> None:
    for index, row in enumerate(rows):
        table.add_row(*(Text(visible(cell)) for cell in ("" if index else name, *row)))


def _state_cells(state: CellState, unit: str) -> tuple[str, str]:
    match state:
        case Figure():
            return _cells(quantity(state.value, _limits(state), unit))
        case Failed():
            return "failed", ""
        case Skipped():
            return "skipped", ""
        case Missing():
            return "not measured", ""
        case Infinite():
            return "infinite", ""
        case _:
            assert_never(state)


def _cells(formatted: FormattedFigure) -> tuple[str, str]:
    return formatted.value, formatted.interval or NO_INTERVAL


def _limits(figure: Figure) -> tuple[float, float] | None:
    return None if figure.interval is None else (figure.interval.low, figure.interval.high)


def _measure(unit: str) -> str:
    return "median" if unit in {"seconds", "bytes"} else visible(unit)
