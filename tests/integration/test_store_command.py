"""``windtunnel store``: its output, its effects, and its errors."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.commands import run_command
from builders.folders import write_files
from builders.repositories import ENV, SOMEBODY, a_hub, a_repository, branch_files, git, put_tree, raw_tree
from builders.results import a_results_folder, a_shard, commit_hash, contents
from builders.trees import a_benchmark, a_row, a_run, a_value

from windtunnel.asv.results_format.files import decode_benchmarks, decode_run
from windtunnel.errors import ExitCode
from windtunnel.results.branch import listing

ROOT = Path(__file__).parents[2]
BRANCH = "windtunnel-results"
RUN = f"desk/{commit_hash(1)[:8]}-virtualenv-py3.12.json"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """The working directory is a project that calls the hub origin."""
    root = a_repository(tmp_path / "project", "one")
    git(root, "remote", "add", "origin", "../hub.git")
    (root / "asv.conf.json").write_text('{"version": 1, "results_dir": "results"}', encoding="utf-8")
    monkeypatch.chdir(root)
    return root


def store(*argv, code=None, **env):
    """Run the command; return the exit code and both outputs."""
    return run_command(["store", *argv], ENV | env, code=code)


def pushed(project, *runs):
    """Push a folder of these results."""
    a_results_folder(project / "results", *runs)
    store("push", code=0)


def names(content):
    return [row.name for row in decode_run(content, "").value.rows]


def test_what_is_pushed_is_pulled(hub, project, tmp_path):
    """From the folder that asv.conf.json names, by a user whom git does not know."""
    a_results_folder(project / "results", a_shard(1))
    code, out, err = store("push")
    tip = git(hub, "rev-parse", BRANCH)
    assert (code, err) == (ExitCode.FINE, "")
    assert out == f"3 files pushed to branch {BRANCH} of origin, which is at {tip[:8]}\n"
    assert git(hub, "log", "--format=%an <%ae>", BRANCH) == "Windtunnel <windtunnel@localhost>"
    code, out, _ = store("pull", "--results", tmp_path / "pulled")
    assert (code, out) == (0, f"3 new or longer files from branch {BRANCH} of origin in {tmp_path / 'pulled'}\n")
    assert contents(tmp_path / "pulled") == branch_files(hub, BRANCH)


def test_shards_of_one_run_become_one_file(hub, project, tmp_path):
    """The same commit, machine and environment: the same file name, and every benchmark of both in it."""
    for number in (1, 2):
        assert store("push", "--results", a_results_folder(tmp_path / f"shard{number}", a_shard(number)))[0] == 0
    files = branch_files(hub, BRANCH)
    assert names(files[RUN]) == ["suite.time_01", "suite.time_02", "suite.time_common"]
    (common,) = decode_run(files[RUN], "").value.row("suite.time_common").results
    assert len(common.processes) == 2
    assert len(decode_benchmarks(files["benchmarks.json"], "").value) == 3


def test_pushing_again_makes_no_commit(hub, project):
    """Nor does pulling write, once both sides hold the same."""
    pushed(project, a_shard(1))
    tip = git(hub, "rev-parse", BRANCH)
    assert store("push")[:2] == (0, f"nothing new pushed to branch {BRANCH} of origin, which is at {tip[:8]}\n")
    store("pull")
    assert store("pull")[:2] == (0, f"nothing new from branch {BRANCH} of origin in {project / 'results'}\n")
    assert contents(project / "results") == branch_files(hub, BRANCH)


def test_two_commits_that_share_eight_digits_stay_apart(hub, project, tmp_path):
    """Two commits with the same eight digits get file names with all digits."""
    one, two = a_shard(1), a_shard(2)
    twin = a_run(*two.rows, commit=2)
    object.__setattr__(twin, "commit", commit_hash(1)[:32] + "f" * 8)
    store("push", "--results", a_results_folder(tmp_path / "one", one))
    store("push", "--results", a_results_folder(tmp_path / "two", twin))
    assert sorted(branch_files(hub, BRANCH)) == [
        "benchmarks.json",
        f"desk/{one.commit}-virtualenv-py3.12.json",
        f"desk/{twin.commit}-virtualenv-py3.12.json",
        "desk/machine.json",
    ]
    pulled = a_results_folder(tmp_path / "one", one)
    store("pull", "--results", pulled)
    assert contents(pulled) == branch_files(hub, BRANCH)


def test_a_run_filed_under_another_name_is_the_same_run(hub, project, tmp_path):
    """Older versions of asv wrote all forty digits; the content decides, and one file is left."""
    folder = a_results_folder(tmp_path / "one", a_shard(1))
    (folder / RUN).rename(folder / "desk" / f"{commit_hash(1)}.json")
    store("push", "--results", folder)
    store("push", "--results", a_results_folder(tmp_path / "two", a_shard(2)))
    assert sorted(branch_files(hub, BRANCH)) == ["benchmarks.json", RUN, "desk/machine.json"]
    store("pull", "--results", folder)
    assert contents(folder) == branch_files(hub, BRANCH)


def test_a_machine_in_a_folder_of_another_name_meets_its_own(hub, project, tmp_path):
    """The runs of a renamed folder move to the folder of their machine and merge there."""
    store("push", "--results", a_results_folder(tmp_path / "one", a_shard(1)))
    folder = a_results_folder(tmp_path / "two", a_shard(2))
    (folder / "desk").rename(folder / "attic")
    store("push", "--results", folder)
    files = branch_files(hub, BRANCH)
    assert sorted(files) == ["benchmarks.json", RUN, "desk/machine.json"]
    assert names(files[RUN]) == ["suite.time_01", "suite.time_02", "suite.time_common"]


def test_a_machine_that_nothing_describes_is_described(hub, project):
    """asv ignores a folder without machine.json, so one is written from the runs."""
    (a_results_folder(project / "results", a_shard(1)) / "desk" / "machine.json").unlink()
    store("push")
    assert json.loads(branch_files(hub, BRANCH)["desk/machine.json"])["machine"] == "desk"


def test_results_in_deeper_folders_are_pushed(hub, project):
    """asv looks at any depth; the branch has them where asv itself would put them."""
    folder = a_results_folder(project / "results", a_shard(1))
    (folder / "group").mkdir()
    (folder / "desk").rename(folder / "group" / "desk")
    for _ in range(2):
        store("push")
    assert sorted(branch_files(hub, BRANCH)) == ["benchmarks.json", RUN, "desk/machine.json"]
    assert git(hub, "rev-list", "--count", BRANCH) == "1"


def test_a_benchmark_is_described_as_of_its_newest_result(hub, project, tmp_path):
    """Also where that result is on one side only and only the description is read."""
    old, new = a_benchmark(version="1"), a_benchmark(version="2")

    def a_result(benchmark, commit, started_at):
        row = a_row(benchmark, a_value(1.0))
        object.__setattr__(row, "started_at", started_at)
        return a_run(row, commit=commit)

    local = a_results_folder(project / "results", a_result(new, 2, 2000), benchmarks=[new])
    store("push", "--results", a_results_folder(tmp_path / "old", a_result(old, 1, 1000), benchmarks=[old]))
    store("pull")
    store("push")
    for files in (contents(local), branch_files(hub, BRANCH)):
        (found,) = decode_benchmarks(files["benchmarks.json"], "").value
        assert found.version == "2"


def test_broken_and_poisoned_files_do_not_reach_the_branch(hub, project):
    """They are named with what is wrong and the exit code is 3; the others are pushed."""
    folder = a_results_folder(project / "results", a_shard(1), a_shard(2, commit=2))
    (folder / RUN).write_text("{", encoding="utf-8")
    other = RUN.replace(commit_hash(1)[:8], commit_hash(2)[:8])
    code, out, err = store("push")
    assert (code, out[:7]) == (ExitCode.DATA, "3 files")
    assert f"warning: {folder}: {RUN}: " in err
    assert other in branch_files(hub, BRANCH)
    assert RUN not in branch_files(hub, BRANCH)


def broken_branch(hub, folder):
    """A branch with two runs, of which one is broken, as is everything else that can be; and a link."""
    files = contents(a_results_folder(folder, a_shard(1), a_shard(2, commit=2)))
    other = RUN.replace(commit_hash(1)[:8], commit_hash(2)[:8])
    machine = raw_tree(
        hub,
        ("100644", RUN.partition("/")[2].encode(), files[RUN].decode()),
        ("100644", other.partition("/")[2].encode(), "{"),
        ("120000", b"link.json", "/etc/passwd"),
        ("100644", b"machine.json", "[]"),
    )
    put_tree(
        hub,
        BRANCH,
        ("100644", b"alerts.json", "{"),
        ("100644", b"benchmarks.json", files["benchmarks.json"].decode()),
        ("40000", b"desk", machine),
        ("40000", b"records", raw_tree(hub, ("100644", b"0.record", "{"))),
    )
    return other


def test_a_broken_file_on_the_branch_stops_nobody(hub, project, tmp_path):
    """A pull and a push read the rest, name what is broken, and leave it on the branch as it is."""
    other = broken_branch(hub, tmp_path / "made")
    before = branch_files(hub, BRANCH)
    _, _, err = store("pull", code=ExitCode.FINE)
    assert RUN in contents(project / "results")
    assert other not in contents(project / "results")
    for name in (other, "desk/machine.json", "link.json"):
        assert re.search(f"warning: .*{name}", err), name
    a_results_folder(tmp_path / "new", a_shard(3, commit=3))
    assert store("push", "--results", tmp_path / "new")[0] == ExitCode.FINE
    after = branch_files(hub, BRANCH)
    new = RUN.replace(commit_hash(1)[:8], commit_hash(3)[:8])
    assert after.keys() - before.keys() == {new}
    untouched = before.keys() - {"benchmarks.json", "desk/machine.json"}
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}


def test_a_file_that_is_too_large_stops_nobody(hub, project, tmp_path, monkeypatch):
    """It is named and not read, and stays on the branch."""
    pushed(project, a_shard(1), a_shard(2, commit=2))
    size = len(branch_files(hub, BRANCH)[RUN])
    monkeypatch.setattr(listing, "MAX_FILE_BYTES", size - 1)
    _, _, err = store("pull", "--results", tmp_path / "pulled", code=ExitCode.FINE)
    assert f"{RUN}: has more than {size - 1} bytes" in err
    assert RUN in branch_files(hub, BRANCH)


def test_a_branch_named_by_the_project_is_used(hub, project):
    """results-branch in pyproject.toml, and --branch above it."""
    (project / "pyproject.toml").write_text('[tool.windtunnel]\nresults-branch = "perf/data"\n', encoding="utf-8")
    pushed(project, a_shard(1))
    store("push", "--branch", "other")
    assert git(hub, "for-each-ref", "--format=%(refname:short)").splitlines() == ["other", "perf/data"]


def test_results_can_be_kept_in_another_repository(hub, project, tmp_path):
    """results-remote names it; --remote takes precedence."""
    other, third = a_hub(tmp_path / "other.git"), a_hub(tmp_path / "third.git")
    (project / "pyproject.toml").write_text(f'[tool.windtunnel]\nresults-remote = "{other}"\n', encoding="utf-8")
    pushed(project, a_shard(1))
    assert store("push", "--remote", third)[0] == 0
    assert not git(hub, "for-each-ref")
    assert branch_files(other, BRANCH) == branch_files(third, BRANCH)


def a_site(folder, **files):
    """A folder that looks like what ``windtunnel publish`` writes."""
    return write_files(folder, {"overview.json": "{}", **files})


def test_a_site_replaces_its_folder_of_a_branch(hub, project, tmp_path):
    """One commit for each new site; other files and the history of the branch stay."""
    git(project, "push", "--quiet", "origin", "main:gh-pages")
    site = a_site(tmp_path / "site", **{"data/a.json": "1", "index.html": "old"})
    where = ("--site-folder", "dev/benchmarks")
    assert store("site", site, *where)[0] == 0
    shutil.rmtree(site / "data")
    a_site(site, **{"index.html": "new"})
    assert store("site", site, *where)[0] == 0
    assert branch_files(hub, "gh-pages") == {
        "file": b"one",
        "folder/constant": b"same",
        "dev/benchmarks/overview.json": b"{}",
        "dev/benchmarks/index.html": b"new",
    }
    assert git(hub, "rev-list", "--count", "gh-pages") == "3"
    assert "is up to date" in store("site", site, *where)[1]
    assert git(hub, "rev-list", "--count", "gh-pages") == "3"


def test_a_site_creates_a_missing_branch(hub, project, tmp_path):
    """GitHub Pages serves its files unchanged."""
    assert store("site", a_site(tmp_path / "site"), "--site-folder", "b", "--site-branch", "pages")[0] == 0
    assert branch_files(hub, "pages") == {".nojekyll": b"", "b/overview.json": b"{}"}


def test_a_site_is_in_the_repository_of_the_results(hub, project, tmp_path):
    """Whose Pages can show it; one secret reaches both."""
    other = a_hub(tmp_path / "other.git")
    (project / "pyproject.toml").write_text(f'[tool.windtunnel]\nresults-remote = "{other}"\n', encoding="utf-8")
    assert store("site", a_site(tmp_path / "site"), "--site-folder", "b", "--site-branch", "pages")[0] == 0
    assert not git(hub, "for-each-ref")
    assert branch_files(other, "pages").keys() == {".nojekyll", "b/overview.json"}


@pytest.mark.parametrize(
    ("folder", "error"), [("folder", "is not a site"), ("..", "not a folder"), ("", "not a folder")]
)
def test_a_site_replaces_nothing_else(hub, project, tmp_path, folder, error):
    """A folder that holds something else, and a path outside of the branch, are refused."""
    git(project, "push", "--quiet", "origin", "main:gh-pages")
    before = branch_files(hub, "gh-pages")
    code, _, err = store("site", a_site(tmp_path / "site"), "--site-folder", folder)
    assert code != 0
    assert error in err
    assert "is not a site" in store("site", tmp_path, "--site-folder", "b")[2]
    assert branch_files(hub, "gh-pages") == before


@pytest.mark.parametrize("entry", [("100644", b"dev", "x"), ("120000", b"dev", "stable"), ("160000", b"dev", "x")])
def test_a_site_replaces_nothing_above_its_folder(hub, tmp_path, entry):
    """A link such as that from the newest version of a documentation, a file, or a submodule."""
    before = put_tree(hub, "gh-pages", entry, ("100644", b"page", "x"))
    code, _, err = store("site", a_site(tmp_path / "site"), "--site-folder", "dev/a/b")
    assert (code, git(hub, "rev-parse", "gh-pages")) == (ExitCode.DATA, before)
    assert "has dev, which is a file, a link or a submodule" in err


def test_a_site_does_not_go_to_the_results_branch(hub, project, tmp_path):
    """Neither by its name nor by what it holds: files of a site would be read as results."""
    a_results_folder(project / "results", a_shard(1))
    assert store("push")[0] == store("push", "--branch", "perf")[0] == 0
    for name, code, error in (
        (BRANCH, ExitCode.USAGE, "is the results branch"),
        ("perf", ExitCode.DATA, "keeps results"),
    ):
        found = store("site", a_site(tmp_path / "site"), "--site-folder", "b", "--site-branch", name)
        assert (found[0], found[1]) == (code, "")
        assert error in found[2]


def test_the_users_own_branch_and_files_stay_as_they_are(hub, project):
    """Detached, with changes in the index and in the work tree: nothing moves."""
    git(project, "checkout", "--quiet", "--detach")
    (project / "file").write_text("staged", encoding="utf-8")
    git(project, "add", "file")
    (project / "file").write_text("changed", encoding="utf-8")
    a_results_folder(project / "results", a_shard(1))
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert store("push")[0] == 0
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_no_project_is_needed(hub, tmp_path, monkeypatch):
    """With a URL or a path, which counts from the working directory, and a folder."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    a_results_folder(tmp_path / "results", a_shard(1))
    assert store("push", "--remote", "../hub.git", "--results", "../results")[0] == 0
    assert store("pull", "--remote", f"file://{hub}", "--results", "here")[0] == 0
    assert contents(tmp_path / "elsewhere" / "here") == branch_files(hub, BRANCH)


