"""``windtunnel init --self-contained``, and the commands with which its jobs hand over files."""

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.actions_schedule import evaluate
from builders.commands import windtunnel
from builders.repositories import git
from builders.samples import a_context, paired_samples
from builders.suites import change
from builders.workflows import read_yaml

from windtunnel.compare.decide import decide
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.errors import ExitCode
from windtunnel.github.self_contained_steps import CHECKOUT
from windtunnel.github.workflow_files import InitOptions, Pin

ROOT = Path(__file__).parents[2]
COMMIT = "a" * 40
PIN = f"org/windtunnel@{COMMIT}"
PATH = ".github/workflows/windtunnel.yml"


@pytest.fixture
def folder(tmp_path):
    """A repository with a suite."""
    where = tmp_path / "repository"
    where.mkdir()
    git(where, "init", "--quiet", "--initial-branch=trunk")
    change(
        where, {"asv.conf.json": '{"project": "spam", "branches": ["trunk"]}', "benchmarks/__init__.py": ""}, "suite"
    )
    return where


def init(folder, *argv, code=ExitCode.FINE):
    """Call the command; return the whole call."""
    done = windtunnel(folder, "init", "--self-contained", "--pin", PIN, "--pages", *argv)
    assert done.returncode == code, done.stderr
    return done


def jobs_of(folder):
    return read_yaml(folder / PATH)["jobs"]


def steps(folder):
    return [(name, step) for name, job in jobs_of(folder).items() for step in job["steps"]]


def test_one_workflow_calls_nothing_foreign_but_checkout(folder):
    """No reusable workflow, no artifacts, no action of Pages: an Enterprise Server has none of them.

    https://docs.github.com/enterprise-server/actions/how-tos/reuse-automations/reuse-workflows and the README of
    actions/upload-artifact ("v4+ is not currently supported on GHES").
    """
    assert init(folder).stdout.split() == [PATH]
    assert not [job for job in jobs_of(folder).values() if "uses" in job]
    assert {step["uses"] for _, step in steps(folder) if "uses" in step} == {f"actions/checkout@{CHECKOUT.split()[0]}"}
    assert all(step["with"]["persist-credentials"] is False for _, step in steps(folder) if "uses" in step)


def test_pushes_and_nights_wait_for_each_other(folder):
    """Runs at the same time would plan by the same results; a run of the merge queue does not wait."""
    init(folder)
    rule = read_yaml(folder / PATH)["concurrency"]
    found = {}
    for run, event in enumerate(("push", "schedule", "workflow_dispatch", "merge_group", "pull_request")):
        pull = {"pull_request": {"number": "12"}} if event == "pull_request" else {}
        github = {"event_name": event, "run_id": str(run), "event": pull}
        found[event] = tuple(evaluate(str(rule[key]), github=github) for key in ("group", "cancel-in-progress"))
    assert found["push"] == found["schedule"] == found["workflow_dispatch"] == ("windtunnel-new", "")
    assert found["merge_group"] == ("windtunnel-3", "")
    assert found["pull_request"] == ("windtunnel-12", "True")


def test_the_version_of_checkout_is_that_of_our_own_workflows_or_a_given_one(folder):
    """A server without GitHub Connect has the versions that it was delivered with."""
    own = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert f"actions/checkout@{CHECKOUT}\n" in own
    init(folder, "--checkout", "v4")
    assert {step["uses"] for _, step in steps(folder) if "uses" in step} == {"actions/checkout@v4"}


def test_no_job_that_writes_runs_code_of_the_project(folder):
    """Jobs that build or measure can only read; jobs that write run commands that only read files."""
    init(folder, "--setup", "make ready", "--variable", "A=b: c")
    jobs = jobs_of(folder)
    writers = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert writers == {"store", "comment"}
    for name, step in steps(folder):
        if name in writers:
            assert not re.search(
                r"windtunnel (run|plan|compare|build|bisect|bench|prepare)\b|SETUP", step.get("run", "")
            )
    assert "env" not in jobs["store"]
    assert jobs["measure"]["env"] == jobs["compare"]["env"] == {"A": "b: c"}
    for job in ("measure", "compare"):
        names = [step["name"] for step in jobs[job]["steps"]]
        assert names.index("Set up the project") > names.index("Fetch earlier results")


def test_a_step_runs_one_command_without_an_expression(folder):
    """The logic is in commands, and inputs come by variables."""
    init(
        folder,
        "--label",
        "it's #1: fast",
        "--setup",
        "x",
        "--python",
        "3.13",
        "--results-remote",
        "https://h.example/r",
    )
    for _, step in steps(folder):
        command = step.get("run", "git checkout")
        assert "${{" not in command
        assert command.startswith(("windtunnel ", "git ", "make ", "bash ", "echo "))
        assert not re.search(r"&&|;|\|", command.replace("bash -euo pipefail", ""))


