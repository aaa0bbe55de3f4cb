"""A case that the map leaves out gives the same result on both commits: shown by many changes of a small project."""

import ast
import json
import re
import shutil
import subprocess
import sys

import pytest
from builders.examples import EXPLORE
from builders.processes import a_comparable_case
from builders.reached import a_map, a_mapped_project
from msgspec.structs import replace

from windtunnel.compare.case_matching import ComparableCases
from windtunnel.compare.changed_code import find_changed_code
from windtunnel.compare.format import MISSING_KINDS
from windtunnel.compare.reach import choose_reached, known_cases, reach_without_map

CORE = '''\
"""Works."""
import functools
from spam.tools import traced, registry
from spam.shapes import *

LIMIT = 3
FILES = {"a": 1}

def plain(size, step=1): return [size, step, LIMIT]

def outer(size):
    def inner(value): return value + size
    return [inner(each) for each in range(size)]

def lazily(size):
    for each in range(size):
        yield helper(each)

def helper(value): return value * 2

@functools.cache
def cached(size): return helper(size) + 1

@traced
def wrapped(size): return size + 4

def sorts(values): return sorted(values, key=by_sign)

def by_sign(value): return -value

def sums(values): return sum(values)

async def waits(size):
    return later(size)

def later(size): return size + 6

class Base:
    kind = "base"
    def name(self): return self.kind
    def describe(self): return f"{self.name()} {self.size}"
    size = 1

class Child(Base):
    kind = "child"
    def name(self): return f"my {self.kind}"
    @property
    def size(self): return 2
    @staticmethod
    def make(): return Child()

class Box:
    def __init__(self, value): self.value = value
    def __bool__(self): return self.value > 0
    def __iter__(self): return iter([self.value])

def truth(value): return bool(Box(value)), list(Box(value)), Box(1) == Box(1), len({Box(1)})

def kinds(): return sorted(registry)

def threaded():
    import threading
    found = []
    one = threading.Thread(target=lambda: found.append(later(1)))
    one.start()
    one.join()
    return found

def rarely(): return "rare"

def never(): return "never"

class Store:
    def __init__(self): self.kept = {}
    def get(self, name):
        if name in self.kept:
            return self.hit(name)
        return self.miss(name)
    def hit(self, name): return self.kept[name]
    def miss(self, name): return self.kept.setdefault(name, FILES[name])

STORE = Store()
RUNNING = lazily(9)
next(RUNNING)
'''
TOOLS = '''\
import textwrap
registry = []

class Registered:
    def __init_subclass__(cls): registry.append(cls.__name__)

def traced(function):
    def called(*arguments): return around(function(*arguments))
    return called

def around(value): return ["traced", value]

def jit(function):
    """Translate a function, so that its own code never runs."""
    import inspect
    source = textwrap.dedent(inspect.getsource(function)).partition("\\n")[2]
    scope = {}
    exec(compile(source, "<translated>", "exec"), scope)
    return scope[function.__name__]
'''
COMPILED = """\
from spam.tools import jit

@jit
def translated(size): return size + 5
"""
SHAPES = """\
from spam.tools import Registered
__all__ = ["area", "Square"]

def area(side): return side ** power()

def power(): return 2

class Square(Registered):
    sides = 4
    def edge(self): return self.sides * area(1)
"""
JOBS = """\
import asyncio
from spam import compiled, core

def track_plain(): return core.plain(2)
def track_outer(): return core.outer(3)
def track_lazily(): return list(core.lazily(3))
def track_running(): return next(core.RUNNING)
def track_cached(): return core.cached(2)
def track_wrapped(): return core.wrapped(1)
def track_translated(): return compiled.translated(1)
def track_sorts(): return core.sorts([1, 2])
def track_sums(): return core.sums([1, 2])
def track_waits(): return asyncio.run(core.waits(1))
def track_child(): return core.Child.make().describe()
def track_base(): return core.Base().describe()
def track_truth(): return core.truth(1)
def track_kinds(): return core.kinds()
def track_threaded(): return core.threaded()
def track_square(): return core.Square().edge()
def time_store(): return core.STORE.get("a")  # a second call runs another function; what is tracked is called once
class Prepared:
    def setup_cache(self): return core.rarely()
    def track_prepared(self, cache): return cache
"""
FILES = {
    "spam/__init__.py": "",
    "spam/core.py": CORE,
    "spam/tools.py": TOOLS,
    "spam/compiled.py": COMPILED,
    "spam/shapes.py": SHAPES,
    "spam/unused.py": "def unused(): return 1\n",
}
RUN = """
import asyncio, functools, inspect, json, os, sys, textwrap, threading  # once, so that a fork imports the project alone
sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "suite")]
found = {}
for name in json.loads(sys.argv[1]):
    reading, writing = os.pipe()
    if not os.fork():
        try:
            import jobs
            owner = jobs.Prepared() if "Prepared" in name else jobs
            given = [owner.setup_cache()] if "Prepared" in name else []
            value = repr([getattr(owner, name.rpartition(".")[2])(*given) for _ in range(2)])
        except BaseException as error:
            value = repr(error)
        os.write(writing, value.encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        found[name] = pipe.read()
print(json.dumps(found))
"""
DEFAULT_BODIES = {"inner", "later", "hit", "around", "power", "never"}
"""Functions that are changed by default: nested, awaited, of a second call, in a decorator, of another file, unused."""
SHAPED = [
    ("core", "LIMIT = 3", "LIMIT = 4"),
    ("core", "step=1", "step=5"),
    ("core", "def sums(values)", "def sum(values): return 0\n\ndef sums(values)"),
    ("core", "def by_sign(value): return -value", "from operator import abs as by_sign"),
    ("tools", "def around(value): return", "def around(value, word=0): return word or"),
    ("core", "@functools.cache\n", "@traced\n"),
    ("shapes", '"Square"]', '"Square", "sum"]\ndef sum(values): return 7'),
    ("core", 'FILES = {"a": 1}', 'FILES = {"a": 2}'),
    ("core", 'kind = "child"', 'kind = "kid"'),
    ("core", "    size = 1\n", "    size = 3\n"),
    ("core", "step=1", "step=LIMIT"),
    ("core", "@traced\n", ""),
    ("core", "    @property\n", ""),
    ("core", '    def name(self): return f"my {self.kind}"\n', ""),
    ("core", "    @property\n    def size(self): return 2\n", ""),
    ("core", "class Child(Base)", "class Child(dict, Base)"),
    ("core", "    def __bool__(self): return self.value > 0\n", ""),
    ("core", "    def __iter__", "    def __eq__(self, other): return True\n    def __iter__"),
    ("core", "    def __iter__", "    def __hash__(self): return 1\n    def __iter__"),
    ("core", "    def __bool__(self)", "    def __len__(self)"),
    ("core", "from spam.shapes import *", "from spam.shapes import *\nfrom spam.tools import around as helper"),
    ("core", "def helper(value): return value * 2", "helper = lambda value: value * 3"),
    ("core", "RUNNING = lazily(9)\nnext(RUNNING)", "RUNNING = lazily(9)"),
    ("compiled", "@jit\n", ""),
    ("shapes", '"Square"]', '"Square", "sorted"]\nsorted = lambda values, key=None: 1'),
    ("shapes", "class Square", "class Circle(Registered): pass\nclass Square"),
    ("shapes", "def power(): return 2\n", "from operator import truth as power\n"),
    ("tools", "registry = []", 'registry = ["first"]'),
]  # fmt: skip
"""Changes that a change of a function's body is not: file, old and new text; by default, the first five."""


