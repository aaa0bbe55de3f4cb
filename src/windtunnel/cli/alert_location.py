"""Where alerts.json is kept, and the form of its times."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from windtunnel.cli.options import File
from windtunnel.cli.store_location import RemoteOptions, StoreLocation, open_remote_branch
from windtunnel.detect.alert_store import AlertStore, BranchAlertStore, FileAlertStore
from windtunnel.results.branch.retry import RetryPolicy


class AlertOptions(RemoteOptions, frozen=True, kw_only=True):
    """Options of commands that use alerts.json."""

    alerts: File | None = None
    """alerts.json in a folder (default: the one on the results branch)."""


@contextmanager
def open_alerts(options: AlertOptions, env: Mapping[str, str]) -> Iterator[AlertStore]:
    """Open the alerts.json that *options* name."""
    if options.alerts:
        yield FileAlertStore(path=options.alerts.absolute())
        return
    location = StoreLocation.find(options)
    with open_remote_branch(location.branch, options.remote, location.start, env) as branch:
        yield BranchAlertStore(branch=branch, retry=RetryPolicy())


def format_time(seconds: float) -> str:
    """Return a time, in seconds since 1970, as alerts.json has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
