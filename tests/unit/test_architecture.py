"""The import rules of ARCHITECTURE.md, read from the code."""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import windtunnel
import windtunnel_claims
import windtunnel_scenarios

TOOL = Path(windtunnel.__file__).parent
SCENARIOS = Path(windtunnel_scenarios.__file__).parent
CLAIMS = Path(windtunnel_claims.__file__).parent

ORDER = (
    "errors",
    "formats",
    "model",
    "text",
    "stats",
    "files",
    "git",
    "asv",
    "pytest_suite",
    "results",
    "FEATURE",
    "cli",
)
"""From the ground up: a package imports from itself and from packages before it."""

FEATURES = frozenset({"bench", "compare", "detect", "github", "publish"})

FORMATS = frozenset({"format", "alert_format", "bisect_format", "samples_format", "error_rates_format"})
"""Modules of a feature that other features may import: the types of the files that pass between them."""

OWNERS = {
    "asv": ("asv",),
    "asv_runner": ("asv",),
    "filelock": ("files", "results.work_dir"),
    "stamina": ("results.branch.retry",),
    "httpx": ("github.client",),
    "socket": ("github.client",),
    "urllib.request": ("github.client",),
    "subprocess": ("asv", "git", "pytest_suite.requirements"),
}
"""The only packages or modules that may import these: asv is driven from ``asv``, git is run from ``git``."""

EFFECTS = frozenset({
    "asyncio", "fcntl", "filelock", "httpx", "multiprocessing", "os", "pathlib", "shutil", "signal", "socket",
    "stamina", "subprocess", "tempfile", "threading", "time", "urllib.request",
})  # fmt: skip
"""Imports by which a module reaches disk, network, processes, clock or environment variables."""

EFFECTFUL = {
    "asv": "drives asv: configuration files, environments, processes",
    "bench.doctor": "examines this machine",
    "bench.plan": "starts the engine",
    "bench.shard_run": "runs a shard",
    "detect.level_cache": "keeps the levels of series in a file",
    "cli": "the command line",
    "compare.environment_pair": "reads lists of benchmarks and starts the engine",
    "compare.request": "names folders",
    "files": "writes files",
    "git": "runs git",
    "github.client": "opens connections",
    "publish.publisher": "builds the site",
    "pytest_suite": "reads a project and writes the suite that asv runs",
    "publish.site_folder": "replaces the site",
    "results": "reads and writes results folders and branches",
}
"""Modules, or whole packages below the features, with effects; every other module is pure."""

SMALL = {
    "asv.start_engine": "runs before the modules that import asv",
    "cli.__main__": "python -m windtunnel.cli needs a module of this name",
}
"""Modules of fewer than 40 lines, each with its reason."""


def paths(root):
    """The modules below *root*: path by name."""
    return {
        ".".join(part for part in path.relative_to(root).with_suffix("").parts if part != "__init__"): path
        for path in sorted(root.rglob("*.py"))
    }


@cache
def imports_by_module(root):
    """The modules below *root* by name, each with the names that it imports."""
    return {name: imports(path) for name, path in paths(root).items()}


def imports(path):
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write the whole name of the module; a relative import hides the package"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


PATHS = paths(TOOL)
MODULES = sorted(filter(None, PATHS))


def own(name):
    """The modules of the tool that the module *name* imports."""
    found = set()
    for imported in imports_by_module(TOOL)[name]:
        head, _, rest = imported.partition(".")
        while head == "windtunnel" and rest and rest not in PATHS:
            rest = rest.rpartition(".")[0]
        if head == "windtunnel" and rest:
            found.add(rest)
    return found


def foreign(name):
    """Other packages that the module *name* imports."""
    return {
        "urllib.request" if imported.startswith("urllib.request") else imported.partition(".")[0]
        for imported in imports_by_module(TOOL)[name]
    }


def package(name):
    return name.partition(".")[0]


def rank(name):
    return ORDER.index("FEATURE" if package(name) in FEATURES else package(name))


def belongs(name, owners):
    return any(name == owner or name.startswith(f"{owner}.") for owner in owners)


def test_a_package_imports_only_packages_below_it():
    """The order is cli, features, results, asv, git, and the ground; a feature imports only formats of another."""
    between = [(name, each) for name in MODULES for each in own(name) if package(each) != package(name)]
    assert between
    assert [(name, each) for name, each in between if rank(each) > rank(name)] == []
    features = [(name, each) for name, each in between if rank(each) == rank(name)]
    assert [(name, each) for name, each in features if not FORMATS & set(each.split("."))] == []


