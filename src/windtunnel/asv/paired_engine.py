"""Two commits in two environments, one process at a time and in any order."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windtunnel.asv.commit_runner import corner_of
from windtunnel.asv.launcher import in_every_benchmark
from windtunnel.asv.protocol import Compare, Emit, Turns, TurnsDone
from windtunnel.model.schedule import Commit


def compare(request: Compare, receive: Callable[[], Turns | None], emit: Emit) -> None:
    """Build both commits, tell what each offers, then run turns as they are asked for until nobody asks."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(in_every_benchmark())
        corners = {commit: corner_of(request, commit) for commit in Commit}
        for commit, corner in corners.items():
            ready = corner.prepare(request, commit, Path(request.out) / f"{commit}.json")
            emit(ready)
        entries = _entries(Path(request.out) / f"{Commit.HEAD}.json", corners[Commit.HEAD].conf)
        for corner in corners.values():
            stack.enter_context(corner.ready_to_run())
        launchers = [corner.launcher for corner in corners.values() if corner.launcher]
        for one in launchers:
            one.ally(*(other for other in launchers if other is not one))
        while (turns := receive()) is not None:
            for turn in turns.turns:
                emit(corners[turn.seat.commit].take(turn, entries[turn.benchmark], together=len(turns.turns)))
            emit(TurnsDone())


def _entries(path: Path, conf: Any) -> dict[str, dict[str, Any]]:
    found = {}
    for name, entry in json.loads(path.read_text(encoding="utf-8")).items():
        if isinstance(entry, dict):
            found[name] = {**entry, "timeout": entry.get("timeout") or conf.default_benchmark_timeout}
    return found
