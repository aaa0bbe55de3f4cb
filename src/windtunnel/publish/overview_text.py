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

MAX_BEST = 3
"""The names of ways in a line of the summary; the others are counted."""

MIN_RATIO = 1.03
"""The smallest ratio between ways that differ; closer ones are alike."""

MAX_BENCHMARKS = 10
"""The lines of the summary for other benchmarks; tables and the site have all of them."""


def overview_text(overview: Overview, width: int = 100) -> str:
    """Return the tables as plain text of at most *width* columns."""
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(overview_tables(overview))
    return out.getvalue()


def summary_text(overview: Overview, names: Mapping[str, str], width: int = 100) -> str:
    """Return a line for each job: the plain way, the fastest ways, and their ratio; ranges are those over Pythons.

    Pythons with another answer have a line of their own. *names* has the names for readers of ``module.Class``, of a
    variant, and of ``module.Class.variant``. Other benchmarks follow, the slowest first. At most *width* columns.
    """
    out = io.StringIO()
    rows: list[tuple[str, ...]] = []
    pythons = [each.name for each in overview.data.targets]
    for scenario in overview.data.scenarios:
        job = scenario.benchmark.rpartition(".")[0]
        ways = [names.get(f"{job}.{each}", names.get(each, each)) for each in scenario.variants]
        loads = [(load, found) for load in range(len(scenario.loads)) if (found := _measured_jobs(scenario, load))]
        for load, found in loads:
            name = names.get(job, scenario.name)
            if len(loads) > 1:
                name = f"{name}, {scenario.loads[load].name}"
            answers = _grouped_answers(found)
            for variants, targets in answers:
                here = f" ({', '.join(pythons[each] for each in targets)})" if len(answers) > 1 else ""
                rows.append((name + here, *_job_cells(scenario, ways, [found[each] for each in targets], variants)))
    console = Console(file=out, width=width, color_system=None)
    if rows:
        title = Text(visible(f"Python {', '.join(pythons)}"))
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        for column in ("job", "plain", "best", "ratio", "best here"):
            figure = column in {"plain", "best", "ratio"}
            table.add_column(Text(column), justify="right" if figure else "left", no_wrap=figure, overflow="fold")
        for row in rows:
            table.add_row(*(Text(visible(cell)) for cell in row))
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


_Ways = dict[int, tuple[data.MeasuredResult, data.ScenarioCase]]
"""The variants of a job that have a value at a target."""


def _measured_jobs(scenario: data.ScenarioData, load: int) -> dict[int, _Ways]:
    """Return for each target the variants that have a value, where the reference and another variant have one."""
    found: dict[int, _Ways] = {}
    for case in scenario.cases:
        if case.load == load and isinstance(case.result, data.MeasuredResult):
            found.setdefault(case.target, {})[case.variant] = (case.result, case)
    return {target: ways for target, ways in found.items() if scenario.reference in ways and len(ways) > 1}


def _grouped_answers(found: dict[int, _Ways]) -> list[tuple[tuple[int, ...], list[int]]]:
    """Return the best variants with the targets of which they are; none where no variant is clearly faster.

    Targets that share a best variant are together, since one answer serves them all.
    """
    best = {target: _equals(_beyond(ways, -1)) for target, ways in found.items()}
    shared = set.intersection(*map(set, found.values()), *(set(each) for each in best.values() if each))
    groups: dict[tuple[tuple[int, ...], bool], list[int]] = {}
    for target, each in best.items():
        common = tuple(variant for variant in each if variant in shared) or each
        undecided = not any(case.ratio and case.ratio.interval for _, case in found[target].values())
        groups.setdefault((common, undecided), []).append(target)
    return [(variants, targets) for (variants, _), targets in groups.items()]


def _beyond(ways: _Ways, side: int) -> _Ways:
    """Return the variants that are clearly below (-1) or above (1) the reference."""
    clear = {}
    for variant, (result, case) in ways.items():
        if case.ratio and case.ratio.interval:
            low, high = case.ratio.interval
            if (
                low > 1 and case.ratio.value >= MIN_RATIO
                if side > 0
                else high < 1 and case.ratio.value * MIN_RATIO <= 1
            ):
                clear[variant] = result, case
    return clear


def _equals(ways: _Ways) -> tuple[int, ...]:
    """Return the fastest variant and those that equal it: the intervals overlap, or the values hardly differ."""
    if not ways:
        return ()
    least = min((result for result, _ in ways.values()), key=lambda each: each.value)
    high = max(least.value * MIN_RATIO, least.interval[1] if least.interval else 0.0)
    return tuple(
        key
        for key, (each, _) in ways.items()
        if (each.interval[0] if each.interval else each.value) <= high or each.value <= high
    )


def _job_cells(
    scenario: data.ScenarioData, names: Sequence[str], found: Sequence[_Ways], best: Sequence[int]
) -> tuple[str, ...]:
    """Return the cells of a job: ranges over the targets of *found*, at which the variants *best* are the fastest."""
    reference, unit = scenario.reference, scenario.unit
    plain = _range([ways[reference][0].value for ways in found], unit)
    if best:
        *first, last = [names[each] for each in best[:MAX_BEST]] + [f"{len(best) - MAX_BEST} more"] * (
            len(best) > MAX_BEST
        )
        named = f"{', '.join(first)} or {last}" if first else last
        cases = [min((ways[each] for each in best), key=lambda way: way[0].value) for ways in found]
        ratios = [f"{each:.2g}" for each in sorted(case.ratio.value for _, case in cases if case.ratio)]
        shown = "–".join(dict.fromkeys((ratios[0], ratios[-1])))
        return plain, _range([result.value for result, _ in cases], unit), shown, f"{named}, not {names[reference]}"
    if not any(case.ratio and case.ratio.interval for ways in found for _, case in ways.values()):
        return plain, "", "", NO_INTERVAL
    slower = [names[each] for each in found[0] if all(each in _beyond(ways, 1) for ways in found)]
    open_ = [names[each] for each in found[0] if each != reference and names[each] not in slower]
    parts = ("no clear difference: ", open_), ("clearly slower: ", slower)
    words = "; ".join(what + ", ".join(named) for what, named in parts if named)
    return plain, "", "", f"{names[reference]}; {words}" if slower else f"no clear difference to {names[reference]}"


def _range(values: Sequence[float], unit: str) -> str:
    """Return the least and the greatest of *values*, with one unit if they share it."""
    low, high = (quantity(each, None, unit).value for each in (min(values), max(values)))
    if low == high:
        return low
    return f"{low.split()[0]}–{high}" if low.split()[1:] == high.split()[1:] else f"{low} – {high}"


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
