"""FastAPI in one uvicorn process; the argument is the name of uvicorn's event loop.

h11 parses HTTP, so that all Pythons have the same parser. It writes no access log.
"""

import sys

import uvicorn
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse

from windtunnel_scenarios.support.servers import KEEP_ALIVE_TIMEOUT, listening_socket
from windtunnel_scenarios.support.worker_functions import is_gil_misplaced

app = FastAPI()


@app.get("/async_def/{bound}", response_class=PlainTextResponse)
async def on_the_loop(bound: int) -> str:
    """Compute on the event loop's thread."""
    total = 0
    for number in range(bound):
        total += number
    return str(total)


@app.get("/plain_def/{bound}", response_class=PlainTextResponse)
def in_a_thread(bound: int) -> str:
    """Compute in one of the threads that FastAPI gives plain functions."""
    total = 0
    for number in range(bound):
        total += number
    return str(total)


@app.get("/gil", response_class=PlainTextResponse)
async def gil() -> str:
    """Whether a library has turned the GIL of a free-threaded Python on."""
    return "on" if is_gil_misplaced() else "as built"


def main(loop: str) -> None:
    """Serve until killed."""
    with listening_socket() as opened:
        settings = uvicorn.Config(
            app, loop=loop, http="h11", log_level="error", access_log=False, timeout_keep_alive=KEEP_ALIVE_TIMEOUT
        )
        uvicorn.Server(settings).run(sockets=[opened])


if __name__ == "__main__":
    main(sys.argv[1])
