"""Starts the processes of one arm: a new Python each, or forks of a parent that has imported the suite."""

import contextlib
import os
import random
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from asv import util
from asv.runner import ForkServer, Spawner, get_spawner

from windtunnel.asv.instruction_forks import may_fork
from windtunnel.model.schedule import Arm, ScheduledProcess

NAME = "asv_bench_windtunnel"
SOURCE = Path(__file__).with_name("benchmark_plugin.py")

TIMES_FILE = "windtunnel_times_file"
"""Attribute of a process: the file for its CPU seconds. `benchmark_plugin` imports nothing and repeats it."""

SLOWDOWN = "windtunnel_slowdown"
"""Attribute of a process: the share by which it takes longer. `benchmark_plugin` repeats it."""

DEFAULTS = "windtunnel_defaults"
"""Attribute of a process: timing attributes for a suite that does not set them. `benchmark_plugin` repeats it."""

END_WITH_PARENT = "WINDTUNNEL_ENDS_WITH_ITS_PARENT"
"""Environment variable: the process ID of the parent with which a process ends. `benchmark_plugin` repeats it."""

ASV_PATH = "ASV_PYTHONPATH"
"""asv passes this variable on as PYTHONPATH and drops PYTHONPATH itself, but not for a prepared environment."""

OWN_PATH = "PYTHONPATH"


@contextlib.contextmanager
def in_every_benchmark() -> Iterator[None]:
    """Make every process that asv starts in this context import `benchmark_plugin`."""
    with tempfile.TemporaryDirectory(prefix="windtunnel-plugin-") as folder:
        _write_plugin(Path(folder))
        paths = {name: os.pathsep.join(filter(None, (folder, os.environ.get(name)))) for name in (ASV_PATH, OWN_PATH)}
        with _variables(paths):
            yield


@contextlib.contextmanager
def ends_with_us() -> Iterator[None]:
    """Make processes with `benchmark_plugin` that asv starts in this context end with this process (Linux only)."""
    with _variables({END_WITH_PARENT: str(os.getpid())}):
        yield


@contextlib.contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables of this process in this context."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _write_plugin(folder: Path) -> None:
    package, metadata = folder / NAME / "benchmarks", folder / f"{NAME}-1.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1\n", encoding="utf-8")
    (folder / NAME / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "benchmark_plugin.py").write_bytes(SOURCE.read_bytes())


MIN_PROCESSES_FOR_FORKING = 4
"""Processes in a request from which starting a parent pays off."""

SLOW_IMPORT = 1.0
"""Seconds that a parent takes to start from which it imports only the modules that the request runs.

Two such parents start at once, so they pay off for two processes.
"""

PARENT = """
import importlib, os, sys, traceback
sys.path = [each for each in sys.path if each]
sys.path[:0] = [each for each in os.environ.pop("ASV_PYTHONPATH", "").split(os.pathsep) if each]
from asv_runner import server
_, suite, socket, *modules = sys.argv[1:]

def import_modules(*_, **__):
    for name in modules:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
    return ()

if modules:
    server.disc_benchmarks = import_modules
server._run_server((suite, socket))
"""
"""asv's fork server, which imports the modules that are named, or the whole suite."""

POLL_INTERVAL = 0.005
"""Seconds between checks for the socket of a starting parent, which takes about 70 ms."""

MAX_TEMP_FOLDER_BYTES = 76
"""Bytes of the path of the temporary folder: a socket's path has at most 107 (unix(7)), of which asv uses 31."""

Key = tuple[str, int]


@dataclass(slots=True, kw_only=True)
class Launcher:
    """Starts the processes of one arm."""

    env: Any
    suite: str
    method: str | None
    """The suite's ``launch_method``; without one, timings use forks where forking is safe."""
    start_seconds: float = 0.0
    """How long the slowest parent took to start and to import; 0 before the first one."""
    _spawner: Any = None
    _parent: Any = None
    _forked: set[Key] = field(default_factory=set)
    """Cases that have had a process of the present parent."""
    _paired: tuple["Launcher", ...] = ()

    def __post_init__(self) -> None:
        """Check the method; raises ValueError when asv does not know it, UserError when this system lacks it."""
        self._spawner = Spawner(self.env, self.suite)
        if self.method in (None, "auto"):
            a_socket_fits = len(os.fsencode(tempfile.gettempdir())) <= MAX_TEMP_FOLDER_BYTES
            self.method = "auto" if Path("/proc/self/task").is_dir() and a_socket_fits else "spawn"
        else:
            get_spawner(self.env, self.suite, self.method).close()

    def create_setup_cache(self, benchmark: str, timeout: float, params: str) -> tuple[str | None, str | None]:
        """Run the setup_cache of *benchmark*; return its folder (None when it failed) and its output."""
        folder, output = self._spawner.create_setup_cache(benchmark, timeout, params)
        return folder, output

    def spawner(self, entry: dict[str, Any], index: int, together: int, modules: Sequence[str] = ("",)) -> Any:
        """Return the spawner for the next process of a case.

        *together* is the number of processes in the request, and *modules* are those that they run, the case's first.
        A case that has had a process of its parent begins a round: both arms get new parents, which start at once.
        """
        if self.method == "spawn" or (self.method == "auto" and entry["type"] != "time"):
            return self._spawner
        key = (entry["name"], index)
        if self._parent is None or key in self._forked or not self._parent.has(modules[0]):
            both, slow = (self, *self._paired), self.start_seconds > SLOW_IMPORT
            for one in both:
                one.close()
            if self.method == "auto" and together < MIN_PROCESSES_FOR_FORKING and not slow:
                return self._spawner
            began = monotonic()
            started = [one for one in both if one.start_parent(modules if slow and all(modules) else ())]
            forks = all(one.parent_forks() for one in started)
            for one in both:
                one.start_seconds = max(one.start_seconds, monotonic() - began)
                if not forks:
                    one.method = "spawn"
                    one.close()
        if self._parent is None:
            return self._spawner
        self._forked.add(key)
        return self._parent

    def pair_with(self, *others: "Launcher") -> None:
        """Make all of these fork, or none: processes that start in different ways also differ in time."""
        self._paired = others

    def start_parent(self, modules: Sequence[str]) -> bool:
        """Start the parent, for *modules* or the whole suite, unless none may be; return whether it was started."""
        if self.method == "spawn":
            return False
        self._parent = Parent(self.env, self.suite, modules)
        return True

    def parent_forks(self) -> bool:
        """Wait for the parent; return whether it can be forked. Raises UserError when ``forkserver`` requires it."""
        done, output = self._parent.ready()
        if self.method == "forkserver" and not done:
            self.close()
            raise util.UserError(output)
        return self.method == "forkserver" or (done and _may_fork(self._parent.server_proc.pid))

    def close(self) -> None:
        """End the parent, without asv's pause for its output."""
        if self._parent is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._parent.server_proc.pid, signal.SIGKILL)
            self._parent.server_proc.wait()
            self._parent.interrupt()
            self._parent.close()
        self._parent = None
        self._forked.clear()


