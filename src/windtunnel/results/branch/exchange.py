"""Pull and push: a results folder and a results branch each get what the other has; nothing is ever taken away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from windtunnel.errors import DataError
from windtunnel.files import locked
from windtunnel.git.branch import Branch
from windtunnel.git.objects import Edit
from windtunnel.model.identity import CommitHash
from windtunnel.results.branch.folder import Folder
from windtunnel.results.branch.layout import ALERTS
from windtunnel.results.branch.reconcile import Changes, Combine, Side, reconcile
from windtunnel.results.branch.retry import RetryPolicy
from windtunnel.results.branch.snapshot import Snapshot, take_snapshot
from windtunnel.results.branch.update import Proposal, Updated, update


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What a pull brought; *commit* is ``None`` where there is no branch yet."""

    commit: CommitHash | None
    changes: Changes


def push(folder: Folder, branch: Branch, combine: Combine, retry: RetryPolicy) -> Updated:
    """Put everything of *folder* on *branch*, which is made when it is missing; its alerts are the master and stay."""
    everything = folder.side()
    source = replace(everything, items=tuple(item for item in everything.items if item.path != ALERTS))
    if not source.items:
        raise DataError(f"{folder.root} holds no results; run the benchmarks first, or name the folder that does")

    def work(snapshot: Snapshot) -> Proposal:
        changes = reconcile(source, snapshot.side(branch), combine)
        return Proposal(edits=_edits(changes), message=_message(changes), notes=changes.notes)

    return update(branch, work, retry)


def pull(branch: Branch, folder: Folder, combine: Combine, retry: RetryPolicy, path: str = "") -> Pulled:
    """Put everything of *branch*, or of the folder *path* of it, into *folder*."""
    with locked(folder.root):
        snapshot = retry.call(lambda: take_snapshot(branch, path))
        changes = retry.call(lambda: _added(snapshot.side(branch), folder, combine))
    return Pulled(commit=snapshot.commit, changes=changes)


def add(source: Folder, folder: Folder, combine: Combine) -> Changes:
    """Put everything of *source* into *folder*."""
    with locked(folder.root):
        return _added(source.side(), folder, combine)


def amend(branch: Branch, path: str, edit: Callable[[bytes | None], bytes | None], retry: RetryPolicy) -> Updated:
    """Change one file of *branch*, such as the alerts: *edit* turns its bytes (``None``: no such file) into new ones.

    It is asked again, with the newer bytes, whenever another push came first.
    """

    def work(snapshot: Snapshot) -> Proposal:
        items = [item for item in snapshot.items if item.path == path]
        before = next(snapshot.side(branch).read(items), None)
        after = edit(before)
        edits = () if after == before else (Edit(path=path, content=after),)
        return Proposal(edits=edits, message=f"store: {path}")

    return update(branch, work, retry)


def _added(source: Side, folder: Folder, combine: Combine) -> Changes:
    changes = reconcile(source, folder.side(), combine)
    folder.write(changes.written)
    folder.remove(changes.removed)
    return changes


def _edits(changes: Changes) -> tuple[Edit, ...]:
    removed = (Edit(path=path, content=None) for path in changes.removed)
    return (*removed, *(Edit(path=file.path, content=file.content) for file in changes.written))


def _message(changes: Changes) -> str:
    """Return a subject that counts and a body that lists, up to 50 paths."""
    paths = [file.path for file in changes.written]
    machines = {path.partition("/")[0] for path in paths if "/" in path}
    subject = f"store: {_count(paths, 'file')} of {_count(machines, 'machine')}"
    more = [f"and {len(paths) - 50} more"] if len(paths) > 50 else []
    return "\n".join([subject, "", *paths[:50], *more])


def _count(things: Sequence[str] | set[str], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
