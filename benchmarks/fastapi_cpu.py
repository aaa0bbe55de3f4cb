"""An endpoint that computes, asked over ten connections."""

from benchmarks._suite import _Suite


class FastapiCpu(_Suite):
    """Variants of ``fastapi_cpu``: all requests, and the latency of each."""

    scenario = "fastapi_cpu"
    params = (
        ("async_def", "plain_def", "async_def_uvloop", "plain_def_uvloop"),
        ("quick", "standard", "article"),
    )
    version = "1"
    rounds = 2
    repeat = 1

    def time_latency(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """The latency of each request."""
        self._run()
        return self._run.recorded  # type: ignore[no-any-return]  # a Recording of the installed commit
