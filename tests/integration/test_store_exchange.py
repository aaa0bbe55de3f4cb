"""Pull, push and edit_file between folders and real branches; how files merge is a stand-in's business here.

The stand-in takes files for sets of lines, so that losing anything shows.
"""

import pytest
from builders.repositories import ENV, a_hub, branch_files, git, put_tree, raw_tree

from windtunnel.errors import DataError, RemoteBusyError
from windtunnel.git.branch import open_branch
from windtunnel.git.remote import Remote
from windtunnel.results.branch.exchange import edit_file, pull, push, update
from windtunnel.results.branch.listing import MAX_FILE_BYTES
from windtunnel.results.branch.reconcile import FileChanges
from windtunnel.results.branch.retry import RetryPolicy

NOW = RetryPolicy(max_pause=0)


def union(ours, theirs):
    """Every line of a path's files, once and in order; a file that begins with ``!`` counts as broken."""
    files = {}
    both = (*ours.files.items(), *theirs.files.items())
    for path, content in both:
        if not content.startswith(b"!"):
            files.setdefault(path, set()).update(content.splitlines())
    broken = tuple(path for path, content in both if content.startswith(b"!"))
    return FileChanges(
        written={path: b"\n".join(sorted(lines)) for path, lines in sorted(files.items())},
        notes=tuple(f"{path} is broken" for path in broken),
    )


def a_folder(root, **files):
    for path, content in files.items():
        place = root / f"{path.replace('__', '/')}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return root


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.*")}


def opened(hub, name="results"):
    return open_branch(name, Remote.find(str(hub), hub.parent, ENV), ENV)


def pushed(folder, hub, retry=NOW):
    with opened(hub) as branch:
        return push(folder, branch, union, retry)


def pulled(hub, folder):
    with opened(hub) as branch:
        return pull(branch, folder, union, NOW)


def test_both_sides_keep_what_only_they_have(tmp_path):
    """Files of one side, and lines of a file that both have."""
    hub = a_hub(tmp_path / "hub.git")
    pushed(a_folder(tmp_path / "a", m__machine="m", m__abcd1234="1", m__abcd9999="9"), hub)
    second = a_folder(tmp_path / "b", m__machine="m", m__abcd1234="2", n__abcd1234="3")
    assert pushed(second, hub).changes.paths == ("m/abcd1234.json", "n/abcd1234.json")
    assert branch_files(hub, "results")["m/abcd1234.json"] == b"1\n2"
    assert list(pulled(hub, second).changes.written) == ["m/abcd1234.json", "m/abcd9999.json"]
    assert contents(second)["m/abcd1234.json"] == "1\n2"
    assert contents(second)["n/abcd1234.json"] == "3"


def test_only_what_differs_is_read(tmp_path):
    """The merge never sees the rest: cost follows what is new, not what is there."""
    hub = a_hub(tmp_path / "hub.git")
    folder = a_folder(tmp_path / "a", benchmarks="b", m__machine="m", **{f"m__{n:08}-py3": str(n) for n in range(30)})
    pushed(folder, hub)
    a_folder(tmp_path / "a", **{"m__00000007-py3": "seven", "m__00000007-py4": "8"})
    seen = []

    def watched(ours, theirs):
        seen.append((set(ours.files), set(theirs.files)))
        return union(ours, theirs)

    with opened(hub) as branch:
        push(folder, branch, watched, NOW)
    assert seen == [({"m/00000007-py3.json"}, {"m/00000007-py3.json", "m/00000007-py4.json"})]


def test_a_race_is_run_again_on_the_newer_state(tmp_path):
    """A push that comes second merges with the first, as often as needed."""
    hub = a_hub(tmp_path / "hub.git")
    rivals = iter([a_folder(tmp_path / f"r{n}", m__machine="m", m__abcd1234=f"rival {n}") for n in range(3)])

    def interrupted(ours, theirs):
        if rival := next(rivals, None):
            pushed(rival, hub)
        return union(ours, theirs)

    folder = a_folder(tmp_path / "a", m__machine="m", m__abcd1234="mine")
    with opened(hub) as branch:
        push(folder, branch, interrupted, NOW)
    assert next(rivals, None) is None
    assert branch_files(hub, "results")["m/abcd1234.json"] == b"mine\nrival 0\nrival 1\nrival 2"
    assert git(hub, "rev-list", "--count", "results") == "4"


def test_a_race_without_end_is_given_up(tmp_path):
    """The message states that nothing is lost; the results of the other pushes are complete."""
    hub = a_hub(tmp_path / "hub.git")
    count = iter(range(1000))

    def interrupted(ours, theirs):
        pushed(a_folder(tmp_path / "r", m__machine="m", m__abcd1234=f"rival {next(count)}"), hub)
        return union(ours, theirs)

    with opened(hub) as branch, pytest.raises(RemoteBusyError, match=r"has moved: .*rejected.*nothing is lost"):
        push(
            a_folder(tmp_path / "a", m__machine="m", m__abcd9999="mine"),
            branch,
            interrupted,
            RetryPolicy(timeout=0.5, max_pause=0),
        )


