"""``windtunnel init``: a repository with a suite gets its workflow files, and learns when they are out of date."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders.actions_schedule import evaluate
from builders.commands import windtunnel
from builders.repositories import a_repository, commit, git
from builders.suites import change
from builders.workflows import read_yaml
from forge.server import serving
from forge.state import Forge

from windtunnel.github.alert_issues import MUTED
from windtunnel.github.pull_requests import ACCEPTED
from windtunnel.github.workflow_files import Pin

PIN = f"org/windtunnel@{'a' * 40}"
NEWER = f"org/windtunnel@{'b' * 40}"
MAIN, NIGHTS, COMPARING = FILES = [
    f".github/workflows/windtunnel{part}.yml" for part in ("", "-nights", "-pull-request")
]
ROOT = Path(__file__).parents[2]


def init(folder, *argv, **env):
    """Run the command in *folder*: exit code, stdout, stderr."""
    return windtunnel(folder, "init", *argv, **{"GITHUB_SERVER_URL": "https://forge.example"} | env)


def accepted(folder, *argv, **env):
    """Run the command, which must end with exit code 0; return stderr."""
    code, _, err = init(folder, *argv, **env)
    assert code == 0, err
    return err


def refused(folder, *argv, **env):
    """Run the command, which must end with exit code 2; return stderr."""
    code, out, err = init(folder, *argv, **env)
    assert (code, out) == (2, ""), err
    return err


def a_suite(folder, where="asv.conf.json", *, content='{"project": "spam", "branches": ["trunk"]} // it', **files):
    """A repository with an asv configuration at *where*, and benchmarks beside it."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=trunk")
    benchmarks = str(Path(where).parent / "benchmarks" / "__init__.py")
    return change(folder, {where: content, benchmarks: "", **files}, "suite")


@pytest.fixture
def folder(tmp_path):
    """A repository with a suite."""
    return a_suite(tmp_path / "r")


def settle(folder, text, where="pyproject.toml"):
    """Write the table [tool.windtunnel.ci]."""
    (folder / where).write_text(f"[tool.windtunnel.ci]\n{text}\n", encoding="utf-8")


def read(folder, path):
    return read_yaml(folder / path)


def test_init_writes_the_workflow_files(tmp_path):
    """Files that say where the suite is, pinned; and what to enable."""
    folder = a_suite(tmp_path / "r", "perf/bench marks/asv.conf.json")
    code, out, err = init(folder, "--pin", PIN, "--release", "v1.2.3")
    assert (code, out.split()) == (0, FILES)
    workflow, comparing = read(folder, MAIN), read(folder, COMPARING)
    assert workflow[True]["push"]["branches"] == ["trunk"]
    for job in (*workflow["jobs"].values(), *comparing["jobs"].values(), *read(folder, NIGHTS)["jobs"].values()):
        assert job["uses"].endswith("@" + "a" * 40)
        assert job["with"]["config"] == "perf/bench marks/asv.conf.json"
    assert "# v1.2.3" in (folder / MAIN).read_text()
    assert "Pages" in err
    assert all(f'"{label}"' in err for label in ("benchmark", ACCEPTED, MUTED))
    assert workflow[True]["workflow_run"]["workflows"] == [comparing["name"]]


