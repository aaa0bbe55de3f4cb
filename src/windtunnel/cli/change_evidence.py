"""What ``compare`` reads and keeps to explain a change: the functions that the diff changes, and flame graphs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from windtunnel.cli.console import Console
from windtunnel.compare.flame_graph import draw, render_svg, render_text
from windtunnel.compare.request import Touched
from windtunnel.compare.touched_functions import DIFF_OPTIONS, TouchedFile, parse_diff, touched_file
from windtunnel.errors import WindtunnelError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.model.identity import CommitHash, case_name
from windtunnel.model.measure import CaseIdentity
from windtunnel.model.witness import CaseProfile

FLAME_GRAPHS = "flame-graphs"
"""The folder of flame graphs beside verdict.json."""

MAX_FILES = 1000
"""Python files of a diff that are read."""


def find_touched(repository: Repository, base: str, head: str, console: Console) -> Touched:
    """Return what the diff between *base* and *head* changes, by path on head; None if git cannot show it."""
    if base == head:  # of prepared environments, commits are only labels
        return None
    before, after = CommitHash(base), CommitHash(head)

    def source(commit: CommitHash, path: str) -> str:
        content = repository.read(commit, PurePosixPath(path)) if path else None
        return (content or b"").decode("utf-8", "replace")

    try:
        files = parse_diff(repository.diff(before, after, "*.py", *DIFF_OPTIONS))[:MAX_FILES]
        found: Mapping[str, TouchedFile] = {
            one.head_file or one.base_file: touched_file(
                one, source(before, one.base_file), source(after, one.head_file)
            )
            for one in files
        }
    except WindtunnelError as error:
        console.warn(f"the report does not say what the diff changes: {error}")
        return None
    return found


@dataclass(slots=True, kw_only=True)
class FlameGraphFolder:
    """The flame graphs beside a verdict."""

    out: Path
    """The verdict."""
    written: int = field(default=0, init=False)

    def keep(self, case: CaseIdentity, base: CaseProfile, head: CaseProfile, touched: Touched) -> str:
        """Write the flame graph of *case* as SVG and as text; return the path of the SVG, empty for none."""
        graph = draw(base, head, touched, case_name(case.benchmark, case.params))
        if graph is None:
            return ""
        self.written += 1
        name = f"{FLAME_GRAPHS}/{self.written}"
        write_atomically(self.out.parent / f"{name}.svg", render_svg(graph).encode())
        write_atomically(self.out.parent / f"{name}.txt", render_text(graph).encode())
        return f"{name}.svg"
