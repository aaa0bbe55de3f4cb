"""Does the report name what made a commit slower? Commits that made something faster, in reverse.

    make study ARGS="studies.reversed_commits --clones DIR"                                    print the table

DIR has a clone of each repository in `known_regressions.toml`, bare or not, as DIR/OWNER/NAME. Base is the commit, and
head is its parent. Both are profiled as `compare` profiles a confirmed change, and the diff is what git says.
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath

import msgspec

from studies.known_regressions import (
    DATA,
    FOLDER,
    KNOWLEDGE,
    MIN_CHANGE,
    Measured,
    environment,
    larger,
    profile_both,
    share,
    table,
)
from windtunnel.cli.comparison_setup import find_touched
from windtunnel.cli.console import Console
from windtunnel.compare.cause import find_cause
from windtunnel.git.repository import Repository


class Commit(msgspec.Struct, frozen=True):
    """A commit that made a function faster."""

    repository: str
    """OWNER/NAME on GitHub."""
    commit: str
    package: str
    functions: tuple[str, ...]
    """What it made faster."""
    setup: str
    run: str
    needs: tuple[str, ...] = ()
    """What the package imports, from the package index."""

    @property
    def name(self):
        """The name of the commit in folders and tables."""
        return f"{self.repository.partition('/')[2]}-{self.commit[:8]}"


def main():
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clones", type=Path, required=True, metavar="DIR", help="clones of the repositories")
    parser.add_argument("--python", default="3.13", help="the version of Python to profile with")
    parser.add_argument("--only", nargs="*", default=(), help="only the commits whose name contains one of these")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="environment and profiles")
    parser.add_argument("--verbose", action="store_true", help="print the causes")
    options = parser.parse_args()
    listed = msgspec.convert(msgspec.toml.decode(DATA.read_bytes())["commit"], list[Commit])
    folder = options.folder.resolve() / f"commits-{options.python}"
    python = environment(folder, options.python, sorted({need for one in listed for need in one.needs}))
    rows = []
    for one in listed:
        if options.only and not any(part in one.name for part in options.only):
            continue
        repository = Repository.at(options.clones / one.repository, os.environ)
        measured = measure(one, folder, python, repository.root)
        rows.append(Row(one, measured, repository))
        sys.stderr.write(f"{rows[-1]}\n")
        if options.verbose:
            for line in rows[-1].causes["diff"].sentences():
                sys.stderr.write(f"    {line}\n")
    sys.stdout.write("\n\n".join(tables(rows)) + "\n")


def measure(one, folder, python, clone):
    """Returns the profiles of a commit and its parent; those of an earlier run if there are any."""
    kept = folder / "profiles" / f"{one.name}.json"
    if kept.exists():
        return msgspec.json.decode(kept.read_bytes(), type=Measured)
    work = folder / one.name
    shutil.rmtree(work, ignore_errors=True)
    paths = []
    for side, commit in (("base", one.commit), ("head", f"{one.commit}^")):
        archive = subprocess.run(
            ["git", "-C", str(clone), "archive", commit, one.package], check=True, capture_output=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
            opened.extractall(work / side, filter="data")
        paths.append(str(work / side / PurePosixPath(one.package).parent))
    measured = profile_both(one, work, python, kept, paths)
    shutil.rmtree(work)
    return measured


class Row:
    """A commit and the place of the function that it made faster in the causes of its reverse."""

    def __init__(self, one, measured, repository):
        """Rank the functions with the diff and without."""
        self.one = one
        console = Console(out=sys.stdout, err=sys.stderr)
        touched = find_touched(repository, one.commit, f"{one.commit}^", console)
        more = larger(touched, PurePosixPath(one.package).name, one.functions, measured)
        known = {"diff": touched, "more": more, "none": None}
        self.causes = {name: find_cause(measured.base, measured.head, diff) for name, diff in known.items()}
        self.reason = measured.base.reason or measured.head.reason
        self.places = {name: self._place(cause) for name, cause in self.causes.items()}
        diff = {(path, name) for path, file in touched.items() for name in file.base_functions | file.head_functions}
        self.touched = sum(path.startswith(f"{one.package}/") for path, _ in diff)
        """Functions of the package that the commit changes."""

    def _place(self, cause):
        """The place of the function, from 1 on; 0 if it is not named."""
        names = [each.name for each in cause.functions]
        return min((names.index(name) + 1 for name in self.one.functions if name in names), default=0)

    @property
    def change(self):
        """The change of the whole cost."""
        return self.causes["diff"].relative_change or 0.0

    def __str__(self):
        """Returns a line for the terminal."""
        name = f"{self.one.name:32} {self.one.functions[0]:40}"
        return f"{name} {self.change:+8.1%} of {self.touched} {self.places} {self.reason[:60]}"


def tables(rows):
    """Yields the Markdown of the page."""
    valid = [row for row in rows if row.change >= MIN_CHANGE]
    yield table(
        ("the report knows", "commits", "named first", "among three"),
        [
            (
                KNOWLEDGE[name].replace("regression", "commit"),
                str(len(valid)),
                share(valid, name, 1),
                share(valid, name, 3),
            )
            for name in ("diff", "more", "none")
        ],
    )
    yield table(
        ("repository", "commit", "made faster", "functions in the diff", "cost", "place: diff, larger diff, no diff"),
        [
            (
                row.one.repository,
                f"`{row.one.commit[:10]}`",
                ", ".join(f"`{name}`" for name in row.one.functions),
                str(row.touched),
                f"{row.change:+.0%}",
                ", ".join(str(place or "–") for place in row.places.values()),
            )
            for row in rows
        ],
    )


if __name__ == "__main__":
    main()
