"""Environments (a Python and the versions of its dependencies) and machines (hardware and operating system)."""

from dataclasses import dataclass, field

from windtunnel.model.identity import EnvironmentName, Fields, MachineName, text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where a commit was installed. *python* is asv's word: ``3.12``, ``3.14t``, ``pypy3.11``.

    *requirements* are package names with the version asked for (an empty text: any).
    """

    name: EnvironmentName
    python: str
    requirements: Fields = ()
    variables: Fields = ()


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
