"""The service on Flask."""

from flask import Flask, Response

from windtunnel_scenarios.web.planet import position


def planet(name: str) -> Response:
    """Answer with a planet's position."""
    return Response(position(name), mimetype="application/json")


def application() -> Flask:
    """A new application."""
    app = Flask(__name__)
    app.add_url_rule("/<name>", view_func=planet)
    return app
