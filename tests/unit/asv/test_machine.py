"""All machines of a kind have the same name."""

import json
import os
import sys
import time

import psutil
import pytest

from windtunnel.asv.machine import for_asv, identity, keep_awake, memory_class, read_machine
from windtunnel.model.run_format import MachineRecord


def a_system(**changes):
    usual = {
        "name": "",
        "os": "Linux",
        "kernel": "6.8.0-1014-azure",
        "architecture": "x86_64",
        "cpu": "AMD EPYC 7763 64-Core Processor",
        "cores": 4,
        "memory": 16_766_132_224,
        "image": "ubuntu 24.04 20260901.1",
        "load": 0.0,
    }
    return MachineRecord(**{**usual, **changes})


def test_the_name_identifies_the_kind_of_machine():
    """It holds CPU model, cores, memory class and image, which affect timings."""
    assert identity(a_system(), "ubuntu24") == "amd-epyc-7763-4cpu-16gb-ubuntu24"


@pytest.mark.parametrize(
    "changes", [{"kernel": "6.8.0-1020-azure"}, {"memory": 16_372_000_000}, {"image": "ubuntu 24.04 20261001.2"}]
)
def test_the_name_is_stable_between_runs(changes):
    """Kernel release, bytes of memory and image version do not split a series."""
    assert identity(a_system(**changes)) == identity(a_system())


@pytest.mark.parametrize(
    "changes", [{"cpu": "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz"}, {"cores": 2}, {"memory": 8 * 2**30}]
)
def test_other_hardware_has_another_name(changes):
    """Two CPU models with one name would cause false alarms."""
    assert identity(a_system(**changes)) != identity(a_system())


@pytest.mark.parametrize(
    ("gib", "name"), [(15.3, "16gb"), (15.99, "16gb"), (6.8, "6gb"), (7.7, "8gb"), (0.4, "0.5gb"), (23.5, "24gb")]
)
def test_the_memory_class_is_the_nominal_size(gib, name):
    """Machines report a little less than their nominal memory."""
    assert memory_class(int(gib * 2**30)) == name


def test_the_name_can_name_a_folder():
    """An unusual CPU name does not lead out of the results folder."""
    assert set(identity(a_system(cpu="../../etc/Ω µ", image=".. ..")) or "x") <= set(
        "abcdefghijklmnopqrstuvwxyz0123456789.-"
    )


def test_machine_json_has_only_stable_fields():
    """asv keys series by every field of machine.json, so equal kinds have equal bytes."""
    one = for_asv(a_system(name="kind"))
    other = for_asv(a_system(name="kind", kernel="9", memory=16_000_000_000, image="ubuntu 24.04 7", load=2.0))
    assert one == other
    assert json.loads(one)["version"] == 1


def test_this_machine_is_named_by_the_image_of_the_runner():
    """The version of the image is recorded and not part of the name."""
    here = read_machine({"ImageOS": "ubuntu24", "ImageVersion": "20260901.1"})
    assert here.name == identity(here, "ubuntu24")
    assert here.image.endswith("20260901.1")
    assert "20260901" not in here.name


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processors are kept awake on Linux only")
def test_a_process_of_the_lowest_priority_keeps_each_processor_awake():
    """They end with the block; how they do it is recorded."""
    with keep_awake() as words:
        children = psutil.Process().children()
        spinning = [child for child in children if "sched_yield" in " ".join(child.cmdline())]
        assert len(spinning) == len(os.sched_getaffinity(0))
        deadline = time.monotonic() + 10
        while {child.nice() for child in spinning} != {19} and time.monotonic() < deadline:
            time.sleep(0.02)
        assert {child.nice() for child in spinning} == {19}
    assert not [child for child in spinning if child.is_running()]
    assert words == f"a process on each of {len(spinning)} processors, nice 19, that calls sched_yield in a loop"
