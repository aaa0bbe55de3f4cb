"""``windtunnel ci handle-comment``: grammar, permissions, the commit, answers, and values that reach a command line."""

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.cli import main
from windtunnel.github.comment_commands import (
    BisectCommand,
    CompareCommand,
    HelpCommand,
    InvalidCommand,
    RespondCommand,
    parse,
)

HEAD = "b" * 40
SHA = "0123456789abcdef0123456789abcdef01234567"
ALERT = "5d0c6f1f3a9e"


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/benchmark", CompareCommand()),
        ("  /benchmark sqlite\r\nthanks", CompareCommand(bench="sqlite")),
        ("/benchmark 'sleep.*quick' --python 3.14t", CompareCommand(bench="sleep.*quick", python="3.14t")),
        ("/benchmark --python pypy3.11", CompareCommand(python="pypy3.11")),
        (f"/benchmark {SHA} sqlite", CompareCommand(bench="sqlite", commit=SHA)),
        (f"/benchmark {SHA[:10]}", CompareCommand(commit=SHA[:10])),
        ("/benchmark --suite io", CompareCommand(suite="io")),
        ("/benchmark sqlite --suite io", CompareCommand(bench="sqlite", suite="io")),
        (
            f"/benchmark {SHA} bisect suite.time_x v1.0 main~2",
            BisectCommand(benchmark="suite.time_x", good="v1.0", bad="main~2", commit=SHA),
        ),
        (f"/benchmark ack {ALERT} wanted, see #5", RespondCommand(response="ack", alert=ALERT, why="wanted, see #5")),
        ("/benchmark ack it's known", RespondCommand(response="ack", why="it's known")),
        ("/benchmark ack --suite io 'a b'", RespondCommand(response="ack", why="a b", suite="io")),
        ("/benchmark ack added a cache", RespondCommand(response="ack", why="added a cache")),
        (
            f"/benchmark mute {ALERT} 2027-01-31 numpy 3",
            RespondCommand(response="mute", alert=ALERT, until="2027-01-31", why="numpy 3"),
        ),
        ("/benchmark expect checksums", RespondCommand(response="expect", why="checksums")),
        ("/benchmark help", HelpCommand()),
        ("/Benchmark\tsqlite", CompareCommand(bench="sqlite")),
    ],
)
def test_a_measurement_is_split_like_shell_words_and_a_reason_is_kept(body, command):
    """Quotes have their usual meaning, and an apostrophe in a reason needs none."""
    assert parse(body) == command


@pytest.mark.parametrize(
    "body",
    ["", "please /benchmark", "> /benchmark", "text\n/benchmark", "`/benchmark`", "/benchmarks/a.py is old", "/bench"],
)
def test_other_comments_are_ignored(body):
    """A command starts with ``/benchmark`` as a word of its own."""
    assert parse(body) is None


@pytest.mark.parametrize(
    "body",
    [
        "/benchmark (",
        "/benchmark 'open",
        "/benchmark a b",
        "/benchmark --out /etc/passwd",
        "/benchmark --python '3.11; id'",
        "/benchmark --suite ../x",
        "/benchmark --suite",
        "/benchmark --suite a --suite b",
        "/benchmark bisect x",
        "/benchmark bisect x --upload-pack=evil main",
        "/benchmark bisect --out=/tmp/x v1.0 main",
        "/benchmark ack",
        f"/benchmark ack {ALERT}",
        f"/benchmark mute {ALERT} tomorrow why",
        f"/benchmark mute {ALERT} 2027-01-31",
        f"/benchmark {SHA} ack why",
        "/benchmark 0123abc",
        "/benchmark " + "x" * 600,
        "/benchmark a\x1b[31m",
        "/benchmark ack \u202eright to left",
        "/benchmark ack invisible\u200b",
        "/benchmark ack x\u2028/benchmark expect y",
        "/benchmark\u00a0ack x",
    ],
)
def test_an_invalid_command_runs_nothing(body):
    """No part of it is run, and it cannot pass options."""
    assert isinstance(parse(body), InvalidCommand)


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ("/benchmark bisekt", "/benchmark bisect"),
        ("/benchmark bisct x v1 main", "/benchmark bisect"),
        ("/benchmark acknowledge all good", "/benchmark ack"),
        ("/benchmark Mut 5d0c 2027-01-31 why", "/benchmark mute"),
        ("/benchmark hlp", "/benchmark help"),
        ("/benchmarks", "/benchmark"),
    ],
)
def test_a_misspelt_command_gets_a_suggestion(body, meant):
    """It runs nothing; a regular expression that looks like a command can be written in parentheses."""
    found = parse(body)
    assert isinstance(found, InvalidCommand)
    assert f"did you mean `{meant}" in found.why


