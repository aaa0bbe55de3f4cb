"""The import rules of ARCHITECTURE.md: packages import only packages below them."""

import ast
from pathlib import Path

import pytest

import windtunnel

ROOT = Path(windtunnel.__file__).parent

ORDER = ("errors", "formats", "model", "text", "stats", "files", "git", "asv", "results", "features", "cli")
"""From the ground up."""

FEATURES = ("bench", "claims", "compare", "detect", "github", "publish")


def modules():
    """Every module of the package with the windtunnel names it imports."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(p for p in parts if p != "__init__")
        if name and parts[0] != "scenarios":
            yield name, imports(path)


def imports(path):
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
            assert node.level == 0, f"{path}: relative imports hide the package"
    return {name.removeprefix("windtunnel.") for name in names if name.startswith("windtunnel.")}


@pytest.mark.parametrize(("name", "imported"), list(modules()))
def test_the_tool_does_not_import_the_scenarios(name, imported):
    """Any suite can use the tool, so it knows nothing of ours."""
    assert not [each for each in imported if each.split(".")[0] == "scenarios"], name