def test_the_results_token_is_out_of_reach_of_a_pull_request(folder):
    """A pull request only reads, and only if everybody may."""
    init(folder, "--results-remote", "https://h.example/r")
    for name, step in steps(folder):
        if "RESULTS_REMOTE" in step.get("env", {}):
            secret = name != "compare"
            assert ("secrets." in step["env"]["GITHUB_TOKEN"]) == secret
            server = "https://h.example" if secret else "${{ github.server_url }}"
            assert step["env"]["GIT_CONFIG_KEY_0"] == f"credential.{server}.helper"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--commands",), "--commands does not work with --self-contained"),
        (("--max-runners", "3"), "--max-runners does not work with --self-contained"),
        (("--suite", "org/suite"), "--suite does not work with --self-contained"),
        (("--tool-url", "https://token@h.example/w"), "'h.example/w' is not an address without a user"),
        (("--tool-url", "ext::sh -c x"), "--tool-url"),
        (("--tool-url", "--upload-pack=x"), "--tool-url"),
        (("--checkout", "v4\n"), "--checkout"),
        (("--checkout", "v4 # x"), "--checkout 'v4 # x' is not a version"),
        (("--no-self-contained", "--tool-url", "https://h.example/w"), "are for --self-contained"),
    ],
)
def test_what_it_cannot_do_is_refused(folder, argv, message):
    """With the option that is the reason."""
    if argv[0] == "--tool-url" and argv[1].startswith("--"):
        argv = (f"--tool-url={argv[1]}",)
    assert message in init(folder, *argv, code=ExitCode.USAGE).stderr
    assert not (folder / PATH).exists()


def test_a_person_is_told_what_the_runners_need_and_what_is_missing(folder):
    """Forks, commands and Pythons."""
    said = init(folder, "--tool-url", "https://ghes.example/mirrors/windtunnel").stderr
    assert "docs/how-to/enterprise-server.md" in said
    for text in ("https://ghes.example/mirrors/windtunnel", "summary of the run only", "/benchmark", "gh-pages"):
        assert text in said


def test_a_later_call_keeps_the_options_and_the_pin(folder):
    """They are in the file, as for other workflows; edits are noticed."""
    init(folder, "--tool-url", "https://ghes.example/w", "--checkout", "v4", "--site-branch", "pages")
    text = (folder / PATH).read_text(encoding="utf-8")
    assert Pin.find(text) == Pin(repository="org/windtunnel", commit=COMMIT, release="v0.1.0")
    assert InitOptions.find(text).self_contained
    assert windtunnel(folder, "init", "--check").returncode == ExitCode.FINE
    assert windtunnel(folder, "init", "--deadline", "33").returncode == ExitCode.FINE
    newer = (folder / PATH).read_text(encoding="utf-8")
    assert '"33"' in newer
    assert "https://ghes.example/w" in newer
    (folder / PATH).write_text(newer.replace("350", "351"), encoding="utf-8")
    assert "edited by hand" in windtunnel(folder, "init", "--check").stderr


