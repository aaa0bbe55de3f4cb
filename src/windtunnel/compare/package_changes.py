"""Which packages differ between two runs, and the sets of packages that a search installs."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from windtunnel.compare.bisect_format import PACKAGE, VERSION, CandidateCommit, PackageChange

INSTALLER = "pip"
"""The package that installs the others, so it does not replace itself."""

BASE = "(before)"
"""Stands for the set of packages of the earlier run."""


def find_package_changes(before: Iterable[str], after: Iterable[str], project: str) -> tuple[PackageChange, ...]:
    """Return the packages that differ between two lists of ``name==version``, sorted by name.

    The project itself is left out: its commits are searched.
    """
    old, new = _versions(before), _versions(after)
    left_out = {_normal(project), INSTALLER}
    return tuple(
        PackageChange(name=name, before=old.get(name, ""), after=new.get(name, ""))
        for name in sorted((old.keys() | new.keys()) - left_out)
        if old.get(name) != new.get(name)
    )


def package_candidates(changes: Sequence[PackageChange]) -> tuple[CandidateCommit, ...]:
    """Return the sets of packages of a search: the earlier set, then each with one more package moved."""
    first = CandidateCommit(hash=BASE, subject="the packages of the earlier run")
    return (first, *(CandidateCommit(hash=one.name, subject=one.description) for one in changes))


def package_set(changes: Sequence[PackageChange], moved: Collection[int]) -> tuple[str, ...]:
    """Return what to install: those of *changes* at the positions *moved* as in the later run, the others as before.

    ``name==version`` is installed, ``-name`` is removed.
    """
    chosen = ((one.name, one.after if index in moved else one.before) for index, one in enumerate(changes))
    return tuple(f"{name}=={version}" if version else f"-{name}" for name, version in chosen)


def _versions(packages: Iterable[str]) -> dict[str, str]:
    return dict(_parsed(packages))


def _parsed(packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield name and version of each of *packages* that an installer would take as such."""
    for one in packages:
        name, _, version = one.partition("==")
        if PACKAGE.fullmatch(name) and VERSION.fullmatch(version):
            yield _normal(name), version


def _normal(name: str) -> str:
    """Return the normalised *name* (packaging.python.org, Names and normalization)."""
    return re.sub(r"[-_.]+", "-", name).lower()
