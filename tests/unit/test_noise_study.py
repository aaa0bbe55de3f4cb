"""The study of noise between processes."""

from dataclasses import replace

import pytest
from builders.records import a_record, a_task
from builders.trees import a_benchmark, a_row, a_run, a_scenario, a_tree

from studies.noise import compute_noise, render
from windtunnel import formats
from windtunnel.model.run import Failed, Measured
from windtunnel.results.tree import RECORD, RESULTS, keep_record, write_tree


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
    ((found,), _) = compute_noise([one, other])
    assert found["processes"] == 4
    assert found["cv"] == pytest.approx(0.1633, rel=1e-3)
    assert "16.3%" in render([found], 0, None)
    assert "; 1 cases with 4 to 4 processes each." in render([found], 0, None)


def test_a_machine_that_is_slower_in_one_run_is_no_compute_noise_ratios(tmp_path):
    """All of a run is half as fast again; the ratio to the first variant stays as it is."""
    runs = [
        written(tmp_path / str(speed), *(a_measured((value * speed,)) for value in (1.0, 3.0))) for speed in (1.0, 1.5)
    ]
    found = {each["case"].split()[-1]: each for each in compute_noise(runs)[0]}
    assert [found[name]["cv"] for name in ("v0", "v1")] == [pytest.approx(2**0.5 / 5)] * 2
    assert [found[name]["cv_ratio"] for name in ("v0", "v1")] == [None, 0.0]
    assert "1 cases have a reference variant" in render(list(found.values()), 0, None)


def test_what_says_nothing_of_noise_is_left_out(tmp_path):
    """A failed case, a case of one process, and one that is always zero have no coefficient of variation."""
    folder = written(tmp_path / "one", Failed(), a_measured((1.0, 1.1)), a_measured((0.0,), (0.0,)))
    assert compute_noise([folder]) == ([], 0)


def test_the_noisiest_come_first(tmp_path):
    """The table is in the order of what needs work."""
    quiet, noisy = a_measured((1.0,), (1.01,)), a_measured((1.0,), (2.0,))
    found, _ = compute_noise([written(tmp_path / "one", quiet, noisy, name="files.Files.time_run")])
    assert [each["case"].split()[-1] for each in found] == ["v1", "v0"]
    assert "v0" not in render(found, 0, 1)


def test_machines_are_kept_apart(tmp_path):
    """Machines differ more than processes do; so do Pythons."""
    benchmark = a_benchmark(variant=["v0"])
    runs = [a_run(a_row(benchmark, a_measured((1.0,), (1.0,)))), a_run(a_row(benchmark, a_measured((2.0,), (2.0,))))]
    runs[1] = replace(runs[1], machine="elsewhere")
    write_tree(a_tree(*runs, benchmarks=[benchmark]), tmp_path / "tree")
    assert [each["cv"] for each in compute_noise([tmp_path / "tree"])[0]] == [0.0, 0.0]


def a_noise_run(folder, value, *, background_load=0.0):
    """The folder that a run left: *value* seconds for one variant, while others kept so many processors busy."""
    sleep = a_scenario("sleep.Sleep.time_run", ("sync",), ("standard",))
    write_tree(a_tree(a_run(a_row(sleep, a_measured((value,) * 3))), benchmarks=[sleep]), folder / RESULTS)
    case = "sleep.Sleep.time_run('sync', 'standard')"
    record = a_record(a_task(case=case, state="measured", background_load=(background_load,)))
    (folder / RECORD).write_bytes(formats.encode_pretty(record))
    return folder


def test_noise_is_how_processes_of_quiet_runs_vary(tmp_path):
    """What was timed beside other work is left out, and counted."""
    quiet = [a_noise_run(tmp_path / str(value), value) for value in (0.9, 1.1)]
    (found,), disturbed = compute_noise([*quiet, a_noise_run(tmp_path / "busy", 9.0, background_load=0.7)])
    assert (found["case"], found["processes"], disturbed) == ("sleep.Sleep.time_run sync standard", 2, 1)
    assert found["cv"] == pytest.approx(2**0.5 / 10)
    assert "1 values with background load are left out" in render([found], disturbed, None)


def test_noise_is_read_from_results_trees_as_well(tmp_path):
    """With the records that windtunnel merge kept beside them."""
    for value, background_load in ((0.9, 0.0), (1.1, 0.0), (9.0, 0.7)):
        folder = a_noise_run(tmp_path / str(value), value, background_load=background_load)
        keep_record(folder / RECORD, folder / RESULTS)
    (found,), disturbed = compute_noise([tmp_path / str(value) / RESULTS for value in (0.9, 1.1, 9.0)])
    assert (found["processes"], disturbed) == (2, 1)
