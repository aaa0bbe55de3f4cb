"""The data files of a site are complete, compact, and independent of what was published before."""

import gzip
import json
import math
import re
import shutil
from typing import get_args

import msgspec
import pytest
from builders.claim_blocks import HEAD, SLEEP, THIRD, a_series, claim_samples, ratios
from builders.commands import run_command
from builders.encoded import decode_differences, from_steps
from builders.repositories import ENV, a_repository, commit, commits_of, git
from builders.results_folders import a_benchmark_entry, a_results_folder
from builders.trees import a_tree

from windtunnel import formats
from windtunnel.errors import ExitCode
from windtunnel.publish.format.results import FILES
from windtunnel.results.record_files import claim_file
from windtunnel.results.tree import write_tree
from windtunnel_claims.format import CLAIMS_FORMAT
from windtunnel_claims.samples_format import SAMPLES_FORMAT

FORMS = {get_args(msgspec.structs.fields(each)[0].type)[0]: each for each in FILES}
FORMS["windtunnel.claims/1"] = CLAIMS_FORMAT.type
HOSTILE = "b.<img src=x onerror=alert(1)>/../../etc/passwd\u202e"
GRID = {"param_names": ["n"], "params": [["1", "'two words'"]]}


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """A repository of four commits, made once and copied."""
    where = a_repository(tmp_path_factory.mktemp("toy") / "repo", "one", "two", "three")
    content = '{"version": 1, "project": "toy", "repo": ".", "show_commit_url": "https://x.org/commit/"}'
    (where / "asv.conf.json").write_text(content, encoding="utf-8")
    commit(where, "four")
    git(where, "tag", "v1", "main~1")
    return where


def results_of(tmp_path, commits, **more):
    """Two benchmarks: one of hostile name whose value doubles with the commit, one with parameters."""
    names = {HOSTILE: a_benchmark_entry(HOSTILE), "b.grid": a_benchmark_entry("b.grid", **GRID)}
    for index, each in enumerate(commits):
        value = 0.1 * 2**index
        rows = {
            HOSTILE: [[value], [], "1", 1, 1.0, [value * 0.99], [value * 1.02]],
            "b.grid": [[1.0, None if index == 1 else 3.0], GRID["params"], "1", 1, 1.0, [-math.inf, 2.9], [1.1, 3.1]],
        }
        a_results_folder(tmp_path / "results", [each], results=rows, benchmarks=names, **more)
    return tmp_path / "results"


def publish(repo, tmp_path, *more, site="site", code=ExitCode.FINE, said=""):
    """Publish as at a desk; return the site's folder. The messages contain *said*."""
    argv = ["publish", tmp_path / "results", "--out", tmp_path / site, "--config", repo / "asv.conf.json", *more]
    ended, _, err = run_command(argv, ENV)
    assert (ended, said in err) == (code, True), err
    return tmp_path / site


def content(site, path):
    """A file of the site as the class that its schema names."""
    raw = (site / path).read_bytes()
    raw = gzip.decompress(raw) if path.endswith(".gz") else raw
    return formats.decode(raw, FORMS[json.loads(raw)["schema"]], path)


