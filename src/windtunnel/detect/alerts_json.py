"""alerts.json: what was said, as bytes and back; docs/alerts.schema.json is its published form."""

import msgspec

from windtunnel import formats
from windtunnel.detect.alert_format import SCHEMA, Alerts
from windtunnel.errors import DataError


def encode(alerts: Alerts) -> bytes:
    """Return the content of alerts.json."""
    return formats.encode_pretty(alerts)


def decode(content: bytes | None, source: str) -> Alerts:
    """Return the alerts that *content* holds, none for no file; raises DataError, naming *source* and the place."""
    if content is None:
        return Alerts()
    alerts = formats.decode(content, Alerts, source)
    if alerts.schema != SCHEMA:
        raise DataError(f"{source} has the schema {alerts.schema[:80]!r}; this version reads {SCHEMA!r}")
    ids = [alert.id for alert in alerts.alerts]
    if len(set(ids)) != len(ids):
        raise DataError(f"{source} has an alert twice; restore an earlier version of it from the results branch")
    return alerts


def schema() -> bytes:
    """Return the JSON schema of alerts.json (draft 2020-12)."""
    found = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": "What was said of a history of results, and what people answered; docs/alerts.md explains it.",
        **msgspec.json.schema(Alerts),
    }
    return formats.encode_pretty(found)
