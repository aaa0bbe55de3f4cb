"""aiohttp's own server, as ``web.run_app`` starts it, without its access log; run as a process of its own."""

from aiohttp import web

from windtunnel_scenarios.listening import listening
from windtunnel_scenarios.web.aiohttp_app import application

if __name__ == "__main__":
    web.run_app(application(), sock=listening(), print=None, access_log=None)
