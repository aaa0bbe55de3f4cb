"""``windtunnel ci comment`` against a stand-in for GitHub: the comments and checks afterwards."""

import io
import threading
import warnings
import zipfile

import pytest
from builders.commands import run_command
from builders.samples import a_context, paired_samples
from forge.server import serving
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import RULES_CHANGED, VERDICT_FORMAT, Budget, MachineTiming, NotCompared
from windtunnel.errors import ExitCode
from windtunnel.github import client
from windtunnel.model.schedule import COMPARED_COMMITS

HEAD, NEXT = "b" * 40, "c" * 40
ARTIFACT = "windtunnel-verdict.1"
"""What the first attempt of a run left."""


def a_verdict(ratio=1.0, *, head=HEAD, name="suite.time_it", **what):
    """A judgement on one benchmark, confirmed, and how it moved."""
    fresh = None if ratio == 1.0 else ratio
    return decide(a_context(head=head, **what), [paired_samples(name, ratio, fresh=fresh, rounds=30, spread=0.002)])


def zipped(content, name="verdict.json", method=zipfile.ZIP_DEFLATED):
    """A zip file as GitHub keeps artifacts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def kept(report):
    """An artifact with a verdict."""
    return zipped(VERDICT_FORMAT.encode(report))


GOOD = kept(a_verdict(1.3))


def a_run(forge, run, report, head=HEAD, number=12, jobs=None, **what):
    """A run for the pull request *number* that left *judgement*; none leaves no artifact."""
    if not any(one["number"] == number for one in forge.pulls):
        forge.pull(number, head)
    for one in forge.pulls:
        one["head"]["sha"] = head
    forge.run(run, head, **what)
    if jobs:
        forge.jobs[run] = jobs
    if report is not None:
        forge.artifact(run, ARTIFACT, kept(report))


def comment(forge, *argv, code=None, **env):
    """Run the command; return its exit code and outputs."""
    return run_command(["ci", "comment", *argv], forge.env(**env), code=code)


def reported(forge, run, report, head=HEAD, *argv, number=12, **what):
    """Run the command for a new run as `a_run` makes it; return its exit code and outputs."""
    a_run(forge, run, report, head, number, **what)
    return comment(forge, "--run", str(run), *argv)


def bodies(forge):
    return [one["body"] for one in forge.comments if one["user"]["login"] == forge.login]


OLD = NotCompared(benchmark="suite.time_broken", reason="failed long ago", on=("base",))
BOTH = replace(OLD, on=COMPARED_COMMITS)
IRRELEVANT = decide(a_context(head=NEXT, unmeasured="irrelevant", notes=("2 changed files, all in docs/",)), [])


@pytest.mark.parametrize(
    ("report", "conclusion", "said"),
    [
        (a_verdict(), "success", "No slowdown found"),
        (IRRELEVANT, "success", "no changed file can affect"),
        (a_verdict(failed=(OLD,)), "success", "suite.time_broken"),
        (a_verdict(failed=(BOTH,)), "success", "suite.time_broken"),
        (decide(a_context(failed=(BOTH,)), []), "failure", "suite.time_broken"),
        (decide(a_context(), []), "neutral", "Nothing was measured"),
    ],
    ids=["no change", "documentation", "fails on base", "fails on both", "nothing else", "an empty suite"],
)
def test_no_comment_where_nothing_needs_attention(forge, report, conclusion, said):
    """A comment on every pull request would be ignored; the check states the result."""
    code, out, _ = reported(forge, 5, report)
    assert (code, bodies(forge)) == (ExitCode.FINE, [])
    assert "not needed" in out
    ((check),) = forge.checks
    assert check["conclusion"] == conclusion
    assert said in str(check["output"])


@pytest.mark.parametrize(
    ("report", "lead"),
    [
        (a_verdict(head=NEXT), "No slowdown found"),
        (IRRELEVANT, "Nothing was measured"),
        (a_verdict(head=NEXT, failed=(BOTH,)), "No slowdown found"),
    ],
    ids=["fixed", "no longer changed", "fails on base"],
)
def test_an_earlier_regression_is_reported_as_resolved(forge, report, lead):
    """The comment states when the regression is gone; a failure on base is counted apart."""
    reported(forge, 5, a_verdict(1.3))
    reported(forge, 6, report, NEXT)
    (body,) = bodies(forge)
    assert body.startswith(f"## Resolved: {lead}")
    assert "became slower" in body
    assert ("1 failing on base already" in body) is bool(report.failed)
    assert "1 failed" not in body


BROKEN = NotCompared(benchmark="suite.time_broken", reason="failed at head")


@pytest.mark.parametrize(
    ("report", "lead"),
    [
        (a_verdict(1.3), "1 of 1 benchmark case became slower"),
        (a_verdict(failed=(BROKEN,)), "1 of 2 benchmark cases failed: `suite.time_broken`"),
    ],
)
def test_a_regression_or_a_new_failure_fails_the_check(forge, report, lead):
    """The pull request broke it; ``--no-gate`` only reports it."""
    reported(forge, 5, report)
    assert bodies(forge)[0].startswith(f"## Blocks merging: {lead}")
    comment(forge, "--run", "5", "--check", "advice", "--no-gate")
    assert [one["conclusion"] for one in forge.checks] == ["failure", "neutral"]
    assert forge.checks[1]["output"]["summary"].startswith(f"## Does not block merging: {lead}")


@pytest.mark.parametrize("ratio", [1.0, 1.3])
def test_an_incomplete_verdict_fails_the_check(forge, ratio):
    """What the failed part would have found is not known; nothing changed in the rest is not *nothing changed*."""
    jobs = [{"name": "Screen part 1", "conclusion": "failure"}, {"name": "Confirm", "conclusion": "success"}]
    reported(forge, 5, a_verdict(ratio), conclusion="failure", jobs=jobs)
    assert shown(forge)[0] == "failure"
    assert shown(forge)[1].startswith("Part of the run failed. ")
    assert ["1 job failed" in body for body in bodies(forge)] == [True] * (ratio > 1)


def test_a_check_run_is_no_job(forge):
    """GitHub lists what a token created as jobs of the commit's oldest run: a regression is no failed job."""
    a_run(forge, 5, a_verdict(1.3))
    forge.jobs[5] = [{"name": "Confirm", "conclusion": "success", "steps": [{"name": "Confirm"}]}]
    for check in ("windtunnel", "windtunnel-io", "windtunnel"):
        comment(forge, "--run", "5", "--check", check)
    assert [one["conclusion"] for one in forge.checks] == ["failure", "failure"]
    assert not any("Part of the run" in one["output"]["title"] + one["output"]["summary"] for one in forge.checks)
    assert "job failed" not in bodies(forge)[0]


