"""Where a planet stands, from servers that people use."""

from benchmarks._suite import _Suite


class Web(_Suite):
    """Variants of ``web``."""

    scenario = "web"
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
