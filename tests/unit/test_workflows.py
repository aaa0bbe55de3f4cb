"""The workflows: no logic, no right too many, nothing that a linter would mind."""

import io
import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from windtunnel.cli import COMMANDS, main

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {file.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}
JOBS = [
    pytest.param(name, job, id=f"{name}-{key}")
    for name, workflow in WORKFLOWS.items()
    for key, job in workflow["jobs"].items()
]
STEPS = [
    pytest.param(name, step, id=f"{name}-{key}-{index}")
    for name, workflow in WORKFLOWS.items()
    for key, job in workflow["jobs"].items()
    for index, step in enumerate(job.get("steps", ()))
]
RUNS = [one for one in STEPS if "run" in one.values[1]]
USES = [
    pytest.param(name, place, id=f"{name}-{number}")
    for name, workflow in WORKFLOWS.items()
    for number, place in enumerate(
        line
        for line in (ROOT / ".github" / "workflows" / name).read_text().splitlines()
        if re.match(r"\s*(- )?uses:", line)
    )
]
WRITERS = {
    ("benchmark.yml", "store"),
    ("benchmark.yml", "deploy"),
    ("comment.yml", "comment"),
    ("command.yml", "authorise"),
    ("command.yml", "report"),
    ("command.yml", "acknowledge"),
    ("article.yml", "article"),  # hands on what benchmark.yml asks for
}
"""Jobs that may write something; none of them executes code of a pull request."""

SAMPLES = {"SITE": "https://pages.example/project/", "HEAD": "a" * 40, "BASE": "b" * 40, "PART": "1", "PARTS": "2"}
"""Values of the steps' environment; 1 for all others."""

RECORDER = """
record() { printf '%s\\0' "$@"; printf '\\n\\0'; }
windtunnel() { record windtunnel "$@"; }
make() { record make "$@"; }
"""


def commands(step):
    """What the step's script calls, argument by argument: bash expands it, and only records."""
    env = {key: SAMPLES.get(key, "1") for key in step.get("env", {}) if not key.startswith("GIT_CONFIG")}
    env |= {"PATH": "/nowhere", "GITHUB_STEP_SUMMARY": "/dev/stdout"}
    script = ["/bin/bash", "--noprofile", "--norc", "-euc", RECORDER + step["run"]]
    done = subprocess.run(script, env=env, capture_output=True, check=True, text=True)
    assert not done.stderr
    return [call.removesuffix("\0").split("\0") for call in done.stdout.split("\n\0")[:-1]]


def said(*argv):
    out, err = io.StringIO(), io.StringIO()
    code = main(argv, out, err, {})
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize(("name", "step"), RUNS)
def test_a_step_runs_one_command_and_nothing_else(name, step):
    """What a workflow does can be done at a desk: the logic is in commands, which have tests."""
    (call,) = commands(step)
    assert call[0] in {"windtunnel", "make"}
    assert "${{" not in step["run"], "inputs come through env: here they would be code"


@pytest.mark.parametrize(("name", "step"), [one for one in RUNS if one.values[1]["run"].startswith("windtunnel")])
def test_every_command_is_one_that_windtunnel_has(name, step):
    """Its options exist and take their values."""
    ((_, *argv),) = commands(step)
    assert argv[0] in COMMANDS
    code, usage, err = said(*argv, "--help")
    assert code == 0, err
    for option in (word.partition("=")[0] for word in argv if word.startswith("--")):
        assert re.search(rf"(?<![\w-]){option}(?![\w-])", usage), f"{argv[0]} has no {option}"


@pytest.mark.parametrize(("name", "step"), [one for one in RUNS if one.values[1]["run"].startswith("make")])
def test_every_target_is_one_that_make_has(name, step):
    """The last word is the target."""
    ((*_, target),) = commands(step)
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("name", "workflow"), WORKFLOWS.items(), ids=WORKFLOWS)
def test_a_workflow_starts_without_permissions(name, workflow):
    """``permissions: {}``; each job asks for what it needs. No two runs get in each other's way by accident."""
    assert workflow["permissions"] == {}
    assert "group" in workflow["concurrency"]


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_a_job_states_its_permissions_and_timeout(name, job):
    """Only the jobs listed above may write, and none runs for ever."""
    key = next(key for key, one in WORKFLOWS[name]["jobs"].items() if one is job)
    writes = "write" in job["permissions"].values()
    assert writes == ((name, key) in WRITERS)
    assert "steps" not in job or job["timeout-minutes"] <= 360


@pytest.mark.parametrize(("name", "line"), USES)
def test_actions_are_pinned_by_hash(name, line):
    """With the version as comment, for people and for updates."""
    if "./" not in line:
        assert re.search(r"uses: [\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)


@pytest.mark.parametrize(("name", "step"), [one for one in STEPS if "checkout@" in one.values[1].get("uses", "")])
def test_a_checkout_leaves_no_token_behind(name, step):
    """Code that is measured could read it."""
    assert step["with"]["persist-credentials"] is False


def test_code_of_a_pull_request_never_meets_a_token_that_can_write():
    """Workflows with foreign code read only; those that write check out nothing but the main branch."""
    assert "pull_request_target" not in str(WORKFLOWS)
    rights = {right for job in WORKFLOWS["pull-request.yml"]["jobs"].values() for right in job["permissions"].items()}
    assert rights == {("contents", "read")}
    assert "secrets" not in str(WORKFLOWS["pull-request.yml"])
    for step in WORKFLOWS["comment.yml"]["jobs"]["comment"]["steps"]:
        assert step.get("with", {}).get("ref") in {None, "${{ inputs.windtunnel-ref || github.sha }}"}
        assert "head" not in str(step)


def test_the_comment_workflow_names_the_measuring_workflow():
    """``workflow_run`` goes by name: a workflow that is renamed would never be heard of again."""
    (listened,) = WORKFLOWS["comment.yml"][True]["workflow_run"]["workflows"]  # YAML 1.1 reads ``on`` as true
    assert listened == WORKFLOWS["pull-request.yml"]["name"]


@pytest.mark.parametrize(
    "command",
    [
        ["zizmor", "--offline", "--strict-collection", "--persona", "pedantic", "--no-progress", "--quiet", "."],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, FILES)],
        ["check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"],
    ],
    ids=["zizmor", "workflow schema", "action schema"],
)
def test_linters_report_nothing(command):
    """Security and schema, offline."""
    tool = Path(sys.executable).with_name(command[0])
    done = subprocess.run([tool, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_known_lints_are_ignored():
    """Each below a comment that says why; docs/explanation/security.md repeats it."""
    found = set()
    for path in FILES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for above, line in itertools.pairwise(lines):
            if ignored := re.search(r"zizmor: ignore\[(.+)\]", line):
                assert above.lstrip().startswith("# "), f"{path.name} does not say why"
                found.add((path.name, ignored[1]))
    assert found == {
        ("comment.yml", "dangerous-triggers"),
        ("command.yml", "dangerous-triggers"),
        ("command.yml", "self-repository"),
        ("article.yml", "self-repository"),
    }


def test_actionlint_reports_nothing():
    """With shellcheck where that is installed."""
    tool = shutil.which("actionlint") or shutil.which("actionlint", path=str(Path.home() / "go" / "bin"))
    if tool is None:
        pytest.skip("actionlint is not here: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12")
    done = subprocess.run([tool], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
