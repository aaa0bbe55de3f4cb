"""A machine's name is one for all machines of a kind."""

import json

import pytest

from windtunnel.asv.machine import System, for_asv, identity, memory_class, record


def a_system(**changes):
    usual = {
        "system": "Linux",
        "release": "6.8.0-1014-azure",
        "architecture": "x86_64",
        "cpu": "AMD EPYC 7763 64-Core Processor",
        "cores": 4,
        "memory": 16_766_132_224,
        "image": "ubuntu 24.04 20260901.1",
    }
    return System(**{**usual, **changes})


def test_name_tells_the_kind():
    """CPU model, cores, memory class and image: what moves timings."""
    assert identity(a_system(), "ubuntu24") == "amd-epyc-7763-4cpu-16gb-ubuntu24"


@pytest.mark.parametrize(
    "changes",
    [{"release": "6.8.0-1020-azure"}, {"memory": 16_372_000_000}, {"image": "ubuntu 24.04 20261001.2"}],
)
def test_name_survives_what_changes_from_run_to_run(changes):
    """Kernel release, bytes of memory and image version do not splinter a series."""
    assert identity(a_system(**changes)) == identity(a_system())


@pytest.mark.parametrize(
    "changes", [{"cpu": "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz"}, {"cores": 2}, {"memory": 8 * 2**30}]
)
def test_other_hardware_has_another_name(changes):
    """Two CPU models behind one name are what makes asv's alarms false."""
    assert identity(a_system(**changes)) != identity(a_system())


@pytest.mark.parametrize(
    ("gib", "name"), [(15.3, "16gb"), (15.99, "16gb"), (6.8, "6gb"), (7.7, "8gb"), (0.4, "0.5gb"), (23.5, "24gb")]
)
def test_memory_class_is_the_size_on_the_box(gib, name):
    """Machines report a little less than they are sold with."""
    assert memory_class(int(gib * 2**30)) == name


def test_name_is_fit_for_a_folder():
    """A strange CPU name never leaves the results folder."""
    assert set(identity(a_system(cpu="../../etc/Ω µ", image=".. ..")) or "x") <= set(
        "abcdefghijklmnopqrstuvwxyz0123456789.-"
    )


def test_asv_gets_nothing_that_changes():
    """asv keys series by every field of machine.json, so equal kinds have equal bytes."""
    env = {"ImageOS": "ubuntu24", "ImageVersion": "1"}
    one = for_asv(record(a_system(), env))
    other = for_asv(record(a_system(release="9", memory=16_000_000_000, image="ubuntu 24.04 7"), env))
    assert one == other
    assert json.loads(one)["version"] == 1
