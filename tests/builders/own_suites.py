"""The suites of this repository, read without importing them."""

import ast
from pathlib import Path

SUITES = Path(__file__).parents[2] / "benchmarks"


def suites():
    """Yield each benchmark class as ``module.Class``, with its variants."""
    for path in sorted(SUITES.glob("[!_]*.py")):
        found = {}
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = variants_of(node, found)
        for name, variants in found.items():
            yield f"{path.stem}.{name}", variants


def variants_of(node, found):
    """The value of ``variants`` in a class: a tuple, or that of another class of the module."""
    value = next(each.value for each in node.body if isinstance(each, ast.Assign) and each.targets[0].id == "variants")
    return found[value.value.id] if isinstance(value, ast.Attribute) else ast.literal_eval(value)
