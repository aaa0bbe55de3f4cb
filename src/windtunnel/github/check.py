"""The check beside a commit: a check run, which a rule of the repository can require."""

import re
from dataclasses import dataclass
from typing import Literal, Self

from msgspec import Struct

from windtunnel.github.client import Client, RepositoryName, change, create, pages
from windtunnel.github.comment import CommentMetadata

COMPLETED = "completed"
"""GitHub's word for a check run that has a conclusion."""
EXTERNAL_ID = re.compile(r"(\d{1,20})\.(\d{1,9})")
"""The run and the attempt, by which a check run is found again."""


Conclusion = Literal["success", "failure", "neutral", "cancelled", "skipped"]
"""The result of a check run."""


WITH_VERDICT = frozenset({"success", "failure", "neutral"})
"""Conclusions of check runs that may show a verdict."""


class CheckRun(Struct, frozen=True, kw_only=True):
    """A check run."""

    id: int
    name: str
    status: str
    external_id: str | None = None
    """The run and the attempt that wrote it, if Windtunnel did."""
    conclusion: str | None = None

    @property
    def run(self) -> int:
        """The run that wrote it, 0 if Windtunnel did not."""
        found = EXTERNAL_ID.fullmatch(self.external_id or "")
        return int(found[1]) if found else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCheck:
    """The check of one workflow run beside the commit that it measured."""

    repo: RepositoryName
    metadata: CommentMetadata
    """The commit and the run."""
    name: str
    """The name beside the commit."""
    known: list[CheckRun]
    """Windtunnel's check runs of this name beside the commit, oldest first, with those that were created since."""

    @classmethod
    def read(cls, client: Client, repo: RepositoryName, metadata: CommentMetadata, name: str) -> Self:
        """Request the check runs of the commit; those of jobs, which may have the same name, do not count."""
        path = repo.path("commits", metadata.head, "check-runs")
        listed = client.entries(pages(path, "check_runs", CheckRun, check_name=name, filter="all"))
        found = {one.id: one for one in listed if one.name == name and one.run}
        return cls(repo=repo, metadata=metadata, name=name, known=[found[number] for number in sorted(found)])

    @property
    def own(self) -> CheckRun | None:
        """The newest check run of this run and attempt, None where there is none."""
        return next((one for one in reversed(self.known) if _is_same(one, self._external_id)), None)

    @property
    def other(self) -> CheckRun | None:
        """The newest check run of another run, None where there is none."""
        return next((one for one in reversed(self.known) if one.run != self.metadata.run), None)

    @property
    def _external_id(self) -> str:
        return f"{self.metadata.run}.{self.metadata.attempt}"

    def publish(
        self, client: Client, title: str, summary: str, conclusion: Conclusion | None, *, progress: str = "in_progress"
    ) -> None:
        """Create or update the check run of this run and attempt; without a *conclusion* it shows the *progress*.

        The *summary* is Markdown of at most 65,535 bytes; docs.github.com has characters, and bytes were measured.

        Of several check runs of one name GitHub counts the newest. So a verdict gets another check run where one that a
        later verdict does not explain is newer, and a run that is in progress or cancelled gets none after a later run.
        A completed check run is not set back by a request that arrives late.
        """
        check = {
            "name": self.name,
            "external_id": self._external_id,
            "output": {"title": title, "summary": summary},
            "status": COMPLETED if conclusion else progress,
            **({"conclusion": conclusion} if conclusion else {}),
        }
        weak, own = conclusion in {None, "cancelled"}, self.own
        later = [one for one in self.known if is_older(self._external_id, one.external_id)]
        replaced = any(one is self.known[-1] and one.conclusion in WITH_VERDICT for one in later)
        if own is not None and (weak or own is self.known[-1] or replaced):
            if conclusion or own.status != COMPLETED:
                updated = client.send(change(self.repo.path("check-runs", own.id), CheckRun, check))
                self.known[self.known.index(own)] = updated
        elif not (weak and later):
            new = {**check, "head_sha": self.metadata.head}
            self.known.append(client.send(create(self.repo.path("check-runs"), CheckRun, new)))


def _is_same(one: CheckRun, external_id: str) -> bool:
    """Return whether *one* is of the same attempt, or of an attempt of the same run that left it unfinished."""
    unfinished = one.status != COMPLETED and is_older(one.external_id or "", external_id)
    same_run = (one.external_id or "").partition(".")[0] == external_id.partition(".")[0]
    return one.external_id == external_id or (unfinished and same_run)


def is_older(one: str, other: str | None) -> bool:
    """Return whether the external id *one*, ``run.attempt``, is that of an earlier run or attempt than *other*."""
    found = EXTERNAL_ID.fullmatch(one), EXTERNAL_ID.fullmatch(other or "")
    mine, theirs = (tuple(map(int, each.groups())) if each else None for each in found)
    return mine is not None and theirs is not None and mine < theirs


def conclusion_without_verdict(run_conclusion: str | None) -> Conclusion:
    """Return the conclusion of a check whose run left no verdict: GitHub counts *neutral* and *skipped* as success."""
    return "cancelled" if run_conclusion == "cancelled" else "failure"
