"""Where a planet stands, asked over a new connection each time."""

from benchmarks._suite import _Suite


class WebClose(_Suite):
    """Variants of ``web_close``."""

    scenario = "web_close"
    params = (
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
    version = "1"
    rounds = 2
    most_samples = 3
