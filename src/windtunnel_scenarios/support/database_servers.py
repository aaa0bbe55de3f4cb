"""PostgreSQL and Redis on a free port of 127.0.0.1, each with a folder of its own, that end with this process.

Cases that are open at once use the same server, so that they have the same conditions. Nothing outlives the last of
them: no process, port, folder or shared memory, however this process ends.
"""

import os
import socket
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from secrets import token_hex
from shlex import join
from shutil import rmtree, which
from time import monotonic
from typing import IO, TypeAlias

from windtunnel_scenarios.model import UnavailableError
from windtunnel_scenarios.support.open_files import is_readable

FOLDERS = Path("/usr/lib/postgresql")
"""Where Debian has PostgreSQL, with a folder for each version."""

ALTERNATIVES = {"redis-server": ("valkey-server",)}
"""Commands that serve as well as another one."""

PACKAGES = {
    "initdb": "postgresql",
    "postgres": "postgresql",
    "redis-server": "redis-server",
    "setpriv": "util-linux",
    "openssl": "openssl",
    "dd": "coreutils",
    "true": "coreutils",
}
"""The package of Debian that has a command."""

KEEPER = (
    "/bin/sh",
    "-c",
    """
    eval "$3" >"$1/log" 2>&1 && { eval "exec $4" 3>&1 >>"$1/log" 2>&1 </dev/null & server=$!; }
    exec >/dev/null 2>&1
    read _
    [ -z "$server" ] || { kill -s "$2" "$server"; wait "$server"; }
    rm -rf -- "$1"
    """,
    "keeper",
)
"""Prepares the folder, starts the server, waits for the end of standard input, stops the server, removes the folder.

The server has a descriptor of the keeper's standard output, which therefore ends with the server's last process.
"""

START_TIMEOUT = 60.0
"""Seconds after which a server that is not ready is an error."""

UNPRIVILEGED = 65534
"""The user and group that own nothing on a Linux system."""

MAX_CONNECTIONS = 500
"""Of PostgreSQL, for several cases that are open at once."""

PORTS = range(15_000, 32_000)
"""Below the ports that systems give to clients, so that no client takes a port between its choice and its use."""

TABLES = (
    "CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL)",
    "INSERT INTO account SELECT number, 0 FROM generate_series(0, 9999) number",
    "CREATE TABLE line (id integer PRIMARY KEY, name text NOT NULL, price double precision NOT NULL)",
)
"""What the database has before the server starts."""


def find_command(name: str) -> str | None:
    """Return the path of a command, or of one that serves as well: on the PATH, or where Debian has PostgreSQL's."""
    folders = sorted(FOLDERS.glob("*/bin"), key=lambda folder: float(folder.parent.name), reverse=True)
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *map(str, folders)))
    return next(filter(None, (which(each, path=path) for each in (name, *ALTERNATIVES.get(name, ())))), None)


