"""Tests for windtunnel.compare.touched_functions."""

import subprocess

import pytest

from windtunnel.compare.touched_functions import DIFF_OPTIONS, MODULE, FileDiff, parse_diff, touched_file

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


def touched(lines, source=SOURCE):
    """The functions of *source* that a diff of *lines* touches, when both commits have it."""
    diff = FileDiff(base_file="a.py", head_file="a.py", base_lines=frozenset(), head_lines=frozenset(lines))
    return touched_file(diff, source, source).head_functions


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
    assert touched({line}) == {name}


def test_a_function_that_only_lost_lines_is_touched_on_head_too():
    """A deletion has no line on head."""
    diff = FileDiff(base_file="a.py", head_file="a.py", base_lines=frozenset({12}), head_lines=frozenset())
    assert touched_file(diff, SOURCE, SOURCE).head_functions == {"Parser.parse.<locals>.inner"}


@pytest.mark.parametrize("source", ["def broken(:\n", "x = '\0'", "x" * 10_000_000])
def test_source_that_cannot_be_read_touches_nothing(source):
    """It may come from a fork."""
    assert touched({1}, source) == frozenset()


def test_a_diff_of_git_is_read_with_renames_additions_and_removals(tmp_path):
    """Paths may need quotes; lines of the content may look like headers."""

    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    body = "".join(f"line {number}\n" for number in range(1, 21))
    for name, text in (("old name.py", body), ("gone.py", "x\n"), ("ünder.py", "a\nb\n-- c\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    git("add", "--all")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "base")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "old name.py").unlink()
    (tmp_path / "new.py").write_text(body.replace("line 4\n", "line four\n++ b/fake.py\n"), encoding="utf-8")
    (tmp_path / "ünder.py").write_text("a\nb\n", encoding="utf-8")
    (tmp_path / "added.py").write_text("y\n", encoding="utf-8")
    git("add", "--all")
    found = {one.head_file or one.base_file: one for one in parse_diff(git("diff", *DIFF_OPTIONS, "--cached", "HEAD"))}
    assert {name: (one.base_file, one.base_lines, one.head_lines) for name, one in found.items()} == {
        "added.py": ("", frozenset(), {1}),
        "gone.py": ("gone.py", {1}, frozenset()),
        "new.py": ("old name.py", {4}, {4, 5}),
        "ünder.py": ("ünder.py", {3}, frozenset()),
    }
