"""gunicorn with so many workers; run as a process of its own with the framework's name and the number of workers."""

import sys
from importlib import import_module
from typing import Any

from gunicorn.app.base import BaseApplication

from windtunnel_scenarios.listening import listening

WORKER = {"aiohttp_app": "aiohttp.GunicornWebWorker", "flask_app": "sync"}
"""The worker class that each framework needs."""


class Service(BaseApplication):
    """A gunicorn that is told its settings, and reads none from elsewhere."""

    def __init__(self, framework: str, settings: dict[str, Any]) -> None:
        self._framework, self._settings = framework, settings
        super().__init__()

    def load_config(self) -> None:
        """Take the settings over."""
        for name, value in self._settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The application, made in each worker."""
        return import_module(f"windtunnel_scenarios.web.{self._framework}").application()


if __name__ == "__main__":
    with listening() as opened:
        Service(
            sys.argv[1],
            {
                "bind": f"fd://{opened.fileno()}",
                "workers": int(sys.argv[2]),
                "worker_class": WORKER[sys.argv[1]],
                "loglevel": "error",
                "accesslog": None,
            },
        ).run()
