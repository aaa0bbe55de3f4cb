"""Tests for windtunnel.compare.touched_functions."""

import subprocess

import pytest

from windtunnel.compare.touched_functions import DIFF_OPTIONS, MODULE, touched_files

SOURCE = """import re

LIMIT = 3


class Parser:
    size = 1

    @property
    def parse(self):
        def inner(text):
            return text

        return inner("a")


async def fetch():
    return 1
"""


def touched(hunk, source=SOURCE):
    """The functions on head that a diff of one *hunk* touches, when both commits have *source*."""
    diff = f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{hunk}"
    return next(touched_files(diff, lambda _: source, lambda _: source)).head_functions


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (1, MODULE),
        (7, MODULE),
        (9, "Parser.parse"),
        (10, "Parser.parse"),
        (12, "Parser.parse.<locals>.inner"),
        (14, "Parser.parse"),
        (18, "fetch"),
    ],
)
def test_a_line_touches_the_innermost_function_around_it(line, name):
    """A decorator belongs to its function; names are those of Python."""
    assert touched(f"@@ -{line - 1},0 +{line} @@\n+x\n") == {name}


def test_a_function_that_only_lost_lines_is_touched_on_head_too():
    """A deletion has no line on head."""
    assert touched("@@ -12 +11,0 @@\n-x\n") == {"Parser.parse.<locals>.inner"}


@pytest.mark.parametrize("source", ["def broken(:\n", "x = '\0'", "x" * 10_000_000])
def test_source_that_cannot_be_read_touches_nothing(source):
    """It may come from a fork."""
    assert touched("@@ -0,0 +1 @@\n+x\n", source) == frozenset()


def test_a_diff_of_git_is_read_with_renames_additions_and_removals(tmp_path):
    """Paths may need quotes; lines of the content may look like headers."""

    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    body = "".join(f"def line_{number}(): 0\n" for number in range(1, 21))
    for name, text in (("old name.py", body), ("gone.py", "x\n"), ("ünder.py", "def a(): 0\ndef b(): 0\n-- c\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    git("add", "--all")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "base")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "old name.py").unlink()
    body = body.replace("line_4()", "line_four(): 0\n++ b/fake.py\ndef new()")
    (tmp_path / "new.py").write_text(body, encoding="utf-8")
    (tmp_path / "ünder.py").write_text("def a(): 0\ndef b(): 0\n", encoding="utf-8")
    (tmp_path / "added.py").write_text("y\n", encoding="utf-8")
    git("add", "--all")

    def of_base(path):
        return git("show", f"HEAD:{path}") if path else ""

    def of_head(path):
        return (tmp_path / path).read_text(encoding="utf-8") if path else ""

    found = [*touched_files(git("diff", *DIFF_OPTIONS, "--cached", "HEAD"), of_base, of_head)]
    assert {one.head_file or "gone.py": (one.base_file, one.base_functions, one.head_functions) for one in found} == {
        "added.py": ("", {MODULE}, {MODULE}),
        "gone.py": ("gone.py", {MODULE}, {MODULE}),
        "new.py": ("old name.py", {"line_4", MODULE}, {"line_four", "new", MODULE}),
        "ünder.py": ("ünder.py", {MODULE}, {MODULE}),
    }