def how_to_install(command: str) -> str:
    """Return the command that installs another one, as the end of a sentence."""
    return f"; install it with: sudo apt-get install {PACKAGES[command]}" if command in PACKAGES else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseServer:
    """How clients connect to a server on 127.0.0.1."""

    port: int
    password: str
    """Of this start, so that other users of the machine cannot connect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """How a server is prepared, started and stopped, as commands of a shell."""

    prepare: str
    serve: str
    stop: str
    """The name of a signal."""
    ready: bytes
    """What the server writes when it is ready."""


PrepareServer: TypeAlias = Callable[[Path, DatabaseServer], Commands]
"""Writes into a folder what a server needs."""


def postgres_commands(folder: Path, server: DatabaseServer) -> Commands:
    """Return the commands of PostgreSQL, which has the user ``postgres``.

    It writes as usual, but waits for no disk (``fsync=off``). An immediate shutdown (SIGQUIT) frees its shared memory,
    which SIGKILL would leave. It refuses to run as root, so root starts it as a user without rights.
    """
    user: tuple[str, ...] = ()
    password = folder / "password"
    password.write_text(server.password, encoding="ascii")
    if os.geteuid() == 0:
        user = (found("setpriv"), f"--reuid={UNPRIVILEGED}", f"--regid={UNPRIVILEGED}", "--clear-groups")
        for path in (folder, password):
            os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
        for parent in folder.parents:
            if not parent.stat().st_mode & stat.S_IXOTH:
                raise UnavailableError(f"postgres runs as user {UNPRIVILEGED}, which cannot enter {parent}: set TMPDIR")
    data = folder / "data"
    access = ("-U", "postgres", "--auth=password", f"--pwfile={password}")
    initdb = (*user, found("initdb"), "-D", data, *access, "--no-sync", "--locale=C", "--encoding=UTF8")
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": server.port,
        "unix_socket_directories": "",
        "max_connections": MAX_CONNECTIONS,
        "fsync": "off",
        "autovacuum": "off",
        "dynamic_shared_memory_type": "mmap",
    }
    options = (f"--{name}={value}" for name, value in settings.items())
    create_tables = shell(*user, found("postgres"), "--single", "-F", "-D", data, "postgres")
    return Commands(
        prepare=f"{shell(*initdb)} && printf '%s\\n' {shell(*TABLES)} | {create_tables}",
        serve=shell(*user, found("postgres"), "-D", data, *options),
        stop="QUIT",
        ready=b"ready to accept connections",
    )


def redis_commands(folder: Path, server: DatabaseServer) -> Commands:
    """Return the commands of Redis, which keeps everything in memory."""
    settings = f'bind 127.0.0.1\nport {server.port}\nrequirepass {server.password}\nsave ""\nappendonly no\n'
    (folder / "redis.conf").write_text(settings, encoding="ascii")
    return Commands(
        prepare="true",
        serve=shell(found("redis-server"), folder / "redis.conf", "--dir", folder),
        stop="KILL",
        ready=b"Ready to accept connections",
    )


def found(command: str) -> str:
    """Return the path of a command; raises UnavailableError where it is absent."""
    path = find_command(command)
    if path is None:
        raise UnavailableError(f"the command {command} is absent{how_to_install(command)}")
    return path


def shell(*words: object) -> str:
    """Return words as a command of a shell."""
    return join(map(str, words))


@contextmanager
def database_server(commands: PrepareServer) -> Iterator[DatabaseServer]:
    """Start a server, or use the one that another case has open."""
    if commands not in _running:
        with ExitStack() as stack:
            server = stack.enter_context(_started(commands))
            _running[commands] = _Running(server, stack.pop_all())
    running = _running[commands]
    running.users += 1
    try:
        yield running.server
    finally:
        running.users -= 1
        if not running.users:
            del _running[commands]
            running.stack.close()


@dataclass(slots=True)
class _Running:
    """A server that cases have open."""

    server: DatabaseServer
    stack: ExitStack
    """Stops the server."""
    users: int = 0
    """How many cases have it open."""


_running: dict[PrepareServer, _Running] = {}


@contextmanager
def _started(commands: PrepareServer) -> Iterator[DatabaseServer]:
    """Start a server in a folder of its own, and stop it."""
    folder, server = (
        Path(tempfile.mkdtemp(prefix="windtunnel-")),
        DatabaseServer(port=free_port(), password=token_hex()),
    )
    try:
        chosen = commands(folder, server)
        keeper = subprocess.Popen(
            (*KEEPER, folder, chosen.stop, chosen.prepare, chosen.serve),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a signal to the benchmark's group must not reach the keeper
        )
    except BaseException:
        rmtree(folder)
        raise
    with keeper:
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        try:
            wait_until_ready(keeper.stdout, folder / "log", chosen.ready)
            yield server
        finally:
            keeper.stdin.close()
            keeper.stdout.read()  # ends when the last process of the server has ended


def wait_until_ready(output: IO[bytes], log: Path, ready: bytes) -> None:
    """Wait until the server has written that it is ready; raises RuntimeError with the log when it ends before."""
    deadline = monotonic() + START_TIMEOUT
    while not (log.exists() and ready in log.read_bytes()):
        if monotonic() > deadline:
            raise TimeoutError(f"the server was not ready within {START_TIMEOUT:.0f} s: {log.read_text()}")
        if is_readable(output, 0.005):
            raise RuntimeError(f"the server did not start: {log.read_text()}")


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nothing listens."""
    while True:
        port = SystemRandom().choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