@pytest.mark.parametrize("regex", ["mutex", "heap", "expected", "(bisekt)", "helper", "pack", "sqlite"])
def test_an_expression_that_only_resembles_a_command_is_measured(regex):
    """Names of benchmarks begin like commands too."""
    assert parse(f"/benchmark {regex}") == CompareCommand(bench=regex)


@pytest.mark.parametrize("regex", ["(a+)+$", "(x|x)*y" * 9, "(((a{1,99}){1,99}){1,99}){1,99}", "[^\\0-\\U0010fffe]"])
def test_an_expression_is_never_searched_beside_a_token_that_can_write(regex):
    """It is only compiled there, which takes milliseconds; jobs that can only read search with it."""
    assert parse(f"/benchmark '{regex}'") == CompareCommand(bench=regex)


@given(st.text(max_size=60))
def test_no_value_of_a_command_holds_a_line_break(rest):
    """Whatever follows the word, no value holds a line break or starts like an option."""
    command = parse(f"/benchmark {rest}")
    values = [getattr(command, name) for name in getattr(command, "__struct_fields__", ())]
    assert all("\n" not in value and "\r" not in value for value in values)
    if isinstance(command, CompareCommand | BisectCommand):
        for name in ("bench", "benchmark", "good", "bad", "python"):
            assert not getattr(command, name, "").startswith("-")


def hear(
    forge,
    comment_body,
    tmp_path,
    *argv,
    login="maintainer",
    created="2026-01-02T00:00:00Z",
    same=True,
    comment=77,
    **issue,
):
    """Return the outputs for a comment on #12, and the messages."""
    event = {
        "action": "created",
        "comment": {"id": comment, "body": comment_body, "user": {"login": login}, "created_at": created},
        "issue": {"number": 12, "pull_request": {"url": "x"}} | issue,
    }
    (tmp_path / "event.json").write_text(json.dumps(event), encoding="utf-8")
    (tmp_path / "output").unlink(missing_ok=True)
    out, err = io.StringIO(), io.StringIO()
    env = forge.env(
        GITHUB_EVENT_PATH=str(tmp_path / "event.json"), GITHUB_OUTPUT=str(tmp_path / "output"), GITHUB_RUN_ID="5"
    )
    assert main(["ci", "handle-comment", *argv], out, err, env) == 0, err.getvalue()
    assert ((tmp_path / "output").read_text(encoding="utf-8") == out.getvalue()) is same
    return dict(line.split("=", 1) for line in out.getvalue().splitlines()), err.getvalue()


def a_pull(forge, *, pushed="2026-01-01T00:00:00Z", fork=True, head=HEAD, **what):
    made = forge.pull(12, head, **what)
    made["head"]["repo"] = {"full_name": "mallory/project" if fork else forge.repo, "pushed_at": pushed}
    made["base"]["repo"] = {"full_name": forge.repo, "pushed_at": "2026-01-03T00:00:00Z"}
    forge.permissions["maintainer"] = "write"
    return made


def an_alert_issue(forge, key="default", login=None):
    """The fields of the issue of an alert."""
    return {
        "pull_request": None,
        "labels": [{"name": "windtunnel"}],
        "user": {"login": login or forge.login},
        "body": f"**Raised**.\n\n<!-- windtunnel:alert key={key} id={ALERT} is=open -->\n",
    }