def test_a_job_that_no_runner_took_is_missing(forge):
    """It has no steps and no runner either, but the label of one; the conclusion of the run does not count."""
    lost = {"name": "Screen", "conclusion": "cancelled", "runner_id": None}
    reported(forge, 5, a_verdict(1.3), conclusion="success", jobs=[lost, {"name": "x", "conclusion": "success"}])
    assert "1 job failed" in bodies(forge)[0]
    assert forge.checks[0]["output"]["title"].startswith("Part of the run failed. ")


def test_a_commit_that_cannot_be_built_is_reported(forge):
    """Which one, and that the run failed."""
    note = "py3.12: install of head failed: no such thing"
    reported(forge, 5, decide(a_context(notes=(note,)), []), conclusion="failure")
    assert "install of head failed" in bodies(forge)[0]
    assert [one["conclusion"] for one in forge.checks] == ["failure"]


def test_other_rules_than_those_of_base_always_get_a_comment(forge):
    """Else a pull request that turns the direction of improvement round hides its own slowdown."""
    reported(forge, 5, a_verdict(notes=(RULES_CHANGED,)))
    assert "The thresholds or directions of improvement" in bodies(forge)[0]


def test_the_comment_is_updated_and_keeps_earlier_verdicts(forge):
    """There is one comment for all pushes; earlier verdicts are folded, newest first, one for each commit."""
    for run, (ratio, head) in enumerate([(1.3, HEAD), (1.5, HEAD), (1.2, NEXT), (1.4, "d" * 40)], 5):
        reported(forge, run, a_verdict(ratio, head=head), head)
    (body,) = bodies(forge)
    earlier = body.partition("<!-- windtunnel:earlier -->")[2].partition("<!--")[0].split("\n- ")[1:]
    assert [line[1:11] for line in earlier] == [NEXT[:10], HEAD[:10]]
    assert "+50 %" in earlier[1]
    assert body.index("<summary>Earlier verdicts: 2") > body.index("What to do")


def test_a_hidden_line_of_another_author_is_ignored(forge):
    """Anyone can write the hidden line; only comments of the own author count, on every page."""
    forge.most_a_page = 2
    reported(forge, 5, a_verdict(1.3))
    (ours,) = forge.comments
    forge.comments.clear()
    for _ in range(3):
        forge.comment(12, ours["body"], login="mallory")
    own = forge.comment(12, ours["body"])
    reported(forge, 6, a_verdict(1.5, head=NEXT), head=NEXT)
    assert [one["body"] == ours["body"] for one in forge.comments] == [True, True, True, False]
    assert "+50 %" in own["body"]


def test_each_suite_has_its_own_comment(forge):
    """By --key."""
    reported(forge, 5, a_verdict(1.3), HEAD, "--key", "one")
    comment(forge, "--run", "5", "--key", "two")
    assert len(bodies(forge)) == 2


def test_with_a_users_token_the_author_is_that_user(forge):
    """The API returns the account of the token."""
    forge.workflow_token, forge.login = False, "someone"
    reported(forge, 5, a_verdict(1.3))
    comment(forge, "--run", "5")
    assert len(bodies(forge)) == 1


def test_a_forks_pull_request_is_found_by_its_branch(forge):
    """Which the run names; others of the same branch name, and other open ones, do not count, on any page."""
    forge.most_a_page = 1
    for number, owner in enumerate(("mallory", "alice", "mallory"), 11):
        forge.pull(number, HEAD)["head"]["repo"]["full_name"] = f"{owner}/project"
    forge.run(5, HEAD, head_repository={"full_name": "alice/project"})
    forge.artifact(5, ARTIFACT, GOOD)
    assert "comment on #12: created" in comment(forge, "--run", "5")[1]
    assert [one["number"] for one in forge.comments] == [12]


def test_a_deleted_fork_gets_its_check_and_no_comment(forge):
    """``head_repository`` is null (github/rest-api-description 1586), so any branch with this head could be meant."""
    a_run(forge, 5, a_verdict(1.3), head_repository=None)
    forge.pulls[0]["head"]["repo"] = None
    forge.pull(13, HEAD)
    assert comment(forge, "--run", "5")[0] == ExitCode.FINE
    assert (forge.comments, [one["conclusion"] for one in forge.checks]) == ([], ["failure"])


def test_a_pull_request_that_is_listed_twice_gets_one_comment(forge):
    """An update or a reopened one moves entries to the next page."""
    forge.most_a_page = 1
    a_run(forge, 5, a_verdict(1.3), number=12)
    forge.pulls.append(forge.pulls[0])
    _, out, _ = comment(forge, "--run", "5")
    assert out.count("comment on #12") == 1


def test_a_comment_that_moves_to_another_page_is_not_posted_twice(forge):
    """A comment is deleted while the list is read; another read finds both, and the oldest stays."""
    forge.most_a_page = 1
    first = forge.comment(12, "nice", login="reader")
    reported(forge, 5, a_verdict(1.3))
    a_run(forge, 6, a_verdict(1.5))
    forge.between_pages.append(lambda: forge.comments.remove(first))
    comment(forge, "--run", "6")
    ((body),) = bodies(forge)
    assert "1.50" in body


