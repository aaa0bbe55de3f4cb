"""Generated files are those that ``make generate`` writes now."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def load_generator():
    """The module docs/generate.py, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = load_generator().generated()


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_a_generated_file_is_up_to_date(path):
    """Schemas, field tables and the types of the pages follow the types in the code."""
    assert path.is_file(), "run make generate"
    assert path.read_bytes() == GENERATED[path], "run make generate"