def test_the_files_are_short_and_repeat_no_setting(tmp_path):
    """At most 40 lines, ten for the nights below the first; what the called workflows have by default is left out."""
    folder = a_suite(tmp_path / "r", "perf/asv.conf.json")
    (folder / "perf" / "pyproject.toml").write_text(
        '[tool.windtunnel]\nresults-remote = "https://forge.example/org/data"\nresults-branch = "b"\n'
        '[tool.windtunnel.ci]\nrunner = "arm"\nlabel = "perf"\nsite = "https://pages.example"\n'
    )
    init(folder, "--pin", PIN, "--name", "io", "--config", "perf/asv.conf.json", "--repository", "org/spam")
    texts = {path.name: path.read_text(encoding="utf-8") for path in (folder / ".github/workflows").iterdir()}
    lines = {name: text.count("\n") for name, text in texts.items()}
    assert set(lines) == {f"windtunnel-io{part}.yml" for part in ("", "-nights", "-pull-request")}
    assert max(lines.values()) <= 40
    plain = a_suite(tmp_path / "plain")
    init(plain, "--pin", PIN, "--repository", "org/spam")
    nights = [line for line in (plain / NIGHTS).read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert len(nights) <= 10
    assert not any("pages.example" in text for text in texts.values())
    assert not any("asv.conf.json" in str(read(plain, path)) for path in FILES)


def test_the_files_grant_code_of_others_no_write_permission(folder):
    """As ours do."""
    init(folder, "--pin", PIN)
    for path in FILES:
        assert read(folder, path)["permissions"] == {}
    assert read(folder, COMPARING)["jobs"]["pull-request"]["permissions"] == {"contents": "read"}


def test_without_a_remote_no_fork_measures(folder):
    """The name of the repository is unknown; the message states what follows."""
    advice = init(folder, "--pin", PIN)[2]
    assert "if this is a fork, add --repository OWNER/NAME" in advice
    assert "on an Enterprise Server, mirror org/windtunnel there: --pin OWNER/NAME@" in advice
    assert "repository" not in read(folder, MAIN)["jobs"]["benchmark"].get("with", {})


def test_forks_of_the_remote_measure_nothing(folder):
    """The name comes from the remote on the forge; --repository replaces it, and later calls keep it."""
    git(folder, "remote", "add", "origin", "https://forge.example/org/spam.git")
    settle(folder, "pages = true")
    assert "no fork measures pushes" not in init(folder, "--pin", PIN)[2]
    assert all(read(folder, path)["jobs"]["benchmark"]["with"]["repository"] == "org/spam" for path in (MAIN, NIGHTS))
    init(folder, "--repository", "org/eggs")
    git(folder, "remote", "remove", "origin")
    assert init(folder, "--check")[0] == 0
    assert read(folder, MAIN)["jobs"]["benchmark"]["with"]["repository"] == "org/eggs"


STARTED = {"event_name": "workflow_run", "event": {"workflow_run": {"event": "merge_group"}}}


def test_a_required_check_blocks_no_merge_queue(folder):
    """The queue starts the workflow, in which nothing is measured or stored, and the comment concludes the check."""
    settle(folder, 'label = "performance"')
    init(folder, "--pin", PIN)
    workflow = read(folder, COMPARING)
    assert "merge_group" in workflow[True]
    for job in workflow["jobs"].values():
        assert not evaluate(f"${{{{ {job['if']} }}}}", github={"event_name": "merge_group"})
    jobs = read(folder, MAIN)["jobs"]
    assert [name for name, job in jobs.items() if evaluate(f"${{{{ {job['if']} }}}}", github=STARTED)] == ["comment"]


def test_the_files_follow_the_settings(tmp_path):
    """A newer pin changes nothing else, and --check needs no option; what GitHub reads before a checkout is in them."""
    folder = a_suite(tmp_path / "r", "a/asv.conf.json", **{"b/asv.conf.json": "{}"})
    settle(folder, 'runner = "arm"\nlabel = "ä }"\nbranch = "rel"\nsite = "https://x.example"', "a/pyproject.toml")
    assert init(folder, "--pin", PIN, "--config", "a/asv.conf.json")[0] == 0
    assert init(folder, "--check")[0] == 0
    before = (folder / MAIN).read_text()
    workflow, comparing = read(folder, MAIN), read(folder, COMPARING)
    assert workflow[True]["push"]["branches"] == ["rel"]
    called = {"benchmark": workflow["jobs"]["benchmark"], "pull-request": comparing["jobs"]["pull-request"]}
    assert {job["with"]["runner"] for job in called.values()} == {"arm"}
    assert comparing["jobs"]["pull-request"]["with"]["label"] == "ä }"
    assert init(folder, "--pin", NEWER)[0] == 0
    assert (folder / MAIN).read_text() == before.replace("a" * 40, "b" * 40)
    settle(folder, 'runner = "arm"', "a/pyproject.toml")
    assert init(folder, "--check")[0] == 2
    assert init(folder)[0] == 0
    assert "label" not in read(folder, COMPARING)["jobs"]["pull-request"]["with"]


def test_a_weekly_run_is_asked_for(tmp_path):
    """Runners may cost money; where it is on, its night measures nothing else."""
    job, folder = "self-check", a_suite(tmp_path / "r")
    init(folder, "--pin", PIN)
    assert job not in read(folder, NIGHTS)["jobs"]
    settle(folder, f"{job} = true")
    assert init(folder)[0] == 0
    workflow = read(folder, NIGHTS)
    nightly, weekly = (one["cron"] for one in workflow[True]["schedule"])
    for name, runs in (("benchmark", nightly), (job, weekly)):
        condition = f"${{{{ {workflow['jobs'][name]['if']} }}}}".replace(weekly, "weekly")
        for cron, named in ((nightly, "nightly"), (weekly, "weekly")):
            github = {"event_name": "schedule", "event": {"schedule": named, "repository": {"fork": False}}}
            assert bool(evaluate(condition, github=github)) is (cron == runs)
    assert init(folder, "--check")[0] == 0
    settle(folder, "")
    assert init(folder)[0] == 0
    assert job not in read(folder, NIGHTS)["jobs"]


@pytest.mark.parametrize("settings", ["", "self-check = true"])
def test_what_becomes_of_the_nights_leaves_checks_and_pushes_alone(folder, settings):
    """After 60 days without activity, GitHub disables a workflow with a schedule, for each of its events.

    NeurodataWithoutBorders/nwb-schema 684, ambv/retype 31, linz/linz-data-importer 182.
    """
    settle(folder, settings)
    init(folder, "--pin", PIN)
    events = {path: read(folder, path)[True] for path in FILES}
    enabled = {event for known in events.values() if "schedule" not in known for event in known}
    assert enabled == {"push", "pull_request", "merge_group", "workflow_dispatch", "workflow_run"}
    assert set(events[NIGHTS]) == {"schedule"}
    assert read(folder, NIGHTS)["name"] not in events[MAIN]["workflow_run"]["workflows"]


def test_the_called_workflows_exist(folder):
    """Workflows of ours, with inputs that those have, and no fewer rights than their jobs ask for."""
    settle(folder, 'label = "bench"\nself-check = true')
    init(folder, "--pin", PIN)
    for job in (job for path in FILES for job in read(folder, path)["jobs"].values()):
        called = read(ROOT, job["uses"].removeprefix("org/windtunnel/").partition("@")[0])
        assert set(job.get("with", ())) <= set(called[True]["workflow_call"]["inputs"])
        for inner in called["jobs"].values():
            for right, level in inner["permissions"].items():
                assert job["permissions"].get(right) in {level, "write"}, (
                    f"{job['name']} does not give {right}: {level}"
                )


def test_init_works_from_any_folder_and_again(tmp_path):
    """The pin that stands there is kept."""
    folder = a_suite(tmp_path / "r", **{"src/x.py": ""})
    init(folder, "--pin", PIN)
    before = (folder / MAIN).read_bytes()
    assert init(folder / "src")[:2] == (0, "")
    assert (folder / MAIN).read_bytes() == before


def test_check_reports_outdated_files(folder):
    """Missing, changed by hand, or of another version: exit code 2, and nothing is written. Otherwise it says so."""
    init(folder, "--pin", PIN)
    assert "all files are up to date" in accepted(folder, "--check")
    assert init(folder, "--check", "--pin", NEWER)[0] == 2
    (folder / COMPARING).unlink()
    assert f"{COMPARING} (is missing)" in refused(folder, "--check")
    assert not (folder / COMPARING).exists()
    init(folder, "--pin", NEWER)
    assert Pin.find((folder / MAIN).read_text()).commit == "b" * 40


def test_a_file_of_another_origin_is_not_overwritten(tmp_path):
    """It calls no workflow of Windtunnel; no other file is written either."""
    folder = a_suite(tmp_path / "r", **{COMPARING: "name: mine\n"})
    assert f"{COMPARING} was not written by windtunnel; rename it" in refused(folder, "--pin", PIN)
    assert (folder / COMPARING).read_text() == "name: mine\n"
    assert not (folder / MAIN).exists()


def test_an_edit_is_reported_and_written_again(folder):
    """Nothing in the files is to be edited, so git keeps what was; the pin that Dependabot writes is kept."""
    init(folder, "--pin", PIN)
    wanted = {path: (folder / path).read_text() for path in FILES}
    (folder / NIGHTS).write_text(wanted[NIGHTS].replace("23 3", "42 5"))
    assert f"{NIGHTS} (is out of date)" in refused(folder, "--check")
    assert init(folder)[:2] == (0, f"{NIGHTS}\n")
    assert (folder / NIGHTS).read_text() == wanted[NIGHTS]
    for path, text in wanted.items():
        (folder / path).write_text(text.replace("a" * 40, "b" * 40).replace("# v", "# v9."))
    assert init(folder, "--check")[0] == 0


@pytest.mark.parametrize("name", ['tr"unk', "&x", "{{x}}", "ä", "#1"])
def test_special_characters_in_names_are_quoted(folder, name):
    """A branch or label with signs that YAML reads otherwise."""
    settle(folder, f"branch = {json.dumps(name)}\nlabel = {json.dumps(name)}")
    assert init(folder, "--pin", PIN)[0] == 0
    assert read(folder, MAIN)[True]["push"]["branches"] == [name]
    assert read(folder, COMPARING)["jobs"]["pull-request"]["with"]["label"] == name


def test_a_name_that_github_would_evaluate_is_refused(folder):
    """There is no way to quote an expression."""
    settle(folder, 'label = "${{ github.token }}"')
    assert "write it without ${{ }}" in refused(folder, "--pin", PIN)
    assert not (folder / MAIN).exists()


@pytest.mark.parametrize(
    "pin", ["org/windtunnel@v1", "windtunnel@" + "a" * 40, "org/w@" + "A" * 40, "a/b/c@" + "a" * 40]
)
def test_a_pin_is_a_full_hash(folder, pin):
    """A tag can be moved."""
    err = refused(folder, "--pin", pin)
    assert "git ls-remote" in err
    assert "^{}" in err  # the first line of an annotated tag is not the commit


def test_missing_information_is_reported(tmp_path):
    """No suite, a suite elsewhere, no pin."""
    folder = a_suite(tmp_path / "r", "a/asv.conf.json")
    assert "not in the repository" in init(folder, "--pin", PIN, "--config", str(tmp_path / "x"))[2]
    assert "--pin OWNER/NAME@" in init(folder, "--config", "a/asv.conf.json")[2]
    assert "has no asv.conf.json" in init(a_suite(tmp_path / "empty", "file"), "--pin", PIN)[2]


def test_a_broken_suite_is_reported(tmp_path):
    """By file."""
    assert "asv.conf.json is not JSON" in refused(a_suite(tmp_path / "r", content="{"), "--pin", PIN)


def test_a_configuration_without_benchmarks_is_refused(tmp_path):
    """The message names the folder and the key; no workflow is written."""
    folder = a_suite(tmp_path / "r", content='{"benchmark_dir": "moved"}')
    err = refused(folder, "--pin", PIN)
    assert f"no suite in {folder / 'moved'}" in err
    assert "correct 'benchmark_dir' in asv.conf.json" in err
    assert not (folder / MAIN).exists()


@pytest.mark.parametrize(
    ("branches", "measured"),
    [("[]", "develop"), ('["HEAD"]', "develop"), ('["gone", "old"]', "old"), (None, "develop")],
)
def test_the_measured_branch_exists(tmp_path, branches, measured):
    """The first configured branch that exists, else the default branch of the remote; never HEAD."""
    content = "{}" if branches is None else f'{{"branches": {branches}}}'
    origin = a_suite(tmp_path / "origin", content=content)
    git(origin, "branch", "old")
    git(origin, "checkout", "--quiet", "-b", "develop")
    git(tmp_path, "clone", "--quiet", "origin", "r")
    git(tmp_path / "r", "checkout", "--quiet", "-b", "topic")
    settle(tmp_path / "r", "pages = true")
    assert init(tmp_path / "r", "--pin", PIN)[0] == 0
    assert read(tmp_path / "r", MAIN)[True]["push"]["branches"] == [measured]


def test_each_of_several_suites_has_its_own_files(tmp_path):
    """The error names each; a suite whose results would be mixed with others gets the lines to add."""
    folder = a_suite(tmp_path / "r", "a/asv.conf.json", **{"asv.conf.jsonc": "{}", "benchmarks/__init__.py": ""})
    several = "run windtunnel init --name NAME --config FILE: a/asv.conf.json, asv.conf.jsonc"
    assert several in refused(folder, "--pin", PIN)
    for name, where, config in (("a", "a", "a/asv.conf.json"), ("main", ".", "asv.conf.jsonc")):
        line = f"--pin {PIN} --name {name} --config {config}"
        err = refused(folder, *line.split())
        assert "needs a results branch" in err
        table = err.partition("add to ")[2].partition("\n")[2]
        (folder / where / "pyproject.toml").write_text(f"[tool.windtunnel]\n{table}")
        assert init(folder, *line.split())[0] == 0
    seen = []
    for name in ("a", "main"):
        paths = [MAIN.replace(".yml", f"{part}.yml") for part in (f"-{name}", f"-{name}-pull-request")]
        workflow, comparing = (read(folder, path) for path in paths)
        given = workflow["jobs"]["benchmark"]["with"]
        assert given["name"] == workflow["jobs"]["comment"]["with"]["name"] == name
        assert workflow[True]["workflow_run"]["workflows"] == [comparing["name"]]
        seen.append(comparing["name"])  # a part of the group of the called workflow
    assert seen[0] != seen[1]
    assert init(folder, "--check")[0] == 0
    code, out, _ = init(folder, "--pin", NEWER)
    assert (code, len(out.split())) == (0, 6)


@pytest.mark.parametrize("name", ["nights", "pull-request", "a b", "-a", "a/b", "x" * 41])
def test_a_name_of_a_suite_fits_into_file_names(folder, name):
    """And not into those of the files of the suite without a name."""
    assert "is not valid" in refused(folder, "--pin", PIN, f"--name={name}")


def test_a_suite_apart_from_its_project_measures_the_project(tmp_path):
    """Pushes to the suite start a run, pull requests are compared from the project; the branch is the project's."""
    content = '{"repo": "https://forge.example/org/spam.git", "branches": ["main"]}'
    folder = a_suite(tmp_path / "spam-benchmarks", content=content)
    git(folder, "remote", "add", "origin", "git@forge.example:org/spam-benchmarks.git")
    settle(folder, "pages = true")
    code, out, err = init(folder, "--pin", PIN)
    assert (code, out.split()) == (0, [MAIN, NIGHTS])
    workflow = read(folder, MAIN)
    assert set(workflow["jobs"]) == {"benchmark"}
    assert workflow[True]["push"]["branches"] == ["trunk"]
    assert f"windtunnel init --pin {PIN} --suite org/spam-benchmarks" in err


def test_a_project_compares_pull_requests_with_a_suite_apart(tmp_path):
    """The workflows of pull requests and comments, with the suite's repository; nothing is measured here each night."""
    folder = a_suite(tmp_path / "spam", "setup.py", content="")
    asked = ("--suite", "org/spam-benchmarks@v2", "--config", "perf/asv.conf.json")
    code, out, _ = init(folder, "--pin", PIN, *asked)
    assert (code, out.split()) == (0, [MAIN, COMPARING])
    assert set(read(folder, MAIN)[True]) == {"workflow_run"}
    assert "config" not in read(folder, MAIN)["jobs"]["comment"].get("with", {}), (
        "the settings are those of the project"
    )
    workflow = read(folder, COMPARING)
    assert set(workflow[True]) == {"pull_request", "merge_group", "workflow_dispatch"}
    (job,) = workflow["jobs"].values()
    assert (job["with"]["suite-repository"], job["with"]["suite-ref"]) == ("org/spam-benchmarks", "v2")
    assert job["with"]["config"] == "perf/asv.conf.json"
    assert init(folder, "--check")[0] == 0
    assert init(folder, "--suite", "spam-benchmarks")[0] == 2


def test_results_can_go_to_another_repository(folder):
    """Its token is a secret that reaches the workflows that write results, and no other."""
    (folder / "pyproject.toml").write_text('[tool.windtunnel]\nresults-remote = "https://forge.example/org/data"\n')
    assert "WINDTUNNEL_RESULTS_TOKEN" in accepted(folder, "--pin", PIN)
    jobs = read(folder, MAIN)["jobs"]
    secret = {"results-token": "${{ secrets.WINDTUNNEL_RESULTS_TOKEN }}"}
    for job in (jobs["benchmark"], read(folder, NIGHTS)["jobs"]["benchmark"]):
        assert job["secrets"] == secret
        assert job["with"]["results-elsewhere"] == "yes"
    assert "secrets" not in read(folder, COMPARING)["jobs"]["pull-request"]
    assert "secrets" not in jobs["comment"]


def test_the_site_can_go_to_another_repository(folder):
    """With the results, and with the same secret; a branch of that repository may have the name of the measured one."""
    table = '[tool.windtunnel]\nresults-remote = "https://forge.example/org/pages"\n'
    for branch, code in (("trunk", 0), ("windtunnel-results", 2)):
        (folder / "pyproject.toml").write_text(
            f'{table}[tool.windtunnel.ci]\nbranch = "trunk"\nsite-branch = "{branch}"\n', encoding="utf-8"
        )
        _, _, err = init(folder, "--pin", PIN, code=code)
        assert ("in https://forge.example/org/pages: Settings > Pages" in err) is (code == 0)
    job = read(folder, MAIN)["jobs"]["benchmark"]
    assert job["secrets"] == {"results-token": "${{ secrets.WINDTUNNEL_RESULTS_TOKEN }}"}


def test_a_renamed_default_branch_is_noticed(tmp_path):
    """A clone keeps origin/HEAD and the branch of the old name; triggers keep it too (twisted/treq 344)."""
    origin = a_suite(tmp_path / "origin")
    git(tmp_path, "clone", "--quiet", "origin", "r")
    folder = tmp_path / "r"
    settle(folder, "pages = true")
    assert init(folder, "--pin", PIN)[0] == 0
    assert init(folder, "--check")[0] == 0
    git(origin, "branch", "--move", "trunk", "main")
    assert f"{MAIN} (is out of date)" in refused(folder, "--check")
    assert init(folder)[0] == 0
    assert read(folder, MAIN)[True]["push"]["branches"] == ["main"]
    settle(folder, 'pages = true\nbranch = "2.x"')
    err = init(folder)[2]
    assert read(folder, MAIN)[True]["push"]["branches"] == ["2.x"]
    assert "github-pages accepts the default branch only" in err
    assert init(folder, "--check")[0] == 0


@pytest.mark.parametrize("site_branch", ["", "gh-pages"])
def test_the_advice_has_the_order_in_which_github_allows_it(folder, site_branch):
    """The first run needs Pages, actions and labels; a branch for Pages, and a check to require, exist after it."""
    settle(folder, f'site = "https://pages.example/"\nsite-branch = "{site_branch}"')
    steps = re.findall(r"^  \d\. (.*)$", init(folder, "--pin", PIN)[2], re.MULTILINE)
    words = ["only listed actions", "Create the labels", "Commit the files", "To require the verdict"]
    words.insert(3 if site_branch else 0, "Settings > Pages")
    assert len(steps) == len(words)
    for step, word in zip(steps, words, strict=True):
        assert word in step


def test_the_advice_names_what_an_organisation_has_to_allow(folder):
    """A list of allowed actions refuses called workflows at startup (skills/introduction-to-github 1978)."""
    assert "org/windtunnel/.github/workflows/*@*" in init(folder, "--pin", PIN)[2]
    assert "org/windtunnel" in (ROOT / "docs/how-to/adopt.md").read_text().replace("OWNER/", "org/")
    assert "/.github/workflows/*@*" in (ROOT / "docs/how-to/adopt.md").read_text()


@pytest.mark.parametrize("kind", ["conda", "rattler"])
def test_a_suite_without_its_setup_command_gets_the_line(tmp_path, kind):
    """The one of the guide; with a setup command, or another type of environment, there is nothing to add."""
    folder = a_suite(tmp_path / "r", content=f'{{"environment_type": "{kind}"}}')
    advice = init(folder, "--pin", PIN)[2]
    assert "[tool.windtunnel.ci]" in advice
    (line,) = (one.strip() for one in advice.splitlines() if one.strip().startswith("setup = "))
    assert f"    {line}\n" in (ROOT / "docs/how-to/conda.md").read_text()
    assert kind not in line or kind == "rattler"
    for settings in (line, 'python = "virtualenv:3.13"'):
        settle(folder, settings)
        assert "setup = " not in init(folder)[2]


def test_a_site_beside_other_pages_has_a_folder_of_a_branch(folder):
    """Then nothing is deployed to Pages, whose source stays as it is; files of a site would be read as results."""
    settle(folder, 'site-branch = "gh-pages"')
    assert "Deploy from a branch" in accepted(folder, "--pin", PIN)
    settle(folder, 'site-branch = "windtunnel-results"')
    assert "is the results branch" in refused(folder, "--pin", PIN)


@pytest.fixture
def on_forge(tmp_path, monkeypatch):
    """A repository on a stand-in for GitHub, and the environment in which init asks that, however busy this machine."""
    monkeypatch.setattr("windtunnel.github.client.ANONYMOUS_TIMEOUT", 60.0)
    with serving(Forge(repo="org/spam", has_pages=False)) as forge:
        folder = a_suite(tmp_path / "r")
        server = forge.url.removesuffix("/api/v3")
        git(folder, "remote", "add", "origin", f"{server}/org/spam.git")
        yield folder, forge, {"GITHUB_SERVER_URL": server, "GITHUB_API_URL": forge.url}


@pytest.mark.parametrize(("private", "code"), [(False, 0), (True, 2), (None, 2)])
def test_pages_of_a_private_repository_are_a_decision(on_forge, private, code):
    """GitHub may show them to everyone, so a setting decides. A missing repository may be private."""
    folder, forge, env = on_forge
    forge.private = private
    result, _, err = init(folder, "--pin", PIN, **env)
    assert result == code, err
    assert ("pages = false" in err and "everyone" in err) == bool(code)
    settle(folder, "pages = false")
    assert init(folder, "--pin", PIN, **env)[0] == 0
    assert [path for _, path in forge.seen if path.startswith("/repos")] == ["/repos/org/spam"]


@pytest.mark.parametrize(
    "decision", ["pages = true", "pages = false", 'site-branch = "gh-pages"', 'site-branch = "windtunnel-site"']
)
def test_a_site_that_is_there_is_not_replaced_without_a_decision(on_forge, decision):
    """A deployment replaces all pages of a repository (actions/deploy-pages 349); the message has each way out."""
    folder, forge, env = on_forge
    forge.private, forge.has_pages = False, True
    err = refused(folder, "--pin", PIN, **env)
    assert not (folder / MAIN).exists()
    assert f"  {decision} " in err
    assert "{ref: windtunnel-site, path: .windtunnel-site}" in err
    settle(folder, decision)
    assert init(folder, "--pin", PIN, **env)[0] == 0


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("https://forge.example/org/spam", "org/spam may be private"),
        ("https://elsewhere.example/org/spam", "this repository may be private"),
    ],
)
def test_pages_are_a_decision_unless_github_states_that_the_repository_is_public(folder, address, reason):
    """Without an answer of GitHub, a repository counts as private; the message gives the reason."""
    git(folder, "remote", "add", "origin", address)
    offline = {"GITHUB_API_URL": "http://127.0.0.1:9/api"}
    err = refused(folder, "--pin", PIN, **offline)
    assert reason in err
    assert "pages = false" in err
    assert not (folder / MAIN).exists()
    settle(folder, "pages = false")
    assert init(folder, "--pin", PIN, **offline)[0] == 0


