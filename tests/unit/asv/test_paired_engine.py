"""Tests for the engine's answer to a request for profiles."""

from types import SimpleNamespace

from windtunnel.asv.measure import SetupCaches
from windtunnel.asv.paired_engine import CommitRunner, execute
from windtunnel.asv.protocol import CaseProfiled, ProfileCases
from windtunnel.model.schedule import CountedCase


def test_a_case_whose_setup_cache_fails_has_a_reason_and_the_next_one_follows():
    """One event for each case, in the order of the request."""
    entries = {"bench.time_it": {"name": "bench.time_it", "params": [], "setup_cache_key": "bench:3", "timeout": 60.0}}
    caches = SetupCaches(entries=entries, create=lambda *_: (None, "no such file"))
    conf = SimpleNamespace(benchmark_dir="benchmarks")
    runner = CommitRunner(conf=conf, env=None, hash="", entries=entries, caches=caches)
    cases = tuple(CountedCase(commit="head", benchmark="bench.time_it", index=index) for index in (0, 1))
    events = []
    execute(ProfileCases(cases=cases), {"head": runner}, events.append)
    assert [event.case for event in events if isinstance(event, CaseProfiled)] == list(cases)
    assert all("no such file" in event.profile.reason for event in events)
