"""Tells a verdict on GitHub: the check beside the commit always, a comment where there is something to say."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from msgspec import UNSET

from windtunnel.compare import check_text
from windtunnel.compare.comment_markdown import CommentContext, needs_comment, render_comment
from windtunnel.compare.comment_metadata import PostedVerdict
from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport, Overall
from windtunnel.errors import DataError
from windtunnel.github import single_comment
from windtunnel.github.api_checks import Check, CheckOutput, Conclusion, Progress
from windtunnel.github.api_runs import (
    LARGEST_ARCHIVE,
    Artifact,
    Job,
    download_artifact,
    extract,
    list_artifacts,
    list_jobs,
)
from windtunnel.github.check import show
from windtunnel.github.client import Client
from windtunnel.github.http import RepositoryName

VERDICT = "verdict.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a verdict is told of, and how: *check* is the name beside the commit, *gate* makes a regression fail it."""

    repo: RepositoryName
    about: CommentContext
    check: str
    gate: bool = True
    complete: bool = True
    """Whether the run went to its end; a verdict on a part is never a success."""
    asked: bool = False
    """Whether somebody waits for the comment, be it that nothing changed."""

    def line(self, title: str, summary: str) -> Check:
        """Return the check-run, in progress."""
        metadata = self.about.metadata
        return Check(
            name=self.check,
            details_url=self.about.run_url or UNSET,
            external_id=f"{metadata.run}.{metadata.attempt}",
            output=CheckOutput(title=title, summary=summary),
            status=Progress.IN_PROGRESS,
        )


async def begin(client: Client, occasion: Occasion) -> str:
    """Show that it is being measured."""
    check = occasion.line(check_text.CHECK_RUNNING, "The verdict will stand here.")
    return await show(client, occasion.repo, occasion.about.metadata.head, check)


async def conclude(client: Client, occasion: Occasion, report: ComparisonReport) -> str:
    """Show how it came out."""
    title = check_text.check_title(report, complete=occasion.complete)
    conclusion = _conclusion(report, gate=occasion.gate)
    if not occasion.complete:
        conclusion = Conclusion.FAILURE
    return await _end(client, occasion, occasion.line(title, check_text.check_summary(report)), conclusion)


async def conclude_without(client: Client, occasion: Occasion, ended: str | None) -> str:
    """Show that there is no verdict; *ended* is how the run ended, as GitHub says it."""
    title = check_text.check_title_without_verdict(ended)
    match ended:
        case "cancelled":
            conclusion = Conclusion.CANCELLED
        case "skipped" | "success" | "neutral":
            conclusion = Conclusion.NEUTRAL
        case _:
            conclusion = Conclusion.FAILURE
    return await _end(client, occasion, occasion.line(title, title), conclusion)


async def tell(
    client: Client, occasion: Occasion, report: ComparisonReport, thread: single_comment.Thread
) -> single_comment.Outcome:
    """Leave one comment in *thread* that says so; none where nothing changed and none is there."""

    def text(standing: PostedVerdict | None) -> str | None:
        if standing is None:
            return render_comment(report, occasion.about) if occasion.asked or needs_comment(report) else None
        earlier = standing.history(occasion.about.metadata.head)
        return render_comment(report, replace(occasion.about, earlier=earlier))

    return await single_comment.post(client, thread, occasion.about.metadata, text)


async def fetch_verdict(client: Client, repo: RepositoryName, run: int, name: str) -> ComparisonReport | None:
    """Return the verdict that a run left as the artifact *name*, None where it left none.

    Raises DataError where what it left is no verdict: nothing in it is believed, not even its size.
    """
    found = [one async for one in _artifacts(client, repo, run, name)]
    if not found:
        return None
    newest = max(found, key=lambda one: one.id)
    if newest.size_in_bytes > LARGEST_ARCHIVE:
        raise DataError(
            f"the artifact {name} has {newest.size_in_bytes} bytes; more than {LARGEST_ARCHIVE} are not read"
        )
    content = await client.download(download_artifact(repo, newest.id), LARGEST_ARCHIVE)
    source = f"the artifact {name}"
    return VERDICT_FORMAT.decode(extract(content, VERDICT, source), f"{VERDICT} in {source}")


async def jobs_of(client: Client, repo: RepositoryName, run: int) -> tuple[Job, ...]:
    """Return the jobs of a run."""
    return tuple([job async for page in client.pages(list_jobs(repo, run)) for job in page.jobs])


async def _artifacts(client: Client, repo: RepositoryName, run: int, name: str) -> AsyncIterator[Artifact]:
    async for page in client.pages(list_artifacts(repo, run, name)):
        for one in page.artifacts:
            if one.name == name and not one.expired:
                yield one


async def _end(client: Client, occasion: Occasion, check: Check, conclusion: Conclusion) -> str:
    done = replace(check, status=Progress.COMPLETED, conclusion=conclusion)
    return await show(client, occasion.repo, occasion.about.metadata.head, done)


def _conclusion(report: ComparisonReport, *, gate: bool) -> Conclusion:
    match report.overall:
        case Overall.REGRESSED:
            return Conclusion.FAILURE if gate else Conclusion.NEUTRAL
        case Overall.NOTHING_MEASURED if report.coverage.planned > 0:
            return Conclusion.FAILURE
        case Overall.INCONCLUSIVE | Overall.NOTHING_MEASURED:
            return Conclusion.NEUTRAL
        case Overall.IMPROVED | Overall.UNCHANGED | Overall.SAME_ARTIFACT:
            return Conclusion.SUCCESS
