"""``windtunnel handle-comment``: permissions, the commit, and the values that reach a command line."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.cli import main
from windtunnel.github.comment_commands import AcknowledgeCommand, BisectCommand, CompareCommand, InvalidCommand, parse

HEAD = "b" * 40


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/benchmark", CompareCommand()),
        ("  /benchmark sqlite\r\nthanks", CompareCommand(bench="sqlite")),
        ("/benchmark 'sleep.*quick' --python 3.14t", CompareCommand(bench="sleep.*quick", python="3.14t")),
        ("/benchmark --python pypy3.11", CompareCommand(python="pypy3.11")),
        (
            "/benchmark bisect suite.time_x v1.0 main~2",
            BisectCommand(benchmark="suite.time_x", good="v1.0", bad="main~2"),
        ),
        ("/benchmark ack w-17 wanted, see #5", AcknowledgeCommand(alert="w-17", why="wanted, see #5")),
    ],
)
def test_commands_are_split_like_shell_words(body, command):
    """Quotes have their usual meaning."""
    assert parse(body) == command


@pytest.mark.parametrize(
    "body", ["", "please /benchmark", "/benchmarks", "> /benchmark", "text\n/benchmark", "`/benchmark`"]
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
        "/benchmark bisect x",
        "/benchmark bisect x --upload-pack=evil main",
        "/benchmark bisect --out=/tmp/x v1.0 main",
        "/benchmark ack w-17",
        "/benchmark ack -- why",
        "/benchmark " + "x" * 600,
        "/benchmark a\x1b[31m",
    ],
)
def test_an_invalid_command_runs_nothing(body):
    """No part of it is run, and it cannot pass options."""
    assert isinstance(parse(body), InvalidCommand)


@given(st.text(max_size=60))
def test_no_value_of_a_command_holds_a_line_break(rest):
    """Whatever follows the word, no value holds a line break or starts like an option."""
    command = parse(f"/benchmark {rest}")
    values = [getattr(command, name) for name in getattr(command, "__struct_fields__", ())]
    assert all("\n" not in value and "\r" not in value for value in values)
    if isinstance(command, CompareCommand | BisectCommand):
        assert not getattr(command, "bench", "").startswith("-")
        assert not getattr(command, "benchmark", "").startswith("-")


def hear(forge, body, tmp_path, *, login="maintainer", created="2026-01-02T00:00:00Z", pull_request=True, same=True):
    """Return the outputs for a comment on #12, and the messages."""
    event = {
        "action": "created",
        "comment": {"id": 77, "body": body, "user": {"login": login}, "created_at": created},
        "issue": {"number": 12, **({"pull_request": {"url": "x"}} if pull_request else {})},
    }
    (tmp_path / "event.json").write_text(json.dumps(event), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    env = forge.env(GITHUB_EVENT_PATH=str(tmp_path / "event.json"), GITHUB_OUTPUT=str(tmp_path / "output"))
    assert main(["handle-comment"], out, err, env) == 0, err.getvalue()
    assert ((tmp_path / "output").read_text(encoding="utf-8") == out.getvalue()) is same
    return dict(line.split("=", 1) for line in out.getvalue().splitlines()), err.getvalue()


def a_pull(forge, *, pushed="2026-01-01T00:00:00Z", fork=True, **what):
    made = forge.pull(12, HEAD, **what)
    made["head"]["repo"] = {"full_name": "mallory/project" if fork else forge.repo, "pushed_at": pushed}
    made["base"]["repo"] = {"full_name": forge.repo, "pushed_at": "2026-01-03T00:00:00Z"}
    forge.permissions["maintainer"] = "write"
    return made


def test_a_maintainers_command_applies_to_the_current_head(forge, tmp_path):
    """A reaction shows it; the commit comes from GitHub."""
    a_pull(forge)
    heard, _ = hear(forge, "/benchmark sqlite --python 3.13", tmp_path)
    assert {key: heard[key] for key in ("action", "pull", "head", "target", "bench", "python")} == {
        "action": "compare",
        "pull": "12",
        "head": HEAD,
        "target": "main",
        "bench": "sqlite",
        "python": "3.13",
    }
    assert [one["content"] for one in forge.reactions] == ["rocket"]


@pytest.mark.parametrize("permission", ["read", "none", "triage"])
def test_only_people_who_may_push_can_run_commands(forge, tmp_path, permission):
    """Runners cost money, and code is run."""
    a_pull(forge)
    forge.permissions["mallory"] = permission
    heard, err = hear(forge, "/benchmark", tmp_path, login="mallory")
    assert heard["action"] == "none"
    assert "may not push" in err
    assert [one["content"] for one in forge.reactions] == ["confused"]


@pytest.mark.parametrize(
    ("change", "action"),
    [
        ({"pushed": "2026-01-02T00:00:01Z"}, "none"),
        ({"pushed": None}, "none"),
        ({"pushed": "when?"}, "none"),
        ({"pushed": "2026-01-02T00:00:01Z", "fork": False}, "compare"),
        ({"state": "closed"}, "none"),
    ],
)
def test_a_fork_that_is_pushed_to_after_the_comment_is_not_run(forge, tmp_path, change, action):
    """The reviewed code is no longer the head; branches of the own repository are trusted."""
    a_pull(forge, **change)
    assert hear(forge, "/benchmark", tmp_path)[0]["action"] == action


def test_a_deleted_fork_is_not_run(forge, tmp_path):
    """The time of the last push is unknown."""
    a_pull(forge)["head"]["repo"] = None
    assert hear(forge, "/benchmark", tmp_path)[0]["action"] == "none"


def test_outputs_cannot_be_workflow_commands(forge, tmp_path):
    """The log shows the outputs; ``##[`` would be a workflow command anywhere in a line."""
    a_pull(forge)
    assert "##[" not in hear(forge, "/benchmark ack 5d0c ##[add-mask]x", tmp_path, same=False)[0]["why"]


@pytest.mark.parametrize(("body", "pull_request"), [("nice work", True), ("/benchmark", False)])
def test_other_comments_cause_no_request(forge, tmp_path, body, pull_request):
    """No reaction on every comment of a busy repository."""
    assert hear(forge, body, tmp_path, pull_request=pull_request)[0]["action"] == "none"
    assert forge.seen == []


def test_an_invalid_command_gets_a_reaction_and_a_warning(forge, tmp_path):
    """In the log of the run; nothing is done."""
    a_pull(forge)
    heard, err = hear(forge, "/benchmark (", tmp_path)
    assert heard["action"] == "none"
    assert "not a regular expression" in err
    assert [one["content"] for one in forge.reactions] == ["confused"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"comment": 5}'])
def test_a_broken_event_is_reported(forge, tmp_path, content):
    """Exit code 3; without the variable 2."""
    (tmp_path / "event.json").write_text(content, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    assert main(["handle-comment"], out, err, forge.env(GITHUB_EVENT_PATH=str(tmp_path / "event.json"))) == 3
    assert main(["handle-comment"], out, err, forge.env(GITHUB_EVENT_PATH=str(tmp_path / "gone.json"))) == 3
    assert main(["handle-comment"], out, err, forge.env()) == 2
