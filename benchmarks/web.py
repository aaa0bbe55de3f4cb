"""Where a planet stands, from servers that people use."""

from benchmarks._suite import _Prepared, _Suite

CASES = (
    (
        "aiohttp_dev",
        "flask_dev",
        "aiohttp_gunicorn_1",
        "flask_gunicorn_1",
        "aiohttp_gunicorn_4",
        "flask_gunicorn_4",
    ),
    ("quick", "standard", "article"),
)


class Web(_Suite):
    """Variants of ``web``."""

    scenario = "web"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 3


class WebServer(_Prepared):
    """Variants of ``web``: how long the server's processes compute for a request, which neighbours change least."""

    scenario = "web"
    params = CASES
    version = "1"
    rounds = 2
    most_samples = 3

    def time_server(self, variant: str, load: str) -> tuple[float, ...]:  # noqa: ARG002 - asv passes the parameters
        """Seconds a request."""
        before = self._run.server_seconds()
        answers = len(self._run())
        return ((self._run.server_seconds() - before) / answers,)