@pytest.mark.parametrize("tool", ["actionlint", "zizmor"])
def test_linters_report_nothing(folder, tool):
    """With all options that add something."""
    init(
        folder, "--label", "it's #1: fast", "--setup", "a: b", "--python", "3.13", "--submodules", "recursive",
        "--name", "io", "--variable", "A=1", "--results-remote", "https://h.example/r", "--changed-only",
    )  # fmt: skip
    found = shutil.which(tool) or shutil.which(tool, path=f"{Path.home()}/go/bin:{ROOT}/.venv/bin")
    if found is None:
        pytest.skip(f"{tool} is not here")
    options = ["--offline", "--strict-collection", "--quiet", ".github/workflows"] if tool == "zizmor" else []
    done = subprocess.run([found, *options], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_results_are_handed_over_from_step_to_step(tmp_path):
    """Only JSON files; hidden ones and logs stay."""
    measured = tmp_path / "measured"
    for name in ("benchmarks.json", "desk/machine.json", "records/x.json", ".hidden/x.json", "asv.log", "desk/.lock"):
        (measured / name).parent.mkdir(parents=True, exist_ok=True)
        (measured / name).write_text(json.dumps(name), encoding="utf-8")
    done = windtunnel(tmp_path, "pack", "measured", GITHUB_OUTPUT=str(tmp_path / "output"))
    assert (done.returncode, done.stdout) == (ExitCode.FINE, "")
    outputs = _outputs(tmp_path / "output")
    assert list(outputs) == ["part0", "part1", "part2", "part3"]
    given = {name.upper(): value for name, value in outputs.items()}
    assert windtunnel(tmp_path, "unpack", "received", **given).returncode == ExitCode.FINE
    found = {path.relative_to(tmp_path / "received").as_posix() for path in (tmp_path / "received").rglob("*.json")}
    assert found == {"benchmarks.json", "desk/machine.json", "records/x.json"}
    assert windtunnel(tmp_path, "unpack", "received", **given).returncode == ExitCode.USAGE


def test_the_newest_commits_that_do_not_fit_are_left_out(tmp_path):
    """The next plan measures them again, as they are newer than the newest stored one; one alone is an error."""
    (tmp_path / "measured").mkdir()
    for name, date in (("new", 3), ("old", 1), ("middle", 2)):
        text = json.dumps({"commit_hash": name, "date": date, "x": random.Random(name).randbytes(150_000).hex()})
        (tmp_path / "measured" / f"{name}.json").write_text(text, encoding="utf-8")
    done = windtunnel(tmp_path, "pack", "measured", GITHUB_OUTPUT=str(tmp_path / "output"))
    assert done.returncode == ExitCode.FINE, done.stderr
    assert "the results of new do not fit" in done.stderr
    given = {name.upper(): value for name, value in _outputs(tmp_path / "output").items()}
    assert windtunnel(tmp_path, "unpack", "received", **given).returncode == ExitCode.FINE
    assert sorted(path.stem for path in (tmp_path / "received").iterdir()) == ["middle", "old"]
    text = json.dumps({"commit_hash": "a", "date": 1, "x": random.Random(0).randbytes(500_000).hex()})
    (tmp_path / "large.json").write_text(text, encoding="utf-8")
    assert windtunnel(tmp_path, "pack", "large.json", GITHUB_OUTPUT=os.devnull).returncode == ExitCode.DATA


def test_new_and_lost_commits_are_planned_and_what_is_lost_is_recorded(folder):
    """As in benchmark.yml: --new selects them, and merge --plan records what no shard reached."""
    init(folder)
    runs = {step["name"]: step["run"] for _, step in steps(folder) if "run" in step}
    assert "--new" in runs["Plan"].split()
    assert "--plan measured/plan.json" in runs["Merge"]


def test_nothing_to_hand_over_and_a_broken_pack_are_errors_of_the_data(tmp_path):
    """Both name what to do."""
    (tmp_path / "empty").mkdir()
    done = windtunnel(tmp_path, "pack", "empty", GITHUB_OUTPUT=str(tmp_path / "output"))
    assert (done.returncode, "nothing was measured" in done.stderr) == (ExitCode.DATA, True)
    done = windtunnel(tmp_path, "unpack", "received", PART0="AAAA")
    assert (done.returncode, "the outputs of the job" in done.stderr) == (ExitCode.DATA, True)
    assert not (tmp_path / "received").exists()


def test_a_verdict_without_samples_gives_the_same_comment(tmp_path):
    """Samples are most of its size; 2,900 cases fit without them, 860 with them."""
    samples = [paired_samples(f"s.time_{number}", ratio=2.0 if number == 3 else 1.0, fresh=2.0) for number in range(9)]
    verdict = decide(a_context(), samples)
    (tmp_path / "verdict.json").write_bytes(VERDICT_FORMAT.encode(verdict))
    sizes, comments = [], []
    for options in ((), ("--no-samples",)):
        output = tmp_path / f"output{len(sizes)}"
        assert windtunnel(tmp_path, "pack", "verdict.json", *options, GITHUB_OUTPUT=str(output)).returncode == 0
        parts = {name.upper(): value for name, value in _outputs(output).items()}
        folder = f"received{len(sizes)}"
        assert windtunnel(tmp_path, "unpack", folder, **parts).returncode == 0
        said = windtunnel(tmp_path, "comment", f"{folder}/verdict.json", "--head", "b" * 40, "--dry-run")
        comments.append(said.stdout)
        sizes.append(len(parts["PART0"]))
    assert comments[0] == comments[1]
    assert "s.time_3" in comments[0]
    assert sizes[1] < sizes[0]


def _outputs(path):
    return dict(line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines())


def test_a_verdict_that_cannot_be_received_fails_the_check(folder):
    """A required check must not wait for ever; a comment that fails does not change the check."""
    init(folder)
    receive, comment, conclude = jobs_of(folder)["comment"]["steps"][-3:]
    assert (receive["id"], receive["if"], comment["if"]) == ("receive", *2 * ("needs.compare.result == 'success'",))
    assert conclude["if"] == "!cancelled() && (needs.compare.result != 'success' || steps.receive.outcome == 'failure')"
    assert "--run" in conclude["run"]