class Returns(ast.NodeTransformer):
    """Changes what one function returns or yields."""

    def __init__(self, place):
        self.place, self.names = place, []

    def visit_FunctionDef(self, node):
        self.names.append(node.name)
        if len(self.names) == self.place:
            for each in ast.walk(node):
                if isinstance(each, ast.Return | ast.Yield) and each.value:
                    each.value = ast.parse(f"[{ast.unparse(each.value)}, 'changed']", mode="eval").body
        self.generic_visit(node)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - of ast


def bodies():
    """Each file with one function changed, for each function."""
    for path, source in FILES.items():
        found = Returns(0)
        found.visit(ast.parse(source))
        for place, name in enumerate(found.names, 1):
            if EXPLORE or name in DEFAULT_BODIES:
                yield path, ast.unparse(Returns(place).visit(ast.parse(source)))


def shapes():
    """Each file with one of SHAPED."""
    for name, old, new in SHAPED if EXPLORE else SHAPED[:5]:
        path = f"spam/{name}.py"
        assert old in FILES[path], old
        yield path, FILES[path].replace(old, new, 1)


def results(folder, names):
    """What each case returns, or how it fails."""
    ran = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(names)], cwd=folder, check=True, capture_output=True, text=True
    )
    return json.loads(ran.stdout)


