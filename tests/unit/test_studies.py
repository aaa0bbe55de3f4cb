"""The studies use names that the tool has: they run too seldom to notice when one is renamed."""

import ast
import importlib
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
OURS = "windtunnel", "windtunnel_claims", "windtunnel_scenarios", "asv_bench_async"


@pytest.mark.parametrize("path", sorted(STUDIES.rglob("*.py")), ids=lambda path: path.relative_to(STUDIES).as_posix())
def test_a_study_imports_names_that_exist(path):
    """Libraries that only a study needs are not installed here, so ours alone are looked up."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS:
            module = importlib.import_module(node.module)
            for name in node.names:
                if not hasattr(module, name.name):
                    importlib.import_module(f"{node.module}.{name.name}")
