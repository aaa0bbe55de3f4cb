"""A hundred pages downloaded and added up, in a process of its own: time, memory, and memory over time."""

from benchmarks._suite import _Prepared

CASES = (
    ("requests_session", "requests_threads_100", "gevent_100", "aiohttp_shared"),
    ("quick", "standard", "article"),
)


class Scrape(_Prepared):
    """Variants of ``scrape``: how long the job takes, without its process's start."""

    scenario = "scrape"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 1

    def time_job(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """Seconds, as the process itself counts them."""
        self._run()
        return self._run.seconds  # type: ignore[no-any-return]  # of the installed commit


class ScrapeMemory(_Prepared):
    """Variants of ``scrape``: by how much the process grows for the job, at the most."""

    scenario = "scrape"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 1
    unit = "bytes"

    def peak_growth(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """Bytes over what was there once the client was imported and warm."""
        self._run()
        return self._run.growth  # type: ignore[no-any-return]  # of the installed commit


class ScrapeProfile(_Prepared):
    """Variants of ``scrape``: by how much the process has grown, at twenty times from beginning to end."""

    scenario = "scrape"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 1
    unit = "bytes"

    def peak_profile(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """Bytes; the samples of a process are in the order of time."""
        self._run()
        return self._run.profile  # type: ignore[no-any-return]  # of the installed commit
