"""Renders the overview as tables for the terminal."""

import io
from collections.abc import Iterator, Sequence

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from windtunnel.publish.figures import shown_result
from windtunnel.publish.format import results as data
from windtunnel.publish.overview import BenchmarkFigures, Overview
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
    targets = [each.name for each in overview.data.targets]
    tables = [table for each in overview.data.scenarios for table in _scenario_tables(each, targets)]
    tables += [_benchmark_table(overview.benchmarks)] if overview.benchmarks else []
    return Group(*(part for table in tables for part in (table, Text())))


def _scenario_tables(scenario: data.ScenarioData, targets: Sequence[str]) -> Iterator[Table]:
    reference = visible(scenario.variants[scenario.reference])
    variant, measure = visible(scenario.variant_parameter), _measure(scenario.unit)
    for number, load in enumerate(scenario.loads):
        cases = [each for each in scenario.cases if each.load == number]
        if cases:
            title = f"{scenario.name}, {load.name}" if load.name else scenario.name
            table = _table(title, (variant, "Python", measure, "interval", f"to {reference}", "interval"))
            for index, name in enumerate(scenario.variants):
                mine = [each for each in cases if each.variant == index]
                _add(table, name, [(targets[each.target], *_case_cells(each, scenario.unit)) for each in mine])
            yield table


def _case_cells(case: data.ScenarioCase, unit: str) -> tuple[str, ...]:
    compared = _cells(ratio(case.ratio.value, case.ratio.interval)) if case.ratio else ("", "")
    return *_result_cells(case.result, unit), *compared


def _benchmark_table(benchmarks: Sequence[BenchmarkFigures]) -> Table:
    table = _table("benchmarks", ("benchmark", "Python", "value", "interval"))
    for found in benchmarks:
        unit = found.benchmark.unit or "unit"
        for parameters in dict.fromkeys(each for _, each, _ in found.results):
            name = f"{found.benchmark.name}({', '.join(parameters)})" if parameters else found.benchmark.name
            mine = [(target, shown_result(result)) for target, each, result in found.results if each == parameters]
            _add(table, name, [(target, *_result_cells(result, unit)) for target, result in mine])
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


def _result_cells(result: data.ResultData, unit: str) -> tuple[str, str]:
    if isinstance(result, data.MeasuredResult):
        return _cells(quantity(result.value, result.interval, unit))
    return "not measured" if result == "missing" else result, ""


def _cells(formatted: FormattedFigure) -> tuple[str, str]:
    return formatted.value, formatted.interval or NO_INTERVAL


def _measure(unit: str) -> str:
    return "median" if unit in {"seconds", "bytes"} else visible(unit)