def test_a_missing_branch_is_an_error_unless_it_is_allowed(hub, project):
    """The first pull of a workflow comes before the first push."""
    code, out, err = store("pull")
    assert (code, out) == (ExitCode.DATA, "")
    assert f"there is no branch {BRANCH} of origin yet; the first windtunnel store push creates it" in err
    assert store("pull", "--if-exists")[0] == ExitCode.FINE
    assert store("compact")[0] == ExitCode.DATA


def test_an_empty_repository_and_a_shallow_one_will_do(hub, project, tmp_path, monkeypatch):
    """Results have no use for the project's own history."""
    git(project, "push", "--quiet", "origin", "main")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{hub}", "shallow")
    git(a_repository(tmp_path / "empty"), "remote", "add", "origin", str(hub))
    folder = a_results_folder(tmp_path / "results", a_shard(1))
    for root in ("empty", "shallow"):
        monkeypatch.chdir(tmp_path / root)
        assert store("push", "--results", folder)[0] == 0


def test_asvs_own_loader_reads_what_was_pulled(hub, project, tmp_path):
    """The results stay readable for asv."""
    from asv.results import Results

    pushed(project, a_shard(1))
    store("pull", "--results", tmp_path / "pulled")
    loaded = Results.load(str(tmp_path / "pulled" / RUN))
    assert sorted(loaded.get_all_result_keys()) == ["suite.time_01", "suite.time_common"]
    assert loaded.commit_hash == commit_hash(1)


