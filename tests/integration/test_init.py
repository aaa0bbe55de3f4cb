"""``windtunnel init``: a repository with a suite gets its workflow files, and learns when they are out of date."""

import io
import os
from contextlib import chdir
from pathlib import Path

import pytest
import yaml
from builders.repositories import git
from builders.suites import change

from windtunnel.cli import main
from windtunnel.github.workflow_files import Pin

PIN = f"org/windtunnel@{'a' * 40}"
NEWER = f"org/windtunnel@{'b' * 40}"
MEASURING, COMMENTING = ".github/workflows/windtunnel.yml", ".github/workflows/windtunnel-comment.yml"
COMMANDING = ".github/workflows/windtunnel-command.yml"
ROOT = Path(__file__).parents[2]


def init(folder, *argv):
    """Run the command in *folder*: exit code, stdout, stderr."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(folder):
        code = main(["init", *argv], out, err, os.environ)
    return code, out.getvalue(), err.getvalue()


def a_suite(folder, where="asv.conf.json", *, content='{"project": "spam", "branches": ["trunk"]} // it', **files):
    """A repository with an asv configuration at *where*."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=trunk")
    return change(folder, {where: content, **files}, "suite")


def read(folder, path):
    return yaml.safe_load((folder / path).read_text(encoding="utf-8"))


def test_init_writes_the_workflow_files(tmp_path):
    """Files that say where the suite is, pinned; and what to enable."""
    folder = a_suite(tmp_path / "r", "perf/bench marks/asv.conf.json")
    code, out, err = init(folder, "--pin", PIN, "--release", "v1.2.3")
    assert (code, out.split()) == (0, [MEASURING, COMMENTING])
    workflow = read(folder, MEASURING)
    assert workflow[True]["push"]["branches"] == ["trunk"]
    for job in workflow["jobs"].values():
        assert job["uses"].endswith("@" + "a" * 40)
        assert job["with"]["config"] == "perf/bench marks/asv.conf.json"
        assert job["with"]["windtunnel-ref"] == "a" * 40
    assert "# v1.2.3" in (folder / MEASURING).read_text()
    assert "Pages" in err
    assert read(folder, COMMENTING)[True]["workflow_run"]["workflows"] == [workflow["name"]]


def test_the_files_grant_code_of_others_no_write_permission(tmp_path):
    """As ours do."""
    folder = a_suite(tmp_path / "r")
    init(folder, "--pin", PIN)
    for path in (MEASURING, COMMENTING):
        assert read(folder, path)["permissions"] == {}
    assert read(folder, MEASURING)["jobs"]["pull-request"]["permissions"] == {"contents": "read"}


def test_the_files_keep_the_options(tmp_path):
    """A newer pin changes nothing else, and --check needs no option; what is said anew counts."""
    folder = a_suite(tmp_path / "r", "a/asv.conf.json", **{"b/asv.conf.json": "{}"})
    asked = ("--config", "a/asv.conf.json", "--runner", "arm", "--label", "ä }", "--no-pages", "--branch", "rel")
    assert init(folder, "--pin", PIN, *asked)[0] == 0
    assert init(folder, "--check")[0] == 0
    before = (folder / MEASURING).read_text()
    assert init(folder, "--pin", NEWER)[0] == 0
    assert (folder / MEASURING).read_text() == before.replace("a" * 40, "b" * 40)
    assert init(folder, "--label", "", "--pages")[0] == 0
    job = read(folder, MEASURING)["jobs"]
    assert "label" not in job["pull-request"]["with"]
    assert (job["benchmark"]["with"]["pages"], job["benchmark"]["with"]["runner"]) == ("yes", "arm")


def test_commands_are_enabled_by_an_option(tmp_path):
    """A third file, pinned like the others; it stays when init is called again without the option."""
    folder = a_suite(tmp_path / "r")
    assert init(folder, "--pin", PIN, "--commands")[1].split() == [MEASURING, COMMENTING, COMMANDING]
    workflow = read(folder, COMMANDING)
    assert workflow["permissions"] == {}
    assert workflow["jobs"]["command"]["uses"] == f"org/windtunnel/.github/workflows/command.yml@{'a' * 40}"
    assert init(folder, "--check")[0] == 0
    assert COMMANDING in init(folder, "--check", "--pin", NEWER)[2]


