"""A count of instructions is a benchmark of its own, beside the one that is timed."""

from dataclasses import replace

from builders.trees import a_benchmark, a_scenario

from windtunnel.asv.results_format.files import decode_benchmarks, encode_benchmarks
from windtunnel.model.benchmark import counted_name, counting, counts_of, is_countable, select, with_counts
from windtunnel.model.identity import BenchmarkVersion, Field

SUM = a_scenario("cpu.Sum.time_run", ("sync", "gather"), ("quick", "standard"))


def test_a_count_has_the_cases_of_its_benchmark_and_names_it():
    """asv lists it as a value that is tracked, in instructions."""
    found = counting(SUM)
    assert (found.name, found.type_word, found.unit) == ("cpu.Sum.time_run.instructions", "track", "instructions")
    assert (found.params, found.param_names) == (SUM.params, SUM.param_names)
    assert counts_of(found) == counted_name(found.name) == "cpu.Sum.time_run"
    assert counts_of(SUM) == counted_name(SUM.name) == ""


def test_a_count_survives_asvs_file():
    """Its key is one that asv ignores."""
    (found,) = decode_benchmarks(encode_benchmarks([counting(SUM)]), "benchmarks.json").value
    assert found == counting(SUM)


def test_another_version_of_the_benchmark_begins_a_new_series_of_counts():
    """The version of a count depends on that of its benchmark."""
    other = replace(SUM, version=BenchmarkVersion("another"))
    assert counting(other).version != counting(SUM).version
    assert counting(SUM).version == counting(SUM).version != SUM.version


def test_what_asv_does_not_time_in_the_process_itself_is_not_counted():
    """Memory is no work, and timeraw benchmarks time another process."""
    assert is_countable(SUM)
    assert not is_countable(replace(a_benchmark("m.peakmem_it"), type_word="peakmemory"))
    assert not is_countable(a_benchmark("m.timeraw_import"))


def test_the_timeout_applies_to_the_count_and_settings_of_timing_do_not():
    """A count has no repeats."""
    timed = replace(SUM, extra=(Field(name="repeat", json="3"), Field(name="timeout", json="60.0")))
    assert counting(timed).attribute("timeout") == 60.0
    assert counting(timed).attribute("repeat") is None


def test_the_selected_cases_are_counted_after_their_benchmark():
    """They keep asv's index."""
    memory = replace(a_benchmark("m.peakmem_it"), type_word="peakmemory")
    chosen = tuple(with_counts(select((SUM, memory), ("standard", "peakmem"))))
    names = ["cpu.Sum.time_run", "cpu.Sum.time_run.instructions", "m.peakmem_it"]
    assert [benchmark.name for benchmark, _ in chosen] == names
    (_, timed), (count, counted), _ = chosen
    assert [case.index for case in counted.cases] == [case.index for case in timed.cases] == [1, 3]
    assert (counted.benchmark, counted.version) == (count.name, count.version)
    assert counted.cases[0].name == "cpu.Sum.time_run.instructions('sync', 'standard')"