def test_a_comment_that_is_listed_twice_is_not_deleted(forge):
    """It is the same comment, not a second one: an older one appears while the comments are read after writing."""
    forge.most_a_page = 1
    reported(forge, 5, a_verdict(1.3))
    forge.comment(12, "nice", login="reader")
    a_run(forge, 6, a_verdict(1.5))
    forge.between_pages += [lambda: None, lambda: forge.comments.insert(0, forge.comment_by("reader", 1))]
    comment(forge, "--run", "6")
    ((body),) = bodies(forge)
    assert "1.50" in body


@pytest.mark.parametrize("moved", ["closed", "pushed to"])
def test_the_measured_commit_must_still_be_the_head(forge, moved):
    """The verdict on an old commit would be read as one on the new; the check stays with its commit."""
    a_run(forge, 5, a_verdict(1.3))
    forge.pulls[0].update(
        {"state": "closed"} if moved == "closed" else {"head": forge.pulls[0]["head"] | {"sha": NEXT}}
    )
    _, _, err = comment(forge, "--run", "5")
    assert bodies(forge) == []
    assert "is not the head of an open pull request" in err
    assert forge.checks[0]["conclusion"] == "failure"


def test_the_artifact_cannot_choose_its_pull_request(forge):
    """It may claim any commit; GitHub determines the pull request, and the claim is displayed."""
    forge.pull(99, NEXT)
    a_run(forge, 5, a_verdict(1.3, head=NEXT))
    for one in forge.pulls:
        one["head"]["sha"] = NEXT if one["number"] == 99 else HEAD
    comment(forge, "--run", "5")
    assert [one["number"] for one in forge.comments] == [12]
    assert "The verdict is on" in bodies(forge)[0]


def test_a_copy_of_a_branch_does_not_speak_for_the_original(forge):
    """Anyone can open a pull request with the head of another one; its verdict may have another base."""
    a_run(forge, 5, a_verdict(1.3), head_repository={"full_name": "mallory/project"}, head_branch="copy")
    forge.pulls[0]["head"]["repo"] = {"full_name": "alice/project", "pushed_at": "2026-01-01T00:00:00Z"}
    copy = forge.pull(13, HEAD)
    copy["head"] |= {"ref": "copy", "repo": {"full_name": "mallory/project", "pushed_at": "2026-01-01T00:00:00Z"}}
    comment(forge, "--run", "5")
    assert [one["number"] for one in forge.comments] == [13]


def test_an_earlier_run_does_not_overwrite_a_later_one(forge):
    """Jobs overtake each other; run ids grow."""
    reported(forge, 6, a_verdict(1.5))
    assert "a later run wrote it" in reported(forge, 5, a_verdict(1.3)).stdout
    assert "+50 %" in bodies(forge)[0]


def test_concurrent_runs_leave_one_comment(forge):
    """Both see none and write one; both look again, and the oldest stays."""
    a_run(forge, 5, a_verdict(1.3))
    a_run(forge, 6, a_verdict(1.5))
    posters = [threading.Thread(target=comment, args=(forge, "--run", run)) for run in ("5", "6", "5", "6")]
    for one in posters:
        one.start()
    for one in posters:
        one.join()
    assert len(bodies(forge)) == 1


def test_a_lost_response_does_not_cause_a_second_comment(forge):
    """502 after it was carried out: looked at again, not written again."""
    a_run(forge, 5, a_verdict(1.3))
    forge.fault(method="POST", path="/comments$", kind="after", status=502)
    code, out, _ = comment(forge, "--run", "5")
    assert (code, len(bodies(forge))) == (ExitCode.FINE, 1)
    assert "created" in out


def test_a_comment_that_was_deleted_meanwhile_is_created_again(forge):
    """404 on updating."""
    reported(forge, 5, a_verdict(1.3))
    a_run(forge, 6, a_verdict(1.5))
    forge.fault(method="PATCH", path="/comments/", status=404)
    assert comment(forge, "--run", "6")[0] == ExitCode.FINE
    assert "+50 %" in bodies(forge)[0]


def test_a_forks_token_gets_an_error_that_names_the_permission(forge):
    """Exit code 4, and which right to give; nothing of the token."""
    forge.writes = False
    code, out, err = reported(forge, 5, a_verdict(1.3))
    assert code == ExitCode.REMOTE
    assert "permissions of the job" in err
    assert forge.token not in out + err


@pytest.mark.parametrize("status", ["queued", "in_progress", "requested", "pending"])
def test_the_check_is_in_progress_while_the_run_is(forge, status):
    """Then one concluded, not a second."""
    reported(forge, 5, a_verdict(1.3), status=status, conclusion=None)
    assert [(one["status"], one["conclusion"]) for one in forge.checks] == [("in_progress", None)]
    forge.runs[5].update(status="completed", conclusion="success")
    comment(forge, "--run", "5")
    assert [(one["status"], one["conclusion"]) for one in forge.checks] == [("completed", "failure")]
    assert forge.checks[0]["output"]["title"].startswith("1 of 1 benchmark case became slower")


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_run_that_waits_for_approval_fails_nothing(forge, attempt):
    """A maintainer approves first: the check waits, which neither fails nor satisfies a rule. Then it shows the run.

    Whether the approved run counts as a second attempt is not documented, so both ways leave one check.
    """
    a_run(forge, 5, None)
    forge.held_run(5, HEAD)
    for _ in ("requested", "completed"):
        assert comment(forge, "--run", "5")[0] == ExitCode.FINE
    ((check),) = forge.checks
    assert (check["status"], check["conclusion"]) == ("queued", None)
    assert check["output"]["title"] == "Waits for a maintainer's approval"
    forge.run(5, HEAD, status="in_progress", conclusion=None, run_attempt=attempt)
    comment(forge, "--run", "5")
    assert [one["status"] for one in forge.checks] == ["in_progress"]
    reported(forge, 5, a_verdict(1.3), run_attempt=attempt)
    assert [(one["status"], one["conclusion"]) for one in forge.checks] == [("completed", "failure")]
    assert len(bodies(forge)) == 1


def test_a_repeated_run_gets_a_check_of_its_own(forge):
    """The newest check of a name counts at GitHub, so the earlier attempt's result stays behind it."""
    reported(forge, 5, None, conclusion="failure")
    forge.run(5, HEAD, run_attempt=2, status="in_progress", conclusion=None)
    comment(forge, "--run", "5")
    reported(forge, 5, a_verdict(), run_attempt=2)
    assert [one["conclusion"] for one in forge.checks] == ["failure", "success"]


