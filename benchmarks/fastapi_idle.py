"""An endpoint that does nothing, asked once after the other."""

from benchmarks._suite import _Suite


class FastapiIdle(_Suite):
    """Variants of ``fastapi_idle``: all requests, and the latency of each."""

    scenario = "fastapi_idle"
    params = (
        ("async_def", "plain_def"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    repeat = 2

    def time_latency(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """The latency of each request."""
        self._run()
        return self._run.recorded  # type: ignore[no-any-return]  # a Recording of the installed commit
