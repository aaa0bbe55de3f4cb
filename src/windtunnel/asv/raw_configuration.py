"""Every key of the asv configuration: asv knows more of them than Windtunnel."""

from pathlib import Path
from typing import Any, cast

import json5

from windtunnel.errors import ConfigurationError


def read_raw(configuration: Path) -> dict[str, Any]:
    """Return what the file says, whatever its keys."""
    try:
        raw = json5.loads(configuration.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{configuration} cannot be read: {error}; mend it or name another") from None
    return cast("dict[str, Any]", raw)
