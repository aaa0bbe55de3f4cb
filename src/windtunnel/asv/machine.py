"""Describes this machine: one name for all machines of a kind, so that GitHub's runners share a series.

The name holds what affects timings: CPU model, cores, memory class, operating system image. What changes from run to
run (kernel release, bytes of memory, image version) is recorded in run.json.
"""

import json
import math
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from windtunnel.model.run_format import MachineRecord

NOISE = re.compile(r"\(r\)|\(tm\)|\bcpu\b|\bprocessor\b|@.*$|\d+-core|\bwith .*$", re.IGNORECASE)
"""Words in the name of a CPU that do not identify the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The machine as the operating system describes it."""

    system: str
    release: str
    architecture: str
    cpu: str
    cores: int
    memory: int
    """Bytes."""
    image: str


def read_system(env: Mapping[str, str]) -> System:
    """Read the description of this machine; *env* holds the image of a GitHub runner (ImageOS, ImageVersion)."""
    uname = platform.uname()
    return System(
        system=uname.system,
        release=uname.release,
        architecture=uname.machine,
        cpu=_cpu_model() or uname.processor or uname.machine,
        cores=os.cpu_count() or 1,
        memory=psutil.virtual_memory().total,
        image=f"{_distribution()} {env.get('ImageVersion', '')}".strip(),
    )


def identity(system: System, runner_os: str = "") -> str:
    """Return the machine's name: letters, digits, dots and dashes, so that it can name a folder.

    *runner_os* is GitHub's ImageOS (ubuntu24); it replaces the distribution.
    """
    image = runner_os or " ".join(system.image.split()[:2])
    parts = (NOISE.sub(" ", system.cpu), f"{system.cores}cpu", memory_class(system.memory), image)
    slug = "-".join(re.sub(r"[^a-z0-9.]+", "-", part.lower()).strip("-") for part in parts)
    return slug.strip(".-")


def memory_class(memory: int) -> str:
    """Return the nearest size of memory that machines are sold with; 16 GB are reported as 15.3 to 16 GiB."""
    sizes = [step * 2.0**power for power in range(-1, 13) for step in (1.0, 1.5)]
    gib = max(memory / 2**30, sizes[0])
    return f"{min(sizes, key=lambda size: abs(math.log(size / gib))):g}gb"


def record(system: System, env: Mapping[str, str]) -> MachineRecord:
    """Return the machine's record for run.json."""
    return MachineRecord(
        name=identity(system, env.get("ImageOS", "")),
        architecture=system.architecture,
        cpu=system.cpu,
        cores=system.cores,
        memory=system.memory,
        os=system.system,
        kernel=system.release,
        image=system.image,
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,
        smt=_shares_cores(),
    )


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
