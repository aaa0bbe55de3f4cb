"""The folder ``.windtunnel`` beside a suite: unfinished runs, discovered benchmarks, the site."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from windtunnel.errors import DataError, UsageError
from windtunnel.files import locked
from windtunnel.model.run import ResultsTree
from windtunnel.results.merge import merge_trees
from windtunnel.results.tree import RECORD, RESULTS, keep_record, read_tree, write_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDir:
    """Where commands measure."""

    root: Path
    """The folder ``.windtunnel``."""
    results: Path
    """The results folder, in asv's format."""

    @property
    def discovered(self) -> Path:
        """The folder of discovered benchmarks."""
        return self.root / "discovered"

    @property
    def site(self) -> Path:
        """The folder of the site."""
        return self.root / "site"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock of a command that measures; two would share environments and disturb each other."""
        lock = FileLock(self.root / "lock", blocking=False, fallback_to_soft=False)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout:
            raise UsageError(f"another windtunnel command measures in {self.root.parent}; wait until it ends") from None
        except OSError as error:
            raise DataError(
                f"{self.root} cannot be written: {error.strerror}; make its folder writable and try again"
            ) from None
        try:
            yield
        finally:
            lock.release()

    def has_results(self) -> bool:
        """Return whether the results folder holds any run."""
        return self.results.is_dir() and bool(read_tree(self.results).runs)

    def new_run(self) -> Path:
        """Return the folder for a new run."""
        return self.root / "runs" / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")

    def collect_runs(self) -> tuple[ResultsTree, tuple[str, ...]]:
        """Merge the results of finished, interrupted and killed runs into the results folder.

        Returns the merged results, and a message for each problem. The log of a run stays in its folder.
        """
        runs = sorted(path.parent for path in (self.root / "runs").glob(f"*/{RESULTS}"))
        if not runs:
            tree = read_tree(self.results) if self.results.is_dir() else ResultsTree()
            return tree, tuple(map(str, tree.problems))
        with locked(self.results):
            tree, conflicts = merge_trees((read_tree(self.results), *(read_tree(run / RESULTS) for run in runs)))
            write_tree(tree, self.results)
            for run in runs:
                if (run / RECORD).is_file():
                    keep_record(run / RECORD, self.results)
                shutil.rmtree(run / RESULTS)
        return tree, tuple(map(str, (*tree.problems, *conflicts)))
