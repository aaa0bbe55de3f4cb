"""A service that computes the position of a planet, on aiohttp or Flask.

The arguments are the framework and the number of gunicorn's workers; 0 is the framework's own development server.
Neither has an access log.
"""

import json
import logging
import sys
from typing import Any

import ephem

from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT, listening_socket, serve_gunicorn

GUNICORN_WORKERS = {"aiohttp": "aiohttp.GunicornWebWorker", "flask": "sync"}
"""The worker class that each framework requires."""


def position(planet: str) -> str:
    """Return right ascension and declination at the start of 2022, in radians, as JSON."""
    body = getattr(ephem, planet)("2022/1/1")
    return json.dumps({"ra": round(float(body.ra), 6), "dec": round(float(body.dec), 6)})


def aiohttp_application() -> Any:
    """Create the service on aiohttp."""
    from aiohttp import web

    async def planet(request: web.Request) -> web.Response:
        return web.Response(text=position(request.match_info["name"]), content_type="application/json")

    app = web.Application()
    app.router.add_get("/{name}", planet)
    return app


def flask_application() -> Any:
    """Create the service on Flask."""
    from flask import Flask, Response

    def planet(name: str) -> Response:
        return Response(position(name), mimetype="application/json")

    app = Flask(__name__)
    app.add_url_rule("/<name>", view_func=planet)
    return app


APPLICATIONS = {"aiohttp": aiohttp_application, "flask": flask_application}


def serve_aiohttp() -> None:
    """Serve with aiohttp's own server, as ``web.run_app`` starts it: one process, one loop."""
    from aiohttp import web

    web.run_app(
        aiohttp_application(),
        sock=listening_socket(),
        print=None,
        access_log=None,
        keepalive_timeout=KEEP_ALIVE_TIMEOUT,
    )


def serve_flask() -> None:
    """Serve with Flask's development server: one process, a thread for each request."""
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with listening_socket() as opened:
        port = opened.getsockname()[1]
        make_server("127.0.0.1", port, flask_application(), threaded=True, fd=opened.fileno()).serve_forever()


def serve_gunicorn_workers(framework: str, workers: int) -> None:
    """Serve with gunicorn."""
    with listening_socket() as opened:
        settings = {
            "bind": f"fd://{opened.fileno()}",
            "workers": workers,
            "worker_class": GUNICORN_WORKERS[framework],
        }
        serve_gunicorn(settings, APPLICATIONS[framework])


def main(framework: str, workers: int) -> None:
    """Serve until killed."""
    if workers:
        serve_gunicorn_workers(framework, workers)
    elif framework == "flask":
        serve_flask()
    else:
        serve_aiohttp()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
