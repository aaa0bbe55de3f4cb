"""The launcher starts processes with asv's own spawners, a real suite and this Python."""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from asv import util
from asv.runner import Spawner, run_benchmark
from builders.existing import a_suite, an_environment
from builders.repositories import a_repository, commit, git
from builders.survivors import survivors

from windtunnel.asv.launcher import MIN_PROCESSES_FOR_FORKING, SLOW_IMPORT, Launcher, Parent, in_every_benchmark
from windtunnel.asv.measure import SetupCaches
from windtunnel.asv.paired_engine import CommitRunner
from windtunnel.model.benchmark import Case
from windtunnel.model.schedule import COMPARISON, ScheduledProcess

SUITE = """
import os

def time_one(): pass
def time_two(): pass
for function in (time_one, time_two):
    function.number, function.repeat, function.warmup_time = 1, 1, 0

def track_parent():
    return os.getppid()

class Told:
    number, repeat, warmup_time = 1, 1, 0
    def setup(self):
        print("forked from", os.getppid())
        raise RuntimeError("told")
    def time_one(self): pass
    def time_two(self): pass
"""
DEAF = "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
THREADED = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"


@pytest.fixture
def launcher(tmp_path, bare_python):
    """Makes a launcher for the suite, and ends what it started."""
    made = []

    def make(source=SUITE, method=None):
        suite = a_suite(tmp_path, source)
        made.append(Launcher(env=an_environment(tmp_path, bare_python()), suite=str(suite), method=method))
        return made[-1]

    with in_every_benchmark():
        yield make
        for one in made:
            one.close()


def parent_of(launcher, name, *, together=MIN_PROCESSES_FOR_FORKING):
    """Run one process of the case and return the process that it came from: a failing setup reports it."""
    entry = {"name": f"jobs.{name}", "type": name.partition(".")[2].partition("_")[0], "params": [], "timeout": 60}
    result = run_benchmark(entry, launcher.spawner(entry, 0, together), profile=False)
    return int(re.search(r"^forked from (\d+)$", result.stderr, re.MULTILINE)[1])


def test_a_parent_forks_each_case_once(launcher):
    """Two processes of a case never share a memory layout; those of different cases may."""
    ours = launcher()
    first = [parent_of(ours, name) for name in ("Told.time_one", "Told.time_two")]
    second = [parent_of(ours, name) for name in ("Told.time_two", "Told.time_one")]
    assert len(set(first)) == len(set(second)) == 1
    assert len({*first, *second, os.getpid()}) == 3


def test_a_new_round_starts_the_parents_of_both_arms_at_once(launcher):
    """Where the import takes seconds, one after the other would take twice as long."""
    one, other = launcher(), launcher()
    one.pair_with(other)
    other.pair_with(one)
    first = [parent_of(each, "Told.time_one") for each in (one, other)]
    assert parent_of(one, "Told.time_one") not in first
    started = other._parent
    assert parent_of(other, "Told.time_one") not in first
    assert other._parent is started


def test_a_parent_imports_only_what_runs_where_the_import_is_slow(launcher, tmp_path):
    """Two processes are enough then for a parent, and a case of another module gets another one."""
    ours = launcher()
    (tmp_path / "suite" / "slow.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w').close()\n{SUITE}")
    ours.start_seconds = SLOW_IMPORT + 1
    entry = {"name": "jobs.time_one", "type": "time", "params": [], "timeout": 60}
    parent = ours.spawner(entry, 0, 2, ("jobs",))
    assert isinstance(parent, Parent)
    assert not (tmp_path / "imported").exists()
    assert ours.spawner({**entry, "name": "jobs.time_two"}, 0, 2, ("jobs",)) is parent
    assert ours.spawner({**entry, "name": "slow.time_one"}, 0, 2, ("slow", "jobs")) is not parent
    assert (tmp_path / "imported").exists()


def test_the_forks_of_a_process_have_one_parent_and_give_one_result(launcher):
    """All their samples belong to it, and the time of its start is known."""
    ours = launcher("import time\ndef time_one(): time.sleep(0.01)\ntime_one.number = time_one.repeat = 1\n")
    caches = SetupCaches(entries={}, create=ours.create_setup_cache)
    runner = CommitRunner(conf=None, env=ours.env, hash="", launchers={COMPARISON[0]: ours}, caches=caches)
    case = Case(name="jobs.time_one", index=0)
    scheduled = ScheduledProcess(arm=COMPARISON[0], stage="screening", benchmark=case.name, case=case, forks=3)
    entry = {"name": case.name, "type": "time", "params": [], "timeout": 60}
    found = runner.run_process(scheduled, entry, together=MIN_PROCESSES_FOR_FORKING)
    assert found.state == "measured", found.reason
    assert found.forks == (1, 1, 1)
    assert len(found.wall) == len(found.cpu) == 3
    assert 0.03 <= found.sampled <= found.timed <= found.seconds - found.starting
    assert found.starting > 0


