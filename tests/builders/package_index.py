"""A package index on this machine that serves wheels made for a test."""

import threading
import zipfile
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer


def a_wheel(folder, name, version, files, *, scripts=()):
    """Write a pure wheel of *name* with *files* (path to text) below *folder*, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    metadata = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **{f"{name}-{version}.data/scripts/{script}": text for script, text in scripts},
    }
    content = {**files, **metadata}
    record = "".join(f"{one},,\n" for one in (*content, f"{info}/RECORD"))
    with zipfile.ZipFile(path, "w") as archive:
        for one, text in {**content, f"{info}/RECORD": record}.items():
            archive.writestr(one, text)
    return path


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, and keeps what was asked for instead of printing it."""

    def log_message(self, *_):
        self.server.asked.append(self.path)


@contextmanager
def served(folder):
    """Serve *folder* as a simple index: wheels are found in ``simple/NAME/``; yields the address and what was asked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    server.asked = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/", server.asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