def test_a_repository_without_a_remote_gets_a_warning_about_pages(folder):
    """Its files publish the site, because init cannot ask about a repository that is not on GitHub yet."""
    err = accepted(folder, "--pin", PIN)
    assert "Everyone may see the site; pages = false" in err
    assert f"See https://github.com/org/windtunnel/blob/{'a' * 40}/docs/how-to/adopt.md" in err


def an_installation(tmp_path, url):
    """The environment in which the installed windtunnel is that of a commit at *url*, as pip installs ``git+URL``."""
    source = tmp_path / "site"
    info = source / "windtunnel-9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: windtunnel\nVersion: 9\n")
    (info / "direct_url.json").write_text(json.dumps({"url": url, "vcs_info": {"vcs": "git", "commit_id": "d" * 40}}))
    return os.environ | {"PYTHONPATH": str(source), "GITHUB_SERVER_URL": "https://forge.example"}


def test_the_installed_windtunnel_is_the_pin(tmp_path, folder):
    """Before the first release, ``uv tool install git+https://...`` needs no --pin."""
    env = an_installation(tmp_path, "https://forge.example/org/windtunnel")
    subprocess.run([sys.executable, "-m", "windtunnel.cli", "init"], cwd=folder, env=env, check=True)
    assert Pin.find((folder / MAIN).read_text()) == Pin(repository="org/windtunnel", commit="d" * 40, release="v9")


