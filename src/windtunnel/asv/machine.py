"""Describes this machine: one name for all machines of a kind, so that GitHub's runners share a series.

The name holds what affects timings: CPU model, cores, memory class, operating system image. What changes from run to
run (kernel release, bytes of memory, image version) is recorded in run.json.

The background load is how many processors other processes keep busy while a case runs: the total of /proc/stat minus
the time of our own processes, hence Linux only. Time that a hypervisor gave to other machines (steal) counts. Time in
interrupts does not: network traffic on 127.0.0.1 causes it. Delayed disk writes of the kernel count, whichever process
caused them.
"""

import contextlib
import ctypes
import json
import math
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from time import monotonic

import psutil
from msgspec.structs import replace

from windtunnel.model.run_format import MachineRecord

NOISE = re.compile(r"\(r\)|\(tm\)|\bcpu\b|\bprocessor\b|@.*$|\d+-core|\bwith .*$", re.IGNORECASE)
"""Words in the name of a CPU that do not identify the model."""


def read_machine(env: Mapping[str, str]) -> MachineRecord:
    """Return this machine's record for run.json; *env* holds the image of a GitHub runner (ImageOS, ImageVersion)."""
    uname = platform.uname()
    record = MachineRecord(
        name="",
        architecture=uname.machine,
        cpu=_cpu_model() or uname.processor or uname.machine,
        cores=os.cpu_count() or 1,
        memory=psutil.virtual_memory().total,
        os=uname.system,
        kernel=uname.release,
        image=f"{_distribution()} {env.get('ImageVersion', '')}".strip(),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,
        smt=_shares_cores(),
    )
    return replace(record, name=identity(record, env.get("ImageOS", "")))


def identity(machine: MachineRecord, runner_os: str = "") -> str:
    """Return the machine's name: letters, digits, dots and dashes, so that it can name a folder.

    *runner_os* is GitHub's ImageOS (ubuntu24); it replaces the distribution.
    """
    image = runner_os or " ".join(machine.image.split()[:2])
    parts = (NOISE.sub(" ", machine.cpu), f"{machine.cores}cpu", memory_class(machine.memory), image)
    slug = "-".join(re.sub(r"[^a-z0-9.]+", "-", part.lower()).strip("-") for part in parts)
    return slug.strip(".-")


def memory_class(memory: int) -> str:
    """Return the nearest size of memory that machines are sold with; 16 GB are reported as 15.3 to 16 GiB."""
    sizes = [step * 2.0**power for power in range(-1, 13) for step in (1.0, 1.5)]
    gib = max(memory / 2**30, sizes[0])
    return f"{min(sizes, key=lambda size: abs(math.log(size / gib))):g}gb"


def for_asv(machine: MachineRecord) -> bytes:
    """Return asv's machine.json: only fields that all machines of the kind share, since asv keys series by all."""
    content = {
        "arch": machine.architecture,
        "cpu": machine.cpu,
        "machine": machine.name,
        "num_cpu": str(machine.cores),
        "os": f"{machine.os} {' '.join(machine.image.split()[:2])}".strip(),
        "ram": memory_class(machine.memory),
        "version": 1,
    }
    return json.dumps(content, indent=4).encode() + b"\n"


def _cpu_model() -> str:
    """Return the CPU's name on Linux and macOS; empty elsewhere."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        models = re.findall(r"^(?:model name|Model)\s*:\s*(.+)$", cpuinfo.read_text(errors="replace"), re.MULTILINE)
        return models[0] if models else ""
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return ""


def _shares_cores() -> bool | None:
    """Return whether two processors share a core; None where the system does not report it."""
    active = Path("/sys/devices/system/cpu/smt/active")
    return active.read_text(encoding="ascii").strip() == "1" if active.is_file() else None


def _distribution() -> str:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return f"{platform.system()} {platform.release().split('.')[0]}"
    return f"{release['ID']} {release.get('VERSION_ID', '')}".strip()


RESOLUTION = 0.03
"""Seconds of processor time that are ignored: /proc/stat counts ticks of 10 ms on each processor."""

SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2), Linux 3.4 and newer."""


SPIN = """import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
os.nice(19)
parent = os.getppid()
while os.getppid() == parent:
    os.sched_yield()
"""
"""What keeps a processor awake: a loop of the lowest priority that yields, and ends with its parent."""


@contextlib.contextmanager
def keep_awake() -> Iterator[str]:
    """Keep each processor awake with a process of its own; yield how, in words. Linux only: elsewhere empty."""
    if not sys.platform.startswith("linux"):
        yield ""
        return
    processors = sorted(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        for processor in processors:
            process = stack.enter_context(subprocess.Popen((sys.executable, "-S", "-c", SPIN, str(processor))))
            stack.callback(process.kill)
        yield f"a process on each of {len(processors)} processors, nice 19, that calls sched_yield in a loop"


def read_boot() -> str:
    """Return what identifies this boot of the machine; empty where the system does not say."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""


def watch_background_load() -> Callable[[], float | None]:
    """Return a function that returns the mean number of processors that others have kept busy since this call.

    It returns None where the system does not report it.
    """
    since, before = monotonic(), _others_seconds()

    def processors() -> float | None:
        after, seconds = _others_seconds(), monotonic() - since
        if before is None or after is None or seconds <= 0:
            return None
        _reap_orphans()
        return round(max(after - before - RESOLUTION, 0.0) / seconds, 3)

    return processors


def _others_seconds() -> float | None:
    """Return the processor seconds since boot that this process and its descendants did not use."""
    if not sys.platform.startswith("linux"):
        return None
    _adopt_orphans()
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + getattr(times, "steal", 0.0)) - own_seconds()


def own_seconds() -> float:
    """Return the processor seconds of this process and its descendants, including ended ones that were waited for."""
    root = psutil.Process()
    used = 0.0
    for process in (root, *(root.children(recursive=True) if _has_children() else ())):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            used += times.user + times.system + times.children_user + times.children_system
    return used


def _has_children() -> bool:
    """Return whether this process has children; to list them, psutil reads a file of every process on the machine."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


@cache
def _adopt_orphans() -> None:
    """Make orphans of our descendants our children, so that the processes of a fork server are counted."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)


def _reap_orphans() -> None:
    """Wait for adopted orphans that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
