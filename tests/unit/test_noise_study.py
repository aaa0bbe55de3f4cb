"""The study of noise between processes."""

import re
from dataclasses import replace

import pytest
from builders.trees import a_benchmark, a_row, a_run, a_tree
from studies.noise import REASONS, noise_of, told

from windtunnel.measurement import Failed, Measured
from windtunnel.scenarios.registry import SCENARIOS
from windtunnel.tree import write_tree


def a_measured(*processes):
    """A result of processes with so many samples each."""
    samples = [sample for process in processes for sample in process]
    return Measured(value=samples[0], samples=tuple(samples), process_sizes=tuple(map(len, processes)))


def written(folder, *results, name="plain.time_it"):
    """A results tree with one benchmark."""
    benchmark = a_benchmark(name, variant=[f"v{number}" for number in range(len(results))])
    write_tree(a_tree(a_run(a_row(benchmark, *results)), benchmarks=[benchmark]), folder)
    return folder


def test_processes_of_all_trees_count(tmp_path):
    """A process stands with its median; two trees with two processes each make four."""
    one = written(tmp_path / "one", a_measured((1.0, 1.0, 9.0), (1.2, 1.2, 1.2)))
    other = written(tmp_path / "other", a_measured((0.8, 0.8, 0.8), (1.0, 1.0, 1.0)))
    (found,) = noise_of([one, other])
    assert found["processes"] == 4
    assert found["cv"] == pytest.approx(0.1633, rel=1e-3)
    assert "16.3%" in told([found], None)
    assert "to be looked into" in told([found], None)


def test_what_says_nothing_of_noise_is_left_out(tmp_path):
    """A failed case, a case of one process, and one that is always zero have no coefficient of variation."""
    folder = written(tmp_path / "one", Failed(), a_measured((1.0, 1.1)), a_measured((0.0,), (0.0,)))
    assert noise_of([folder]) == []


def test_the_noisiest_come_first_and_quiet_ones_need_no_reason(tmp_path):
    """The table is in the order of what needs work."""
    quiet, noisy = a_measured((1.0,), (1.01,)), a_measured((1.0,), (2.0,))
    found = noise_of([written(tmp_path / "one", quiet, noisy, name="files.Files.time_run")])
    assert [each["case"].split()[-1] for each in found] == ["v1", "v0"]
    assert told(found, None).count("page cache") == 1
    assert "v0" not in told(found, 1)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_scenario_that_does_more_than_wait_has_a_reason_to_vary(scenario):
    """One of its own or of a variant; a case above the limit is marked with it, and nobody writes the table by hand."""
    cases = [f"{scenario.name}.Suite.time_run {variant.name} standard" for variant in scenario.variants]
    waits = scenario.name in {"sleep", "sqlite", "sqlite_one", "sqlite_cpu", "sqlite_cpu_heavy", "order"}
    assert waits or all(any(re.match(pattern, case) for pattern, _ in REASONS) for case in cases)


def test_machines_are_kept_apart(tmp_path):
    """Machines differ more than processes do; so do Pythons."""
    benchmark = a_benchmark(variant=["v0"])
    runs = [a_run(a_row(benchmark, a_measured((1.0,), (1.0,)))), a_run(a_row(benchmark, a_measured((2.0,), (2.0,))))]
    runs[1] = replace(runs[1], machine="elsewhere")
    write_tree(a_tree(*runs, benchmarks=[benchmark]), tmp_path / "tree")
    assert [each["cv"] for each in noise_of([tmp_path / "tree"])] == [0.0, 0.0]
