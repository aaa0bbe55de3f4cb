"""docs/explanation/security.md: every threat names a test that exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_exists():
    """A threat whose test was renamed is held off by nothing that anybody can find."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = set(re.findall(r"`(test_[a-z_]+)`", PAGE))
    modules = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    assert len(named) > 15
    assert {name for name in named if name not in modules and f"def {name}(" not in code} == set()


def test_every_threat_names_a_test():
    """Or says plainly why there is none."""
    table = PAGE.partition("## Threats")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 15
    assert [row[0] for row in rows if "test_" not in row[-1] and row[-1] not in {"only GitHub can show", "—"}] == []


def test_every_file_that_the_page_names_exists():
    """The same for files."""
    assert all((ROOT / path).exists() for path in re.findall(r"`(tests/[\w/.]+)`", PAGE))