BAD = {
    "no remote": (("push", "--remote", "upstream"), ExitCode.USAGE, "has no remote 'upstream'; add it"),
    "no such repository": (("push", "--remote", "/nowhere/x.git"), ExitCode.REMOTE, "cannot be read: .*check its URL"),
    "out of reach": (
        ("pull", "--remote", "http://127.0.0.1:1/x", "--retry-timeout", "0"),
        ExitCode.REMOTE,
        "try again",
    ),
    "no branch name": (("push", "--branch", "a..b"), ExitCode.USAGE, "is not a valid branch name"),
    "no results": (("push", "--results", "folder"), ExitCode.DATA, "folder holds no results; run the benchmarks"),
    "unwritable": (("pull", "--results", "file"), ExitCode.DATA, "file cannot be written: .*name another folder"),
    "odd timeout": (("push", "--retry-timeout", "-1"), ExitCode.USAGE, "'-1' must be a number of at least 0"),
    "nan timeout": (("push", "--retry-timeout", "nan"), ExitCode.USAGE, "'nan' must be a number of at least 0"),
    "odd number": (("compact", "--keep", "-1"), ExitCode.USAGE, "'-1' must be an integer of at least 0"),
    "odd action": (("sync",), ExitCode.USAGE, "unknown action 'sync'; use one of pull, push, compact"),
}