def test_both_commits_make_the_calls_that_fit_on_the_slower_one(launcher):
    """After their first processes; so neither has a longer loop, nor samples of minutes."""
    case = Case(name="jobs.time_one", index=0)
    entry = {"name": case.name, "type": "time", "params": [], "timeout": 60}
    numbers, found = {}, []
    for arm, work in zip(COMPARISON, ("pass", "time.sleep(0.001)"), strict=True):
        ours = launcher(f"import time\ndef time_one(): {work}\n")
        caches = SetupCaches(entries={}, create=ours.create_setup_cache)
        runner = CommitRunner(
            conf=None, env=ours.env, hash="", commit=arm.commit, launchers={arm: ours}, caches=caches, numbers=numbers
        )
        scheduled = ScheduledProcess(arm=arm, stage="screening", benchmark=case.name, case=case)
        runner.run_process(scheduled, entry, together=1)
        found.append((runner, scheduled))
    chosen = dict(numbers[case.name, 0])
    assert chosen["head"] < chosen["base"]
    assert {runner._sampling(scheduled)["number"] for runner, scheduled in found} == {min(chosen.values())}
    assert "windtunnel_in_file" not in found[0][0]._sampling(found[0][1])
    found[0][0].in_file.add((case.name, 0))
    assert found[0][0]._sampling(found[0][1])["windtunnel_in_file"] is True


@pytest.mark.parametrize(
    ("source", "method", "together"),
    [
        (SUITE, "spawn", MIN_PROCESSES_FOR_FORKING),
        (SUITE, None, MIN_PROCESSES_FOR_FORKING - 1),
        (THREADED + SUITE, None, MIN_PROCESSES_FOR_FORKING),
        (DEAF + SUITE, None, MIN_PROCESSES_FOR_FORKING),
    ],
    ids=["asked for", "too few to pay", "a suite with threads", "a suite that ignores SIGCHLD"],
)
def test_processes_are_spawned_where_forking_does_not_pay(launcher, source, method, together):
    """This holds for suites that ask for it, for few processes, and where a fork might hang."""
    assert parent_of(launcher(source, method), "Told.time_one", together=together) == os.getpid()


def test_paired_launchers_fork_both_or_neither(launcher, tmp_path):
    """When one commit's suite cannot be forked, the other is not forked either."""
    able, unable = launcher(), launcher()
    (tmp_path / "other").mkdir()
    unable.suite = str(a_suite(tmp_path / "other", THREADED + SUITE))
    able.pair_with(unable)
    unable.pair_with(able)
    assert parent_of(able, "Told.time_one") == os.getpid()
    assert (able.method, unable.method) == ("spawn", "spawn")


def test_processes_are_spawned_when_the_socket_path_is_too_long(launcher, tmp_path, monkeypatch):
    """A socket's path has at most 107 bytes; asv's own server would fail on a longer one."""
    folder = tmp_path / ("deep" * 25)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert parent_of(launcher(), "Told.time_one") == os.getpid()


def test_an_interrupt_is_not_a_failure_of_a_benchmark(launcher, tmp_path):
    """asv turns it into an error that looks like a dead process; nothing is started after it."""
    ours = launcher(method="spawn")
    ours._spawner = Interrupted(ours.env, ours.suite)
    caches = SetupCaches(entries={}, create=ours.create_setup_cache)
    runner = CommitRunner(conf=None, env=ours.env, hash="", launchers={COMPARISON[0]: ours}, caches=caches)
    scheduled = ScheduledProcess(
        arm=COMPARISON[0], stage="screening", benchmark="jobs.time_one", case=Case(name="jobs.time_one", index=0)
    )
    with pytest.raises(KeyboardInterrupt):
        runner.run_process(
            scheduled, {"name": "jobs.time_one", "type": "time", "params": [], "timeout": 60}, together=1
        )