def reactions(forge):
    return [one["content"] for one in forge.reactions]


def answer(forge):
    """The text of the only answer."""
    ((body),) = [one["body"] for one in forge.comments]
    return body


def test_a_maintainers_command_applies_to_the_current_head(forge, tmp_path):
    """The commit comes from GitHub; a reaction shows it at once, and an answer links to the run."""
    a_pull(forge)
    heard, _ = hear(forge, "/benchmark sqlite --python 3.13", tmp_path)
    assert {key: value for key, value in heard.items() if value} == {
        "action": "compare",
        "pull": "12",
        "head": HEAD,
        "target": "main",
        "bench": "sqlite",
        "python": "3.13",
        "reply": "12/77",
        "key": "reply-77",
        "check": "windtunnel (asked)",
    }
    assert reactions(forge) == ["rocket"]
    assert answer(forge).startswith("**Accepted:** measuring `bbbbbbbbbb` against its base (cases that match `sqlite`")
    assert "(https://forge.example/org/project/actions/runs/5)" in answer(forge)
    assert "/org/project/issues/12#issuecomment-77)" in answer(forge)


def test_only_the_whole_suite_updates_the_check_that_a_rule_can_require(forge, tmp_path):
    """The success of one case is not that of the suite; a suite with a name has a check of its own."""
    a_pull(forge)
    names = [
        hear(forge, body, tmp_path, *argv)[0]["check"]
        for body, argv in (
            ("/benchmark", ()),
            ("/benchmark one", ()),
            ("/benchmark --python 3.13", ()),
            ("/benchmark", ("--suite", "io")),
            ("/benchmark one", ("--suite", "io")),
        )
    ]
    assert names == [
        "windtunnel", "windtunnel (asked)", "windtunnel (asked)", "windtunnel-io", "windtunnel-io (asked)",
    ]  # fmt: skip


@pytest.mark.parametrize("body", ["/benchmark", "/benchmark one"])
def test_the_check_is_in_progress_while_a_command_measures(forge, tmp_path, body):
    """GitHub counts the newest check run of a name, so an earlier success does not satisfy a rule meanwhile."""
    a_pull(forge)
    heard, _ = hear(forge, body, tmp_path)
    (check,) = forge.checks
    assert (check["name"], check["status"], check["head_sha"]) == (heard["check"], "in_progress", HEAD)
    assert check["external_id"] == "5.1"


@pytest.mark.parametrize(
    "body", ["/benchmark bisect time_a main HEAD", "/benchmark help", "/benchmark -x", "/benchmark"]
)
def test_what_measures_no_head_starts_no_check(forge, tmp_path, body):
    """A bisection, an answer, a refusal, and a command of somebody without the right."""
    a_pull(forge)
    hear(forge, body, tmp_path, login="maintainer" if body != "/benchmark" else "stranger")
    assert forge.checks == []


def test_a_command_runs_although_its_check_cannot_be_started(forge, tmp_path):
    """The verdict concludes it later."""
    a_pull(forge)
    forge.fault(method="GET", path="/check-runs$", status=403)
    heard, err = hear(forge, "/benchmark", tmp_path)
    assert heard["action"] == "compare"
    assert "does not show that it is measured" in err


@pytest.mark.parametrize("permission", ["read", "none", "triage"])
def test_only_people_who_may_push_can_run_commands(forge, tmp_path, permission):
    """Runners cost money, and code is run."""
    a_pull(forge)
    forge.permissions["mallory"] = permission
    heard, err = hear(forge, "/benchmark", tmp_path, login="mallory")
    assert heard["action"] == "none"
    assert "may not push" in err
    assert reactions(forge) == ["confused"]


def test_an_account_without_any_permission_is_a_stranger(forge, tmp_path):
    """GitHub documents 404 (docs.github.com/rest/collaborators/collaborators); an app is not a user."""
    a_pull(forge)
    forge.fault(path="/permission", status=404, body='{"message": "dependabot is not a user"}')
    assert hear(forge, "/benchmark", tmp_path, login="dependabot[bot]")[0]["action"] == "none"
    assert "only people with write access" in answer(forge)


