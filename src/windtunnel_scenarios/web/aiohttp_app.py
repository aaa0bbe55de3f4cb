"""The service on aiohttp."""

from aiohttp import web

from windtunnel_scenarios.web.planet import position


async def planet(request: web.Request) -> web.Response:
    """Answer with a planet's position."""
    return web.Response(text=position(request.match_info["name"]), content_type="application/json")


def application() -> web.Application:
    """A new application."""
    app = web.Application()
    app.router.add_get("/{name}", planet)
    return app
