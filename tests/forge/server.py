"""A stand-in for GitHub's REST API on loopback."""

import asyncio
import threading
from contextlib import contextmanager


@contextmanager
def serving(forge):
    """Serve *forge* from a thread and set its URL; a request that GitHub does not describe is an error at the end."""
    from aiohttp import web  # only the tests that start a server wait for it
    from forge.application import BASE, an_application

    ready, controls = threading.Event(), []

    async def serve():
        stop = asyncio.Event()
        runner = web.AppRunner(an_application(forge), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        forge.url = f"http://127.0.0.1:{runner.addresses[0][1]}{BASE}"
        controls.extend((asyncio.get_running_loop(), stop))
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    try:
        assert ready.wait(60)
        yield forge
    finally:
        loop, stop = controls
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
    assert forge.complaints == []
    assert forge.leaks == []
