"""Reads and updates alerts.json on the results branch or in a plain folder; concurrent updates do not get lost."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts
from windtunnel.errors import DataError
from windtunnel.files import locked, write_atomically
from windtunnel.git.branch import RemoteBranch
from windtunnel.results.branch.exchange import edit_file, read_file
from windtunnel.results.branch.layout import ALERTS
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import take_snapshot

AlertUpdate = Callable[[Alerts], Alerts]
"""A pure function; it may be called again with what another job has written in the meantime."""


def decode_alerts(content: bytes | None, source: str) -> Alerts:
    """Return the alerts in *content*, none if the file does not exist; raises DataError."""
    return Alerts() if content is None else ALERTS_FORMAT.decode(content, source)


class AlertStore(Protocol):
    """Where alerts.json is kept."""

    def update(self, change: AlertUpdate) -> Alerts:
        """Write what *change* returns for the stored alerts, and return it."""

    def read(self) -> Alerts:
        """Return the stored alerts, none if the file does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchAlertStore:
    """alerts.json on the results branch."""

    branch: RemoteBranch
    retry: RetryPolicy

    def update(self, change: AlertUpdate) -> Alerts:
        """Write what *change* returns for the stored alerts, and return it."""
        results: list[Alerts] = []

        def edit(content: bytes | None) -> bytes | None:
            before = decode_alerts(content, f"{ALERTS} on {self.branch}")
            results.append(change(before))
            return content if results[-1] == before else ALERTS_FORMAT.encode(results[-1])

        edit_file(self.branch, ALERTS, edit, self.retry)
        return results[-1]

    def read(self) -> Alerts:
        """Return the stored alerts, none if the file does not exist."""
        snapshot = self.retry.call(lambda: take_snapshot(self.branch))
        return decode_alerts(read_file(self.branch, snapshot, ALERTS), f"{ALERTS} on {self.branch}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAlertStore:
    """alerts.json in a plain folder."""

    path: Path

    def update(self, change: AlertUpdate) -> Alerts:
        """Write what *change* returns for the stored alerts, and return it."""
        with locked(self.path.parent):
            before = self.read()
            after = change(before)
            if after != before:
                write_atomically(self.path, ALERTS_FORMAT.encode(after))
            return after

    def read(self) -> Alerts:
        """Return the stored alerts, none if the file does not exist; raises DataError where it cannot be read."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            content = None
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror}; name the file with --alerts") from None
        return decode_alerts(content, str(self.path))
