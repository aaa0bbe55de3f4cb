"""What a project configures for detection."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.errors import ConfigurationError
from windtunnel.model.settings import Expectation, Settings

DEFAULT_MIN_CHANGE = 0.03
"""Smallest relative change to report: less than the 5 % that eight runs reliably show, more than most suites' noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionSettings:
    """Which changes matter, and which benchmarks show the speed of the machine."""

    expectations: tuple[Expectation, ...] = ()
    """What the owner states for cases; the first that matches a case applies."""
    min_change: float = DEFAULT_MIN_CHANGE
    """The smallest relative change to report for cases without an expectation."""
    references: tuple[re.Pattern[str], ...] = ()
    """Benchmarks that only the machine can change."""


def detection_settings(
    project: Settings, min_change: float | None = None, references: Sequence[str] = ()
) -> DetectionSettings:
    """Return the settings of *project*, with *min_change* for all cases and further *references*.

    Raises ConfigurationError where a reference is not a valid regular expression.
    """
    override = () if min_change is None else (Expectation(match="", threshold=min_change),)
    return DetectionSettings(
        expectations=(*override, *project.expectations),
        references=tuple(map(_pattern, (*references, *project.reference_benchmarks))),
    )


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigurationError(
            f"reference benchmark {text!r} is not a valid regular expression: {error}; "
            "correct --reference or reference-benchmarks in [tool.windtunnel]"
        ) from None
