"""From results to a site, with a real asv and real repositories."""

import gzip
import json
import re
from pathlib import Path

import pytest
from builders.commands import run_command
from builders.reached import a_kept_map
from builders.repositories import ENV, a_checkout, a_repository, commit, commits_of, git
from builders.results_folders import a_benchmark_entry, a_results_folder
from builders.suites import change

from windtunnel.errors import ExitCode
from windtunnel.model.reach_map import KEPT_FORMAT
from windtunnel.results.record_files import map_file

CONFIG = '{\n  // asv allows comments\n  "version": 1, "project": "toy", "repo": ".", "branches": ["main"], %s\n}\n'


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """A repository of three commits with an asv configuration, made once and copied."""
    where = a_repository(tmp_path_factory.mktemp("toy") / "repo", "one", "two")
    (where / "asv.conf.json").write_text(CONFIG % '"project_url": "https://example.org/"', encoding="utf-8")
    commit(where, "three <b>bold</b>")
    return where


def run(repo, tmp_path, *more, results=None, code=None):
    """Publish as at a desk; return exit code, stdout, stderr and the site's folder."""
    site = tmp_path / "site"
    argv = ["publish", results or tmp_path / "results", "--out", site, *more]
    if "--config" not in more:
        argv += ["--config", repo / "asv.conf.json"]
    return *run_command(argv, ENV, code=code), site


def overview_of(site):
    return json.loads((site / "overview.json").read_text(encoding="utf-8"))


def site_of(site):
    return json.loads((site / "site.json").read_text(encoding="utf-8"))


def test_a_site_has_the_pages_and_no_others(repo, tmp_path):
    """Stdout has the address of the site alone; messages go to stderr."""
    a_results_folder(tmp_path / "results", commits_of(repo))
    code, out, err, site = run(repo, tmp_path)
    assert (code, out) == (ExitCode.FINE, f"{site}\n")
    assert "warning" not in err
    files = {path.name for path in site.iterdir()}
    assert {"index.html", "main.js", "overview.json", "feeds"} <= files
    assert not {"asv.js", "regressions.js", "asv"} & files
    overview = overview_of(site)
    assert overview["project"] == {"name": "toy", "url": "https://example.org/"}
    assert overview["commits"][0]["subject"] == "three <b>bold</b>"


def test_a_value_that_is_not_a_number_affects_nothing_else(repo, tmp_path):
    """asv stores such values, and its publish command then fails after deleting the old site."""
    poisons = ({"a": 1}, "text", [1, 2])
    rows = {f"b.track_{index}": [[poison], [], "1"] for index, poison in enumerate(poisons)}
    rows |= {"b.time": [[0.1], [], "1"]}
    a_results_folder(tmp_path / "results", commits_of(repo), results=rows, names=tuple(rows))
    _, _, err, site = run(repo, tmp_path, code=ExitCode.FINE)
    assert "could not be used" in err
    assert overview_of(site)["commits"]


def test_broken_files_are_counted_and_the_rest_is_shown(repo, tmp_path):
    """A truncated results file and an invalid run record do not stop the rest."""
    one, two, three = commits_of(repo)
    results = a_results_folder(tmp_path / "results", [one, two, three])
    (results / "desk" / f"{three[:8]}-virtualenv-py3.12.json").write_text('{"commit_ha', encoding="utf-8")
    (results / "records").mkdir()
    (results / "records" / "run.record").write_text("[]", encoding="utf-8")
    _, _, err, site = run(repo, tmp_path, code=ExitCode.FINE)
    assert "One entry of the results could not be used" in err
    assert "A run record could not be read: records/run.record" in err
    assert [each["hash"] for each in overview_of(site)["commits"]] == [two]


def test_functions_that_no_benchmark_runs_have_a_page(repo, tmp_path):
    """From the map that is stored with the results; each page of the site links it, without a map none does."""
    change(repo, {"spam/a.py": "def run(): return 1\n\ndef never(): return 2\n"}, "code")
    results = a_results_folder(tmp_path / "results", commits_of(repo))
    _, _, _, site = run(repo, tmp_path)
    assert "reach.html" not in (site / "index.html").read_text(encoding="utf-8")
    kept = a_kept_map(git(repo, "rev-parse", "HEAD"), {"b.time_it": {"spam/a.py": ("run",)}})
    path = map_file(results, kept)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(KEPT_FORMAT.encode(kept))
    path.with_name(path.name.replace("-0", "-1")).write_bytes(b"{")
    _, _, err, site = run(repo, tmp_path, code=ExitCode.FINE)
    assert '<a data-part="reach" href="reach.html">' in (site / "index.html").read_text(encoding="utf-8")
    page = (site / "reach.html").read_text(encoding="utf-8")
    assert "Benchmarks run 1 of 2 functions" in page
    assert "<li><code>never</code>" in page
    assert "A reach map could not be read" in err


