"""What changed in the environment between two runs: the Python and its packages."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from windtunnel.model.identity import CommitHash
from windtunnel.model.run_format import PythonBuild, RunRecord

PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?", re.ASCII)
"""The name of a package (packaging.python.org, Names and normalization)."""

VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]{0,98}", re.ASCII)
"""The characters of a version (packaging.python.org, Version specifiers); no option and no address has this form."""

INSTALLER = "pip"
"""The package that installs the others, so it does not replace itself."""


Builds = Mapping[tuple[CommitHash, str], PythonBuild]
"""The Python and the packages of the newest run of a commit in an environment, where a record has them."""


class PackageChange(Struct, frozen=True, kw_only=True):
    """A package of the environment whose version differs between two runs."""

    name: str
    """The name of the package."""
    before: str = ""
    """Its version in the earlier run; empty if it was not installed."""
    after: str = ""
    """Its version in the later run; empty if it was not installed."""

    @property
    def description(self) -> str:
        """How the package moved."""
        if not self.before:
            return f"{self.name} {self.after} was added"
        return f"{self.name} {self.before} → {self.after}" if self.after else f"{self.name} {self.before} was removed"


def find_package_changes(before: Iterable[str], after: Iterable[str], project: str) -> tuple[PackageChange, ...]:
    """Return the packages that differ between two lists of ``name==version``, sorted by name.

    The project itself is left out: its version may follow its commits.
    """
    old, new = _versions(before), _versions(after)
    left_out = {normal_name(project), INSTALLER}
    return tuple(
        PackageChange(name=name, before=old.get(name, ""), after=new.get(name, ""))
        for name in sorted((old.keys() | new.keys()) - left_out)
        if old.get(name) != new.get(name)
    )


def newest_builds(records: Iterable[RunRecord], project: str) -> Builds:
    """Return the builds of *records*, oldest first, without the *project*, whose version may follow its commits."""
    tasks = (task for record in records for task in record.tasks)
    return {(task.commit, task.environment): _without(task.build, project) for task in tasks if task.build}


def _without(build: PythonBuild, project: str) -> PythonBuild:
    name = normal_name(project)
    return replace(
        build, packages=tuple(each for each in build.packages if normal_name(each.partition("==")[0]) != name)
    )


def find_python_change(before: PythonBuild, after: PythonBuild) -> str:
    """Return how the full version of the Python moved, or the compiler or options of one version; empty if neither."""
    if before.version != after.version:
        return f"Python {before.version} → {after.version}"
    same = (before.compiler, before.options) == (after.compiler, after.options)
    return "" if same else f"Python {after.version}, built differently"


def _versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the version of each of *packages* that an installer would take as such, by its normalised name."""
    parts = (one.partition("==")[::2] for one in packages)
    return {
        normal_name(name): version for name, version in parts if PACKAGE.fullmatch(name) and VERSION.fullmatch(version)
    }


def normal_name(name: str) -> str:
    """Return the normalised *name* (packaging.python.org, Names and normalization)."""
    return re.sub(r"[-_.]+", "-", name).lower()
