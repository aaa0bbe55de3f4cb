"""Hardware and operating system."""

from dataclasses import dataclass, field

from windtunnel.model.field import Fields, text_of
from windtunnel.model.identity import MachineName


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine as ``machine.json`` describes it: often the name is all there is.

    *details* are its other fields; asv's own are ``arch``, ``cpu``, ``num_cpu``, ``os`` and ``ram``.
    *source* is where the machine was read, for messages; it is no part of the value.
    """

    name: MachineName
    details: Fields = ()
    source: str = field(default="", compare=False)

    def detail(self, name: str) -> str | None:
        """Return the detail called *name*, None where the file does not say."""
        return text_of(self.details, name)