@pytest.mark.parametrize("top", sorted({package(name) for name in PATHS if name}))
def test_imports_inside_a_package_have_no_circles(top):
    """Whoever reads a package can begin at its ground."""
    graph = {name: {each for each in own(name) if package(each) == top and each != name} for name in PATHS}
    try:
        TopologicalSorter({name: below for name, below in graph.items() if package(name) == top}).prepare()
    except CycleError as circle:
        pytest.fail(f"{' -> '.join(circle.args[1])}")


def test_one_package_imports_asv_one_runs_git_one_module_opens_connections():
    """Libraries and effects with an owner are used by it alone."""
    owned = [(name, each) for name in MODULES for each in foreign(name) & OWNERS.keys()]
    assert owned
    assert [(name, each) for name, each in owned if not belongs(name, OWNERS[each])] == []


def test_decisions_are_pure():
    """A module that is not listed as effectful reaches nothing outside."""
    pure = [name for name in MODULES if not belongs(name, EFFECTFUL)]
    assert {name: found for name in pure if (found := foreign(name) & EFFECTS)} == {}


@pytest.mark.parametrize("name", sorted(EFFECTFUL))
def test_modules_that_lost_their_effects_leave_the_list(name):
    """An exception is listed only as long as it exists."""
    assert any(foreign(each) & EFFECTS for each in PATHS if belongs(each, (name,)))


def test_the_tool_imports_nothing_of_the_scenarios():
    """The tool measures any suite."""
    assert [name for name in PATHS if "windtunnel_scenarios" in foreign(name)] == []


CLAIMS_EFFECTS = {
    "claims_command": "reads results, the claims file and the clock's day",
    "measure_command": "measures, and keeps what is measured",
    "measuring": "starts the engine and reads the list of benchmarks",
}
"""Modules of the claims with effects, each with its reason."""


def test_the_tool_imports_nothing_of_the_claims():
    """They are a distribution of their own, which the tool finds by entry points."""
    assert [name for name in PATHS if "windtunnel_claims" in foreign(name)] == []


def test_the_claims_import_the_tool_and_obey_its_rules():
    """Decisions are pure, no circle, nothing of the scenarios, and asv, git and the network only through the tool."""
    found = imports_by_module(CLAIMS)
    tops = {name: {each.partition(".")[0] for each in names} for name, names in found.items()}
    assert any("windtunnel" in each for each in tops.values())
    assert {
        name: bad for name, each in tops.items() if (bad := each & (OWNERS.keys() | {"windtunnel_scenarios"}))
    } == {}
    touching = {name for name, each in tops.items() if each & EFFECTS}
    assert touching == CLAIMS_EFFECTS.keys()
    graph = {
        name: {each.split(".")[1] for each in names if each.startswith("windtunnel_claims.")} - {name}
        for name, names in found.items()
    }
    TopologicalSorter(graph).prepare()
    commands = {name for name, names in found.items() if any(each.startswith("windtunnel.cli") for each in names)}
    assert commands == {"claims_command", "measure_command", "measuring"}


def test_the_scenarios_import_nothing_of_the_tool():
    """Environments install the scenarios without the tool."""
    imported = [
        (name, each.partition(".")[0]) for name, found in imports_by_module(SCENARIOS).items() for each in found
    ]
    assert imported
    assert [(name, each) for name, each in imported if each in {"windtunnel", "windtunnel_claims", "asv"}] == []


def definitions():
    """The classes of the tool: name and module."""
    for path in sorted(TOOL.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, path.relative_to(TOOL).as_posix()


def test_no_class_name_is_defined_twice():
    """A name of a class has one meaning in the whole tool."""
    places = {}
    for name, place in definitions():
        places.setdefault(name, []).append(place)
    assert not {name: where for name, where in places.items() if len(where) > 1}


def test_small_modules_have_a_reason():
    """A module holds a whole topic; a smaller one is listed with its reason."""
    small = {
        ".".join(path.relative_to(TOOL).with_suffix("").parts)
        for path in TOOL.rglob("*.py")
        if path.name != "__init__.py" and len(path.read_text(encoding="utf-8").splitlines()) < 40
    }
    assert small == SMALL.keys()