def test_an_attempt_that_broke_has_not_the_verdict_of_an_earlier_one(forge):
    """A repeated run keeps the artifacts of its earlier attempts (docs.github.com, Re-running workflows and jobs)."""
    reported(forge, 5, a_verdict(1.3), run_attempt=2, conclusion="cancelled")
    assert ([one["conclusion"] for one in forge.checks], bodies(forge)) == (["cancelled"], [])
    forge.runs[5]["conclusion"] = "success"  # only a job without an artifact was repeated
    comment(forge, "--run", "5")
    assert len(bodies(forge)) == 1


def test_the_highest_attempt_counts_and_not_the_highest_id(forge):
    """Ids do not grow with attempts: attempt 2 had the lower one (Systemorph/MeshWeaver 4303 and 4332)."""
    a_run(forge, 5, None, run_attempt=12)
    for attempt, ratio, number in ((2, 1.3, 903), (12, 1.5, 901), (13, 1.9, 904)):
        forge.artifact(5, f"windtunnel-verdict.{attempt}", kept(a_verdict(ratio)), id=number)
    forge.artifact(5, "windtunnel-verdict.12x", b"no zip")
    comment(forge, "--run", "5")
    assert "+50 %" in bodies(forge)[0]


@pytest.mark.parametrize("late", ["in_progress", "completed"])
def test_a_run_that_a_later_one_cancelled_adds_no_check(forge, late):
    """A label or a second push event starts another run on the same commit; GitHub counts the newest check."""
    reported(forge, 6, a_verdict())
    forge.run(5, HEAD, status=late, conclusion="cancelled" if late == "completed" else None)
    comment(forge, "--run", "5")
    assert [one["conclusion"] for one in forge.checks] == ["success"]


def test_a_check_of_another_name_is_left_alone(forge):
    """The check of one suite must not become that of another."""
    reported(forge, 5, a_verdict(), HEAD, "--check", "windtunnel-io")
    reported(forge, 6, None, status="in_progress", conclusion=None)
    assert [(one["name"], one["conclusion"]) for one in forge.checks] == [
        ("windtunnel-io", "success"), ("windtunnel", None)
    ]  # fmt: skip


LABEL = "perf-accepted"


def a_label_run(forge, run, *, conclusion="skipped"):
    """A label starts a run that measures nothing; the comment workflow is called for it twice, as for every run."""
    for status, ended in (("queued", None), ("completed", conclusion)):
        forge.run(run, HEAD, status=status, conclusion=ended)
        assert comment(forge, "--run", str(run))[0] == ExitCode.FINE


def shown(forge):
    """The conclusion and the title of the newest check, which is the one that counts."""
    return forge.checks[-1]["conclusion"], forge.checks[-1]["output"]["title"]


def test_a_label_accepts_a_regression_and_its_removal_takes_that_back(forge):
    """The check names who set it, and nothing is measured again."""
    reported(forge, 5, a_verdict(1.3))
    forge.label(12, LABEL, "alice")
    a_label_run(forge, 6)
    assert shown(forge)[0] == "neutral"
    assert shown(forge)[1].startswith("Accepted by alice: 1 of 1 benchmark case became slower")
    ((body),) = bodies(forge)
    assert body.startswith("## Accepted: 1 of 1 benchmark case became slower")
    assert "**What to do:** Nothing: alice accepted the trade-off with the label `perf-accepted`." in body
    assert "From push" not in body, "the durations of a run that ended long ago would be wrong"
    forge.unlabel(12, LABEL, "bob")
    a_label_run(forge, 7)
    assert shown(forge)[0] == "failure"
    assert bodies(forge)[0].startswith("## Blocks merging: 1 of 1 benchmark case became slower")
    assert len(forge.checks) == 1


def test_a_push_keeps_the_label(forge):
    """The next verdict is accepted as well, and names who set the label last."""
    a_run(forge, 5, None)
    forge.label(12, LABEL, "alice")
    forge.unlabel(12, LABEL, "alice")
    forge.label(12, LABEL.upper(), "bob")
    forge.label(12, "other", "carol")
    reported(forge, 6, a_verdict(1.5, head=NEXT), head=NEXT)
    assert shown(forge)[1].startswith("Accepted by bob: ")


@pytest.mark.parametrize(
    ("report", "conclusion"),
    [
        (a_verdict(1.3, failed=(NotCompared(benchmark="suite.time_x", reason="failed at head"),)), "failure"),
        (a_verdict(), "success"),
    ],
)
def test_the_label_accepts_regressions_only(forge, report, conclusion):
    """A benchmark that fails on head fails the check all the same; without a regression the label means nothing."""
    a_run(forge, 5, report)
    forge.label(12, LABEL, "alice")
    comment(forge, "--run", "5")
    assert shown(forge)[0] == conclusion
    assert "alice accepted" not in forge.checks[-1]["output"]["summary"]


def test_a_hostile_login_stays_text(forge):
    """GitHub allows none, and the check would show it."""
    a_run(forge, 5, a_verdict(1.3))
    forge.label(12, LABEL, "<b>@org/team</b>")
    comment(forge, "--run", "5")
    assert not any(bad in bodies(forge)[0] + forge.checks[0]["output"]["summary"] for bad in ("<b>", "@org"))


def test_an_unreadable_label_does_not_count(forge):
    """The check is concluded and says that the label is unknown."""
    a_run(forge, 5, a_verdict(1.3))
    forge.label(12, LABEL, "alice")
    forge.fault(path="/issues/12/events", status=403, times=9)
    _, _, err = comment(forge, "--run", "5")
    assert forge.checks[0]["conclusion"] == "failure"
    assert "did not answer whether the label" in forge.checks[0]["output"]["summary"]
    assert "does not count" in err


