"""A Python and the versions of its dependencies."""

from dataclasses import dataclass

from windtunnel.model.field import Fields
from windtunnel.model.identity import EnvironmentName


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where a commit was installed. *python* is asv's word: ``3.12``, ``3.14t``, ``pypy3.11``.

    *requirements* are package names with the version asked for (an empty text: any).
    """

    name: EnvironmentName
    python: str
    requirements: Fields = ()
    variables: Fields = ()
