"""Match the functions of two profiles across commits, and find those that the diff changes."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from windtunnel.compare.touched_functions import TouchedFile
from windtunnel.model.witness import CaseProfile, FunctionCost

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedFunctions:
    """The functions of two profiles."""

    functions: tuple[MatchedFunction, ...]
    numbers: tuple[Sequence[int], Sequence[int]]
    """For each function of the profile of base, and of head, its place in ``functions``."""


def match_functions(
    base: CaseProfile, head: CaseProfile, touched: Mapping[str, TouchedFile] | None
) -> MatchedFunctions:
    """Match by file and qualified name.

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
    return MatchedFunctions(
        functions=functions,
        numbers=(
            [places[0][_key(one)] for one in base.functions],
            [places[1][_key(one)] for one in head.functions],
        ),
    )


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
