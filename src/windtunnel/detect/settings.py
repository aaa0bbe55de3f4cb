"""What a project's settings say of detection, and what somebody asks for beside them."""

import re
from collections.abc import Sequence

from windtunnel.detect.detection import DetectionSettings
from windtunnel.detect.series import Wishes
from windtunnel.errors import ConfigurationError
from windtunnel.model.settings import Expectation, Settings


def detection_settings(
    project: Settings, least_change: float | None = None, references: Sequence[str] = ()
) -> DetectionSettings:
    """Return *project*'s settings, *least_change* for all cases before them and *references* added.

    Raises ConfigurationError.
    """
    asked = () if least_change is None else (Expectation(match="", threshold=least_change),)
    return DetectionSettings(
        wishes=Wishes(expectations=(*asked, *project.expectations)),
        references=tuple(map(_pattern, (*references, *project.reference_benchmarks))),
    )


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigurationError(
            f"reference benchmark {text!r} is no regular expression: {error}; mend --reference or [tool.windtunnel]"
        ) from None