@pytest.mark.parametrize("content", [None, "[1", "[]", '{"version": 9}', '{"version": 2}', '{"version": 2, "b": 7}'])
def test_without_a_usable_list_of_benchmarks_the_results_describe_them(repo, tmp_path, content):
    """Missing or broken: names, versions and values of parameters are in the results, and the site says what is not."""
    rows = {"b.time_it": [[0.1, 0.2], [["1", "2"]], "1"], "b.track_it": [[3.0], [], "1"]}
    results = a_results_folder(tmp_path / "results", commits_of(repo), results=rows, names=tuple(rows))
    path = results / "benchmarks.json"
    path.unlink()
    if content is not None:
        path.write_text(content, encoding="utf-8")
    _, _, err, site = run(repo, tmp_path, code=ExitCode.FINE)
    assert "benchmarks are described from the results" in err
    listed = json.loads(gzip.decompress((site / "data" / "benchmarks.json.gz").read_bytes()))
    units = [listed["units"][index] for index in listed["unit"]]
    assert list(zip(listed["name"], units, strict=True)) == [("b.time_it", "seconds"), ("b.track_it", "unit")]
    assert "described from the results" in str(json.loads((site / "site.json").read_text(encoding="utf-8"))["notes"])


def test_the_branch_of_a_remote_is_found(repo, tmp_path):
    """The checkout of a workflow has no local main."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(repo), str(clone))
    git(clone, "checkout", "--quiet", "--detach")
    git(clone, "branch", "--quiet", "--delete", "--force", "main")
    a_results_folder(tmp_path / "results", commits_of(repo))
    code, _, err, site = run(clone, tmp_path)
    assert (code, "warning" in err) == (ExitCode.FINE, False)
    assert site_of(site)["commits"] == 3


def test_without_the_configured_branch_the_site_shows_the_default_branch(repo, tmp_path):
    """The page has a note about it."""
    git(repo, "branch", "--move", "main", "trunk")
    a_results_folder(tmp_path / "results", git(repo, "rev-list", "trunk").split())
    _, _, err, site = run(repo, tmp_path, code=ExitCode.FINE)
    assert "no branch main" in err
    assert site_of(site)["notes"][0] == "The repository has no branch main; trunk is shown instead."
    assert [each["name"] for each in site_of(site)["branches"]] == ["trunk"]


@pytest.mark.parametrize("branches", ['"branches": ["HEAD"], ', '"branches": [null], ', ""])
def test_without_a_configured_branch_the_default_branch_is_shown(repo, tmp_path, branches):
    """``HEAD`` is not a branch; a workflow's clone has no local branch; there is nothing to note."""
    git(repo, "branch", "master", "HEAD~1")
    git(repo, "branch", "--move", "main", "develop")
    clone = a_checkout(repo, tmp_path / "clone")
    content = (clone / "asv.conf.json").read_text(encoding="utf-8").replace('"branches": ["main"], ', branches)
    (clone / "asv.conf.json").write_text(content, encoding="utf-8")
    a_results_folder(tmp_path / "results", git(repo, "rev-list", "develop").split())
    code, _, err, site = run(clone, tmp_path)
    assert (code, "branch" in err) == (ExitCode.FINE, False)
    assert site_of(site)["notes"] == []
    assert [each["name"] for each in site_of(site)["branches"]] == ["develop"]
    assert site_of(site)["commits"] == 3


def test_the_branch_of_the_event_is_shown(repo, tmp_path):
    """--branch takes precedence over the configuration, for the site and for the changes on it."""
    git(repo, "branch", "release", "HEAD~1")
    a_results_folder(tmp_path / "results", commits_of(repo))
    _, _, _, site = run(repo, tmp_path, "--branch", "release", code=ExitCode.FINE)
    assert [each["name"] for each in site_of(site)["branches"]] == ["release"]
    code, _, err, _ = run(repo, tmp_path, "--branch", "spam")
    assert (code, "no branch 'spam'" in err) == (ExitCode.USAGE, True)


def test_a_shallow_clone_is_noted(repo, tmp_path):
    """Older commits are counted, with the command that fetches them."""
    a_results_folder(tmp_path / "results", commits_of(repo))
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", repo.as_uri(), str(clone))
    _, _, err, site = run(clone, tmp_path, code=ExitCode.FINE)
    assert "--unshallow" in err
    assert "2 of 3 commits with results are on no branch" in err
    assert len(overview_of(site)["commits"]) == 1


def test_an_unknown_commit_is_shown_without_a_subject(repo, tmp_path):
    """It was rebased away, or belongs to a fork."""
    lost = "f" * 40
    a_results_folder(tmp_path / "results", [lost])
    _, _, err, site = run(repo, tmp_path, code=ExitCode.FINE)
    assert "1 of 1 commits with results is on no branch" in err
    assert overview_of(site)["commits"] == [{"hash": lost, "subject": None, "date": None, "url": None}]