@pytest.mark.parametrize("ended", ["skipped", "action_required"])
def test_any_label_leaves_the_verdict_of_the_commit(forge, ended):
    """Its run measures nothing, or waits for an approval; GitHub counts the newest check, so it must not add one."""
    reported(forge, 5, a_verdict(1.3))
    before = bodies(forge), shown(forge)[0]
    a_label_run(forge, 6, conclusion=ended)
    assert (len(forge.checks), shown(forge)[0]) == (1, before[1])
    assert len(bodies(forge)) == 1


def test_a_verdict_that_is_gone_stays_in_its_check(forge):
    """The artifact expires after days; the label then changes nothing, and certainly does not satisfy a rule."""
    reported(forge, 5, a_verdict(1.3))
    forge.artifacts[0]["expired"] = True
    forge.label(12, LABEL, "alice")
    a_label_run(forge, 6)
    assert shown(forge)[0] == "failure"


def test_an_expired_verdict_replaces_no_check(forge):
    """A comment run that is run again after the artifact expired; where there was no check, it fails."""
    for conclusion, report in (("failure", a_verdict(1.3)), ("success", a_verdict())):
        forge.artifacts.clear()
        forge.checks.clear()
        reported(forge, 5, report)
        forge.artifacts[0]["expired"] = True
        comment(forge, "--run", "5")
        assert [one["conclusion"] for one in forge.checks] == [conclusion]
    forge.checks.clear()
    forge.jobs[5] = [{"name": "Confirm", "conclusion": "success"}]
    comment(forge, "--run", "5")
    assert shown(forge)[0] == "failure"
    assert "has expired" in shown(forge)[1]


@pytest.mark.parametrize("starts", [False, True])
def test_a_label_during_a_measurement_leaves_its_check(forge, starts):
    """Its run measures nothing and ends first; the check must not count as done. Some runs show that they start."""
    reported(forge, 5, None, status="in_progress", conclusion=None)
    if starts:
        forge.run(6, HEAD, status="in_progress", conclusion=None)
        comment(forge, "--run", "6")
    a_label_run(forge, 6)
    assert forge.checks[-1]["status"] == "in_progress"
    reported(forge, 5, a_verdict(1.3))
    assert shown(forge)[0] == "failure"
    a_label_run(forge, 7)
    assert shown(forge)[0] == "failure"


@pytest.mark.parametrize("conclusion", ["skipped", "success"])
def test_a_workflow_that_skips_its_jobs_fails_the_check(forge, conclusion):
    """A fork can write ``if: false``, and GitHub counts *neutral* and *skipped* as success (haskell/cabal 12029)."""
    reported(forge, 5, None, conclusion=conclusion, jobs=[{"name": "Prepare", "conclusion": "skipped"}])
    assert shown(forge)[0] == "failure"
    assert "skipped its jobs" in shown(forge)[1]
    a_label_run(forge, 6)
    assert [one["conclusion"] for one in forge.checks] == ["failure"]


def test_a_job_with_the_name_of_the_check_is_not_taken_for_it(forge):
    """Jobs are check runs too, and a fork can name one ``windtunnel``; GitHub gives their ``external_id``."""
    a_run(forge, 5, None, conclusion="skipped")
    job = {"id": 900, "name": "windtunnel", "head_sha": HEAD, "status": "completed", "conclusion": "success"}
    forge.checks.append(job | {"external_id": "ca395085-040a-526b-2ce8-bdc85f692774"})
    comment(forge, "--run", "5")
    assert [one["conclusion"] for one in forge.checks] == ["success", "failure"]


def test_a_pull_request_needs_no_verdict_without_the_label_of_the_settings(forge):
    """Measuring is opt-in then: the check is skipped until the label is set, and fails if the run measures nothing."""
    forge.files["perf/pyproject.toml"] = "[tool.windtunnel.ci]\nlabel = 'perf'\n"
    suite = "--config", "perf/asv.conf.json"
    reported(forge, 5, None, HEAD, *suite, conclusion="skipped")
    assert shown(forge) == ("skipped", "Not requested: the pull request does not have the label perf")
    forge.label(12, "Perf", "alice")
    reported(forge, 6, None, HEAD, *suite, conclusion="skipped")
    assert shown(forge)[0] == "failure"
    reported(forge, 7, a_verdict(), HEAD, *suite)
    assert shown(forge)[0] == "success"


@pytest.mark.parametrize(("asked", "created"), [("true", 1), ("false", 0)])
def test_a_case_that_only_became_faster_gets_a_comment_if_asked_for(forge, asked, created):
    """By a setting of the main branch; the check has the line in any case."""
    forge.files["pyproject.toml"] = f"[tool.windtunnel.ci]\ncomment-faster = {asked}\nsite = 'https://pages.example'\n"
    reported(forge, 5, a_verdict(0.7))
    assert len(bodies(forge)) == created
    assert shown(forge) == ("success", "1 of 1 benchmark case became faster: suite.time_it (\N{MINUS SIGN}30 %)")
    assert "[history](https://pages.example)" in forge.checks[0]["output"]["summary"]


@pytest.mark.parametrize("content", ["[tool", "[tool.windtunnel.ci]\nnew-setting = 1\n", None])
def test_settings_that_cannot_be_read_conclude_the_check_all_the_same(forge, content):
    """With the default ones, and a warning; a file that is not there needs none."""
    forge.files |= {} if content is None else {"pyproject.toml": content}
    code, _, err = reported(forge, 5, a_verdict(0.7))
    assert (code, bodies(forge), shown(forge)[0]) == (ExitCode.FINE, [], "success")
    assert ("the default settings apply" in err) is (content is not None)


def test_a_run_on_a_closed_pull_request_adds_no_check(forge):
    """Closing starts a run that measures nothing; it ends the measurement, whose check then says so."""
    a_run(forge, 5, None, conclusion="skipped")
    forge.pulls[0]["state"] = "closed"
    comment(forge, "--run", "5")
    assert forge.checks == []
    reported(forge, 6, None, status="in_progress", conclusion=None)
    a_label_run(forge, 7)
    forge.run(6, HEAD, conclusion="cancelled")
    comment(forge, "--run", "6")
    assert [one["conclusion"] for one in forge.checks] == ["cancelled"]


