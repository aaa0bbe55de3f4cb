"""Which functions a diff changes: lines of ``git diff``, and extents of functions from the source of both commits."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

DIFF_OPTIONS = (
    "-U0",
    "--find-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
"""Options of ``git diff`` whose output `parse_diff` reads."""

MODULE = "<module>"
"""The name of code outside of functions, as Python names it."""

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

MAX_SOURCE = 5_000_000
"""Characters of a source file that is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """The lines of one file that a diff changes."""

    base_file: str
    """Its path on base; empty if the diff adds it."""
    head_file: str
    """Its path on head; empty if the diff removes it."""
    base_lines: frozenset[int]
    """Lines of base that are removed or replaced."""
    head_lines: frozenset[int]
    """Lines of head that are added or that replace others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedFile:
    """The functions of one file that a diff changes."""

    base_file: str
    head_file: str
    base_functions: frozenset[str] = frozenset()
    """Qualified names on base."""
    head_functions: frozenset[str] = frozenset()
    """Qualified names on head."""


def parse_diff(text: str) -> tuple[FileDiff, ...]:
    """Return the changed lines in the output of ``git diff`` with `DIFF_OPTIONS`."""
    return tuple(_files(text))


def _files(text: str) -> Iterator[FileDiff]:
    for part in re.split(r"^diff --git ", text, flags=re.MULTILINE)[1:]:
        header, hunks = re.match(r"(.*?)(^@@ .*)?\Z", part, re.DOTALL | re.MULTILINE).groups()  # type: ignore[union-attr]
        names = dict(re.findall(r"^(---|\+\+\+|rename from|rename to) (.+?)\t?$", header, re.MULTILINE))
        base = _path(names.get("---", ""), "a/") or names.get("rename from", "")
        head = _path(names.get("+++", ""), "b/") or names.get("rename to", "")
        base_lines: set[int] = set()
        head_lines: set[int] = set()
        left_base = left_head = 0
        for line in (hunks or "").splitlines():
            if left_base > 0 and line.startswith("-"):
                left_base -= 1
            elif left_head > 0 and line.startswith("+"):
                left_head -= 1
            elif hunk := HUNK.match(line):
                first_base, left_base, first_head, left_head = (int(each) if each else 1 for each in hunk.groups())
                base_lines.update(range(first_base, first_base + left_base))
                head_lines.update(range(first_head, first_head + left_head))
        if base or head:
            yield FileDiff(
                base_file=base, head_file=head, base_lines=frozenset(base_lines), head_lines=frozenset(head_lines)
            )


def _path(name: str, prefix: str) -> str:
    """Return a path without git's prefix and quotes; empty for ``/dev/null``."""
    if name.startswith('"') and name.endswith('"'):
        raw = name[1:-1].encode("latin-1", "replace").decode("unicode_escape").encode("latin-1", "replace")
        name = raw.decode("utf-8", "replace")
    return name.removeprefix(prefix) if name.startswith(prefix) else ""


def touched_file(diff: FileDiff, base_source: str, head_source: str) -> TouchedFile:
    """Return the functions that *diff* changes, from the source of its file on both commits.

    A change outside of functions is one of `MODULE`. A function that only one commit has is touched there.
    """
    base, head = extents(base_source), extents(head_source)
    base_functions, head_functions = _at(base, diff.base_lines), _at(head, diff.head_lines)
    return TouchedFile(
        base_file=diff.base_file,
        head_file=diff.head_file,
        base_functions=base_functions | (head_functions & {one.name for one in base}),
        head_functions=head_functions | (base_functions & {one.name for one in head}),
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """The lines of a function, with its decorators."""

    name: str
    """Its qualified name."""
    first: int
    last: int


def extents(source: str) -> tuple[Extent, ...]:
    """Return the functions of a module, and the module itself; empty if *source* cannot be read."""
    if len(source) > MAX_SOURCE:
        return ()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return (Extent(MODULE, 0, source.count("\n") + 1), *_functions(tree, ""))


def _functions(node: ast.AST, prefix: str) -> Iterator[Extent]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}{child.name}"
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            yield Extent(name, first, child.end_lineno or child.lineno)
            yield from _functions(child, f"{name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _at(functions: Collection[Extent], lines: Collection[int]) -> frozenset[str]:
    """Return the innermost function at each of *lines*: of those around it, the one that begins last."""
    around = ([one for one in functions if one.first <= line <= one.last] for line in lines)
    return frozenset(max(each, key=lambda one: one.first).name for each in around if each)
