"""A package index on this machine: it serves wheels, and takes uploads."""

import re
import threading
import zipfile
from contextlib import contextmanager
from email import message_from_bytes
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


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
            entry = zipfile.ZipInfo(one)
            entry.external_attr = 0o100755 << 16  # installers keep what can be executed
            archive.writestr(entry, text)
    return path


class _Index(SimpleHTTPRequestHandler):
    """Serves files, and keeps what was asked for instead of printing it.

    A POST is an upload, as package indexes take it: a form with the ``name`` of the project and its file, ``content``.
    A file of a name that exists is refused, unless it has the same content (Warehouse: forklift/legacy.py, "File
    already exists" and ``_is_duplicate_file``).
    """

    def do_POST(self):
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = message_from_bytes(head + self.rfile.read(int(self.headers["Content-Length"])))
        fields = {part.get_param("name", header="content-disposition"): part for part in form.get_payload()}
        name = re.sub(r"[-_.]+", "-", fields["name"].get_payload().strip()).lower()
        path = Path(self.directory) / "simple" / name / fields["content"].get_filename()
        path.parent.mkdir(parents=True, exist_ok=True)
        content = fields["content"].get_payload(decode=True)
        taken = path.exists() and path.read_bytes() != content
        if not taken:
            path.write_bytes(content)
        self.send_response(400 if taken else 200, "File already exists" if taken else "OK")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        self.server.asked.append(self.path)


@contextmanager
def served(folder):
    """Serve *folder* as a simple index: wheels are found in ``simple/NAME/``; yields the address and what was asked."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Index, directory=str(folder)))
    server.asked = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/", server.asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
