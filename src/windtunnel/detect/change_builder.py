"""Builds what changes.json holds from causes and shifts: commits for positions, and ids that do not change."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from msgspec import structs
from msgspec.structs import asdict
from numpy.typing import NDArray

from windtunnel.detect import format as detected
from windtunnel.detect.candidate_change import CandidateChange, CommonCause
from windtunnel.detect.machine_shift import TargetShift
from windtunnel.detect.report import by_size, common_part, count_cases, distinct_pythons
from windtunnel.model.build_change import Builds, find_package_changes, find_python_change
from windtunnel.model.identity import CommitHash, EnvironmentName, MachineName
from windtunnel.model.run import CommitHistory, Interval, LevelShares

NORMAL_95 = 1.959963984540054
"""The 97.5th percentile of the standard normal distribution: half a 95 % interval in standard errors."""
MAX_PYTHONS = 200
"""Characters on how Pythons moved."""


_Member = tuple[detected.Change, CandidateChange]
"""A change of an event, and what it was built from."""


class _Span(NamedTuple):
    """Positions of the runs around a change."""

    previous: int
    """The last run before it."""
    earliest: int
    """The last run that is certainly before it."""
    position: int
    """The most likely one."""
    latest: int
    """The last possible one."""

    @property
    def first_listed(self) -> int:
        """The oldest candidate that is listed."""
        return max(self.earliest, self.latest - detected.MAX_CANDIDATES) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeBuilder:
    """Builds changes, events and machine shifts of one history."""

    history: CommitHistory
    pythons: Mapping[EnvironmentName, str]
    """The Python of each environment."""
    builds: Builds
    """What run records know of Pythons and packages."""

    def build_events(
        self, causes: Sequence[CommonCause]
    ) -> tuple[list[detected.ChangeEvent], list[detected.Change], tuple[CommitHash, ...]]:
        """Return an event for each cause, oldest first, all their changes, and the candidates of all changes."""
        listed = self._listed(causes)
        events: list[detected.ChangeEvent] = []
        changes: list[detected.Change] = []
        for cause in causes:
            first = cause[0]
            commits = self._commits(_Span(first.earliest, first.earliest, first.position, first.latest))
            baseline = commits.previous_commit if first.kind == "creep" else ""
            if first.kind != "creep":
                commits = self._with_moved(commits, {change.case.environment for change in cause})
            event = _id("event", commits.commit, baseline)
            members = [
                (self._change(change, event, _span(change, cause[0].position), listed), change) for change in cause
            ]
            members.sort(key=lambda member: (*_name(member[0]), member[0].id))
            events.append(self._event(event, commits, members))
            changes += [change for change, _ in members]
        return events, changes, tuple(self.history.commits[position].hash for position in listed.tolist())

    def _listed(self, causes: Sequence[CommonCause]) -> NDArray[np.int64]:
        """Return the positions of the candidates of all changes, each once, ascending."""
        is_listed = np.zeros(len(self.history.commits), bool)
        for cause in causes:
            for change in cause:
                span = _span(change, cause[0].position)
                is_listed[span.first_listed : span.latest + 1] = True
        return np.flatnonzero(is_listed)

    def build_shifts(
        self, shifts: Sequence[TargetShift], explained: Sequence[CandidateChange]
    ) -> tuple[detected.MachineShift, ...]:
        """Return the shift of each machine once, also where several environments of the machine show it."""
        groups: dict[tuple[int, MachineName, bool], list[TargetShift]] = defaultdict(list)
        for shift in shifts:
            groups[shift.position, shift.target.machine, shift.change > 0].append(shift)
        by_machine: dict[MachineName, list[CandidateChange]] = defaultdict(list)
        for change in explained:
            by_machine[change.found.series.key.target.machine].append(change)
        return tuple(self._shift(group, by_machine[group[0].target.machine]) for group in groups.values())

    def _shift(self, group: Sequence[TargetShift], explained: Sequence[CandidateChange]) -> detected.MachineShift:
        widest = max(group, key=lambda shift: shift.total)
        half = NORMAL_95 * widest.error
        commits = self._commits(_Span(widest.before, widest.before, widest.position, widest.position))
        commits = self._with_moved(commits, {shift.target.environment for shift in group})
        cases = [change.case for change in explained if any(shift.explains(change) for shift in group)]
        return detected.MachineShift(
            **asdict(commits),
            id=_id("machine shift", widest.target.machine, commits.commit),
            machine=widest.target.machine,
            environments=tuple(sorted({shift.target.environment for shift in group})),
            relative_change=math.expm1(widest.change),
            interval=Interval(low=math.expm1(widest.change - half), high=math.expm1(widest.change + half)),
            direction="regressed" if widest.change > 0 else "improved",
            shifted_cases=sum(shift.similar for shift in group),
            total_cases=sum(shift.total for shift in group),
            explained_cases=tuple(sorted(cases, key=lambda case: (*_name(case), case.version or ""))),
        )

    def _change(self, change: CandidateChange, event: str, span: _Span, listed: NDArray[np.int64]) -> detected.Change:
        case, commits, scale = change.case, self._place(span), change.found.scale
        return detected.Change(
            **asdict(commits),
            first_candidate=int(np.searchsorted(listed, span.first_listed)),
            **asdict(case),
            id=_id("change", change.kind, *_name(case), case.version or "", commits.commit),
            event=event,
            kind=change.kind,
            unit=change.found.series.unit,
            before=scale.from_scale(change.shift.before),
            after=scale.from_scale(change.shift.after),
            relative_change=change.relative_change,
            interval=change.interval,
            confidence=1 - change.shift.chance,
            direction=change.direction,
            status="removed" if change.found.series.removed else change.status,
            shares=_shares(change),
            python=self.pythons.get(case.environment, ""),
        )

    def _event(
        self, event: str, commits: detected.CandidateCommits, members: Sequence[_Member]
    ) -> detected.ChangeEvent:
        changes = [change for change, _ in members]
        ordered = by_size(changes)
        lead = next((change for change in ordered if change.relative_change is not None), ordered[0])
        regressed = [change for change in ordered if change.direction == "regressed"]
        charted = (lead, *regressed[:1])
        return detected.ChangeEvent(
            **asdict(commits),
            id=event,
            members=tuple(change.id for change in changes),
            regressed=len(regressed),
            improved=len(changes) - len(regressed),
            largest_change=lead.relative_change,
            lead=lead.id,
            cases=count_cases(changes),
            part=common_part(change.benchmark for change in changes),
            pythons=distinct_pythons(changes),
            charts=tuple(
                found.chart(change.id, self.history.commits)
                for change, found in members
                if any(change is each for each in charted)
            ),
        )

    def _with_moved(
        self, commits: detected.CandidateCommits, environments: Iterable[EnvironmentName]
    ) -> detected.CandidateCommits:
        """Return *commits* with what moved in each of *environments* that has records of both runs.

        A package that stayed in one of them does not explain the change there.
        """
        ends = [
            [self.builds.get((commit, each)) for commit in (commits.previous_commit, commits.commit)]
            for each in sorted(environments)
        ]
        pairs = [(before, after) for before, after in ends if before and after]
        pythons = [find_python_change(*pair) for pair in pairs]
        found = [
            {each.name: each.description for each in find_package_changes(before.packages, after.packages, "")}
            for before, after in pairs
        ]
        names = sorted(set.intersection(*map(set, found))) if found else []
        moved = detected.MovedBuild(
            python=", ".join(dict.fromkeys(pythons))[:MAX_PYTHONS] if all(pythons) else "",
            packages=tuple(found[0][name] for name in names[: detected.MAX_MOVED]),
            count=len(names),
        )
        return structs.replace(commits, moved=moved)

    def _place(self, span: _Span) -> detected.ChangeCommits:
        commits = self.history.commits
        return detected.ChangeCommits(
            commit=commits[span.position].hash,
            previous_commit=commits[span.previous].hash,
            candidate_count=span.latest - span.earliest,
            date=commits[span.position].day,
        )

    def _commits(self, span: _Span) -> detected.CandidateCommits:
        listed = self.history.commits[span.first_listed : span.latest + 1]
        return detected.part_of(
            self._place(span), detected.CandidateCommits, candidates=tuple(commit.hash for commit in listed)
        )


def _span(change: CandidateChange, position: int) -> _Span:
    """Return where *change* lies: at *position*, that of its cause, if that was measured and may be the change's."""
    measured = change.found.series.positions
    at = int(np.searchsorted(measured, position))
    was_measured = at < len(measured) and measured[at] == position
    if change.kind != "creep" and was_measured and change.earliest < position <= change.latest:
        return _Span(int(measured[at - 1]), change.earliest, position, change.latest)
    return _Span(change.previous, change.earliest, change.position, change.latest)


def _shares(change: CandidateChange) -> LevelShares | None:
    shares, scale = change.shift.shares, change.found.scale
    if shares is None:
        return None
    return replace(shares, low=scale.from_scale(shares.low), high=scale.from_scale(shares.high))


def _name(case: detected.MeasuredCase | detected.Change) -> tuple[str, ...]:
    return (case.benchmark, *case.params, case.environment, case.machine)


def _id(*parts: str) -> str:
    """Return a 48-bit hash of *parts*; the chance of a collision among a million ids is 0.2 %."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
