"""The layers of ARCHITECTURE.md: imports point down only."""

import ast
from pathlib import Path

import pytest

import windtunnel

ROOT = Path(windtunnel.__file__).parent
SCENARIOS = ROOT.parent / "windtunnel_scenarios"

LAYERS = (
    ("errors", "measurement"),
    ("stats",),
    ("analysis",),
    (
        "adoption",
        "adoption_files",
        "asvjson",
        "codec",
        "configuration",
        "detection_settings",
        "expectations",
        "merge",
        "selection",
        "sharding",
        "report",
        "alert_settings",
        "alerts_json",
        "changes_json",
        "claims_json",
        "verdict_json",
        "github.requests",
    ),
    (
        "files",
        "git",
        "lock",
        "machine",
        "pythons",
        "tree",
        "runner",
        "records",
        "commits",
        "past",
        "points",
        "store",
        "plotting",
        "publish",
        "github",
    ),
    ("planner", "workshop", "comparing", "bisecting", "diagnosis", "finding", "store_diagnosis"),
    ("cli",),
)
"""From the ground up; a module belongs to the longest name that it begins with."""

PURE = {
    "adoption",
    "adoption_files",
    "errors",
    "measurement",
    "stats",
    "analysis",
    "asvjson",
    "configuration",
    "detection_settings",
    "merge",
    "selection",
    "sharding",
    "report",
    "alert_settings",
    "alerts_json",
    "changes_json",
    "claims_json",
    "verdict_json",
    "github.requests",
}
FORBIDDEN_IN_PURE = {"subprocess", "socket", "shutil", "tempfile", "urllib.request", "aiohttp", "asyncio", "threading"}


def modules():
    """Every module of the package with the windtunnel names it imports and the foreign ones."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(p for p in parts if p != "__init__")
        if name:
            yield name, *imports(path)


def imports(path):
    ours, foreign = set(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            assert node.level == 0, f"{path}: relative imports hide the layer"
        for name in names:
            head, _, rest = name.partition(".")
            foreign_name = "urllib.request" if name.startswith("urllib.request") else head  # urllib.parse is pure
            (ours if head == "windtunnel" else foreign).add(rest if head == "windtunnel" else foreign_name)
    return ours, foreign


def layer(name):
    matches = [
        (len(prefix), level)
        for level, prefixes in enumerate(LAYERS)
        for prefix in prefixes
        if name == prefix or name.startswith(prefix + ".")
    ]
    return max(matches)[1] if matches else None


@pytest.mark.parametrize(("name", "ours"), [(name, ours) for name, ours, _ in modules()])
def test_imports_point_down(name, ours):
    """A module imports from its own layer or from below."""
    assert layer(name) is not None, f"{name} is on no layer: add it to LAYERS and to ARCHITECTURE.md"
    for imported in ours:
        if imported and layer(imported) is not None:
            assert layer(imported) <= layer(name), f"{name} imports {imported}, which stands above it"


@pytest.mark.parametrize(("name", "foreign"), [(name, foreign) for name, _, foreign in modules()])
def test_the_tool_imports_nothing_of_the_scenarios(name, foreign):
    """The tool measures any suite."""
    assert "windtunnel_scenarios" not in foreign


@pytest.mark.parametrize("path", sorted(SCENARIOS.rglob("*.py")), ids=lambda path: path.stem)
def test_the_scenarios_import_nothing_of_the_tool(path):
    """Environments install the scenarios without the tool."""
    ours, foreign = imports(path)
    assert not ours
    assert "asv" not in foreign


@pytest.mark.parametrize(("name", "foreign"), [(name, foreign) for name, _, foreign in modules()])
def test_pure_layers_import_nothing_that_does_io(name, foreign):
    """Pure layers take bytes or values and return values: no process, socket or folder."""
    if any(name == pure or name.startswith(f"{pure}.") for pure in PURE):
        assert not foreign & FORBIDDEN_IN_PURE
