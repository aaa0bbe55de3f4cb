"""Which functions a diff changes, and the functions of two profiles matched across commits.

Lines come from ``git diff``, and extents of functions from the source of both commits.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.model.schedule import CaseProfile, FunctionCost

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
class TouchedFile:
    """The functions of one file that a diff changes."""

    base_file: str
    head_file: str
    base_functions: frozenset[str] = frozenset()
    """Qualified names on base."""
    head_functions: frozenset[str] = frozenset()
    """Qualified names on head."""


def touched_files(
    text: str, base_source: Callable[[str], str], head_source: Callable[[str], str]
) -> Iterator[TouchedFile]:
    """Yield the files in the output of ``git diff`` with `DIFF_OPTIONS`, and the functions that it changes.

    The sources of a path on both commits are read as they are needed; the path is empty if a commit lacks the file. A
    change outside of functions is one of `MODULE`. A function that only one commit has is touched there.
    """
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
            on_base, on_head = extents(base_source(base)), extents(head_source(head))
            base_functions, head_functions = _at(on_base, base_lines), _at(on_head, head_lines)
            yield TouchedFile(
                base_file=base,
                head_file=head,
                base_functions=base_functions | (head_functions & {name for name, _ in on_base}),
                head_functions=head_functions | (base_functions & {name for name, _ in on_head}),
            )


def _path(name: str, prefix: str) -> str:
    """Return a path without git's prefix and quotes; empty for ``/dev/null``."""
    if name.startswith('"') and name.endswith('"'):
        raw = name[1:-1].encode("latin-1", "replace").decode("unicode_escape").encode("latin-1", "replace")
        name = raw.decode("utf-8", "replace")
    return name.removeprefix(prefix) if name.startswith(prefix) else ""


Extent = tuple[str, range]
"""The qualified name of a function, and its lines with its decorators."""


def extents(source: str) -> tuple[Extent, ...]:
    """Return the functions of a module, and the module itself; empty if *source* cannot be read."""
    if len(source) > MAX_SOURCE:
        return ()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return ((MODULE, range(source.count("\n") + 2)), *_functions(tree, ""))