def test_strangers_get_one_answer_on_a_pull_request(forge, tmp_path):
    """Later commands get a reaction only, from any author, so no spam makes us write comments."""
    a_pull(forge)
    for number, login in enumerate(["mallory", "mallory", "eve"]):
        hear(forge, "/benchmark help", tmp_path, login=login, comment=80 + number)
    assert reactions(forge) == ["confused"] * 3
    assert "only people with write access" in answer(forge)
    assert "mallory" not in answer(forge)


@pytest.mark.parametrize(
    ("change", "action"),
    [
        ({"pushed": "2026-01-02T00:00:01Z"}, "none"),
        ({"pushed": "2026-01-02T00:00:00Z"}, "none"),
        ({"pushed": "2026-01-02T01:00:00+01:00"}, "none"),
        ({"pushed": "2026-01-01T23:59:59Z"}, "compare"),
        ({"pushed": None}, "none"),
        ({"pushed": "when?"}, "none"),
        ({"pushed": "2026-01-02T00:00:01Z", "fork": False}, "compare"),
        ({"state": "closed"}, "none"),
    ],
)
def test_a_fork_that_is_pushed_to_since_the_comment_is_not_run(forge, tmp_path, change, action):
    """The reviewed code may not be the head, also within the second of the comment; own branches are trusted."""
    a_pull(forge, **change)
    assert hear(forge, "/benchmark", tmp_path)[0]["action"] == action
    assert answer(forge).startswith("**Accepted:**" if action == "compare" else "**Refused:**")


@pytest.mark.parametrize(
    ("written", "pushed", "action"),
    [
        (SHA, "2026-01-02T00:00:01Z", "compare"),
        (SHA[:10], "2026-01-01T00:00:00Z", "compare"),
        (SHA[:10], "2026-01-02T00:00:01Z", "none"),
        ("c" * 40, "2026-01-01T00:00:00Z", "none"),
        (SHA[:-1] + "0", "2026-01-01T00:00:00Z", "none"),
    ],
)
def test_a_commit_in_a_command_is_the_only_one_that_runs(forge, tmp_path, written, pushed, action):
    """The full hash also after a push; a beginning can be forged, so the time of the push counts as well."""
    a_pull(forge, head=SHA, pushed=pushed)
    heard, _ = hear(forge, f"/benchmark {written}", tmp_path)
    assert heard["action"] == action
    if action == "none":
        assert f"`/benchmark {SHA}` runs that commit and no other" in answer(forge)


def test_a_pinned_bisection_checks_the_head_too(forge, tmp_path):
    """It runs the suite of the head."""
    a_pull(forge, head=SHA)
    assert hear(forge, f"/benchmark {'c' * 40} bisect x v1 main", tmp_path)[0]["action"] == "none"
    assert hear(forge, f"/benchmark {SHA} bisect x v1 main", tmp_path)[0]["action"] == "bisect"


def test_a_deleted_fork_is_not_run(forge, tmp_path):
    """The time of the last push is unknown."""
    a_pull(forge)["head"]["repo"] = None
    assert hear(forge, "/benchmark", tmp_path)[0]["action"] == "none"


def test_outputs_cannot_be_workflow_commands(forge, tmp_path):
    """The log shows the outputs; ``##[`` would be a workflow command anywhere in a line."""
    a_pull(forge)
    assert "##[" not in hear(forge, f"/benchmark ack {ALERT} ##[add-mask]x", tmp_path, same=False)[0]["why"]


@pytest.mark.parametrize(
    ("body", "issue"),
    [
        ("nice work", {}),
        ("/benchmark", {"pull_request": None}),
        ("/benchmark ack why", {"pull_request": None, "labels": [{"name": "bug"}]}),
    ],
)
def test_other_comments_cause_no_request(forge, tmp_path, body, issue):
    """No reaction on every comment of a busy repository."""
    assert hear(forge, body, tmp_path, **issue)[0]["action"] == "none"
    assert forge.seen == []