@pytest.mark.parametrize("case", sorted(BAD))
def test_every_bad_case_ends_in_words(hub, project, case):
    """With its exit code, nothing on stdout, and what to do next."""
    argv, expected, words = BAD[case]
    a_results_folder(project / "results", a_shard(1))
    code, out, err = store(*argv)
    assert (code, out) == (expected, "")
    assert err.startswith("windtunnel store: ")
    assert re.search(words, err), err


def test_a_wrong_branch_is_refused_both_ways(hub, project):
    """Results do not mix with sources, in neither direction."""
    put_tree(hub, BRANCH, ("100644", b"setup.py", "x"))
    a_results_folder(project / "results", a_shard(1))
    for action in ("push", "pull", "compact"):
        assert "not a results branch: it holds setup.py" in store(action, code=ExitCode.DATA).stderr
    assert list(branch_files(hub, BRANCH)) == ["setup.py"]


def test_a_protected_branch_is_refused_in_its_own_words(hub, project):
    """The hook's message, exit code 4, and no second try."""
    hook = hub / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho x >> asked; echo 'GH006: protected' >&2; exit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    a_results_folder(project / "results", a_shard(1))
    code, out, err = store("push")
    assert (code, out, git(hub, "for-each-ref")) == (ExitCode.REMOTE, "", "")
    assert re.search(f"branch {BRANCH} of .*refuses.*GH006: protected", err)
    assert (hub / "asked").read_text(encoding="utf-8") == "x\n"


