"""What each case runs, seen by real Pythons: each way to lose a function without a word has its test."""

import os
import re
from time import monotonic

import pytest
from builders.reached import a_map, a_mapped_project

from windtunnel.asv.pythons import find_interpreters

SPAM = """\
import functools
import threading

def shared(): return 1

def at_import(): return shared()

def numbers():
    while True:
        try:
            yield helper()
        except ValueError:
            recovers()

def helper(): return 2

def recovers(): return 3

async def waits(): return helper()

def in_thread(): return 4

@functools.cache
def cached(): return 5

class Store:
    kept = None
    def read(self):
        return self.hit() if Store.kept else self.miss()
    def miss(self):
        Store.kept = 6
    def hit(self): return Store.kept
    @property
    def size(self): return [one for one in map(lambda each: each, (1, 2))]

def fills(): return 7

def tears_down(): return 8

def never(): return 9

AT_IMPORT = at_import()
RUNNING = numbers()
next(RUNNING)
"""
TWIN = "def twin(): return 1\n"
SUITE = """\
import asyncio, os, subprocess, sys, threading, time
import spam, spam.one, spam.two

def time_shared(): spam.shared()
def time_shared_again(): spam.shared()
def time_resumed(): next(spam.RUNNING)
def time_thrown(): spam.RUNNING.throw(ValueError)
def time_twin(): spam.two.twin()
def track_size(): return len(spam.Store().size)

class Prepared:
    def setup(self): self.waiting = spam.waits()
    def time_coroutine(self): asyncio.run(self.waiting)
    def teardown(self): spam.tears_down()

class Store:
    def time_read(self): spam.Store().read()

class Filled:
    def setup_cache(self): return spam.fills()
    def time_filled(self, cache): assert cache == 7
    def time_filled_too(self, cache): assert cache == 7

class Lazy:
    def time_lazy(self):
        import spam.lazy

def time_thread():
    one = threading.Thread(target=spam.in_thread)
    one.start()
    one.join()

def time_process(): subprocess.run([sys.executable, "-c", "import spam; spam.never()"])
def time_forked():
    pid = os.fork()
    if not pid:
        spam.never()
        os._exit(0)
    os.waitpid(pid, 0)
def time_fails(): raise OSError("no server")
def time_endless(): time.sleep(3600)
time_endless.timeout = 1
class Skipped:
    def setup(self): raise NotImplementedError("no disk")
    def time_skipped(self): pass
"""
THREADED = """\
import threading, time
import spam
threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
def time_first(): spam.cached()
def time_second(): spam.cached()
"""
PYTHONS = {one.spec: one for one in find_interpreters(os.environ) if re.fullmatch(r"3\.1[1-9]", one.spec)}


@pytest.fixture(scope="module", params=sorted(PYTHONS))
def mapped(request, tmp_path_factory, bare_python):
    """The map of a suite that has a case for each trap, on each Python that is installed."""
    folder = tmp_path_factory.mktemp("reach") / "project"
    files = {
        "src/spam/__init__.py": SPAM,
        "src/spam/one.py": TWIN,
        "src/spam/two.py": TWIN,
        "src/spam/lazy.py": "EGGS = 1\n",
        "suite/jobs.py": SUITE,
        "suite/threaded.py": THREADED,
    }
    a_mapped_project(folder, files)
    (folder / "spam").symlink_to("src/spam")
    return a_map(folder, bare_python(PYTHONS[request.param].path))[0]


def runs(mapped, case, path="src/spam/__init__.py"):
    """The functions of a file that a case runs, of which all are known."""
    assert mapped.cases[f"{case}-0"].reason == ""
    return set(mapped.cases[f"{case}-0"].functions.get(path, ()))


def test_a_function_that_another_case_ran_is_seen_again(mapped):
    """Python reports a code object once in a process; each case begins anew, also after the import."""
    assert runs(mapped, "jobs.time_shared") == runs(mapped, "jobs.time_shared_again") == {"shared"}
    assert "shared" in mapped.imports["jobs"]["src/spam/__init__.py"]


def test_a_generator_that_goes_on_is_seen(mapped):
    """It began at import: it is resumed, and an exception in it is no resumption."""
    assert runs(mapped, "jobs.time_resumed") == {"numbers", "helper"}
    assert "recovers" in runs(mapped, "jobs.time_thrown")
    assert {"waits", "helper"} <= runs(mapped, "jobs.Prepared.time_coroutine")


def test_threads_are_seen(mapped):
    """Also where the suite starts them at import, so that no process can be forked."""
    assert runs(mapped, "jobs.time_thread") == {"in_thread"}
    assert runs(mapped, "threaded.time_first") == runs(mapped, "threaded.time_second") == {"cached"}


def test_a_later_call_is_seen(mapped):
    """The first one fills a cache, and the second one runs another function."""
    assert runs(mapped, "jobs.Store.time_read") == {"Store.read", "Store.miss", "Store.hit"}


