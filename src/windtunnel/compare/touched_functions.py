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
    on_base = _in_profile(base, [(one.base_file, one) for one in (touched or {}).values()])
    on_head = _in_profile(head, [(one.head_file, one) for one in (touched or {}).values()])
    renamed = {old: new for old, one in on_base.items() for new, other in on_head.items() if one is other}

    def touches(one: Key | None, other: Key | None) -> bool:
        before, after = on_base.get(one[0]) if one else None, on_head.get(other[0]) if other else None
        return bool(
            (one and before and one[1] in before.base_functions)
            or (other and after and other[1] in after.head_functions)
        )

    sides = _grouped(base), _grouped(head)
    pairs: dict[Key, Key] = {}
    for key in sides[0]:
        new = renamed.get(key[0], key[0]), key[1]
        if new in sides[1] or key in sides[1]:
            pairs[key] = new if new in sides[1] else key
    for part in (_last_name, _file):
        taken = set(pairs.values())
        removed = [key for key in sides[0] if key not in pairs and touches(key, None)]
        added = [key for key in sides[1] if key not in taken and touches(None, key)]
        pairs |= _only_ones(removed, added, part)
    taken = set(pairs.values())
    both: list[tuple[Key | None, Key | None]] = [(key, pairs.get(key)) for key in sides[0]]
    both += [(None, key) for key in sides[1] if key not in taken]
    functions = tuple(
        MatchedFunction(
            base=_one(sides[0][one]) if one else None,
            head=_one(sides[1][other]) if other else None,
            base_file=(on_base[one[0]].base_file if one[0] in on_base else one[0]) if one else "",
            head_file=(on_head[other[0]].head_file if other[0] in on_head else other[0]) if other else "",
            touched=None if touched is None else touches(one, other),
        )
        for one, other in both
    )
    places = [{keys[side]: number for number, keys in enumerate(both)} for side in (0, 1)]
    first, second = (
        [place[_key(one)] for one in side.functions] for place, side in zip(places, (base, head), strict=True)
    )
    return functions, (first, second)


def _in_profile(profile: CaseProfile, touched: Iterable[tuple[str, TouchedFile]]) -> dict[str, TouchedFile]:
    """Return the touched files by their paths in *profile*, which may lack leading folders of the repository."""
    files = {one.file for one in profile.functions if not one.is_c}
    matching = (([file for file in files if _is_end(file, path)], one) for path, one in touched)
    return {max(known, key=len): one for known, one in matching if known}


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