def test_an_invalid_command_is_answered_with_the_list(forge, tmp_path):
    """With a warning in the log of the run; nothing is done."""
    a_pull(forge)
    heard, err = hear(forge, "/benchmark (", tmp_path)
    assert heard["action"] == "none"
    assert "not a regular expression" in err
    assert "not a regular expression" in answer(forge)
    assert "| `/benchmark help` |" in answer(forge)
    assert reactions(forge) == ["confused"]


def test_help_is_answered_with_the_list(forge, tmp_path):
    """And runs nothing."""
    a_pull(forge)
    assert hear(forge, "/benchmark help", tmp_path)[0]["action"] == "none"
    assert reactions(forge) == ["rocket"]
    assert len(re.findall("^\\| `/benchmark", answer(forge), re.MULTILINE)) == 7


@pytest.mark.parametrize(
    ("response", "words", "until"), [("ack", "", ""), ("mute", "2027-01-31 ", "2027-01-31"), ("expect", "", "")]
)
def test_an_alert_is_answered_on_its_own_issue(forge, tmp_path, response, words, until):
    """The id is that of the issue."""
    forge.permissions["maintainer"] = "write"
    heard, _ = hear(forge, f"/benchmark {response} {words}known, see #5", tmp_path, **an_alert_issue(forge))
    assert {key: value for key, value in heard.items() if value not in {"", "0"}} == {
        "action": "respond",
        "response": response,
        "alert": ALERT,
        "why": "known, see #5",
        "reply": "12/77",
    } | ({"until": until} if until else {})


@pytest.mark.parametrize("login", ["mallory", "maintainer"])
def test_the_hidden_line_of_an_issue_that_we_did_not_write_counts_for_nothing(forge, tmp_path, login):
    """Anyone can write one, and give the issue a title that begs for an answer."""
    forge.permissions["maintainer"] = "write"
    issue = an_alert_issue(forge, login=login)
    assert hear(forge, "/benchmark ack why", tmp_path, **issue)[0]["action"] == "none"
    assert "this is neither" in answer(forge)


def test_no_code_runs_from_the_issue_of_an_alert(forge, tmp_path):
    """There is no pull request whose head was reviewed."""
    forge.permissions["maintainer"] = "write"
    for number, body in enumerate(["/benchmark", "/benchmark bisect x v1 main"]):
        heard, _ = hear(forge, body, tmp_path, comment=80 + number, **an_alert_issue(forge))
        assert heard["action"] == "none"
    assert all("only `ack`, `mute`, `expect` and `help` work" in one["body"] for one in forge.comments)


def test_a_regression_is_acknowledged_on_its_pull_request(forge, tmp_path):
    """Without an id; an alert needs its id there."""
    a_pull(forge)
    heard, _ = hear(forge, "/benchmark ack the price of checksums", tmp_path)
    assert {key: heard[key] for key in ("action", "pull", "key", "check", "why")} == {
        "action": "acknowledge",
        "pull": "12",
        "key": "default",
        "check": "windtunnel",
        "why": "the price of checksums",
    }
    assert hear(forge, "/benchmark expect checksums", tmp_path)[0]["action"] == "none"
    assert "name the alert" in answer(forge)


def with_suites(forge, *names):
    """Workflow files as ``windtunnel init --name`` writes them."""
    forge.workflows = [
        {"path": f".github/workflows/windtunnel{f'-{name}' if name else ''}-command.yml", "state": "active"}
        for name in names
    ]


