"""A client as a program: what each run starts, and what it cost."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from windtunnel_scenarios.downloads_far import OPENSSL, Far
from windtunnel_scenarios.model import Outcome
from windtunnel_scenarios.support.folders import kept_folder
from windtunnel_scenarios.support.servers import serving
from windtunnel_scenarios.support.subprocess_run import end_with_parent


class Program:
    """A run that starts a client and waits for its end."""

    def __init__(self, *command: str) -> None:
        self.processor: tuple[float, ...] = ()
        """Seconds that the last run's process computed, in user and in system mode together."""
        self.command = command

    def __call__(self) -> Outcome:
        with subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            said = process.stdout.read().decode(errors="replace")
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{self.command} failed: {said}")
        self.processor = (used.ru_utime + used.ru_stime,)
        return tuple(said.split())


@contextmanager
def far_away(load: Far, client: str) -> Iterator[Program]:
    """The server, the line to it, and the client's program; its module is that of a variant."""
    with (
        certificate() as trusted,
        serving("windtunnel_scenarios.downloads_far.tls_server", str(trusted)) as server,
        serving("windtunnel_scenarios.programs.delay_line", str(server), str(load.round_trip / 2)) as port,
    ):
        url = f"https://127.0.0.1:{port}/0"
        yield Program(sys.executable, "-W", "ignore", "-m", client, url, str(load.count), str(trusted))


@contextmanager
def certificate() -> Iterator[Path]:
    """A file with a key and a certificate for this machine, signed by itself."""
    with kept_folder() as folder:
        path, key = folder / "server.pem", folder / "key.pem"
        kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30")
        name = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
        files = ("-keyout", str(key), "-out", str(path))
        made = subprocess.run(
            [OPENSSL, "req", "-x509", *kind, *name, *files], capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise RuntimeError(f"openssl made no certificate: {made.stderr}")
        path.write_bytes(path.read_bytes() + key.read_bytes())
        yield path


def main(fetch: Callable[[str, int, str], Iterable[str]]) -> None:
    """In the client's process: fetch the URL as often as told, trusting the certificate; print the bodies."""
    Thread(target=end_with_parent, daemon=True).start()
    url, count, trusted = sys.argv[1:]
    sys.stdout.write("\n".join(fetch(url, int(count), trusted)))
