"""Pull and push between folders and real branches, while others push."""

import pytest
from builders.repositories import ENV, a_hub, branch_files, git, put_tree
from builders.results import a_results_folder, a_shard, commit_hash, contents

from windtunnel.asv.results_format.files import decode_run
from windtunnel.detect.alert_format import ALERTS_FORMAT, Alerts, ResultsExtent
from windtunnel.errors import DataError, RemoteBusyError
from windtunnel.git.branch import open_branch
from windtunnel.git.remote import Remote
from windtunnel.results.branch import exchange, reconcile
from windtunnel.results.branch.exchange import SharedFile, pull, push, update
from windtunnel.results.branch.listing import MAX_FILE_BYTES
from windtunnel.results.branch.reconcile import FileChanges
from windtunnel.results.branch.retry import RetryPolicy

NOW = RetryPolicy(max_pause=0)
RUN = f"desk/{commit_hash(1)[:8]}-virtualenv-py3.12.json"


def opened(hub, name="results"):
    return open_branch(name, Remote.find(str(hub), hub.parent, ENV), ENV)


def pushed(folder, hub, retry=NOW):
    with opened(hub) as branch:
        return push(folder, branch, retry)


def interrupt(monkeypatch, rivals):
    """Push one of *rivals* (pairs of folder and hub) before each of the other reconciliations."""
    original = exchange.reconcile

    def interrupted(source, target):
        with monkeypatch.context() as patch:
            patch.setattr(exchange, "reconcile", original)
            if rival := next(rivals, None):
                pushed(*rival)
        return original(source, target)

    monkeypatch.setattr(exchange, "reconcile", interrupted)


def test_only_what_differs_is_read(tmp_path, hub, monkeypatch):
    """Cost follows what is new, not what is there."""
    pushed(a_results_folder(tmp_path / "a", *(a_shard(0, commit=commit) for commit in range(1, 9))), hub)
    seen = []

    def watched(content, source):
        seen.append(source)
        return decode_run(content, source)

    monkeypatch.setattr(reconcile, "decode_run", watched)
    pushed(a_results_folder(tmp_path / "a", a_shard(1)), hub)
    assert [source for source in seen if source.startswith("branch")] == [f"branch results of {hub}: {RUN}"]


def test_a_race_is_run_again_on_the_newer_state(tmp_path, hub, monkeypatch):
    """A push that comes second merges with the first, as often as needed."""
    rivals = [(a_results_folder(tmp_path / f"{number}", a_shard(number)), hub) for number in (1, 2, 3)]
    interrupt(monkeypatch, iter(rivals))
    pushed(a_results_folder(tmp_path / "a", a_shard(0)), hub)
    run = decode_run(branch_files(hub, "results")[RUN], "").value
    assert len(run.row("suite.time_common").results[0].processes) == 4
    assert git(hub, "rev-list", "--count", "results") == "4"


def test_a_race_without_end_is_given_up(tmp_path, hub, monkeypatch):
    """The message states that nothing is lost; the results of the other pushes are complete."""
    rivals = ((a_results_folder(tmp_path / "r", a_shard(1, commit=commit)), hub) for commit in range(2, 1000))
    interrupt(monkeypatch, rivals)
    folder = a_results_folder(tmp_path / "a", a_shard(0))
    with pytest.raises(RemoteBusyError, match=r"has moved: .*rejected.*nothing is lost"):
        pushed(folder, hub, RetryPolicy(timeout=0.5, max_pause=0))


def test_orphan_files_are_not_copied(tmp_path, hub):
    """On the branch and in the folder, neither carried nor removed."""
    put_tree(hub, "results", ("100644", b"README.md", "read me"), ("100644", b"benchmarks.json", '{"version": 2}'))
    folder = a_results_folder(tmp_path / "a", a_shard(0))
    (folder / "notes.json").write_text("mine", encoding="utf-8")
    pushed(folder, hub)
    with opened(hub) as branch:
        pull(branch, folder, NOW)
    results = ["benchmarks.json", RUN, "desk/machine.json"]
    assert sorted(branch_files(hub, "results")) == ["README.md", *results]
    assert sorted(contents(folder)) == [*results, "notes.json"]


def test_alerts_are_amended_not_pushed(tmp_path, hub):
    """A stale copy never replaces the alerts; a change is made again after a lost race, and no change is no commit."""
    folder = a_results_folder(tmp_path / "a", a_shard(0))
    (folder / "alerts.json").write_text("stale", encoding="utf-8")
    pushed(folder, hub)
    rivals = iter([Alerts(observed=ResultsExtent(commits=10))])
    with opened(hub) as branch, opened(hub) as other:

        def change(before):
            if rival := next(rivals, None):
                SharedFile(place=other, form=ALERTS_FORMAT, retry=NOW).update(lambda _: rival)
            return Alerts(observed=ResultsExtent(commits=before.observed.commits + 1))

        alerts = SharedFile(place=branch, form=ALERTS_FORMAT, retry=NOW)
        assert alerts.update(change) == alerts.read() == Alerts(observed=ResultsExtent(commits=11))
        count = git(hub, "rev-list", "--count", "results")
        alerts.update(lambda before: before)
        assert git(hub, "rev-list", "--count", "results") == count == "3"


def test_a_folder_with_alerts_alone_is_a_data_error(tmp_path):
    """It means that a step before went wrong."""
    (tmp_path / "alerts.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="holds no results; run the benchmarks first"):
        pushed(tmp_path, a_hub(tmp_path / "hub.git"))


def test_a_file_that_is_too_large_is_not_committed(tmp_path):
    """Two files may each be small enough and their merge too large."""
    changes = FileChanges(written={"m/abcd1234.json": bytes(MAX_FILE_BYTES + 1)})
    with (
        opened(a_hub(tmp_path / "hub.git")) as branch,
        pytest.raises(DataError, match=r"m/abcd1234\.json would have 67108865 bytes"),
    ):
        update(branch, lambda _: (changes, "too large"), NOW)


def test_the_commit_says_what_it_brings(tmp_path, hub):
    """The subject has the numbers of files and machines, and the body the paths."""
    pushed(a_results_folder(tmp_path / "a", *(a_shard(0, commit=commit) for commit in range(1, 61))), hub)
    subject, _, *body = git(hub, "log", "--format=%B", "results").splitlines()
    assert subject == "store: 62 files of 1 machine"
    assert body[1] == "desk/machine.json"
    assert body[50:] == ["and 12 more"]