def test_what_prepares_a_case_is_part_of_it(mapped):
    """Its setup, its setup_cache, its teardown, and imports when it runs."""
    assert "tears_down" in runs(mapped, "jobs.Prepared.time_coroutine")
    assert runs(mapped, "jobs.Filled.time_filled") == runs(mapped, "jobs.Filled.time_filled_too") == {"fills"}
    assert runs(mapped, "jobs.Lazy.time_lazy", "src/spam/lazy.py") == {"<module>"}
    assert runs(mapped, "jobs.Skipped.time_skipped", "suite/jobs.py") == {"Skipped.setup"}


def test_equal_functions_of_two_files_are_two(mapped):
    """Their code objects are equal."""
    assert runs(mapped, "jobs.time_twin", "src/spam/two.py") == {"twin"}
    assert runs(mapped, "jobs.time_twin", "src/spam/one.py") == set()


def test_functions_in_functions_count_for_the_outermost(mapped):
    """Lambdas and comprehensions too."""
    assert runs(mapped, "jobs.track_size") == {"Store.size"}


def test_import_is_apart_from_cases(mapped):
    """Code outside of functions has a name of its own, and so has what it calls."""
    assert {"<module>", "at_import"} <= {*mapped.imports["jobs"]["src/spam/__init__.py"]}
    assert "suite/jobs.py" in mapped.imports["jobs"]
    assert "suite/jobs.py" not in mapped.imports["threaded"]
    assert not any("<module>" in runs(mapped, name) for name in ("jobs.time_shared", "threaded.time_first"))


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("jobs.time_process", "it starts other processes"),
        ("jobs.time_forked", "it starts other processes"),
        ("jobs.time_fails", "OSError: no server"),
        ("jobs.time_endless", "did not end within 1 s"),
    ],
)
def test_a_case_that_is_not_wholly_seen_says_so(mapped, case, reason):
    """It counts as reached."""
    assert reason in mapped.cases[f"{case}-0"].reason


def test_the_functions_of_the_standard_library_are_not_kept(mapped):
    """Nor those of other packages: the map has the files of the repository."""
    files = {path for one in mapped.cases.values() for path in one.functions}
    assert files == {
        *("src/spam/__init__.py", "src/spam/lazy.py", "src/spam/two.py", "suite/jobs.py", "suite/threaded.py")
    }


TWO = "import spam\ndef time_one(): spam.one()\ndef time_two(): spam.two()\n"


@pytest.fixture
def small(tmp_path):
    """A project with two cases."""
    package = "def one(): return 1\ndef two(): return 2\n"
    return a_mapped_project(tmp_path / "project", {"spam/__init__.py": package, "suite/jobs.py": TWO})


def test_a_case_of_a_commit_runs_once(small, bare_python):
    """A later call runs only those that the map lacks; a changed suite is mapped anew."""
    _, first = a_map(small, bare_python(), cases=("jobs.time_one",))
    mapped, second = a_map(small, bare_python())
    assert (first, second) == (["jobs.time_one-0"], ["jobs.time_two-0"])
    assert mapped.cases.keys() == {"jobs.time_one-0", "jobs.time_two-0"}
    assert a_map(small, bare_python())[1] == []
    (small / "suite" / "jobs.py").write_text(TWO + "# other\n")
    assert len(a_map(small, bare_python())[1]) == 2


def test_a_map_that_takes_too_long_lacks_cases(small, bare_python):
    """They count as reached, and a later call adds them."""
    mapped, ran = a_map(small, bare_python(), seconds=0.0)
    assert not mapped.cases
    assert ran == []


def test_a_damaged_map_is_made_again(small, bare_python):
    """Its file lies in the work folder."""
    a_map(small, bare_python())
    (small / ".windtunnel" / "map.json").write_text("{")
    assert len(a_map(small, bare_python())[1]) == 2


def test_a_project_that_is_installed_under_another_path_is_found_by_its_content(tmp_path, bare_python):
    """A build may put a folder of the repository anywhere."""
    folder = a_mapped_project(
        tmp_path / "project", {"source/core.py": TWIN, "suite/jobs.py": TWO.replace("one", "twin")}
    )
    (folder / "spam").mkdir()
    (folder / "spam" / "__init__.py").write_text(TWIN)
    mapped, _ = a_map(folder, bare_python())
    assert runs(mapped, "jobs.time_twin", "source/core.py") == {"twin"}


def test_a_map_ends_in_time_while_a_module_is_imported(tmp_path, bare_python):
    """The import of one module takes longer than the map may: its case has no entry, and is measured."""
    files = {
        "suite/quick.py": "def time_it(): pass\n",
        "suite/slow.py": "import os, time\nif os.environ.get('SLOW'): time.sleep(60)\n\ndef time_it(): pass\n",
    }
    project = a_mapped_project(tmp_path / "slow", files)
    found = [{"name": f"{name}.time_it", "params": [], "type": "time"} for name in ("quick", "slow")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLOW", "1")
        begun = monotonic()
        mapped, _ = a_map(project, bare_python(), seconds=8.0, found=found)
    assert monotonic() - begun < 30
    assert "slow.time_it-0" not in mapped.cases
    assert "quick.time_it-0" in mapped.cases
