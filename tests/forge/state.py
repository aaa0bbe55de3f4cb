"""What the stand-in for GitHub remembers."""

import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(kw_only=True)
class Fault:
    """What happens instead of an answer, *times* times, to requests whose method and path match."""

    method: str = ".*"
    path: str = ".*"
    status: int = 502
    headers: dict = field(default_factory=dict)
    body: str = ""
    kind: str = "answer"
    """``answer``; ``drop`` the connection; ``cut`` the body short; ``after``: carry it out, then answer *status*."""
    times: int = 1

    def hits(self, request):
        return re.fullmatch(self.method, request.method) and re.search(self.path, request.path)


@dataclass(kw_only=True)
class Forge:
    """A repository on GitHub, as far as its interface shows it; tests fill it and look at it."""

    repo: str = "org/project"
    token: str = "ghs_" + "s3cret" * 6  # a stand-in, of the form that tokens have
    login: str = "github-actions[bot]"
    workflow_token: bool = True
    """May not ask /user, like the token of a job."""
    writes: bool = True
    """False: a fork's token."""
    private: bool | None = None
    """Whether the repository is private; None: there is none that anyone may see."""
    actions_readable: bool = True
    """False: the job lacks ``actions: read``."""
    most_a_page: int = 100
    pulls: list = field(default_factory=list)
    between_pages: list = field(default_factory=list)
    """Functions, each called once after a page that has a next one: lists change while they are read."""
    comments: list = field(default_factory=list)
    has_issues: bool = True
    """False: issues are switched off."""
    has_pages: bool = True
    """False: Pages are off."""
    pages_readable: bool = True
    """False: the job lacks ``pages: read``."""
    issues: list = field(default_factory=list)
    checks: list = field(default_factory=list)
    deleted: set = field(default_factory=set)
    """Numbers of issues that were deleted."""
    moved: dict = field(default_factory=dict)
    """What issues that were moved to another repository are there, by their old number."""
    events: dict = field(default_factory=dict)
    """What happened to each issue and pull request, by its number."""
    runs: dict = field(default_factory=dict)
    jobs: dict = field(default_factory=dict)
    annotations: dict = field(default_factory=dict)
    """By the number of the job, which is that of its check run."""
    files: dict = field(default_factory=dict)
    """The text of files on the default branch, by path."""
    artifacts: list = field(default_factory=list)
    blobs: dict = field(default_factory=dict)
    shelf: Path | None = None
    """Where stand-ins for upload-artifact put what they are given: ``<run>/<name>/``."""
    faults: list = field(default_factory=list)
    seen: list = field(default_factory=list)
    """(method, path) of every request."""
    complaints: list = field(default_factory=list)
    """What GitHub's description has against the requests."""
    leaks: list = field(default_factory=list)
    """Requests for artifacts' content that carried the token elsewhere."""
    last: int = 1000
    url: str = ""

    def number(self):
        self.last += 1
        return self.last

    def fault(self, **what):
        """Let something go wrong."""
        self.faults.append(Fault(**what))

    def comment(self, number, body, login=None):
        """Add a comment by *login* to issue or pull request *number*."""
        made = {
            "id": self.number(),
            "body": body,
            "user": {"login": login or self.login},
            "html_url": f"https://forge.example/{self.repo}/pull/{number}#issuecomment-{self.last}",
            "number": number,
        }
        self.comments.append(made)
        return made

    def issue(self, title, body, labels=(), login=None):
        """Open an issue; its labels are events too."""
        number = self.number()
        made = {
            "id": number,
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "state_reason": None,
            "user": {"login": login or self.login},
            "labels": [],
            "html_url": f"https://forge.example/{self.repo}/issues/{number}",
        }
        self.issues.append(made)
        for name in labels:
            self.label(number, name, login)
        return made

    def close(self, number, login, reason=None):
        """Close an issue; without a reason it counts as completed (docs.github.com, REST, Update an issue)."""
        closed = {"state": "closed", "state_reason": reason or "completed", "closed_by": {"login": login}}
        self._change(number, "closed", login, **closed)

    def reopen(self, number, login, reason=None):  # GitHub knows one reason
        """Open a closed issue again."""
        self._change(number, "reopened", login, state="open", state_reason="reopened", closed_by=None)

    def delete(self, number):
        """Delete an issue; its number is not used again."""
        self.issues = [one for one in self.issues if one["number"] != number]
        self.deleted.add(number)

    def move(self, number, repo, new):
        """Move an issue to another repository, where it has another number; GitHub redirects."""
        (found,) = (one for one in self.issues if one["number"] == number)
        self.issues.remove(found)
        self.moved[number] = {**found, "number": new, "html_url": f"https://forge.example/{repo}/issues/{new}"}

    def label(self, number, name, login=None):
        """Set a label, whose name is compared without case."""
        one = self._labelled(number)
        if name.lower() not in {label["name"].lower() for label in one["labels"]}:
            one["labels"].append({"name": name})
            self._happened(number, "labeled", login, label={"name": name, "color": "ededed"})

    def unlabel(self, number, name, login=None):
        """Remove a label."""
        one = self._labelled(number)
        one["labels"] = [label for label in one["labels"] if label["name"].lower() != name.lower()]
        self._happened(number, "unlabeled", login, label={"name": name, "color": "ededed"})

    def _labelled(self, number):
        return next(one for one in (*self.issues, *self.pulls) if one["number"] == number)

    def _change(self, number, event, login, **state):
        next(one for one in self.issues if one["number"] == number).update(state)
        reason = state["state_reason"] if event == "closed" else None
        self._happened(number, event, login, state_reason=reason)

    def _happened(self, number, event, login, **what):
        actor = {"login": login or self.login}
        made = {"id": self.number(), "event": event, "actor": actor, "created_at": "2026-01-01T00:00:00Z"}
        self.events.setdefault(number, []).append(made | what)

    def comment_by(self, login, number):
        """An older comment on pull request 12 that was not listed before."""
        return {"id": number, "body": "late", "user": {"login": login}, "html_url": "", "number": 12}

    def pull(self, number, head, base="0" * 40, state="open"):
        """There is a pull request."""
        made = {
            "number": number,
            "state": state,
            "head": {
                "sha": head,
                "ref": "topic",
                "repo": {"full_name": self.repo, "pushed_at": "2026-01-01T00:00:00Z"},
            },
            "base": {"sha": base, "ref": "main"},
            "labels": [],
        }
        self.pulls.append(made)
        return made

    def held_run(self, run, head, **what):
        """A run of a first-time contributor, which a maintainer must approve.

        It is *completed* from its first event on (docs.github.com, Approving workflow runs from forks;
        github.com/pytorch/test-infra/pull/8029: "status=completed, conclusion=action_required", with equal times).
        """
        self.run(run, head, status="completed", conclusion="action_required", head_repository=None, **what)

    def run(self, run, head, **what):
        """A workflow ran, in the repository of the first pull request with this head."""
        forks = (one["head"].get("repo") for one in self.pulls if one["head"]["sha"] == head)
        source = next(filter(None, forks), {"full_name": self.repo})
        self.runs[run] = {
            "id": run,
            "head_sha": head,
            "event": "pull_request",
            "status": "completed",
            "conclusion": "success",
            "created_at": "2026-01-01T00:00:00Z",
            "html_url": f"https://forge.example/{self.repo}/actions/runs/{run}",
            "run_attempt": 1,
            "workflow_id": 77,
            "path": ".github/workflows/pull-request.yml",
            "head_branch": "topic",
            "head_repository": {"full_name": source["full_name"]},
        } | what
        self.jobs.setdefault(run, [])

    def artifact(self, run, name, content, **what):
        """A workflow left an artifact: *content* is the zip file."""
        number = what.get("id") or self.number()
        self.blobs[number] = content
        self.artifacts.append(
            {"id": number, "name": name, "size_in_bytes": len(content), "expired": False, "run": run} | what
        )

    def take_in(self, run):
        """Make artifacts of what a run has put on the shelf since."""
        known = {one["name"] for one in self.artifacts if one["run"] == run}
        for folder in sorted((self.shelf / str(run)).glob("*")) if self.shelf else ():
            if folder.name not in known:
                content = io.BytesIO()
                with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
                    for file in (one for one in folder.rglob("*") if one.is_file()):
                        archive.write(file, file.relative_to(folder))
                self.artifact(run, folder.name, content.getvalue())

    def env(self, **more):
        """The environment in which a job would find this forge."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_SERVER_URL": "https://forge.example",
            "GITHUB_REPOSITORY": self.repo,
            "GITHUB_TOKEN": self.token,
            **more,
        }
