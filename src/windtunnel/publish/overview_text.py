"""Renders the overview for the terminal: a line for each job, or tables with every figure."""

import io
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from windtunnel.publish.figures import shown_result
from windtunnel.publish.format import results as data
from windtunnel.publish.overview import BenchmarkFigures, Overview
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import FormattedFigure, count, quantity, ratio

NO_INTERVAL = "needs more samples"

MAX_BEST = 1
"""The names of ways in a line of the summary; the others are counted."""

MAX_BENCHMARKS = 10
"""The lines of the summary for other benchmarks; tables and the site have all of them."""


def overview_text(overview: Overview, width: int = 100) -> str:
    """Return the tables as plain text of at most *width* columns."""
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(overview_tables(overview))
    return out.getvalue()


def summary_text(overview: Overview, names: Mapping[str, str], width: int = 100) -> str:
    """Return a line for each job and Python: the plain way, the fastest ways, and their ratio.

    *names* has the names for readers of ``module.Class``, of a variant, and of ``module.Class.variant``.
    Other benchmarks follow, the slowest first. At most *width* columns.
    """
    out = io.StringIO()
    rows: list[tuple[str, ...]] = []
    several = [each.benchmark for each in overview.data.scenarios for _ in {case.load for case in each.cases}]
    for scenario in overview.data.scenarios:
        for load, target, cases in _measured_jobs(scenario):
            best = [each.variants for each in scenario.fastest if (each.load, each.target) == (load, target)]
            job = scenario.benchmark.rpartition(".")[0]
            name = names.get(job, scenario.name)
            if load_name := scenario.loads[load].name if several.count(scenario.benchmark) > 1 else "":
                name = f"{name}, {load_name}"
            ways = [names.get(f"{job}.{each}", names.get(each, each)) for each in scenario.variants]
            cells = _job_cells(scenario, ways, cases, best[0] if best else ())
            rows.append((overview.data.targets[target].name, name, *cells))
    console = Console(file=out, width=width, color_system=None)
    if rows:
        several_pythons = len({row[0] for row in rows}) > 1
        columns = ("job", "plain", "", "best here", "", "ratio")
        table = Table(
            title=None if several_pythons else f"Python {rows[0][0]}", title_justify="left", box=None, pad_edge=False
        )
        for index, column in enumerate((*(("Python",) if several_pythons else ()), *columns)):
            right = index - several_pythons in {2, 4, 5}
            table.add_column(Text(column), justify="right" if right else "left", no_wrap=right, overflow="fold")
        for row in rows:
            table.add_row(*(Text(visible(cell)) for cell in (row if several_pythons else row[1:])))
        console.print(table)
    if slowest := _slowest(overview.benchmarks):
        console.print(slowest)
    return out.getvalue()


def _slowest(benchmarks: Sequence[BenchmarkFigures]) -> Table | None:
    """Return a table of the slowest cases, or None if no case has a value."""
    values = [
        (result.value, each.benchmark, parameters, target, result)
        for each in benchmarks
        for target, parameters, found in each.results
        if isinstance(result := shown_result(found), data.MeasuredResult)
    ]
    if not values:
        return None
    shown = sorted(values, key=lambda each: -each[0])[:MAX_BENCHMARKS]
    title = f"benchmarks, the slowest {len(shown)} of {count(len(values), 'case')}"
    table = _table(title, ("benchmark", "Python", "value", "interval"))
    for _, benchmark, parameters, target, result in shown:
        name = f"{benchmark.name}({', '.join(parameters)})" if parameters else benchmark.name
        _add(table, name, [(target, *_result_cells(result, benchmark.unit or "unit"))])
    return table


def _measured_jobs(
    scenario: data.ScenarioData,
) -> Iterator[tuple[int, int, dict[int, tuple[data.MeasuredResult, data.ScenarioCase]]]]:
    """Yield each load and target where the reference and another variant have a value, with the variants' results."""
    for load, target in dict.fromkeys((each.load, each.target) for each in scenario.cases):
        here = [each for each in scenario.cases if (each.load, each.target) == (load, target)]
        found = {each.variant: (each.result, each) for each in here if isinstance(each.result, data.MeasuredResult)}
        if scenario.reference in found and len(found) > 1:
            yield load, target, found


def _job_cells(
    scenario: data.ScenarioData,
    ways: Sequence[str],
    found: dict[int, tuple[data.MeasuredResult, data.ScenarioCase]],
    fastest: Sequence[int],
) -> tuple[str, ...]:
    """Return the cells of a job after its Python; ways that are not clearly slower than the fastest count as best.

    *fastest* is empty where the smallest value has no interval.
    """
    plain = found[scenario.reference][0]
    shown = quantity(plain.value, plain.interval, scenario.unit).value
    reference = ways[scenario.reference]
    if scenario.reference in fastest or not fastest:
        return reference, shown, "no clear difference" if fastest else NO_INTERVAL, "", ""
    best, case = min((found[each] for each in fastest), key=lambda each: each[0].value)
    names = [ways[each] for each in fastest]
    more = f" or {len(names) - MAX_BEST} more" if len(names) > MAX_BEST else ""
    value = quantity(best.value, best.interval, scenario.unit).value
    compared = f"{case.ratio.value:.2g}" if case.ratio else ""
    return reference, shown, ", ".join(names[:MAX_BEST]) + more, value, compared


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