def _functions(node: ast.AST, prefix: str) -> Iterator[Extent]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}{child.name}"
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            yield name, range(first, (child.end_lineno or child.lineno) + 1)
            yield from _functions(child, f"{name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _at(functions: Collection[Extent], lines: Collection[int]) -> frozenset[str]:
    """Return the innermost function at each of *lines*: of those around it, the one that begins last."""
    around = ([(name, extent) for name, extent in functions if line in extent] for line in lines)
    return frozenset(max(each, key=lambda one: one[1].start)[0] for each in around if each)


UNNAMED = re.compile(r"(\.<locals>\.<(lambda|genexpr|listcomp|setcomp|dictcomp)>)+$")
"""The end of the names of functions that count for the one around them."""

Key = tuple[str, str]
"""The file and the qualified name of a function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedFunction:
    """A function on both commits, or on one of them."""

    base: FunctionCost | None
    head: FunctionCost | None
    base_file: str
    """Its path on base: that in the repository if the diff names it."""
    head_file: str
    touched: bool | None
    """Whether the diff changes it; None if the diff is unknown."""

    @property
    def main(self) -> FunctionCost:
        """The function on head; on base if head does not run it."""
        main = self.head or self.base
        assert main
        return main


def match_functions(
    base: CaseProfile, head: CaseProfile, touched: Mapping[str, TouchedFile] | None
) -> tuple[tuple[MatchedFunction, ...], tuple[Sequence[int], Sequence[int]]]:
    """Match by file and qualified name; also return for each function of both profiles its place among the matched.

    A function that the diff removes is the one that it adds with the same name, or else as the only one in its file.
    """
    diff = Diff(touched or {}, base, head)
    sides = _grouped(base), _grouped(head)
    pairs: dict[Key, Key] = {}
    for key in sides[0]:
        renamed = (diff.head_file(key[0]), key[1])
        if renamed in sides[1] or key in sides[1]:
            pairs[key] = renamed if renamed in sides[1] else key
    for part in (_last_name, _file):
        taken = set(pairs.values())
        removed = [key for key in sides[0] if key not in pairs and diff.touches(key, None)]
        added = [key for key in sides[1] if key not in taken and diff.touches(None, key)]
        pairs |= _only_ones(removed, added, part)
    merged = [(key, pairs.get(key)) for key in sides[0]]
    merged_head = set(pairs.values())
    both: list[tuple[Key | None, Key | None]] = [*merged, *((None, key) for key in sides[1] if key not in merged_head)]
    functions = tuple(
        MatchedFunction(
            base=_one(sides[0][one]) if one else None,
            head=_one(sides[1][other]) if other else None,
            base_file=diff.base_path(one[0]) if one else "",
            head_file=diff.head_path(other[0]) if other else "",
            touched=None if touched is None else diff.touches(one, other),
        )
        for one, other in both
    )
    places = [{keys[side]: number for number, keys in enumerate(both)} for side in (0, 1)]
    first, second = (
        [place[_key(one)] for one in side.functions] for place, side in zip(places, (base, head), strict=True)
    )
    return functions, (first, second)


class Diff:
    """What the diff says about files of profiles, whose paths may lack leading folders of the repository."""

    def __init__(self, touched: Mapping[str, TouchedFile], base: CaseProfile, head: CaseProfile) -> None:
        """Find the file of the profiles for each touched one."""
        files = [{one.file for one in profile.functions if not one.is_c} for profile in (base, head)]
        self._base: dict[str, TouchedFile] = {}
        self._head: dict[str, TouchedFile] = {}
        for one in touched.values():
            for path, known, found in ((one.base_file, files[0], self._base), (one.head_file, files[1], self._head)):
                if matching := [file for file in known if _is_end(file, path)]:
                    found[max(matching, key=len)] = one
        self._renamed = {}
        for one in touched.values():
            old = next((file for file, each in self._base.items() if each is one), "")
            new = next((file for file, each in self._head.items() if each is one), "")
            if old and new:
                self._renamed[old] = new

    def head_file(self, file: str) -> str:
        """Return the file of head's profile that *file* of base's was renamed to, or *file*."""
        return self._renamed.get(file, file)

    def base_path(self, file: str) -> str:
        """Return the path in the repository on base, if the diff names it; else *file*."""
        return self._base[file].base_file if file in self._base else file

    def head_path(self, file: str) -> str:
        """Return the path in the repository on head, if the diff names it; else *file*."""
        return self._head[file].head_file if file in self._head else file

    def touches(self, base: Key | None, head: Key | None) -> bool:
        """Return whether the diff changes a function."""
        if base and base[0] in self._base and base[1] in self._base[base[0]].base_functions:
            return True
        return bool(head and head[0] in self._head and head[1] in self._head[head[0]].head_functions)


def _is_end(file: str, path: str) -> bool:
    return bool(path) and (path == file or path.endswith(f"/{file}"))


def _key(function: FunctionCost) -> Key:
    return function.file, UNNAMED.sub("", function.name)


def _grouped(profile: CaseProfile) -> dict[Key, list[FunctionCost]]:
    """Return the functions of each key: a function and those without a name in it."""
    groups: dict[Key, list[FunctionCost]] = defaultdict(list)
    for one in profile.functions:
        groups[_key(one)].append(one)
    return groups


def _one(group: Sequence[FunctionCost]) -> FunctionCost:
    """Return the function that stands for a group; a property and its setter have one name, and count as one."""
    named = [one for one in group if not UNNAMED.search(one.name)] or group[:1]
    return replace(named[0], calls=sum(one.calls for one in named))


def _last_name(key: Key) -> str:
    return key[1].rpartition(".")[2] if key[0] else ""


def _file(key: Key) -> str:
    return key[0]


def _only_ones(base: Iterable[Key], head: Iterable[Key], part: Callable[[Key], str]) -> dict[Key, Key]:
    """Return the pairs of keys that are the only ones with an equal *part*; compiled functions have no file."""
    groups: dict[str, tuple[list[Key], list[Key]]] = defaultdict(lambda: ([], []))
    for side, keys in enumerate((base, head)):
        for key in keys:
            groups[part(key)][side].append(key)
    return {one[0]: other[0] for name, (one, other) in groups.items() if name and len(one) == len(other) == 1}
