"""The check beside a commit: a check run, which a rule of the repository can require."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from windtunnel.compare.format import ComparisonReport
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


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCheck:
    """The check of one workflow run beside the commit that it measured."""

    repo: RepositoryName
    metadata: CommentMetadata
    """The commit and the run."""
    name: str
    """The name beside the commit."""
    run_url: str = ""
    """The page of the run."""

    def start(self, client: Client, title: str) -> None:
        """Show that the run is in progress."""
        self.publish(client, title, "The verdict will appear here.", None)

    def wait(self, client: Client, title: str) -> None:
        """Show that the run has not started."""
        summary = "The verdict will appear here once the run is approved and has measured."
        self.publish(client, title, summary, None, progress="queued")

    def publish(
        self, client: Client, title: str, summary: str, conclusion: Conclusion | None, *, progress: str = "in_progress"
    ) -> None:
        """Create or update the check run of this run and attempt; without a *conclusion* it shows the *progress*.

        The *summary* is Markdown of at most 65,535 characters (docs.github.com, REST API endpoints for check runs).

        A completed check run is not set back by a request that arrives late. Of several check runs of one name GitHub
        counts the newest, so a run that a later one cancelled does not add its own.
        """
        own = f"{self.metadata.run}.{self.metadata.attempt}"
        check = {
            "name": self.name,
            "external_id": own,
            "output": {"title": title, "summary": summary},
            "status": COMPLETED if conclusion else progress,
            **({"details_url": self.run_url} if self.run_url else {}),
            **({"conclusion": conclusion} if conclusion else {}),
        }
        known = self._known(client)
        found = next((one for one in known if _is_same(one, own)), None)
        if found is not None:
            if conclusion or found.status != COMPLETED:
                client.send(change(self.repo.path("check-runs", found.id), CheckRun, check))
        elif conclusion not in {None, "cancelled"} or not any(is_older(own, one.external_id) for one in known):
            new = {**check, "head_sha": self.metadata.head}
            client.send(create(self.repo.path("check-runs"), CheckRun, new))

    def find_verdict_run(self, client: Client) -> int:
        """Return the newest other run whose verdict the commit's check shows, 0 if there is none."""
        shown = (
            found
            for one in sorted(self._known(client), key=lambda one: one.id, reverse=True)
            if one.conclusion in WITH_VERDICT and (found := EXTERNAL_ID.fullmatch(one.external_id or ""))
        )
        return next((run for found in shown if (run := int(found[1])) != self.metadata.run), 0)

    def _known(self, client: Client) -> Sequence[CheckRun]:
        """Return the commit's check runs of this name; GitHub's filter is not relied on."""
        path = self.repo.path("commits", self.metadata.head, "check-runs")
        found = client.entries(pages(path, "check_runs", CheckRun, check_name=self.name, filter="all"))
        return [one for one in found if one.name == self.name]


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


def decide_conclusion(report: ComparisonReport, *, gate: bool, complete: bool, accepted: bool = False) -> Conclusion:
    """Return the conclusion of a check with a verdict.

    A regression by time or by instructions fails the check, and so do cases that fail only on head. None does without
    *gate*, and regressions do not if a person *accepted* them. A verdict on part of the cases, not *complete*, always
    does.
    """
    unmeasured = report.overall == "nothing_measured" and not report.is_irrelevant
    worse = report.breaks_cases or (report.fails_gate and not accepted)
    if not complete or (worse and gate) or (unmeasured and report.coverage.planned > 0):
        return "failure"
    if report.fails_gate or unmeasured or report.overall == "inconclusive":
        return "neutral"
    return "success"


def conclusion_without_verdict(run_conclusion: str | None) -> Conclusion:
    """Return the conclusion of a check whose run left no verdict, by how GitHub reports that the run ended."""
    match run_conclusion:
        case "cancelled" | "skipped" as same:
            return same
        case "success" | "neutral":
            return "neutral"
        case _:
            return "failure"