@pytest.mark.parametrize(("run", "attempt"), [(5, 2), (6, 1)], ids=["repeated", "label benchmark"])
def test_a_commit_that_is_measured_again_is_in_progress(forge, run, attempt):
    """GitHub counts the newest check run; a required check then waits for the new verdict."""
    reported(forge, 5, a_verdict(1.3))
    forge.run(run, HEAD, status="in_progress", conclusion=None, run_attempt=attempt)
    comment(forge, "--run", str(run))
    assert (forge.checks[-1]["status"], forge.checks[-1]["conclusion"]) == ("in_progress", None)
    forge.run(run, HEAD, run_attempt=attempt)
    forge.artifact(run, f"windtunnel-verdict.{attempt}", kept(a_verdict()))
    comment(forge, "--run", str(run))
    assert [one["conclusion"] for one in forge.checks] == ["failure", "success"]


def test_each_run_concludes_its_own_check(forge):
    """GitHub lists only the newest check of a name unless all are asked for, so an earlier one would get a second."""
    for run in (5, 6):
        reported(forge, run, None, status="in_progress", conclusion=None)
    forge.runs[5].update(status="completed", conclusion="cancelled")
    comment(forge, "--run", "5")
    assert [(one["external_id"], one["conclusion"]) for one in forge.checks] == [("5.1", "cancelled"), ("6.1", None)]


def test_the_check_of_the_merge_queue_is_concluded(forge):
    """A required check that is not concluded there blocks the queue (docs.github.com, Managing a merge queue)."""
    queue = {"event": "merge_group", "head_branch": "gh-readonly-queue/main/pr-12-abc"}
    for status, ended in (("queued", None), ("completed", "skipped")):
        forge.run(5, NEXT, status=status, conclusion=ended, **queue)
        assert comment(forge, "--run", "5")[0] == ExitCode.FINE
    ((check),) = forge.checks
    assert (check["head_sha"], check["name"], check["conclusion"]) == (NEXT, "windtunnel", "neutral")
    assert "the merge queue is not measured again" in check["output"]["title"]
    assert forge.comments == []


def test_a_late_start_does_not_reopen_a_concluded_check(forge):
    """The message that a run began may come after the one that it ended."""
    reported(forge, 5, a_verdict(1.3))
    forge.runs[5].update(status="in_progress", conclusion=None)
    comment(forge, "--run", "5")
    assert [one["status"] for one in forge.checks] == ["completed"]


@pytest.mark.parametrize(
    ("ended", "concluded"),
    [
        ("cancelled", "cancelled"),
        ("skipped", "failure"),
        ("success", "failure"),
        ("neutral", "failure"),
        ("failure", "failure"),
        ("timed_out", "failure"),
        ("startup_failure", "failure"),
        (None, "failure"),
    ],
)
def test_a_run_without_a_verdict_concludes_the_check_and_comments_nothing(forge, ended, concluded):
    """Never *in progress* for ever."""
    assert reported(forge, 5, None, conclusion=ended)[0] == ExitCode.FINE
    assert [one["conclusion"] for one in forge.checks] == [concluded]
    assert forge.comments == []


NO_PYTHON = (
    "The version '3.6' with architecture 'x64' was not found for Ubuntu 24.04.\nThe list of all available versions"
)
EXIT_CODE = "Process completed with exit code 1."


def a_failed_job(forge, *messages, **what):
    """Run 5 failed in its job Prepare, which left *messages*."""
    jobs = [{"name": "Prepare", "conclusion": "failure"} | what, {"name": "Screen", "conclusion": "skipped"}]
    a_run(forge, 5, None, conclusion="failure", jobs=jobs)
    forge.annotations[5000] = [{"annotation_level": "failure", "message": message} for message in messages]


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (
            (NO_PYTHON, EXIT_CODE),
            "No verdict. Prepare: The version '3.6' with architecture 'x64' was not found for Ubuntu",
        ),
        ((EXIT_CODE,), "No verdict. Prepare: the step Build failed"),
        ((), "No verdict. Prepare: the step Build failed"),
    ],
)
def test_a_check_without_a_verdict_states_what_failed(forge, messages, said):
    """A Python that the runner image does not have, for example; the first message of the job that states a reason."""
    a_failed_job(forge, *messages, steps=[{"name": "Build", "conclusion": "failure"}])
    comment(forge, "--run", "5")
    ((check),) = forge.checks
    assert check["conclusion"] == "failure"
    assert check["output"]["title"].startswith(said)
    assert "The list of all" not in str(check["output"])


def test_a_hostile_message_of_a_job_stays_text(forge):
    """Code of the pull request can print one."""
    a_failed_job(forge, "<b>@org/team</b> ![x](https://evil.example) " + "y" * 10_000)
    comment(forge, "--run", "5")
    output = forge.checks[0]["output"]
    assert len(output["title"]) <= 250
    assert not any(bad in output["summary"] for bad in ("<b>", "@org", "![x]("))


def test_messages_that_cannot_be_read_leave_the_check_concluded(forge):
    """The title then says that the run failed."""
    a_failed_job(forge)
    forge.actions_readable = False
    assert comment(forge, "--run", "5")[0] == ExitCode.FINE
    assert forge.checks[0]["output"]["title"].startswith("The run failed")


def test_a_repeated_run_is_timed_from_its_last_start(forge):
    """The date of creation of a repeated run does not count."""
    job = {"name": "Confirm", "started_at": "2026-01-05T00:00:07Z", "conclusion": "success", "steps": []}
    reported(forge, 5, a_verdict(1.3), run_started_at="2026-01-05T00:00:00Z", run_attempt=2, jobs=[job])
    assert "queue 7 s" in bodies(forge)[0]


SITE = "https://pages.example/project/"


