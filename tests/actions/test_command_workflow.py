"""command.yml under act: what a stranger writes is heard, and nothing is done."""

import pytest
from actions import acting

pytestmark = pytest.mark.act


@pytest.mark.parametrize(
    ("body", "login", "reaction"),
    [("/benchmark", "mallory", ["confused"]), ("/benchmark bisect x --evil", "maintainer", ["confused"])],
)
def test_what_may_not_be_done_runs_nothing(adopted, forge, body, login, reaction):
    """A reaction, and no job that executes code of the pull request or writes anything."""
    clone = adopted()
    head = "b" * 40
    forge.pull(12, head)
    forge.permissions["maintainer"] = "write"
    event = {
        "action": "created",
        "comment": {"id": 77, "body": body, "user": {"login": login}, "created_at": "2026-01-02T00:00:00Z"},
        "issue": {"number": 12, "pull_request": {"url": "x"}},
        "repository": {"full_name": forge.repo, "default_branch": "main"},
    }
    acted = acting.run(
        clone, clone.parent / "origin.git", "issue_comment", event, clone.parent / "act",
        workflow="command.yml", token=forge.token, GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo,
    )  # fmt: skip
    assert acted.code == 0, acted.output
    assert [one["content"] for one in forge.reactions] == reaction
    assert acted.result("Hear", "Hear") == "success"
    for job, step in (("Comment", "Comment"), ("Bisect", "Bisect"), ("Acknowledge", "Acknowledge")):
        assert acted.result(job, step) is None
    assert [path for method, path in forge.seen if method != "GET"] == ["/repos/org/spam/issues/comments/77/reactions"]
