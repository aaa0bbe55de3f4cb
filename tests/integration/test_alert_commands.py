"""``windtunnel ack``, ``mute`` and ``expect``, in a folder and on a branch."""

import io
import os
import subprocess
from dataclasses import replace

import pytest
from builders.observations import a_change, an_observation
from builders.trees import a_benchmark, a_row, a_run, a_tree, a_value

from windtunnel import cli, formats
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts, AlertState
from windtunnel.detect.alerts import update_alerts
from windtunnel.results.tree import write_tree

ENV = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GITHUB_ACTOR": "ann"}


def call(*arguments, env=ENV):
    """The exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    return cli.main([*map(str, arguments)], out, err, env), out.getvalue(), err.getvalue()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """alerts.json with one alert, outside any suite."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "alerts.json"
    path.write_bytes(ALERTS_FORMAT.encode(update_alerts(Alerts(), an_observation(a_change()))))
    return path


def only(path):
    (alert,) = ALERTS_FORMAT.decode(path.read_bytes(), "alerts.json").alerts
    return alert


@pytest.mark.parametrize(
    ("command", "more", "state"),
    [
        ("ack", (), AlertState.ACKNOWLEDGED),
        ("mute", ("--until", "2999-01-31"), AlertState.MUTED),
        ("expect", (), AlertState.EXPECTED),
    ],
)
def test_a_command_is_recorded_with_author_reason_and_time(kept, command, more, state):
    """A beginning of the id is enough."""
    name = only(kept).id
    code, out, err = call(command, name[:6], "--why", "checksums\nare worth it", *more, "--alerts", kept)
    assert (code, err) == (0, "")
    assert out.startswith(f"{name}: {state}")
    change = only(kept).history[-1]
    assert (change.state, change.author, change.reason) == (state, "ann", "checksums\\nare worth it")
    assert change.time.endswith("Z")
    assert (only(kept).muted_until == "2999-01-31T00:00:00Z") == (command == "mute")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ack", "ffff", "--why", "x"), "no alert has an id"),
        (("ack", "ffff", "--why", " "), "--why must not be empty"),
        (("mute", "ffff", "--why", "x"), "--until"),
        (("mute", "ffff", "--why", "x", "--until", "soon"), "must be a date"),
        (("mute", "ffff", "--why", "x", "--until", "2001-01-01"), "is in the past"),
        (("expect", "ffff"), "--why"),
    ],
)
def test_a_wrong_command_changes_nothing(kept, arguments, said):
    """The exit code is 2, and the message names the option."""
    before = kept.read_bytes()
    code, out, err = call(*arguments, "--alerts", kept)
    assert (code, out) == (2, "")
    assert said in err
    assert kept.read_bytes() == before


def test_a_command_needs_an_author(kept):
    """Neither git nor the environment names one."""
    code, _, err = call("ack", only(kept).id, "--why", "x", "--alerts", kept, env={**ENV, "GITHUB_ACTOR": ""})
    assert code == 2
    assert "--who" in err


def test_a_broken_alerts_file_is_an_error(kept):
    """The message names the file."""
    kept.write_text("{}x")
    code, _, err = call("ack", "ffff", "--why", "x", "--alerts", kept)
    assert code == 3
    assert "alerts.json" in err


def test_commands_change_the_results_branch(kept):
    """The same command again makes no commit."""
    remote = kept.parent / "remote.git"
    clone = kept.parent / "clone"

    def run(command):
        return subprocess.run(command, check=True, capture_output=True, env=ENV, text=True).stdout

    run(["git", "init", "-q", "--bare", str(remote)])
    run(["git", "init", "-q", str(clone)])
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(clone)]
    (clone / "alerts.json").write_bytes(kept.read_bytes())
    for command in (["add", "."], ["commit", "-qm", "x"], ["push", "-q", str(remote), "HEAD:windtunnel-results"]):
        run([*git, *command])
    answer = ("ack", only(kept).id, "--why", "seen", "--who", "bob", "--remote", remote)
    assert call(*answer)[0] == 0
    assert call(*answer)[0] == 0
    show = ["git", "-C", str(remote), "show", "windtunnel-results:alerts.json"]
    (alert,) = ALERTS_FORMAT.decode(run(show).encode(), "alerts.json").alerts
    assert (alert.state, alert.history[-1].author) == (AlertState.ACKNOWLEDGED, "bob")
    count = ["git", "-C", str(remote), "rev-list", "--count", "windtunnel-results"]
    assert run(count).strip() == "2"


def test_stale_results_raise_an_alert(kept):
    """--results enables the health checks."""
    (kept.parent / "changes.json").write_bytes(formats.encode(an_observation().changes))
    started = 1_600_000_000_000
    row = replace(a_row(a_benchmark(), a_value(0.1)), started_at=started)
    write_tree(a_tree(a_run(row), benchmarks=(a_benchmark(),)), kept.parent / "results")
    watch = ("ci", "alert", "changes.json", "--alerts", kept, "--results", "results", "--no-issues")
    assert call(*watch)[0] == 0
    alerts = ALERTS_FORMAT.decode(kept.read_bytes(), "alerts.json").alerts
    assert [alert.health_issue.check for alert in alerts if alert.health_issue] == ["stale"]
    before = kept.read_bytes()
    assert call(*watch)[0] == 0
    assert kept.read_bytes() == before