def test_names_that_are_paths_stay_inside_the_site(repo, tmp_path):
    """The names of its files have safe characters alone, and differ where names of benchmarks do."""
    evil = (
        "../../../out/x",
        "..-..-..-out-x",
        "a/../../b",
        "..",
        "a\\..\\b",
        "%2e%2e/x",
        "a\x00b",
        "\u202egnp.exe",
        "__proto__",
    )
    entries = {name: a_benchmark_entry(name) for name in evil}
    a_results_folder(tmp_path / "results", commits_of(repo), benchmarks=entries, names=evil)
    before = set(tmp_path.rglob("*"))
    _, _, _err, site = run(repo, tmp_path, code=ExitCode.FINE)
    made = {path for path in set(tmp_path.rglob("*")) - before if not path.is_relative_to(site)}
    assert {path.relative_to(tmp_path).parts[0] for path in made} == {f".{site.name}.cache"}
    listed = json.loads(gzip.decompress((site / "data/benchmarks.json.gz").read_bytes()))
    assert (set(listed["name"]), len(set(listed["file"]))) == (set(evil), len(evil))
    assert all(
        re.fullmatch(r"data/benchmarks/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+\.json\.gz", each) for each in listed["file"]
    )


def test_a_folder_that_publishing_would_destroy_is_refused(repo, tmp_path):
    """The results, the repository, or a folder with other files."""
    results = a_results_folder(repo / "results", commits_of(repo))
    before = sorted(map(str, repo.rglob("*")))
    for site in (repo, results, repo.parent, results / "site"):
        code, _, err = run_command(["publish", results, "--out", site, "--config", repo / "asv.conf.json"], ENV)
        assert code == ExitCode.USAGE
        assert "another" in err
    assert sorted(map(str, repo.rglob("*"))) == before


def test_nothing_to_publish_is_an_error_with_advice(repo, tmp_path):
    """An empty folder, a missing folder, a repository without a commit."""
    (tmp_path / "results").mkdir()
    code, _, err, site = run(repo, tmp_path)
    assert (code, "windtunnel bench" in err, site.exists()) == (ExitCode.DATA, True, False)
    assert run(repo, tmp_path, results=tmp_path / "nowhere")[0] == ExitCode.USAGE
    a_results_folder(tmp_path / "bare", commits_of(repo), benchmarks={}, results={})
    code, _, err, _ = run(repo, tmp_path, results=tmp_path / "bare")
    assert (code, "benchmarks.json" in err) == (ExitCode.DATA, True)
    empty = a_repository(tmp_path / "empty")
    (empty / "asv.conf.json").write_text(CONFIG % '"x": 1', encoding="utf-8")
    a_results_folder(tmp_path / "results", ["a" * 40])
    code, _, err, _ = run(empty, tmp_path)
    assert (code, "no commits at all" in err) == (ExitCode.USAGE, True)


def test_a_foreign_suite_is_published_with_a_clone_of_its_project(repo, tmp_path):
    """The suite is in one repository, the measured project in another."""
    suite = tmp_path / "suite"
    suite.mkdir()
    content = (
        (repo / "asv.conf.json").read_text(encoding="utf-8").replace('"repo": "."', '"repo": "https://x.org/y.git"')
    )
    (suite / "asv.conf.json").write_text(content, encoding="utf-8")
    a_results_folder(tmp_path / "results", commits_of(repo))
    code, _, _, site = run(repo, tmp_path, "--config", str(suite / "asv.conf.json"), "--repo", str(repo))
    assert code == ExitCode.FINE
    assert overview_of(site)["commits"][0]["subject"].startswith("three")


def test_default_folders_come_from_the_configuration(repo, tmp_path):
    """Results are read from asv's folder; the site is written where `make serve` expects it."""
    a_results_folder(repo / "results", commits_of(repo))
    code, out, _ = run_command(["publish", "--config", repo / "asv.conf.json"], ENV)
    assert (code, out) == (ExitCode.FINE, f"{repo / '.windtunnel' / 'site'}\n")


def test_the_package_contains_the_pages():
    """An installed windtunnel publishes the same pages as a checkout."""
    from windtunnel.publish import publisher

    project = Path(publisher.__file__).parents[3]
    assert project / "site" / "page" == publisher.CHECKOUT
    assert '"site/page" = "windtunnel/_site"' in (project / "pyproject.toml").read_text(encoding="utf-8")
    assert project / "src" / "windtunnel" / "_site" == publisher.PACKAGED


def publish_here(monkeypatch, tmp_path, source, *more):
    """Publish *source* from an empty folder; return exit code, stderr and the site."""
    (tmp_path / "empty").mkdir()
    argv = ["publish", source, "--out", tmp_path / "site", *more]
    code, _, err = run_command(argv, ENV | {"GIT_CEILING_DIRECTORIES": str(tmp_path)}, tmp_path / "empty")
    return code, err, tmp_path / "site"


def test_results_alone_are_published_by_date(monkeypatch, tmp_path):
    """Without a configuration and a repository: the folder names the project, and the order is said once."""
    a_results_folder(tmp_path / "toy" / "results", ["1" * 40, "2" * 40])
    code, err, site = publish_here(monkeypatch, tmp_path, tmp_path / "toy" / "results")
    assert code == ExitCode.FINE
    assert err.count("by date") == 1
    assert site_of(site)["project"] == {"name": "toy", "url": None}
    assert site_of(site)["commits"] == 2
