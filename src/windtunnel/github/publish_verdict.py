"""Publishes a verdict: the check beside the commit, and what the artifact of the run holds."""

from dataclasses import dataclass

from msgspec import UNSET

from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport, Overall
from windtunnel.github.api_runs import WorkflowJob, list_jobs, read_artifact_file
from windtunnel.github.check import Check, CheckOutput, Conclusion, Progress, publish_check
from windtunnel.github.client import Client
from windtunnel.github.comment_metadata import CommentMetadata
from windtunnel.github.http import RepositoryName

VERDICT_FILE = "verdict.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCheck:
    """The check of one workflow run beside the commit that it measured."""

    repo: RepositoryName
    """The repository."""
    metadata: CommentMetadata
    """The commit and the run."""
    name: str
    """The name beside the commit."""
    run_url: str = ""
    """The page of the run."""

    def start(self, client: Client, title: str) -> str:
        """Show that the run is in progress; return what was used, ``check`` or ``status``."""
        return self._publish(client, CheckOutput(title=title, summary="The verdict will appear here."), None)

    def conclude(self, client: Client, output: CheckOutput, conclusion: Conclusion) -> str:
        """Show the result; return what was used, ``check`` or ``status``."""
        return self._publish(client, output, conclusion)

    def _publish(self, client: Client, output: CheckOutput, conclusion: Conclusion | None) -> str:
        check = Check(
            name=self.name,
            details_url=self.run_url or UNSET,
            external_id=f"{self.metadata.run}.{self.metadata.attempt}",
            output=output,
            status=Progress.IN_PROGRESS if conclusion is None else Progress.COMPLETED,
            conclusion=UNSET if conclusion is None else conclusion,
        )
        return publish_check(client, self.repo, self.metadata.head, check)


def decide_conclusion(report: ComparisonReport, *, gate: bool, complete: bool) -> Conclusion:
    """Return the conclusion of a check with a verdict.

    Without *gate* a regression does not fail the check. A verdict on part of the cases, not *complete*, always does.
    """
    if not complete:
        return Conclusion.FAILURE
    match report.overall:
        case Overall.REGRESSED:
            return Conclusion.FAILURE if gate else Conclusion.NEUTRAL
        case Overall.NOTHING_MEASURED if report.coverage.planned > 0:
            return Conclusion.FAILURE
        case Overall.INCONCLUSIVE | Overall.NOTHING_MEASURED:
            return Conclusion.NEUTRAL
        case Overall.IMPROVED | Overall.UNCHANGED | Overall.SAME_ARTIFACT:
            return Conclusion.SUCCESS


def conclusion_without_verdict(run_conclusion: str | None) -> Conclusion:
    """Return the conclusion of a check whose run left no verdict, by how GitHub reports that the run ended."""
    match run_conclusion:
        case "cancelled":
            return Conclusion.CANCELLED
        case "skipped" | "success" | "neutral":
            return Conclusion.NEUTRAL
        case _:
            return Conclusion.FAILURE


def fetch_verdict(client: Client, repo: RepositoryName, run: int, artifact: str) -> ComparisonReport | None:
    """Return the verdict in the *artifact* of a run, None where there is no such artifact.

    Raises DataError where the artifact holds no valid verdict; its content and its stated size are not trusted.
    """
    content = read_artifact_file(client, repo, run, artifact, VERDICT_FILE)
    if content is None:
        return None
    return VERDICT_FORMAT.decode(content, f"{VERDICT_FILE} in the artifact {artifact}")


def fetch_jobs(client: Client, repo: RepositoryName, run: int) -> tuple[WorkflowJob, ...]:
    """Return the jobs of a run."""
    return tuple(job for page in client.pages(list_jobs(repo, run)) for job in page.jobs)