class Parent(ForkServer):  # type: ignore[misc]  # asv has no types
    """asv's fork server, with the start separate from the wait: the servers of two commits start in parallel."""

    def __init__(self, env: Any, suite: str, modules: Sequence[str]) -> None:
        """Start the server, which imports *modules* of the suite; all of them if none is named."""
        Spawner.__init__(self, env, suite)
        self._modules = modules
        self.tmp_dir = tempfile.mkdtemp(prefix="asv-forkserver-")
        self.socket_name = str(Path(self.tmp_dir) / "socket")
        names = [f"{Path(self.benchmark_dir).name}.{module}" for module in modules]
        command = ["-c", PARENT, "run_server", self.benchmark_dir, self.socket_name, *names]
        with ends_with_us():
            variables = {**os.environ, **env.env_vars}
            self.server_proc = env.run(command, return_popen=True, redirect_stderr=True, env=variables)
        self._server_output = None
        self.stdout_reader_thread = threading.Thread(target=self._stdout_reader)
        self.stdout_reader_thread.start()

    def has(self, module: str) -> bool:
        """Return whether it imports *module*."""
        return not self._modules or module in self._modules

    def ready(self) -> tuple[bool, str]:
        """Wait until it listens and has imported the suite; return whether it has, and its output."""
        while self.stdout_reader_thread.is_alive() and not Path(self.socket_name).exists():
            sleep(POLL_INTERVAL)
        if not Path(self.socket_name).exists():
            return False, f"the process to fork from did not start\n{self._server_output}"
        done, output = self.preimport()
        return bool(done), str(output)


def _may_fork(pid: int) -> bool:
    """Return whether a process can be forked safely: it has one thread, and SIGCHLD has its default action.

    A fork copies only one thread: locks of other threads stay locked. A process that ignores or handles SIGCHLD takes
    children from asv.
    """
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    masks = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith(("SigIgn:", "SigCgt:"))]
    if any(mask >> (signal.SIGCHLD - 1) & 1 for mask in masks):
        return False
    return may_fork(pid)


HASH_SEED = "PYTHONHASHSEED"
MAX_HASH_SEED = 2**32 - 1

PADDING = "WINDTUNNEL_PADDING"
"""An environment variable without a meaning; only its length matters."""

MAX_PADDING = 4096
"""The length of a page: from there on, offsets in memory repeat."""


@contextlib.contextmanager
def round_layout(scheduled: ScheduledProcess, seed: int, rounds: Counter[tuple[Arm, str, int]]) -> Iterator[None]:
    """Give the processes that start in this context one random hash seed and one random size of the environment.

    Both move data in memory, which can change a time by several per cent: Mytkowicz, T., Diwan, A., Hauswirth, M. and
    Sweeney, P. F. (2009), Producing wrong data without doing anything obviously wrong, doi:10.1145/1508244.1508275. A
    fixed layout can make such an effect look like a change of the code. A random one makes it noise: Curtsinger, C. and
    Berger, E. D. (2013), Stabilizer, doi:10.1145/2451116.2451141. Base and head have the same *seed*, so they have the
    same values in a round, and effects that both share cancel in its difference. *rounds* counts the processes of each
    case. The kernel also randomises all addresses (ASLR), for each process anew. Variables that the suite sets in asv's
    matrix replace these.
    """
    case = scheduled.arm, scheduled.benchmark, scheduled.case.index
    rounds[case] += 1
    with _variables(layout_variables(seed, rounds[case])):
        yield


def layout_variables(seed: int, number: int) -> dict[str, str]:
    """Return the environment variables of all processes in round *number*."""
    rng = random.Random(f"{seed} {number}")  # noqa: S311 - a layout, not a secret
    return {HASH_SEED: str(rng.randint(1, MAX_HASH_SEED)), PADDING: "x" * rng.randrange(MAX_PADDING)}
