"""A number that a lock keeps."""

from threading import Lock


class Tally:
    """Counts one at a time."""

    def __init__(self) -> None:
        self.value = 0
        self._lock = Lock()

    def count(self, times: int) -> None:
        """Count so often."""
        for _ in range(times):
            with self._lock:
                self.value += 1