def test_the_summary_of_the_check_links_to_comment_run_and_site(forge):
    """GitHub overwrites ``details_url`` (dorny/test-reporter 67)."""
    reported(forge, 5, None, HEAD, "--site", SITE, status="in_progress", conclusion=None)
    run = forge.runs[5]["html_url"]
    assert f"[history]({SITE}) · [run]({run})" in forge.checks[0]["output"]["summary"]
    reported(forge, 5, a_verdict(1.3), HEAD, "--site", SITE)
    links = f"[comment]({forge.comments[0]['html_url']}) · [history]({SITE}) · [run]({run})"
    assert links in forge.checks[0]["output"]["summary"]
    assert "[comment](" not in bodies(forge)[0]
    assert "details_url" not in forge.checks[0]


AUTHOR = ("--author", "github-actions[bot]")
"""As comment.yml names it."""


@pytest.mark.parametrize("ends", ["accepted", "failed"])
def test_a_pull_request_takes_at_most_15_requests(forge, ends):
    """GitHub allows a repository 1,000 an hour (docs.github.com, Rate limits for the REST API)."""
    reported(forge, 5, None, HEAD, *AUTHOR, status="in_progress", conclusion=None)
    forge.label(12, LABEL, "alice")
    if ends == "accepted":
        reported(forge, 5, a_verdict(1.3), HEAD, *AUTHOR)
    else:
        jobs = [{"name": f"Screen {number}", "conclusion": "failure"} for number in range(20)]
        reported(forge, 5, None, HEAD, *AUTHOR, conclusion="failure", jobs=jobs)
    assert len(bodies(forge)) == (ends == "accepted")
    assert len(forge.seen) <= 15, forge.seen


def test_a_limit_is_waited_for_until_github_resets_it(forge, monkeypatch):
    """The header names the time, which is within an hour; without waiting the check would never be concluded."""
    now = [1_767_225_600.0]
    clock = client.Clock(now=lambda: now[0], sleep=lambda seconds: now.append(now.pop() + seconds))
    monkeypatch.setattr(client, "Clock", lambda: clock)
    a_run(forge, 5, a_verdict(1.3))
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(now[0]) + 3540)}
    forge.fault(path="/artifacts", status=403, headers=headers)
    assert comment(forge, "--run", "5")[0] == ExitCode.FINE
    assert 3540 < now[0] - 1_767_225_600.0 < 3600
    assert len(bodies(forge)) == 1


def a_leg(stage, building, measuring):
    """The timing of one machine in a verdict."""
    return MachineTiming(stage=stage, building_seconds=building, measuring_seconds=measuring)


SLOWEST = (a_leg("screening", 100.0, 320.0), a_leg("screening", 300.0, 1.0), a_leg("confirmation", 60.0, 1.0))


@pytest.mark.parametrize(
    ("machine_timings", "said"),
    [
        ((), "queue 12 s, build 40 s, measure 8.0 min, confirm 3.0 min, report"),
        (SLOWEST, "queue 12 s, build 3.3 min, measure 6.3 min, confirm 2.0 min, report"),
        ((a_leg("screening", 1e308, 1e308),), "build 8.7 min, measure 0 s, confirm 3.0 min, report"),
        ((a_leg("confirmation", -5.0, 1.0),), "build 40 s, measure 8.0 min, confirm 3.0 min, report"),
    ],
    ids=["steps alone", "the slowest machine's", "no more than its step", "never less than nothing"],
)
def test_the_comment_shows_where_the_time_went(forge, machine_timings, said):
    """Queue, build, measure, confirm, report: of the slowest job each, from the interface's times and the verdict's."""
    a_run(forge, 5, a_verdict(1.3, budget=Budget(machine_timings=machine_timings)))

    def a_step(name, start, end):
        return {"name": name, "started_at": f"2026-01-01T00:{start}Z", "completed_at": f"2026-01-01T00:{end}Z"}

    forge.jobs[5] = [
        {
            "name": "measure (0)",
            "started_at": "2026-01-01T00:00:12Z",
            "completed_at": "2026-01-01T00:09:00Z",
            "conclusion": "success",
            "steps": [a_step("Build both", "00:20", "01:00"), a_step("Measure and judge", "01:00", "09:00")],
        },
        {
            "name": "confirm",
            "started_at": "2026-01-01T00:09:00Z",
            "completed_at": "2026-01-01T00:12:00Z",
            "conclusion": "success",
            "steps": [a_step("Confirm", "09:00", "12:00"), {"name": "odd", "started_at": "when?"}],
        },
        {"name": "waits", "started_at": None, "completed_at": None, "conclusion": None, "steps": []},
    ]
    comment(forge, "--run", "5")
    assert said in bodies(forge)[0]
    assert "the rest 8 s, together" in bodies(forge)[0] or machine_timings