@pytest.fixture
def project(tmp_path):
    """The project and its suite."""
    return a_mapped_project(tmp_path / "project", {**FILES, "suite/jobs.py": JOBS})


def by_name(mapped):
    """A map whose cases have names, as comparisons use them."""
    return replace(mapped, cases={key.removesuffix("-0"): case for key, case in mapped.cases.items()})


def seen_from_map(path, head):
    """What differs in *path*, named as in the map of the files before."""
    words = {word for text in FILES.values() for word in re.findall(r"\w+", text)}
    return find_changed_code([path], head.get, FILES.get, words.__contains__, dispatches=True)


LEAST = [(bodies, 500, 35), (shapes, 80, 22)] if EXPLORE else [(bodies, 100, 6), (shapes, 50, 4)]
"""For each kind of change, how many cases are left out, and how many give another result, all changes together."""


@pytest.mark.parametrize(("changes", "least_left_out", "least_shown"), LEAST)
def test_no_case_that_is_left_out_gives_another_result(
    project, bare_python, monkeypatch, changes, least_left_out, least_shown
):
    """A mutation of each function, and changes of what is no function; some of both unless the run explores."""
    monkeypatch.setattr("windtunnel.asv.reach.suite_digest", lambda folder: "the same suite")
    known = by_name(a_map(project, bare_python())[0])
    names = list(known.cases)
    types = {name: name.rpartition(".")[2].partition("_")[0] for name in names}
    entries = [{"name": name, "params": [], "type": types[name], "timeout": 60} for name in names]
    entries = [{**one, "setup_cache_key": "jobs"} if "Prepared" in one["name"] else one for one in entries]
    cases = tuple(a_comparable_case(name) for name in names)
    comparable = ComparableCases(cases=cases, missing={kind: [] for kind in MISSING_KINDS})
    before = results(project, names)
    left_out = shown = kept = 0
    for path, source in changes():
        head = {**FILES, path: source}
        (project / path).write_text(source)
        after = results(project, names)
        words = {word for text in head.values() for word in re.findall(r"\w+", text)}
        code = find_changed_code([path], FILES.get, head.get, words.__contains__)
        assert not reach_without_map(len(names), code, (), ()).reached
        shutil.rmtree(project / ".windtunnel")
        mapped = by_name(a_map(project, bare_python(), found=entries)[0])
        chosen, reach = choose_reached(comparable, code, mapped, (), 1)
        lost = {one.benchmark for one in (*chosen.missing["unaffected"], *reach.guard)}
        differing = {name for name in names if before[name] != after[name]}
        held = known_cases(known, seen_from_map(path, head), ())
        assert held.cases == {name: mapped.cases[name] for name in held.cases}, f"{path}\n{source}"
        assert not held.cases.keys() & differing
        kept += len(held.cases)
        assert not lost & differing, f"{path}: {lost & differing}\n{source}"
        left_out, shown = left_out + len(lost), shown + len(differing)
        (project / path).write_text(FILES[path])
    assert left_out >= least_left_out
    assert kept >= 0.6 * least_left_out  # a new method counts for all that import its file
    assert shown >= least_shown
