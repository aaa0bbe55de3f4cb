"""What ``windtunnel doctor`` examines, and what it finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.asv.configuration import Configuration


class Grade(StrEnum):
    """How much a finding matters."""

    GOOD = "good"
    WARNING = "warning"
    FATAL = "fatal"
    """The main job could not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found, and how to mend it ("" when nothing is to be mended)."""

    grade: Grade
    what: str
    mend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is examined."""

    configuration: Configuration
    env: Mapping[str, str]