def test_a_broken_file_on_the_branch_stays_and_is_named(tmp_path):
    """A broken file stays and is reported; the other files are merged."""
    hub = a_hub(tmp_path / "hub.git")
    put_tree(
        hub,
        "results",
        ("40000", b"m", raw_tree(hub, ("100644", b"abcd1234.json", "!"), ("100644", b"machine.json", "m"))),
    )
    done = pushed(a_folder(tmp_path / "a", m__machine="m", **{"m__abcd1234-py3": "1", "n__machine": "n"}), hub)
    assert done.changes.paths == ("m/abcd1234-py3.json", "n/machine.json")
    assert done.changes.notes == ("m/abcd1234.json is broken",)
    assert branch_files(hub, "results")["m/abcd1234.json"] == b"!"


def test_orphan_files_are_not_copied(tmp_path):
    """On the branch and in the folder, neither carried nor removed."""
    hub = a_hub(tmp_path / "hub.git")
    put_tree(hub, "results", ("100644", b"README.md", "read me"), ("100644", b"benchmarks.json", "b"))
    folder = a_folder(tmp_path / "a", m__machine="m", notes="mine")
    pushed(folder, hub)
    pulled(hub, folder)
    assert sorted(branch_files(hub, "results")) == ["README.md", "benchmarks.json", "m/machine.json"]
    assert sorted(contents(folder)) == ["benchmarks.json", "m/machine.json", "notes.json"]


def test_alerts_are_amended_not_pushed(tmp_path):
    """A stale copy never replaces the alerts; an edit is made again after a lost race."""
    hub = a_hub(tmp_path / "hub.git")
    folder = a_folder(tmp_path / "a", m__machine="m", alerts="stale")
    pushed(folder, hub)
    rivals = iter([b"rival"])
    with opened(hub) as branch, opened(hub) as other:

        def edit(before):
            if rival := next(rivals, None):
                edit_file(other, "alerts.json", lambda _: rival, NOW)
            return (before or b"") + b"+mine"

        assert edit_file(branch, "alerts.json", edit, NOW).changes.paths == ("alerts.json",)
        assert branch_files(hub, "results")["alerts.json"] == b"rival+mine"
        assert edit_file(branch, "alerts.json", lambda before: before, NOW).changes.paths == ()
        assert edit_file(branch, "alerts.json", lambda _: None, NOW).changes.paths == ("alerts.json",)
        assert edit_file(branch, "alerts.json", lambda _: None, NOW).changes.paths == ()
    assert "alerts.json" not in branch_files(hub, "results")


def test_nothing_to_push_is_a_data_error(tmp_path):
    """An empty folder in a workflow means that a step before went wrong."""
    with pytest.raises(DataError, match="holds no results; run the benchmarks first"):
        pushed(a_folder(tmp_path / "a", alerts="x"), a_hub(tmp_path / "hub.git"))


def test_a_pull_without_a_branch_has_no_commit(tmp_path):
    """Before the first push the branch does not exist and the folder does not change."""
    folder = a_folder(tmp_path / "a", m__machine="m")
    assert pulled(a_hub(tmp_path / "hub.git"), folder).commit is None
    assert contents(folder) == {"m/machine.json": "m"}


def test_a_file_that_is_too_large_is_not_committed(tmp_path):
    """Two files may each be small enough and their merge too large."""
    changes = FileChanges(written={"m/abcd1234.json": bytes(MAX_FILE_BYTES + 1)})
    with (
        opened(a_hub(tmp_path / "hub.git")) as branch,
        pytest.raises(DataError, match=r"m/abcd1234\.json would have 67108865 bytes"),
    ):
        update(branch, lambda _: (changes, "too large"), NOW)


def test_a_busy_remote_is_given_four_tries(tmp_path):
    """A refusal gets a single attempt."""
    asked = []

    def work(snapshot):
        asked.append(snapshot)
        raise RemoteBusyError("busy")

    with opened(a_hub(tmp_path / "hub.git")) as branch, pytest.raises(RemoteBusyError, match="busy"):
        update(branch, work, NOW)
    assert len(asked) == 4


def test_the_commit_says_what_it_brings(tmp_path):
    """The subject has the numbers of files and machines, and the body the paths."""
    hub = a_hub(tmp_path / "hub.git")
    pushed(a_folder(tmp_path / "a", m__machine="m", **{f"m__{n:08}": "x" for n in range(60)}), hub)
    subject, _, *body = git(hub, "log", "--format=%B", "results").splitlines()
    assert subject == "store: 61 files of 1 machine"
    assert body[0] == "m/00000000.json"
    assert body[50:] == ["and 11 more"]


def test_a_proposal_that_comes_to_nothing_makes_no_commit(tmp_path):
    """Edits to what is there already."""
    hub = a_hub(tmp_path / "hub.git")
    first = pushed(a_folder(tmp_path / "a", m__machine="m"), hub)
    same = FileChanges(written={"m/machine.json": b"m"}), "same"
    with opened(hub) as branch:
        assert update(branch, lambda _: same, NOW).commit == first.commit
