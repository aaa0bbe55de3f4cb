"""From what was found to what alerts.json remembers: the first half of ``windtunnel alert``."""

import argparse
import time
from collections.abc import Mapping
from dataclasses import replace

from windtunnel import files
from windtunnel.cli.alert_location import alert_file, said, suite_of
from windtunnel.cli.options import Voice
from windtunnel.detect.alert_format import Alerts
from windtunnel.detect.alerts import update_alerts
from windtunnel.detect.detected_events import Observation
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.detect.health import HealthInput, find_health_issues
from windtunnel.model.settings import Settings
from windtunnel.results.column_cache import ColumnCache
from windtunnel.results.column_reading import read_values, read_with_cache
from windtunnel.results.columns import ResultsValues
from windtunnel.results.tree import read_records


def remembered(options: argparse.Namespace, env: Mapping[str, str], voice: Voice) -> Alerts:
    """Bring alerts.json up to date and return it; a dry run leaves the file as it is."""
    now = time.time()
    seen = Observation(changes=files.read(options.changes, CHANGES_FORMAT), time=said(now))
    vitals = _vitals(options, seen.changes.series, int(now * 1000), voice)

    def step(before: Alerts) -> Alerts:
        found = None if vitals is None else find_health_issues(vitals, before)
        return update_alerts(before, replace(seen, health_issues=found))

    with alert_file(options, env) as place:
        return step(place.read()) if options.dry_run else place.update(step)


def _vitals(options: argparse.Namespace, series: int, now: int, voice: Voice) -> HealthInput | None:
    if options.results is None:
        return None
    suite = suite_of(options)
    return HealthInput(
        values=_values(options, voice),
        records=read_records(options.results)[0],
        series=series,
        pythons=suite.asv.pythons if suite else (),
        now=now,
        limits=(suite.settings if suite else Settings()).alerts,
    )


def _values(options: argparse.Namespace, voice: Voice) -> ResultsValues:
    if options.cache is None:
        return read_values(options.results, ColumnCache.empty()).values
    return read_with_cache(options.results, options.cache, voice.warn).values