def files(site):
    """Everything in a site."""
    return {str(path.relative_to(site)): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def history(site, name):
    """The series of the benchmark called *name*."""
    listed = content(site, "data/benchmarks.json.gz")
    return content(site, listed.file[listed.name.index(name)]).series


def test_the_site_lists_commits_targets_and_releases(repo, tmp_path):
    """Commits are listed oldest first."""
    results_of(tmp_path, commits_of(repo))
    site = content(publish(repo, tmp_path), "site.json")
    assert (site.commits, site.benchmarks, site.commit_url) == (4, 2, "https://x.org/commit/")
    assert [(each.name, each.measured, each.failed, each.runs) for each in site.targets] == [("3.12", 3, 0, 4)]
    assert [(each.name, each.commit) for each in site.releases] == [("v1", 2)]
    commits = content(tmp_path / "site", site.files.commits[0])
    assert commits.hash == tuple(commits_of(repo))
    assert (commits.subject[0], commits.revision) == ("one", (0, 1, 2, 3))


def test_a_history_has_every_value_with_its_interval(repo, tmp_path):
    """Values are exact within half a step; failures and infinite limits are gaps."""
    results_of(tmp_path, commits_of(repo))
    site = publish(repo, tmp_path)
    (one,) = history(site, HOSTILE)
    assert decode_differences(one.values, one.digits) == pytest.approx([0.1, 0.2, 0.4, 0.8], rel=1e-3)
    assert [from_steps(each, one.digits) for each in one.below] == pytest.approx([0.001, 0.002, 0.004, 0.008], rel=0.1)
    first, second = history(site, "b.grid")
    assert (first.params, second.params) == (("1",), ("'two words'",))
    assert decode_differences(second.values, second.digits) == [3.0, None, 3.0, 3.0]
    assert decode_differences(second.commits, 0) == [0, 1, 2, 3]
    assert set(first.below) == {None}


def test_blocks_of_runs_have_the_values_of_the_histories(repo, tmp_path):
    """Two files are enough to compare any two commits."""
    results_of(tmp_path, commits_of(repo))
    site = publish(repo, tmp_path)
    (known,) = content(site, "data/runs.json.gz").blocks
    assert (known.commits, known.first) == ((0, 1, 1, 1), (0,))
    block = content(site, known.files[0])
    assert sorted(block.benchmarks) == sorted([HOSTILE, "b.grid"])
    for each in block.series:
        same = [one for one in history(site, block.benchmarks[each.benchmark]) if one.params == each.params]
        assert [decode_differences(one.values, one.digits) for one in same] == [
            decode_differences(each.values, each.digits)
        ]


def test_the_bytes_do_not_depend_on_the_old_site_or_the_cache(repo, tmp_path):
    """The order of commits and a missing or damaged cache change nothing; the repository is only read."""
    commits, before = commits_of(repo), (git(repo, "for-each-ref"), git(repo, "status", "--porcelain"))
    results_of(tmp_path, [commits[2]])
    publish(repo, tmp_path)
    shutil.rmtree(tmp_path / "results")
    results_of(tmp_path, commits)
    grown = files(publish(repo, tmp_path))
    assert files(publish(repo, tmp_path, site="fresh")) == grown
    for kept in (tmp_path / ".site.cache").iterdir():
        kept.write_bytes(kept.read_bytes()[:-7])
    assert files(publish(repo, tmp_path)) == grown
    assert files(publish(repo, tmp_path)) == grown
    assert (git(repo, "for-each-ref"), git(repo, "status", "--porcelain")) == before


def test_unchanged_files_are_linked_from_the_old_site(repo, tmp_path):
    """Publishing the same results again builds no history again, unless its file is not the one that was built."""
    results_of(tmp_path, commits_of(repo))
    site = publish(repo, tmp_path)
    good, path = files(site), site / content(site, "data/benchmarks.json.gz").file[0]
    before = path.stat().st_ino
    publish(repo, tmp_path)
    assert path.stat().st_ino == before
    path.write_bytes(b"not this")
    assert files(publish(repo, tmp_path)) == good


def test_commits_on_no_branch_are_placed_by_date(repo, tmp_path):
    """They have no revision, and no subject where the clone does not have them."""
    results_of(tmp_path, [*commits_of(repo)[:2], "f" * 40])
    site = publish(repo, tmp_path)
    commits = content(site, "data/commits/0.json.gz")
    lost = commits.hash.index("f" * 40)
    assert (commits.subject[lost], commits.date[lost], commits.revision[lost]) == (None, None, None)
    assert len(history(site, HOSTILE)[0].values) == 3


def test_each_commit_names_its_branch(repo, tmp_path):
    """A commit on several branches belongs to the first that the configuration names."""
    git(repo, "checkout", "--quiet", "-b", "2.x", "main~2")
    fix = commit(repo, "fix")
    configured = '{"version": 1, "project": "toy", "repo": ".", "branches": ["main", "gone", "2.x"]}'
    (repo / "asv.conf.json").write_text(configured, encoding="utf-8")
    results_of(tmp_path, [*commits_of(repo), fix])
    site = publish(repo, tmp_path)
    index, commits = content(site, "site.json"), content(site, "data/commits/0.json.gz")
    assert [(each.name, each.commits, each.newest) for each in index.branches] == [("main", 4, 4), ("2.x", 1, 0)]
    assert (commits.hash[0], commits.branch) == (fix, (1, 0, 0, 0, 0))


def test_a_commit_on_a_second_branch_changes_only_the_newest_block_of_that_branch(repo, tmp_path, monkeypatch):
    """Its files of runs are built; those of every other block are linked."""
    monkeypatch.setattr("windtunnel.results.series_blocks.BLOCK_SIZE", 2)
    git(repo, "checkout", "--quiet", "-b", "2.x", "main~3")
    fixes = [commit(repo, f"fix {number}") for number in range(4)]
    configured = '{"version": 1, "project": "toy", "repo": ".", "branches": ["main", "2.x"]}'
    (repo / "asv.conf.json").write_text(configured, encoding="utf-8")
    results_of(tmp_path, [*commits_of(repo), *fixes[:3]])
    before = {path: path.stat().st_ino for path in publish(repo, tmp_path).glob("data/runs/*/*")}
    results_of(tmp_path, [*commits_of(repo), *fixes])
    site = publish(repo, tmp_path)
    after = {path: path.stat().st_ino for path in site.glob("data/runs/*/*")}
    assert len(before) == len(after) == 4
    (built,) = [path for path in after if after[path] != before.get(path)]
    runs = content(site, "data/runs.json.gz")
    (changed,) = [each for each in runs.blocks if str(built.relative_to(site)) in each.files]
    assert (changed.commits, runs.starts) == ((2, 1), (0, 2, 2, 2))
    assert decode_differences(content(site, changed.files[0]).series[0].commits, 0) == [0, 1]


def test_rows_of_another_version_are_left_out(repo, tmp_path):
    """They measured something else, as in asv."""
    path = results_of(tmp_path, commits_of(repo)) / "benchmarks.json"
    listed = json.loads(path.read_text(encoding="utf-8"))
    listed["b.grid"]["version"] = "2"
    path.write_text(json.dumps(listed), encoding="utf-8")
    assert content(publish(repo, tmp_path), "data/benchmarks.json.gz").name == (HOSTILE,)


def test_the_files_of_other_commands_are_published(repo, tmp_path):
    """A file of another format is refused, and the old site stays."""
    results_of(tmp_path, commits_of(repo))
    changes, alerts = tmp_path / "changes.json", tmp_path / "alerts.json"
    assert run_command(["detect", tmp_path / "results", "--repo", repo, "--out", changes], ENV).returncode == 0
    alerts.write_text('{"schema": "windtunnel.alerts/1"}', encoding="utf-8")
    site = publish(repo, tmp_path, "--changes", str(changes), "--alerts", str(alerts))
    old = files(site)
    assert content(site, "data/changes.json").series == json.loads(changes.read_bytes())["series"]
    assert {"feeds/regressions.atom", "feeds/improvements.atom"} <= old.keys()
    assert json.loads(old["data/alerts.json"])["schema"] == "windtunnel.site-alerts/1"
    publish(repo, tmp_path, "--changes", str(tmp_path / "nowhere"), code=ExitCode.DATA)
    publish(repo, tmp_path, "--claims", str(changes), code=ExitCode.DATA)
    assert files(site) == old


def test_claims_measured_in_blocks_are_a_site(repo, tmp_path):
    """No benchmark needs a history, and windtunnel claims need not run first; a broken claims file costs the claims."""
    (repo / "benchmarks").mkdir()
    (repo / "benchmarks" / "claims.toml").write_text(HEAD + THIRD, encoding="utf-8")
    write_tree(a_tree(benchmarks=[SLEEP]), tmp_path / "results")
    publish(repo, tmp_path, code=ExitCode.DATA)
    path = claim_file(tmp_path / "results", "these")
    path.parent.mkdir()
    path.write_bytes(SAMPLES_FORMAT.encode(claim_samples(a_series(*ratios(0.3333, 4)))))
    site = publish(repo, tmp_path)
    front = content(site, "site.json")
    assert (front.claims["claims"], front.commits) == (1, 0)
    listed = re.findall(r'data-page="(\w+)"', (site / "index.html").read_text(encoding="utf-8"))
    assert listed == ["overview", "claims"]  # the navigation has pages with content alone
    board = content(site, front.files.claims)
    assert board.decisions[0].tests[0].block_ratios == pytest.approx(ratios(0.3333, 4), rel=1e-4)
    results_of(tmp_path, commits_of(repo))
    (repo / "benchmarks" / "claims.toml").write_text("claim = 1", encoding="utf-8")
    site = publish(repo, tmp_path, said="claims are not decided: ")
    assert content(site, "site.json").files.claims is None


def test_every_data_file_names_its_format(repo, tmp_path):
    """A page can refuse a format that it does not know."""
    results_of(tmp_path, commits_of(repo))
    site = publish(repo, tmp_path)
    for path, raw in files(site).items():
        if path.startswith("data/"):
            document = json.loads(gzip.decompress(raw) if path.endswith(".gz") else raw)
            msgspec.convert(document, FORMS[document["schema"]], strict=True)