def with_entries(*names):
    """A zip file with an empty object under each of *names*."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two entries of one name
        for name in names:
            archive.writestr(name, b"{}")
    return file.getvalue()


def with_link(target):
    """A zip file whose verdict.json is a symbolic link, as ``zip --symlinks`` makes it."""
    file, link = io.BytesIO(), zipfile.ZipInfo("verdict.json")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(link, target)
    return file.getvalue()


def with_seconds(text):
    """A verdict whose time is *text*."""
    return VERDICT_FORMAT.encode(a_verdict(1.3, budget=Budget(seconds=123.0))).replace(b"123.0", text)


def with_huge_interval():
    """A verdict whose numbers are finite and whose intervals are wider than any number."""
    report = a_verdict(1.3)
    cases = tuple(replace(one, interval=type(one.interval)(low=-1.7e308, high=1.7e308)) for one in report.comparisons)
    return kept(replace(report, comparisons=cases))


HOSTILE_ARTIFACTS = {
    "no zip": (lambda: b"PK nonsense", "not a readable zip"),
    "empty": (lambda: b"", "not a readable zip"),
    "cut short": (lambda: GOOD[: len(GOOD) // 2], "not a readable zip"),
    "bytes flipped": (lambda: GOOD[:60] + bytes(one ^ 255 for one in GOOD[60:160]) + GOOD[160:], "not a readable zip"),
    "zip bomb": (lambda: zipped(b"[" * (33 * 1024 * 1024)), "unpacks to more than"),
    "other file": (lambda: with_entries("other.json"), "0 files called verdict.json"),
    "path out": (lambda: with_entries("../verdict.json"), "0 files called verdict.json"),
    "absolute path": (lambda: with_entries("/verdict.json"), "0 files called verdict.json"),
    "two of them": (lambda: with_entries("verdict.json", "verdict.json"), "2 files called verdict.json"),
    "many entries": (lambda: with_entries(*map(str, range(1001))), "1001 entries"),
    "deep": (lambda: zipped(b"[" * 100_000 + b"]" * 100_000), "is not a valid"),
    "wide": (lambda: zipped(b'{"comparisons": [' + b"{}," * 1_000_000 + b"{}]}"), "is not a valid"),
    "other method": (lambda: zipped(b"{}", method=zipfile.ZIP_LZMA), "uses compression method 14"),
    "link": (lambda: with_link("/proc/self/environ"), "is not a valid"),
    "NaN": (lambda: zipped(with_seconds(b"NaN")), "is not a valid"),
    "Infinity": (lambda: zipped(with_seconds(b"Infinity")), "is not a valid"),
    "beyond all numbers": (lambda: zipped(with_seconds(b"1e400")), "is not a valid"),
    "wider than all numbers": (with_huge_interval, "cannot be shown"),
    "lone surrogate": (lambda: zipped(with_seconds(b'"\\ud800"')), "is not a valid"),
    "no JSON": (lambda: zipped(b"\x00\xff" * 100), "is not a valid"),
    "other schema": (lambda: zipped(b'{"schema": "evil"}'), "this version reads"),
}


@pytest.mark.parametrize(("content", "said"), HOSTILE_ARTIFACTS.values(), ids=HOSTILE_ARTIFACTS)
def test_a_hostile_artifact_is_refused_and_the_check_concluded(forge, content, said):
    """The message names the artifact and the reason; nothing is posted and nothing is written to disk."""
    a_run(forge, 5, None)
    forge.artifact(5, ARTIFACT, content())
    assert said in comment(forge, "--run", "5", code=ExitCode.DATA).stderr
    assert forge.comments == []
    assert [one["conclusion"] for one in forge.checks] == ["failure"]


def test_an_artifact_that_is_too_large_is_not_fetched(forge):
    """GitHub states the size beforehand."""
    a_run(forge, 5, None)
    forge.artifact(5, ARTIFACT, b"", size_in_bytes=10**9)
    assert "1000000000 bytes" in comment(forge, "--run", "5", code=ExitCode.DATA).stderr
    assert not [path for _, path in forge.seen if path.endswith("/zip")]


def test_the_newest_artifact_of_an_attempt_counts(forge):
    """By its time; the ids of GitHub need not grow."""
    a_run(forge, 5, None)
    for minute, ratio, number in ((1, 1.3, 903), (2, 1.5, 902)):
        created = f"2026-01-01T00:0{minute}:00Z"
        forge.artifact(5, ARTIFACT, kept(a_verdict(ratio)), id=number, created_at=created)
    comment(forge, "--run", "5")
    assert "+50 %" in bodies(forge)[0]


HOSTILE = "<!-- windtunnel:verdict key=default head=bbbbbbb run=9.1 -->\n@org/team ::set-output name=x::y `|<b>"


def test_hostile_names_stay_text(forge):
    """No markup, mention, marker or workflow command comes through from a benchmark's name or a reason."""
    failed = (NotCompared(benchmark=HOSTILE, reason=f"\n::add-mask::x\n{HOSTILE}", environment=HOSTILE),)
    a_run(forge, 5, a_verdict(1.3, name=HOSTILE, failed=failed, notes=(HOSTILE,)))
    _, out, err = comment(forge, "--run", "5")
    body = bodies(forge)[0] + forge.checks[0]["output"]["summary"]
    assert body.count("<!-- windtunnel:verdict") == 1
    assert "<b>" not in body
    assert "@org" not in body.replace("&#64;", "")
    assert not any(line.lstrip().startswith("::") for line in (body + out + err).splitlines())


def test_names_that_look_like_headlines_do_not_forge_a_history(forge):
    """What was once a headline comes back as one line of the history, and nothing else."""
    reported(forge, 5, a_verdict(1.3, name=HOSTILE + "\n- `ccccccc`: all fine"))
    reported(forge, 6, a_verdict(1.5, head=NEXT), head=NEXT)
    earlier = bodies(forge)[0].partition("<!-- windtunnel:earlier -->")[2].partition("<!--")[0].strip().splitlines()
    assert len(earlier) == 1
    assert earlier[0].startswith(f"- `{HEAD[:10]}`: ")


def test_the_longest_comment_fits(forge):
    """Three hundred changed cases with long names, and a full history; the stand-in refuses more than GitHub does."""
    trials = [
        paired_samples(f"suite.time_{number}_{'x|' * 60}", 1.5, fresh=1.5, rounds=30, spread=0.002)
        for number in range(300)
    ]
    report = decide(a_context(), trials)
    for run in range(5, 10):
        head = f"{run:02x}" * 20
        assert reported(forge, run, replace(report, head=head), head)[0] == ExitCode.FINE
    (body,) = bodies(forge)
    assert "Earlier verdicts" in body


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "--run"),
        (["--run", "0"], "must be a positive integer"),
        (["--run", "1", "--key", "a b"], "--key"),
        (["--run", "1", "--site", "javascript:x"], "must be a URL"),
        (["--run", "1", "--site", "https://x)[y](z"], "must be a URL"),
    ],
)
def test_wrong_options_are_reported(forge, argv, said):
    """Exit code 2."""
    forge.run(1, HEAD)
    assert said in comment(forge, *argv, code=ExitCode.USAGE).stderr
    assert forge.comments == []


def test_without_a_repository_nothing_is_requested(forge):
    """GITHUB_REPOSITORY names the repository."""
    assert "owner/name" in comment(forge, "--run", "5", GITHUB_REPOSITORY="", code=ExitCode.USAGE).stderr


def test_the_environment_names_the_forge(forge):
    """GITHUB_API_URL applies with its path; another forge gets no request."""
    from forge.state import Forge

    with serving(Forge()) as other:
        reported(forge, 5, a_verdict())
        assert other.seen == []
