"""Generated files are those that ``make generate`` writes now."""

import json
import re
from pathlib import Path

from builders.comment_examples import EXAMPLES, KINDS
from builders.folders import load_script

from studies.comment_pictures import PICTURES, SHOWN, digest
from windtunnel.compare.kinds import VerdictKind

ROOT = Path(__file__).parents[2]


def test_generated_files_are_up_to_date():
    """Schemas, field tables and the types of the pages follow the types in the code."""
    generated = load_script(ROOT / "docs" / "generate.py").generated()
    assert generated
    stale = [path.name for path, content in generated.items() if not path.is_file() or path.read_bytes() != content]
    assert stale == [], "run make generate"


def test_pictures_of_comments_show_the_comments_of_today():
    """A picture is taken again when its comment changes."""
    shown = json.loads(SHOWN.read_text(encoding="utf-8"))
    assert shown == {name: digest(EXAMPLES[name]) for name in PICTURES.values()}, (
        'run make study ARGS="studies.comment_pictures"'
    )
    assert {path.stem for path in (ROOT / "docs" / "images").glob("comment-*.png")} == {
        f"comment-{name}" for name in shown
    }


def test_the_page_of_comments_shows_each_kind_of_verdict_once():
    """With its picture and a paragraph, under the name that the code gives it; no kind is without an example."""
    page = (ROOT / "docs" / "comment.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    assert [text.partition("\n")[0] for text in sections] == [*VerdictKind]
    assert len(VerdictKind) <= 8
    for kind, text in zip(VerdictKind, sections, strict=True):
        assert re.findall(r"images/comment-([\w-]+)\.png", text) == [PICTURES[kind]]
        assert KINDS[PICTURES[kind]] is kind
        assert not text.split("\n\n")[1].startswith(("!", "-"))
