"""A hundred pages from far away, each time by a program of its own: real time, and what the processor worked."""

from benchmarks._suite import _Prepared, _Suite

CASES = (
    ("requests_session", "requests_threads_10", "requests_threads_20", "aiohttp_shared"),
    ("quick", "standard", "article"),
)


class DownloadsFar(_Suite):
    """Variants of ``downloads_far``: the whole program, from its start to its end."""

    scenario = "downloads_far"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 2


class DownloadsFarProcessor(_Prepared):
    """Variants of ``downloads_far``: how long the program computes, in user and system mode together."""

    scenario = "downloads_far"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 2

    def time_processor(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """Seconds."""
        self._run()
        return self._run.processor  # type: ignore[no-any-return]  # of the installed commit