def test_old_samples_go_and_their_statistics_stay(hub, project):
    """The newest commits keep theirs; the report adds up; again, there is nothing to drop."""
    pushed(project, *(a_shard(number, commit=number) for number in (1, 2, 3)))
    before = branch_files(hub, BRANCH)
    code, out, _ = store("compact", "--keep", "1")
    after = branch_files(hub, BRANCH)
    sizes = [sum(map(len, files.values())) for files in (before, after)]
    assert code == 0
    assert out == (
        f"branch {BRANCH} of origin: 5 files, {sizes[0]} bytes before, {sizes[1]} bytes after; 2 files lost samples\n"
    )
    for path in before.keys() - {"benchmarks.json", "desk/machine.json"}:
        old, new = (decode_run(files[path], "").value for files in (before, after))
        kept = old.commit == commit_hash(3)
        for row, bare in zip(old.rows, new.rows, strict=True):
            (result,), (left,) = row.results, bare.results
            assert left.value == result.value
            assert left.samples == (result.samples if kept else None)
    assert "0 files lost samples" in store("compact", "--keep", "1")[1]
    assert git(hub, "rev-list", "--count", BRANCH) == "2"


def test_the_history_of_the_branch_becomes_one_commit_as_the_docs_say(hub, project):
    """With git alone: the files stay, the old history has a branch of its own, and the next push goes on."""
    pushed(project, a_shard(1))
    pushed(project, a_shard(2, commit=2))
    before = branch_files(hub, BRANCH)
    text = (ROOT / "docs/how-to/store.md").read_text(encoding="utf-8")
    script = "\n".join(line for line in text[text.index("    git fetch origin") :].splitlines() if line[:4] == "    ")
    subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=project, env=ENV | SOMEBODY, check=True)
    assert branch_files(hub, BRANCH) == branch_files(hub, f"{BRANCH}-before") == before
    assert git(hub, "rev-list", "--count", BRANCH) == "1"
    assert git(hub, "rev-list", "--count", f"{BRANCH}-before") == "2"
    pushed(project, a_shard(3, commit=3))
    assert git(hub, "rev-list", "--count", BRANCH) == "2"