def test_the_own_suite_of_base_is_read_from_git(tmp_path, bare_python):
    """Without a suite at base, all benchmarks are new; a suite that a partial clone lacks marks nothing."""
    root = a_repository(tmp_path / "project", "one")
    base = git(root, "rev-parse", "HEAD")
    suite = a_suite(root, SUITE)
    head = commit(root, "two")
    conf = SimpleNamespace(repo=str(root), benchmark_dir=str(suite))
    found = [{"name": "jobs.time_one"}]

    def own(commit):
        return CommitRunner(conf=conf, env=an_environment(tmp_path, bare_python()), hash=commit).own_suite(
            "suite", found, {}
        )

    assert own(base) == ([], {})
    assert own(head) == (found, {})
    (suite / "jobs.py").write_text("")
    names = {entry["name"] for entry in own(head)[0]}
    assert {"jobs.time_one", "jobs.Told.time_two"} <= names
    blob = git(root, "rev-parse", "HEAD:suite/jobs.py")
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert own(head) == (found, {})


class Interrupted(Spawner):
    """Ctrl-C comes while the process runs."""

    def run(self, **_):
        """Raise as the engine's signal handler does."""
        raise KeyboardInterrupt


def test_only_timings_are_forked_by_default(launcher):
    """Memory of a parent would count as the child's."""
    entry = {"name": "jobs.track_parent", "type": "track", "params": [], "timeout": 60}
    for method, anew in ((None, True), ("forkserver", False)):
        ours = launcher(method=method)
        (value,) = run_benchmark(entry, ours.spawner(entry, 0, MIN_PROCESSES_FOR_FORKING), profile=False).result
        assert (value == os.getpid()) is anew


def test_a_suite_that_a_parent_cannot_import_is_spawned(launcher):
    """With ``forkserver`` it is an error."""
    deadly = f"import sys\nif 'run_server' in sys.argv: os._exit(3)\n{SUITE}"
    assert parent_of(launcher(f"import os\n{deadly}"), "Told.time_one") == os.getpid()
    asked = launcher(f"import os\n{deadly}", "forkserver")
    with pytest.raises(util.UserError, match="benchmark runner crashed"):
        parent_of(asked, "Told.time_one")


def test_an_unknown_method_is_an_error(launcher):
    """It is raised before anything is measured."""
    with pytest.raises(ValueError, match="teleport"):
        launcher(method="teleport")


def test_a_parent_ends_with_its_starter(tmp_path, bare_python):
    """Otherwise it would wait for ever."""
    a_suite(tmp_path, SUITE)
    script = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from builders.existing import an_environment
from windtunnel.asv.launcher import MIN_PROCESSES_FOR_FORKING, Launcher
from windtunnel.asv.launcher import in_every_benchmark
with in_every_benchmark():
    os.environ["PYTHONPATH"] = os.environ["ASV_PYTHONPATH"]  # which asv sees to in environments that it made
    env = an_environment(Path({str(tmp_path)!r}), {str(bare_python())!r})
    ours = Launcher(env=env, suite={str(tmp_path / "suite")!r}, method=None)
    started = ours.spawner({{"name": "jobs.time_one", "type": "time"}}, 0, MIN_PROCESSES_FOR_FORKING)
    print(started.server_proc.pid, flush=True)
    sys.stdin.readline()
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:
        parent = psutil.Process(int(engine.stdout.readline()))
        engine.kill()
    assert not survivors([parent])


def test_a_forked_benchmark_ends_with_its_parent(launcher, tmp_path, monkeypatch):
    """The parent enforces its timeout, so nothing else would end it."""
    monkeypatch.setenv("PYTHONPATH", os.environ["ASV_PYTHONPATH"])  # which asv sees to in environments that it made
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    tell = f"open({str(fifo)!r}, 'w').write(str(os.getpid()))"
    hanging = f"import os, time\ndef time_hang():\n    {tell}\n    time.sleep(600)\n"
    ours = launcher(hanging)
    entry = {"name": "jobs.time_hang", "type": "time", "params": [], "timeout": 600}
    spawner = ours.spawner(entry, 0, MIN_PROCESSES_FOR_FORKING)
    with ThreadPoolExecutor() as pool:
        ended = pool.submit(run_benchmark, entry, spawner, profile=False)
        hangs = psutil.Process(int(fifo.read_text()))
        spawner.server_proc.kill()  # it alone: closing ends the whole group
        with pytest.raises((util.UserError, RuntimeError, OSError)):
            ended.result(timeout=60)
    assert not survivors([hangs])


def test_closing_removes_parent_and_socket(launcher):
    """Neither the process nor its socket remains."""
    with closing(launcher()) as ours:
        parent_of(ours, "Told.time_one")
        server = ours._parent
    assert server.server_proc.poll() is not None
    assert not Path(server.tmp_dir).exists()
