"""Generated files are those that ``make generate`` writes now."""

import importlib.util
import json
from pathlib import Path

from builders.comment_examples import EXAMPLES

from studies.comment_pictures import PICTURES, SHOWN, digest

ROOT = Path(__file__).parents[2]


def load_generator():
    """The module docs/generate.py, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_files_are_up_to_date():
    """Schemas, field tables and the types of the pages follow the types in the code."""
    generated = load_generator().generated()
    assert generated
    stale = [path.name for path, content in generated.items() if not path.is_file() or path.read_bytes() != content]
    assert stale == [], "run make generate"


def test_pictures_of_comments_show_the_comments_of_today():
    """A picture is taken again when its comment changes."""
    shown = json.loads(SHOWN.read_text(encoding="utf-8"))
    assert shown == {name: digest(EXAMPLES[name]) for name in PICTURES}, (
        'run make study ARGS="studies.comment_pictures"'
    )
    assert all((ROOT / "docs" / "images" / f"comment-{name}.png").is_file() for name in PICTURES)
