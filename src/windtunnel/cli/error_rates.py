"""``windtunnel ci error-rates``: collects how often verdicts were wrong where the truth is known."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from windtunnel import files
from windtunnel.cli.console import Console
from windtunnel.cli.locations import RemoteOptions, open_shared_file
from windtunnel.cli.options import Arg, File
from windtunnel.cli.workflow_run import latest_attempts, own_run
from windtunnel.compare import error_rates_format
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.errors import DataError, ExitCode
from windtunnel.text import numbers


class ErrorRatesOptions(RemoteOptions, frozen=True, kw_only=True):
    """Collect false alarms and found slowdowns in error-rates.json on the results branch.

    The verdicts are those of windtunnel compare --self-check. Each run counts once.

    example:
      windtunnel ci error-rates unchanged.json slowdown.json          # of windtunnel compare --self-check
      windtunnel ci error-rates unchanged.json --rates error-rates.json
    """

    verdicts: Annotated[tuple[Path, ...], Arg(positional=True, metavar="FILE", many=True)] = ()
    """Verdicts of self-checks."""
    rates: File | None = None
    """error-rates.json in a folder (default: the one on the results branch)."""


def run(options: ErrorRatesOptions, console: Console, env: Mapping[str, str]) -> int:
    """Add what is new and print the totals."""
    added = [_self_check(path, env) for path in latest_attempts(options.verdicts)]
    with open_shared_file(options, options.rates, error_rates_format.ERROR_RATES_FORMAT, env) as store:
        before = store.read()
        after = store.update(lambda rates: error_rates_format.add_runs(rates, added)) if added else before
    console.print(_describe(after, len(after.runs) - len(before.runs)))
    return ExitCode.FINE


def _self_check(path: Path, env: Mapping[str, str]) -> error_rates_format.CheckedRun:
    report = files.read(path, VERDICT_FORMAT)
    now = datetime.fromtimestamp(time.time(), UTC)
    own = own_run(env)
    name = str(own.id or f"{now:%Y%m%dT%H%M%S}")
    try:
        return error_rates_format.build_self_check_run(report, run=name, date=f"{now:%Y-%m-%d}", url=own.url)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _describe(rates: error_rates_format.ErrorRates, new: int) -> str:
    unchanged = [one for one in rates.runs if one.source == "unchanged"]
    slowed = [one for one in rates.runs if one.source == "slowdown"]
    comparisons = numbers.count(sum(one.comparisons for one in unchanged), "comparison")
    return (
        f"{numbers.count(new, 'new entry', 'new entries')}, {len(rates.runs)} in all\n"
        f"false alarms: {sum(one.alarms for one in unchanged)} of {comparisons} of unchanged code\n"
        f"found slowdowns: {sum(one.alarms for one in slowed)} of {sum(one.comparisons for one in slowed)}\n"
    )