def test_one_of_several_suites_answers(forge, tmp_path):
    """The one that the command names, or on an alert's issue the one of the alert; the others stay silent."""
    a_pull(forge)
    with_suites(forge, "io", "cpu", "")
    suites = ("io", "cpu", "")
    asked = [hear(forge, "/benchmark --suite io", tmp_path, "--suite", one)[0]["action"] for one in suites]
    assert asked == ["compare", "none", "none"]
    unnamed = [hear(forge, "/benchmark --suite default", tmp_path, "--suite", one)[0]["action"] for one in suites]
    assert unnamed == ["none", "none", "compare"]
    issue = an_alert_issue(forge, key="cpu")
    heard = [hear(forge, "/benchmark ack why", tmp_path, "--suite", one, **issue)[0]["action"] for one in suites]
    assert heard == ["none", "respond", "none"]
    assert reactions(forge) == ["rocket"] * 3
    assert len(forge.comments) == 2


def test_every_suite_measures_where_the_command_names_none(forge, tmp_path):
    """Each has an answer of its own, because each has a result."""
    a_pull(forge)
    for one in ("io", "cpu"):
        assert hear(forge, "/benchmark", tmp_path, "--suite", one)[0]["action"] == "compare"
    assert ["key=reply-77-io" in one["body"] for one in forge.comments] == [True, False]
    assert "key=reply-77-cpu" in forge.comments[1]["body"]


@pytest.mark.parametrize("body", ["/benchmark help", "/benchmark a b", "/benchmark --suite oi"])
def test_what_concerns_no_suite_is_answered_once(forge, tmp_path, body):
    """The workflows of all suites say the same, so the command has one answer."""
    a_pull(forge)
    with_suites(forge, "io", "cpu")
    forge.workflows.append({"path": ".github/workflows/windtunnel-oi-command.yml", "state": "disabled_manually"})
    for one in ("io", "cpu"):
        hear(forge, body, tmp_path, "--suite", one)
    if "oi" in body:
        assert "no suite is called `oi`; the suites are: `cpu`, `io`" in answer(forge)
    assert len(forge.comments) == 1


HOSTILE = "@everyone <img src=x> [x](http://evil.example) |#1| -->"


@pytest.mark.parametrize(
    "command", ["'{}'", "a '{}'", "(' {}'", "--suite io '{}'", "bisect '{}' v1 main", "'{}' --python 3"]
)
def test_text_of_a_comment_stays_text_in_the_answer(forge, tmp_path, command):
    """No mention, markup, link, reference, table cell or hidden line."""
    a_pull(forge)
    with_suites(forge, "io")
    hear(forge, f"/benchmark {command.format(HOSTILE)}", tmp_path, "--suite", "io")
    body = answer(forge)
    visible = re.sub("`[^`\n]*`|<code>[^<]*</code>", "", body)
    for bad in ("@everyone", "<img", "](http://evil", "|#1|", "http://evil"):
        assert bad not in visible
    assert body.count("-->") == 1
    assert not body.lstrip().startswith("/")


def test_the_same_run_again_updates_its_answer(forge, tmp_path):
    """A job that is run again leaves one answer."""
    a_pull(forge)
    hear(forge, "/benchmark", tmp_path)
    hear(forge, "/benchmark", tmp_path)
    assert len(forge.comments) == 1


def test_a_refusal_of_a_later_attempt_replaces_the_answer(forge, tmp_path):
    """A maintainer runs the job again after the fork was pushed to."""
    pull = a_pull(forge)
    hear(forge, "/benchmark", tmp_path)
    pull["head"]["repo"]["pushed_at"] = "2026-01-03T00:00:00Z"
    assert hear(forge, "/benchmark", tmp_path)[0]["action"] == "none"
    assert answer(forge).startswith("**Refused:**")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"comment": 5}'])
def test_a_broken_event_is_reported(forge, tmp_path, content):
    """Exit code 3; without the variable 2."""
    (tmp_path / "event.json").write_text(content, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    assert main(["ci", "handle-comment"], out, err, forge.env(GITHUB_EVENT_PATH=str(tmp_path / "event.json"))) == 3
    assert main(["ci", "handle-comment"], out, err, forge.env(GITHUB_EVENT_PATH=str(tmp_path / "gone.json"))) == 3
    assert main(["ci", "handle-comment"], out, err, forge.env()) == 2