def test_the_message_names_the_commit_that_is_not_on_the_forge(tmp_path):
    """Only the name of the repository is missing."""
    env = an_installation(tmp_path, "https://elsewhere.example/org/windtunnel")
    command = [sys.executable, "-m", "windtunnel.cli", "init"]
    done = subprocess.run(command, cwd=a_suite(tmp_path / "r"), env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"--pin OWNER/NAME@{'d' * 40}" in done.stderr
    assert "releases" not in done.stderr


def a_release(tmp_path):
    """The server of windtunnel's repository with an annotated tag v1 below a newer commit; returns the tag's commit."""
    server = tmp_path / "server"
    tagged = a_repository(server / "org" / "windtunnel", "one")
    git(tagged, "tag", "--annotate", "--message", "one", "v1")
    commit(tagged, "two")
    return git(tagged, "rev-parse", "v1^{commit}"), {"GITHUB_SERVER_URL": server.as_uri()}


def installed(monkeypatch, folder, content):
    """Be the package of a release, with *content* as its release.json."""
    (folder / "release.json").write_text(content)
    monkeypatch.setattr("windtunnel.cli.installed_pin.windtunnel.__file__", str(folder / "__init__.py"))


def test_a_release_pins_its_own_commit(tmp_path, folder, monkeypatch):
    """Its wheel holds the repository and the commit that it was built from."""
    installed(monkeypatch, tmp_path, json.dumps({"repository": "org/windtunnel", "commit": "c" * 40}))
    assert init(folder)[0] == 0
    assert Pin.find((folder / MAIN).read_text()) == Pin(
        repository="org/windtunnel", commit="c" * 40, release=f"v{version('windtunnel')}"
    )


def test_a_moved_windtunnel_is_noticed(tmp_path, folder, monkeypatch):
    """``uses:`` follows no redirect (dryvist/python-template 69); the pin of a mirror is named with the check."""
    assert init(folder, "--pin", PIN)[0] == 0
    installed(monkeypatch, tmp_path, json.dumps({"repository": "new/windtunnel", "commit": "c" * 40}))
    err = refused(folder, "--check")
    assert f"windtunnel init --pin new/windtunnel@{'c' * 40}" in err
    release = re.search("--check (--pin .*)", err)[1].split()
    assert init(folder, "--check", *release)[0] == 0
    installed(monkeypatch, tmp_path, json.dumps({"repository": "Org/windtunnel", "commit": "c" * 40}))
    assert init(folder, "--check")[0] == 0


def test_a_broken_release_file_is_no_bug(tmp_path, monkeypatch):
    """Exit code 3 names it."""
    installed(monkeypatch, tmp_path, '{"repository": 1}')
    assert "release.json" in init(a_suite(tmp_path / "r"), code=3).stderr


def test_the_release_is_looked_up(tmp_path, folder):
    """Without --pin, the tag of the repository in the existing files decides, also an annotated one."""
    wanted, env = a_release(tmp_path)
    assert init(folder, "--pin", PIN)[0] == 0
    accepted(folder, "--release", "v1", **env)
    assert Pin.find((folder / MAIN).read_text()) == Pin(repository="org/windtunnel", commit=wanted, release="v1")


def test_a_release_that_does_not_exist_changes_nothing(tmp_path, folder):
    """A branch of that name is no release."""
    _, env = a_release(tmp_path)
    init(folder, "--pin", PIN)
    before = (folder / MAIN).read_text()
    assert "refs/tags/main" in refused(folder, "--release", "main", **env)
    assert (folder / MAIN).read_text() == before


def test_a_release_of_an_unknown_repository_says_how_to_name_it(folder, monkeypatch):
    """An installation of no known commit, and no file with a pin."""
    monkeypatch.setattr(
        "windtunnel.cli.installed_pin.distribution", lambda _: SimpleNamespace(read_text=lambda _: None)
    )
    assert "--pin OWNER/NAME@HASH --release v1" in refused(folder, "--release", "v1")


def test_a_pin_and_a_release_need_no_network(folder):
    """The release is then for readers."""
    assert init(folder, "--pin", PIN, "--release", "v7", GITHUB_SERVER_URL="http://127.0.0.1:9")[0] == 0
    assert Pin.find((folder / MAIN).read_text()).release == "v7"
