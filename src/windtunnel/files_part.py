"""Writing files so that a reader, or a kill at any moment, meets the old content or the new one and nothing between."""

import os
import tempfile
from pathlib import Path

from windtunnel.errors import DataError


def write_atomically(path: Path, content: bytes) -> None:
    """Replace *path* by *content*; folders above it are made.

    Raises DataError when the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).chmod(0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror}; make its folder writable or name another"
        ) from None