def test_the_called_workflows_exist(tmp_path):
    """Workflows of ours, with inputs that those have, and no fewer rights than their jobs ask for."""
    folder = a_suite(tmp_path / "r")
    init(folder, "--pin", PIN, "--commands", "--label", "bench")
    for job in (job for path in (MEASURING, COMMENTING, COMMANDING) for job in read(folder, path)["jobs"].values()):
        called = read(ROOT, job["uses"].removeprefix("org/windtunnel/").partition("@")[0])
        assert set(job["with"]) <= set(called[True]["workflow_call"]["inputs"])
        for inner in called["jobs"].values():
            for right, level in inner["permissions"].items():
                assert job["permissions"].get(right) in {level, "write"}, (
                    f"{job['name']} does not give {right}: {level}"
                )


def test_init_works_from_any_folder_and_again(tmp_path):
    """The pin that stands there is kept."""
    folder = a_suite(tmp_path / "r", **{"src/x.py": ""})
    init(folder, "--pin", PIN)
    before = (folder / MEASURING).read_bytes()
    assert init(folder / "src")[:2] == (0, "")
    assert (folder / MEASURING).read_bytes() == before


def test_check_reports_outdated_files(tmp_path):
    """Missing, changed by hand, or of another version; exit code 2, and nothing is written."""
    folder = a_suite(tmp_path / "r")
    init(folder, "--pin", PIN)
    assert init(folder, "--check")[0] == 0
    assert init(folder, "--check", "--pin", NEWER)[0] == 2
    (folder / COMMENTING).unlink()
    code, _, err = init(folder, "--check")
    assert code == 2
    assert f"{COMMENTING} (is missing)" in err
    assert not (folder / COMMENTING).exists()
    init(folder, "--pin", NEWER)
    assert Pin.find((folder / MEASURING).read_text()).commit == "b" * 40


def test_other_files_are_not_overwritten(tmp_path):
    """Unless told to."""
    folder = a_suite(tmp_path / "r", **{MEASURING: "name: mine\n"})
    code, _, err = init(folder, "--pin", PIN)
    assert code == 2
    assert "--force" in err
    assert (folder / MEASURING).read_text() == "name: mine\n"
    assert init(folder, "--pin", PIN, "--force")[0] == 0


@pytest.mark.parametrize("name", ['tr"unk', "a: b", "* &x", "{{x}}", "ä"])
def test_special_characters_in_names_are_quoted(tmp_path, name):
    """A branch or label with signs that YAML reads otherwise."""
    folder = a_suite(tmp_path / "r")
    assert init(folder, "--pin", PIN, "--branch", name, "--label", name)[0] == 0
    assert read(folder, MEASURING)[True]["push"]["branches"] == [name]
    assert read(folder, MEASURING)["jobs"]["pull-request"]["with"]["label"] == name


def test_a_name_that_github_would_evaluate_is_refused(tmp_path):
    """There is no way to quote an expression."""
    folder = a_suite(tmp_path / "r")
    assert init(folder, "--pin", PIN, "--label", "${{ github.token }}")[0] == 2
    assert not (folder / MEASURING).exists()


@pytest.mark.parametrize(
    "pin", ["org/windtunnel@v1", "windtunnel@" + "a" * 40, "org/w@" + "A" * 40, "a/b/c@" + "a" * 40]
)
def test_a_pin_is_a_full_hash(tmp_path, pin):
    """A tag can be moved."""
    folder = a_suite(tmp_path / "r")
    code, _, err = init(folder, "--pin", pin)
    assert code == 2
    assert "git ls-remote" in err


def test_missing_information_is_reported(tmp_path):
    """No suite, several suites, a suite elsewhere, no pin."""
    folder = a_suite(tmp_path / "r", "a/asv.conf.json", **{"b/asv.conf.jsonc": "{}"})
    assert "several suites: a/asv.conf.json, b/asv.conf.jsonc" in init(folder, "--pin", PIN)[2]
    assert "not in the repository" in init(folder, "--pin", PIN, "--config", str(tmp_path / "x"))[2]
    assert "--pin OWNER/NAME@HASH" in init(folder, "--config", "a/asv.conf.json")[2]
    empty = a_suite(tmp_path / "empty", "file")
    assert "has no asv.conf.json" in init(empty, "--pin", PIN)[2]


def test_a_broken_suite_is_reported(tmp_path):
    """By file."""
    folder = a_suite(tmp_path / "r", content="{")
    code, _, err = init(folder, "--pin", PIN)
    assert code == 2
    assert "asv.conf.json is not JSON" in err
