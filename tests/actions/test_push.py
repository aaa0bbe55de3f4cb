"""benchmark.yml under act: from a push to a site and a results branch.

WINDTUNNEL_ACT=1 pytest tests/actions     # all of it, some minutes on two cores
"""

import os

import pytest
from actions import acting
from actions.conftest import SUITE, two_pythons
from actions.pushes import a_push
from builders.repositories import git
from builders.suites import change

pytestmark = pytest.mark.act
full = pytest.mark.skipif(not os.environ.get("WINDTUNNEL_ACT"), reason="takes minutes; WINDTUNNEL_ACT=1 runs it")


def push(clone, *, shards="", token="", **env):
    """What becomes of a push of *clone*'s HEAD to main; *shards* is a setting of the suite."""
    origin = clone.parent / "origin.git"
    if shards:
        path = clone / "pyproject.toml"
        known = path.read_text(encoding="utf-8") if path.exists() else ""
        change(clone, {path.name: f"{known}\n[tool.windtunnel.ci]\nmax-runners = {shards}\n"}, "runners")
        git(clone, "push", "--quiet", "origin", "HEAD:main")
    return acting.run(
        clone, origin, "push", a_push(clone), clone.parent / "act", workflow="benchmark.yml", token=token, **env
    )


def branch(clone):
    """The files of the results branch, and the content of each."""
    origin = clone.parent / "origin.git"
    names = git(origin, "ls-tree", "-r", "--name-only", "windtunnel-results").splitlines()
    return {name: git(origin, "show", f"windtunnel-results:{name}") for name in names}


HOSTILE = """
print("\\n::add-mask::evil\\n::stop-commands::evil")

def time_evil():
    print("::error::evil ##[error]evil", flush=True)
time_evil.version = "1"
time_evil.number, time_evil.repeat, time_evil.warmup_time = 1, 2, 0
"""


@full
def test_a_push_ends_with_a_site_and_a_results_branch(adopted, forge):
    """Two Pythons, two shards each: all results arrive once. A repeated run measures nothing and publishes again.

    The site shows the false alarms of a pull request that ran before.
    """
    pythons = two_pythons()
    clone = adopted(pythons=pythons, suite=SUITE + HOSTILE)
    acted = push(
        clone, shards=2 * len(pythons), token=forge.token, GITHUB_API_URL=forge.url, GITHUB_REPOSITORY=forge.repo
    )
    assert acted.code == 0, acted.output
    assert len(sorted(acted.artifacts.glob("windtunnel-shard.*"))) == 2 * len(pythons)
    runs = {name: text for name, text in branch(clone).items() if any(f"py{one}" in name for one in pythons)}
    assert len(runs) == len(pythons)
    assert all("time_one" in text and "time_two" in text for text in runs.values())
    assert (acted.site / "index.html").is_file()
    assert acted.result("Deploy", "Deploy") == "success"
    assert acted.result("Store", "Alert") == "success"
    assert acted.result("Store", "Choose an alert to bisect") == "success"
    assert acted.result("Search the commit of an alert", "Search") is None
    assert forge.issues == []
    assert not [one for one in acted.log if one.get("command") and "evil" in str(one)]  # the suite's own words
    before = branch(clone)
    again = push(clone, attempt=2)
    assert again.code == 0, again.output
    assert again.result("Plan", "Plan") == "success"
    assert again.result("Store", "Merge") in {None, "skipped"}
    assert again.result("Deploy", "Deploy") == "success"
    assert branch(clone) == before


@full
def test_a_failed_shard_does_not_take_the_others_along(adopted):
    """Its job is red; what the others measured is stored and published. The next run measures what is missing."""
    pythons = two_pythons()
    if len(pythons) < 2:
        pytest.skip("one Python only on this machine")
    clone = adopted(pythons=pythons)
    acted = push(clone, shards=2, STUB_FAILS=pythons[0])
    assert acted.code != 0
    assert [name for name in branch(clone) if pythons[1] in name]
    assert not [name for name in branch(clone) if f"py{pythons[0]}" in name]
    again = push(clone, run_id="6")
    assert again.code == 0, again.output
    assert [name for name in branch(clone) if f"py{pythons[0]}" in name]
    assert (acted.site / "index.html").is_file()


@full
def test_an_empty_suite_is_no_success(adopted):
    """A plan without cases is probably a mistake, so it fails."""
    clone = adopted(suite="# nothing yet\n")
    acted = push(clone)
    assert acted.code != 0
    assert acted.result("Plan", "Plan") == "failure"


def test_a_repository_without_a_suite_is_told_so(adopted):
    """Before anything is measured, with what to do."""
    clone = adopted()
    (clone / "asv.conf.json").unlink()
    change(clone, {}, "no suite")
    acted = push(clone)
    assert acted.code != 0
    assert "asv.conf.json" in acted.output
    assert not (acted.artifacts / "windtunnel-plan.1.0").exists()
