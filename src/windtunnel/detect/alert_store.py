"""alerts.json where it is kept: on the results branch, or in a plain folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts
from windtunnel.errors import DataError
from windtunnel.files import locked, write_atomically
from windtunnel.git.branch import Branch
from windtunnel.results.branch.exchange import edit_file, read_file
from windtunnel.results.branch.layout import ALERTS
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.sides import take_snapshot

Change = Callable[[Alerts], Alerts]
"""A pure step; it may be asked again, with what another job has written meanwhile."""


def decode_alerts(content: bytes | None, source: str) -> Alerts:
    """Return the alerts that *content* holds, none where there is no file; raises DataError."""
    return Alerts() if content is None else ALERTS_FORMAT.decode(content, source)


class AlertFile(Protocol):
    """The one place where alerts are kept; many jobs may change it at once."""

    def change(self, step: Change) -> Alerts:
        """Keep what *step* makes of the alerts that are there, and return it."""

    def read(self) -> Alerts:
        """Return the alerts that are there, none where there is no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBranch:
    """alerts.json on the results branch."""

    branch: Branch
    retry: RetryPolicy

    def change(self, step: Change) -> Alerts:
        """Keep what *step* makes of the alerts that are there, and return it."""
        made: list[Alerts] = []

        def edit(content: bytes | None) -> bytes | None:
            before = decode_alerts(content, f"{ALERTS} on {self.branch}")
            made.append(step(before))
            return content if made[-1] == before else ALERTS_FORMAT.encode(made[-1])

        edit_file(self.branch, ALERTS, edit, self.retry)
        return made[-1]

    def read(self) -> Alerts:
        """Return the alerts that are there, none where there is no file."""
        snapshot = self.retry.call(lambda: take_snapshot(self.branch))
        return decode_alerts(read_file(self.branch, snapshot, ALERTS), f"{ALERTS} on {self.branch}")


@dataclass(frozen=True, slots=True, kw_only=True)
class InFolder:
    """alerts.json in a plain folder."""

    path: Path

    def change(self, step: Change) -> Alerts:
        """Keep what *step* makes of the alerts that are there, and return it."""
        with locked(self.path.parent):
            before = self.read()
            after = step(before)
            if after != before:
                write_atomically(self.path, ALERTS_FORMAT.encode(after))
            return after

    def read(self) -> Alerts:
        """Return the alerts, none where there is no file."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            content = None
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror}; name the file with --alerts") from None
        return decode_alerts(content, str(self.path))
