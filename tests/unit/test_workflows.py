"""The workflows: no logic, no right too many, nothing that a linter would mind."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from builders.actions_schedule import evaluate
from builders.commands import run_command
from builders.folders import write_files
from builders.workflows import read_yaml

from windtunnel.cli import CI_COMMANDS, COMMANDS, further_commands
from windtunnel.cli.suite import find_optional_suite
from windtunnel.github.workflow_files import InitOptions, Pin, SuiteWorkflows
from windtunnel.model.settings import WorkflowSettings, parse_settings, path_matches

PIN = Pin(repository="org/windtunnel", commit="a" * 40, release="v1")
ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {file.name: read_yaml(file) for file in FILES}
JOBS = [
    pytest.param(name, job, id=f"{name}-{key}")
    for name, workflow in WORKFLOWS.items()
    for key, job in workflow["jobs"].items()
]
ACTION = ROOT / ".github" / "actions" / "runner" / "action.yml"
RUNNER = "./.windtunnel-tool/.github/actions/runner"
"""The action in the checkout of windtunnel, as the workflows use it."""
DEPENDABOT = read_yaml(ROOT / ".github" / "dependabot.yml")
STEPS = [
    pytest.param(name, step, id=f"{name}-{key}-{index}")
    for name, workflow in WORKFLOWS.items()
    for key, job in workflow["jobs"].items()
    for index, step in enumerate(job.get("steps", ()))
] + [
    pytest.param("runner", step, id=f"runner-{index}") for index, step in enumerate(read_yaml(ACTION)["runs"]["steps"])
]
RUNS = [one for one in STEPS if "run" in one.values[1]]
USES = [
    pytest.param(name.name, place, id=f"{name.parent.name}/{name.name}-{number}")
    for name in (*FILES, ACTION)
    for number, place in enumerate(
        line for line in name.read_text(encoding="utf-8").splitlines() if re.match(r"\s*(- )?uses:", line)
    )
]
WRITERS = {
    (f"{workflow}.yml", job)
    for workflow, jobs in (
        ("benchmark", ("store", "deploy", "record")),
        ("nights", ("benchmark", "weekly")),
        ("comment", ("comment",)),
        ("weekly", ("store",)),
        ("release", ("attest", "publish", "announce")),
    )
    for job in jobs
}
"""Jobs that may write something; none of them executes code of a pull request."""

SAMPLES = {"SITE": "https://pages.example/project/", "HEAD": "a" * 40, "BASE": "b" * 40, "PART": "1", "PARTS": "2"}
"""Values of the steps' environment; 1 for all others."""

RECORDER = """
record() { printf '%s\\0' "$@"; printf '\\n\\0'; }
for each in windtunnel make bash python uv echo; do eval "$each() { record $each \\"\\$@\\"; }"; done
"""

OWN_CALLS = {"Set up the project": "bash", "Install uv": "python", "Test on this system": "uv"}
"""Steps that call neither windtunnel nor make: of actions, and of a job on systems without make."""

VERSIONS = {
    "actions/attest": ("v4.2.2", "1e69f48acb82d1966a394da916b4c1698aa569d6"),
    "actions/checkout": ("v7.0.1", "3d3c42e5aac5ba805825da76410c181273ba90b1"),
    "actions/deploy-pages": ("v5.0.0", "cd2ce8fcbc39b97be8ca5fce6e763baed58fa128"),
    "actions/download-artifact": ("v8.0.1", "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c"),
    "actions/setup-python": ("v7.0.0", "5fda3b95a4ea91299a34e894583c3862153e4b97"),
    "actions/upload-artifact": ("v7.0.1", "043fb46d1a93c77aae656e7c1c64a875d1fc6a0a"),
    "actions/upload-pages-artifact": ("v5.0.0", "fc324d3547104276b827a68afc52ff2a11cc49c9"),
}
"""Each foreign action with its tag and the commit of that tag, compared with the action's repository."""


def commands(step):
    """What the step's script calls, argument by argument: bash expands it, and only records."""
    env = {key: SAMPLES.get(key, "1") for key in step.get("env", {})}
    own = ("CONFIG", "BRANCH", "PYTHON", "SITE_BRANCH", "SITE_FOLDER", "NEW", "ALERT", "BASE")
    env |= {f"WINDTUNNEL_{name}": "1" for name in own} | {"PATH": "/nowhere"}
    env |= {"GITHUB_RUN_ATTEMPT": "1", "RUNNER_TEMP": "/temp"}
    env |= dict.fromkeys(("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV"), "/dev/stdout")
    script = ["/bin/bash", "--noprofile", "--norc", "-euc", RECORDER + step["run"]]
    done = subprocess.run(script, env=env, capture_output=True, check=True, text=True)
    assert not done.stderr
    return [call.removesuffix("\0").split("\0") for call in done.stdout.split("\n\0")[:-1]]


@pytest.mark.parametrize(("name", "step"), RUNS)
def test_a_step_runs_one_command_and_nothing_else(name, step):
    """What a workflow does can be done at a desk: the logic is in commands, which have tests."""
    (call,) = commands(step)
    assert call[0] == OWN_CALLS.get(step["name"], call[0] if call[0] == "make" else "windtunnel")
    assert "${{" not in step["run"], "inputs come through env: here they would be code"


@pytest.mark.parametrize(("name", "step"), [one for one in RUNS if one.values[1]["run"].startswith("windtunnel")])
def test_every_command_is_one_that_windtunnel_has(name, step):
    """Its options exist and take their values."""
    ((_, *argv),) = commands(step)
    assert argv[1] in CI_COMMANDS if argv[0] == "ci" else argv[0] in {*COMMANDS, *further_commands()}
    code, usage, err = run_command([*argv, "--help"], {})
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
    """``permissions: {}``; each job asks for what it needs. No two runs get in each other's way, nor two suites."""
    assert workflow["permissions"] == {}
    assert name not in {"benchmark.yml", "weekly.yml"} or "inputs.name" in workflow["concurrency"]["group"]
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
    if "./" in line:
        assert "./.windtunnel-tool/.github/actions/" in line or "./.github/workflows/" in line
    else:
        assert re.search(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)


def test_every_file_uses_the_verified_version_of_an_action():
    """A hash that names another commit than its comment says, or two versions of one action, would go unnoticed."""
    text = "".join(path.read_text(encoding="utf-8") for path in (*FILES, ACTION))
    used = set(re.findall(r"uses: ([\w.-]+/[\w.-]+)(?:/[\w-]+)?@(\w+) # (\S+)", text))
    assert used == {(action, commit, version) for action, (version, commit) in VERSIONS.items()}


@pytest.mark.parametrize(("name", "step"), [one for one in STEPS if "checkout@" in one.values[1].get("uses", "")])
def test_a_checkout_leaves_no_token_behind(name, step):
    """Code that is measured could read it."""
    assert step["with"]["persist-credentials"] is False


def test_the_summary_of_a_step_is_written_by_commands_that_limit_it():
    """GitHub drops a summary of more than 1 MiB; Markdown of Windtunnel fits a comment, which is shorter."""
    calls = {value["run"] for one in STEPS for value in one.values if "$GITHUB_STEP_SUMMARY" in str(value)}
    assert calls
    for call in (one.replace('<<< "$REQUEST" ', "") for one in calls):
        assert re.match(r'windtunnel (report|bisect) .*--format markdown >> "\$GITHUB_STEP_SUMMARY"$', call)


def test_code_of_a_pull_request_never_meets_a_token_that_can_write():
    """Workflows with foreign code read only; those that write check out nothing but the main branch."""
    assert "pull_request_target" not in str(WORKFLOWS)
    rights = {right for job in WORKFLOWS["pull-request.yml"]["jobs"].values() for right in job["permissions"].items()}
    assert rights == {("contents", "read")}
    assert "secrets" not in str(WORKFLOWS["pull-request.yml"])
    for step in WORKFLOWS["comment.yml"]["jobs"]["comment"]["steps"]:
        assert step.get("with", {}).get("ref") in {None, "${{ job.workflow_sha }}"}
        assert "head" not in str(step)


def test_the_code_of_a_pull_request_does_not_choose_the_measured_repository():
    """Its asv.conf.json could name a clone of its author, with another base and other settings."""
    jobs = WORKFLOWS["pull-request.yml"]["jobs"].values()
    scripts = [step["run"] for job in jobs for step in job.get("steps", ()) if "windtunnel " in step.get("run", "")]
    reading = [one for one in scripts if re.match(r"windtunnel (ci prepare|ci build|bisect|compare(?! --shards))", one)]
    assert len(reading) == 5
    assert all("--repo . " in f"{one} " for one in reading)


MEASURING = tuple(
    (name, key)
    for name, keys in (
        ("benchmark.yml", ("plan", "build", "run", "search")),
        ("pull-request.yml", ("prepare", "screen", "confirm")),
        ("weekly.yml", ("check", "claims")),
    )
    for key in keys
)
"""Jobs that build or execute the project."""


@pytest.mark.parametrize(
    ("event", "repository", "fork", "known", "measures"),
    [
        ("push", "org/spam", False, "org/spam", True),
        ("push", "org/renamed", False, "org/spam", True),
        ("push", "mallory/spam", True, "org/spam", False),
        ("schedule", "mallory/spam", True, "org/spam", False),
        ("schedule", "mallory/spam", True, "", False),
        ("schedule", "org/spam", True, "org/spam", True),  # a project that is a fork itself
        ("workflow_dispatch", "mallory/spam", True, "org/spam", True),
    ],
)
@pytest.mark.parametrize("job", ["past", "plan"])
def test_a_fork_measures_no_push_and_no_night(job, event, repository, fork, known, measures):
    """Its copy of the workflows would measure and publish everything again; what a person starts there runs."""
    context = {
        "github": {"event_name": event, "repository": repository, "event": {"repository": {"fork": fork}}},
        "inputs": {"repository": known, "results-elsewhere": "yes"},
        "needs": {"past": {"result": "skipped"}},
    }
    condition = WORKFLOWS["benchmark.yml"]["jobs"][job]["if"]
    assert bool(evaluate(f"${{{{ {condition} }}}}", **context)) is measures


@pytest.mark.parametrize("fork", [False, True])
def test_each_schedule_starts_one_workflow_and_none_in_a_fork(fork):
    """Every day the new commits; every week the error rates and the claims."""
    daily, weekly = (one["cron"] for one in WORKFLOWS["nights.yml"][True]["schedule"])  # YAML 1.1 reads "on" as true
    assert daily.endswith(" * * *")
    assert re.fullmatch(r"\d+ \d+ \* \* \d", weekly)
    for schedule, wanted in ((daily, "benchmark"), (weekly, "weekly")):
        event = {"schedule": schedule, "repository": {"fork": fork}}
        started = {key for key, job in WORKFLOWS["nights.yml"]["jobs"].items() if runs(job["if"], event=event)}
        assert started == (set() if fork else {wanted})


def test_claims_are_measured_every_week_in_a_job_for_each_python():
    """A Python that is added to asv.conf.json gets a job."""
    (job,) = (one for one in WORKFLOWS["nights.yml"]["jobs"].values() if one["uses"].endswith("/weekly.yml"))
    pythons = find_optional_suite(ROOT / "asv.conf.json").asv.pythons
    assert json.loads(job["with"]["claims"]) == list(pythons)
    measuring = WORKFLOWS["weekly.yml"]["jobs"]["claims"]
    assert measuring["strategy"]["matrix"]["python"] == "${{ fromJSON(inputs.claims || '[\"\"]') }}"
    assert runner_inputs(measuring)["versions"] == "${{ matrix.python }}"
    assert not runs(measuring["if"])


def test_what_is_measured_each_week_is_stored_whatever_else_failed():
    """Error rates without claims, and claims of some Pythons without error rates."""
    job = WORKFLOWS["weekly.yml"]["jobs"]["store"]
    assert job["if"] == "!cancelled()"
    merge, push, rates = job["steps"][-3:]
    assert merge["continue-on-error"] is True
    assert (merge["if"], push["if"], rates["if"]) == ("inputs.claims", "inputs.claims", "!cancelled()")


def test_a_tag_of_a_fork_releases_nothing():
    """Every job of a release waits for the first one."""
    jobs = WORKFLOWS["release.yml"]["jobs"]
    for fork in (True, False):
        context = {"github": {"event": {"repository": {"fork": fork}}}}
        assert bool(evaluate(f"${{{{ {jobs['build']['if']} }}}}", **context)) is not fork
    assert all("build" in job["needs"] for name, job in jobs.items() if name != "build")


def test_every_way_to_measure_everything_installs_the_servers():
    """`make bench ARGS=--full` calls the same script, and `.ci/run` installs the same packages."""
    makefile, script, run = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", ".ci/databases", ".ci/run")
    )
    assert parse_settings((ROOT / "pyproject.toml").read_text(encoding="utf-8"), "").ci.setup == ".ci/databases"
    assert "$(if $(filter --full,$(ARGS)),.ci/databases)" in makefile
    for package in ("postgresql", "redis-server"):
        assert f"missing+=({package})" in script
        assert f"lacks {package} " in run


def runner_inputs(job):
    """What the job gives to the action that prepares the runner, in one step or two."""
    inputs = [one.get("with", {}) for one in job["steps"] if one.get("uses") == RUNNER]
    assert inputs
    return {key: value for one in inputs for key, value in one.items()}


@pytest.mark.parametrize(("name", "key"), MEASURING)
def test_each_runner_that_measures_is_prepared_in_the_same_way(name, key):
    """It gets the setup command, the variables, the submodules and the Pythons that the settings name."""
    job = WORKFLOWS[name]["jobs"][key]
    assert runner_inputs(job)["measures"] in {"first", "all"}
    assert job["runs-on"] == "${{ inputs.runner || 'ubuntu-24.04' }}"


def test_only_jobs_that_measure_run_what_the_settings_name():
    """Jobs with a token that can write run no command of the project."""
    prepared = {
        (name, key)
        for name, workflow in WORKFLOWS.items()
        for key, job in workflow["jobs"].items()
        if any(one.get("uses") == RUNNER and one.get("with", {}).get("measures") for one in job.get("steps", ()))
    }
    assert prepared == set(MEASURING)
    steps = {one["name"]: one for one in read_yaml(ACTION)["runs"]["steps"]}
    assert steps["Set up the project"]["if"].startswith("inputs.measures && ")
    assert steps["Read the settings"]["env"]["MEASURES"] == "${{ inputs.measures }}"


@pytest.mark.parametrize(("name", "job"), [one for one in JOBS if "steps" in one.values[1]])
def test_no_job_fetches_every_branch(name, job):
    """A checkout has one commit; the history of one branch, with its tags, is fetched where it is read."""
    if name == "ci.yml":
        return
    for step in job["steps"]:
        assert "fetch-depth" not in step.get("with", {})
    reads = [[name] for name in ("plan", "run", "build", "compare", "prepare", "bisect", "detect", "publish", "claims")]
    if any(re.findall(r"^windtunnel (?:ci )?([\w-]+)", step.get("run", ""))[:1] in reads for step in job["steps"]):
        assert any(one.get("uses") == RUNNER for one in job["steps"])


@pytest.mark.parametrize("key", ["screen", "confirm"])
def test_a_job_that_measures_a_pull_request_builds_nothing(key):
    """Both commits are built once, in the job before, and handed on as an artifact."""
    steps = WORKFLOWS["pull-request.yml"]["jobs"][key]["steps"]
    assert not [one for one in steps if "windtunnel ci build" in one.get("run", "")]
    (measuring,) = (one for one in steps if one["name"] in {"Measure", "Confirm"})
    assert "--builds prepared" in measuring["run"]
    builds = "windtunnel-builds.${{ needs.prepare.outputs.attempt }}"
    assert builds in [one.get("with", {}).get("name") for one in steps]


def test_each_job_that_compares_a_pull_request_gets_the_stored_map():
    """What prepare read, or what it left beside the builds: without it, each case runs once more."""
    jobs = WORKFLOWS["pull-request.yml"]["jobs"]
    runs = (step.get("run", "") for job in jobs.values() for step in job["steps"])
    found = [run for run in runs if 'compare "$BASE" "$HEAD"' in run]
    assert [re.findall(r"--results (\w+)", run) for run in found] == [["past"], ["prepared"]]


def test_the_measured_branch_reaches_every_command_that_reads_history():
    """actions/checkout leaves no origin/HEAD, so a guess would be wrong for a default branch of another name."""
    calls = [
        step["run"]
        for name, step in (one.values for one in STEPS)
        if name == "benchmark.yml" and re.match(r"windtunnel (ci plan|detect|publish) ", step.get("run", ""))
    ]
    assert len(calls) == 4
    for call in calls:
        assert '${WINDTUNNEL_BRANCH:+--branch "$WINDTUNNEL_BRANCH"}' in call
    (step,) = (one for one in read_yaml(ACTION)["runs"]["steps"] if one["name"] == "Read the settings")
    assert step["env"]["DEFAULT"] == "${{ github.event.repository.default_branch || github.ref_name }}"


def test_the_token_of_another_results_repository_stays_away_from_code_of_the_project():
    """No step order protects it: each step of a job can read the runner's memory (docs.github.com, Secure use)."""
    for name, key in MEASURING:
        assert "secrets" not in str(WORKFLOWS[name]["jobs"][key])
    for name in ("comment.yml", "pull-request.yml"):
        assert "secrets" not in str(WORKFLOWS[name])


@pytest.mark.parametrize("elsewhere", [True, False])
def test_earlier_results_of_another_repository_come_as_an_artifact(elsewhere):
    """From a job of their own, by its id; others are fetched where they are read."""
    jobs = WORKFLOWS["benchmark.yml"]["jobs"]
    given = {"inputs": {"results-elsewhere": "yes" if elsewhere else "", "config": "c"}, "github": {"token": "t"}}
    fetches = [bool(evaluate(f"${{{{ {jobs['past']['if']} }}}}", **given))]
    (step,) = (one for one in jobs["plan"]["steps"] if one.get("uses") == RUNNER)
    fetches.append(bool(evaluate(step["with"]["results"], **given)))
    assert fetches == [elsewhere, not elsewhere]
    (download,) = (one for one in jobs["plan"]["steps"] if "download-artifact" in one.get("uses", ""))
    assert download["with"]["artifact-ids"] == "${{ needs.past.outputs.artifact }}"
    for result, runs_on in (("success", True), ("skipped", True), ("failure", False)):
        condition = f"${{{{ {jobs['plan']['if']} }}}}"
        assert bool(evaluate(condition, **given, needs={"past": {"result": result}})) is runs_on


def test_a_skipped_job_takes_no_later_one_along():
    """A skipped job skips all that need it, over any number of others, unless they state when they run.

    docs.github.com, Workflow syntax, jobs.<job_id>.needs: "all jobs in the dependency chain".
    """
    jobs = WORKFLOWS["benchmark.yml"]["jobs"]
    for name, job in jobs.items():
        assert name == "past" or re.search(r"always\(\)|!cancelled\(\)", job["if"]), name


def test_what_only_one_run_reads_is_kept_for_a_day():
    """Builds of a compiled project fill the 500 MB of a private account (docs.github.com, billing for Actions)."""
    decision = WORKFLOWS["pull-request.yml"]["jobs"]["prepare"]["steps"][-1]["with"]
    cases = ("apart", "builds", "1"), ("here", "verdict", "0"), ("no", "verdict", "0")  # 0: GitHub's default
    for measured, name, days in cases:
        known = {"steps": {"prepare": {"outputs": {"measured": measured}}}, "github": {"run_attempt": "1"}}
        assert evaluate(decision["name"], **known) == f"windtunnel-{name}.1"
        assert evaluate(decision["retention-days"], **known) == days
    kept = set()
    for name, step in (one.values for one in STEPS):
        if "upload-artifact@" in step.get("uses", ""):
            briefly = step["with"].get("retention-days") in {1, decision["retention-days"]}
            kept |= set() if briefly else {(name, step["with"]["name"])}
    assert kept == {
        ("benchmark.yml", "windtunnel-bisect.${{ github.run_attempt }}"),
        ("pull-request.yml", "windtunnel-verdict.${{ github.run_attempt }}"),
        ("release.yml", "dist.${{ github.run_attempt }}"),
    }


def test_a_workflow_with_a_schedule_starts_nothing_else_that_anyone_waits_for():
    """GitHub disables it after 60 days without activity (NeurodataWithoutBorders/nwb-schema 684)."""
    scheduled = {name: set(workflow[True]) for name, workflow in WORKFLOWS.items() if "schedule" in workflow[True]}
    assert scheduled == {"nights.yml": {"schedule"}}
    for right, level in WORKFLOWS["nights.yml"]["jobs"]["benchmark"]["permissions"].items():
        needs = {job["permissions"].get(right) for job in WORKFLOWS["benchmark.yml"]["jobs"].values()}
        assert level in needs


def test_each_distribution_has_an_environment_of_its_own():
    """PyPI has one pending publisher for each repository, workflow and environment (pypi/warehouse 16920)."""
    job = WORKFLOWS["release.yml"]["jobs"]["publish"]
    names = job["strategy"]["matrix"]["distribution"]
    projects = [ROOT / "pyproject.toml", *sorted((ROOT / "src").glob("*/pyproject.toml"))]
    built = {tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"] for path in projects}
    assert set(names) == built
    environments = [evaluate(job["environment"], matrix={"distribution": name}) for name in names]
    assert len(set(environments)) == len(built)
    guide = (ROOT / "docs" / "how-to" / "release.md").read_text(encoding="utf-8")
    for name, environment in zip(names, environments, strict=True):
        assert f"| `{name}` | `{environment}` |" in guide


@pytest.mark.parametrize("target", ["tool", "tool-light"])
def test_commands_of_the_project_find_their_own_python(target, tmp_path):
    """Only windtunnel is put on the PATH, and finds the packages of its environment."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    python, command = (tmp_path / ".windtunnel" / target / "bin" / name for name in ("python", "windtunnel"))
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    command.write_text(f"#!{python}\nimport sys\nprint(sys.executable)\n", encoding="utf-8")
    command.chmod(0o755)
    needed = ("pyproject.toml", "src/windtunnel_claims/pyproject.toml", "uv.lock", ".ci/uv.txt")
    write_files(tmp_path, dict.fromkeys(needed, ""))
    (python.parents[1] / "ready").touch()
    env = {"PATH": os.environ["PATH"], "GITHUB_PATH": str(tmp_path / "path")}
    subprocess.run(["make", "--silent", target], cwd=tmp_path, env=env, check=True)
    (folder,) = (tmp_path / "path").read_text(encoding="utf-8").splitlines()
    assert [one.name for one in Path(folder).iterdir()] == ["windtunnel"]
    done = subprocess.run(["windtunnel"], env={"PATH": folder}, capture_output=True, text=True, check=True)
    assert done.stdout == f"{python}\n"


def test_the_comment_workflow_names_the_measuring_workflow():
    """``workflow_run`` goes by name: a workflow that is renamed would never be heard of again."""
    listening = WORKFLOWS["comment.yml"][True]["workflow_run"]  # YAML 1.1 reads ``on`` as true
    assert listening["workflows"] == [WORKFLOWS["pull-request.yml"]["name"]]
    main, _, comparing = map(yaml.safe_load, files_of_init().values())
    assert main[True]["workflow_run"]["workflows"] == [comparing["name"]]


def test_the_comment_workflow_hears_of_repeated_and_approved_runs_and_of_no_push():
    """GitHub sends no ``requested`` for a repeated run (docs.github.com, Events that trigger workflows).

    ``workflow_run`` fires for every event of the workflow that it names, so pushes and nights are in another file. A
    workflow that names itself would start itself again, for up to three levels.
    """
    main, nights, comparing = map(yaml.safe_load, files_of_init().values())
    for comment in (WORKFLOWS["comment.yml"], main):
        assert comment[True]["workflow_run"]["types"] == ["in_progress", "completed"]
    for pull in (WORKFLOWS["pull-request.yml"], comparing):
        assert not {"push", "schedule"} & pull[True].keys()
        assert "workflow_run" not in pull[True]
    assert not {"pull_request", "merge_group"} & (main[True].keys() | nights[True].keys())


@pytest.mark.parametrize("event", ["push", "workflow_dispatch", "workflow_run"])
def test_one_file_measures_pushes_and_comments_and_each_event_starts_one_job(event):
    """Both get tokens that can write, and no code of a pull request: GitHub reads the file from the main branch."""
    main, *_ = map(yaml.safe_load, files_of_init().values())
    started = {name for name, job in main["jobs"].items() if runs(job["if"], event_name=event)}
    assert started == {"comment" if event == "workflow_run" else "benchmark"}
    assert not {"pull_request", "pull_request_target"} & main[True].keys()


def files_of_init(**settings):
    """What ``windtunnel init`` writes, by path: for commits and comments, for nights, for pull requests."""
    options = InitOptions(config="c.json")
    return SuiteWorkflows(options=options, settings=WorkflowSettings(**settings), pin=PIN, branch="main").render()


def called_by_init(**settings):
    """The file that ``windtunnel init`` writes for pull requests."""
    return yaml.safe_load(files_of_init(**settings)[".github/workflows/windtunnel-pull-request.yml"])


def runs(condition, *, inputs=None, **github):
    """What an expression says at an event: text, empty where it is false."""
    return evaluate(f"${{{{ {condition} }}}}", github={"run_id": "99", **github}, inputs=inputs or {})


@pytest.mark.parametrize(
    ("action", "label", "wanted", "labels", "measures"),
    [
        ("synchronize", None, "", [], True),
        ("synchronize", None, "perf", [], False),
        ("synchronize", None, "perf", ["perf"], True),
        ("labeled", "benchmark", "", ["benchmark"], True),
        ("labeled", "benchmark", "perf", ["benchmark"], True),
        ("labeled", "perf", "perf", ["perf"], True),
        ("labeled", "perf-accepted", "", ["perf-accepted"], False),
        ("labeled", "perf-accepted", "perf", ["perf-accepted", "perf"], False),
        ("labeled", "help wanted", "", ["help wanted", "benchmark"], False),
        ("unlabeled", "benchmark", "", [], False),
        ("unlabeled", "perf", "perf", [], False),
    ],
)
def test_a_label_measures_or_leaves_a_measurement_alone(action, label, wanted, labels, measures):
    """``benchmark`` measures again; any other cancels no run. The files of ``windtunnel init`` pass the label on."""
    ours, caller = WORKFLOWS["pull-request.yml"], called_by_init(label=wanted)
    event = {"action": action, "pull_request": {"number": "12", "labels": [{"name": one} for one in labels]}}
    event |= {"label": {"name": label}} if label else {}
    given = {"event_name": "pull_request", "workflow": "W", "event": event, "inputs": {"label": wanted}}
    assert bool(runs(ours["jobs"]["prepare"]["if"], **given)) is measures
    shares = measures or not label
    group = ours["concurrency"]["group"].rpartition("${{")[2].partition("}}")[0]
    assert runs(group, **given) == ("12" if shares else "99")
    assert caller["jobs"]["pull-request"]["with"].get("label", "") == wanted
    assert "concurrency" not in caller, "the group of the called workflow has the name of the caller"


@pytest.mark.parametrize(
    ("event", "measures", "shares"),
    [
        ({"action": "edited", "changes": {"base": {"ref": {"from": "topic"}}}}, True, True),
        ({"action": "edited", "changes": {"title": {"from": "x"}}}, False, False),
        ({"action": "closed"}, False, True),
        ({"action": "reopened"}, True, True),
    ],
    ids=["new base", "new title", "closed", "reopened"],
)
def test_a_new_base_measures_again_and_closing_ends_a_measurement(event, measures, shares):
    """A title cancels nothing. GitHub sends no other event for a new base (actions/runner 980)."""
    ours = WORKFLOWS["pull-request.yml"]
    given = {"event_name": "pull_request", "workflow": "W"}
    given["event"] = {"pull_request": {"number": "12", "labels": []}} | event
    assert bool(runs(ours["jobs"]["prepare"]["if"], **given)) is measures
    group = ours["concurrency"]["group"].rpartition("${{")[2].partition("}}")[0]
    assert runs(group, **given) == ("12" if shares else "99")
    assert ours["concurrency"]["cancel-in-progress"] is True


def test_a_person_measures_a_pull_request_by_its_number():
    """The code that runs on the main branch's behalf writes no cache."""
    caller = called_by_init()
    assert runs(caller["jobs"]["pull-request"]["if"], event_name="workflow_dispatch", inputs={"pull": "12"})
    assert caller["jobs"]["pull-request"]["with"]["pull"] == "${{ inputs.pull }}"
    jobs = WORKFLOWS["pull-request.yml"]["jobs"]
    assert {key: job["cache-mode"] for key, job in jobs.items()} == {
        "prepare": "none", "screen": "none", "confirm": "none"
    }  # fmt: skip
    (first, *_) = jobs["prepare"]["steps"]
    assert runs(first["with"]["ref"].strip("${ }"), inputs={"pull": "12"}) == "refs/pull/12/head"
    assert {job["steps"][0]["with"]["ref"] for key, job in jobs.items() if key != "prepare"} == {
        "${{ needs.prepare.outputs.head }}"
    }


def test_a_required_check_is_concluded_whatever_starts_the_workflow():
    """GitHub leaves a required check pending where filters skip the workflow, and in the merge queue without its event.

    docs.github.com, Troubleshooting required status checks ("skipped due to path filtering ... remain in a Pending
    state"; "You must use the merge_group event").
    """
    started = {name: workflow[True] for name, workflow in WORKFLOWS.items() if "pull_request" in workflow[True]}
    assert set(started) == {"ci.yml", "pull-request.yml"}
    assert started["ci.yml"]["pull_request"] is None
    types = {"types": ["opened", "synchronize", "reopened", "labeled", "unlabeled", "edited", "closed"]}
    assert started["pull-request.yml"]["pull_request"] == called_by_init()[True]["pull_request"] == types
    for events in started.values():
        assert "merge_group" in events
    first = WORKFLOWS["pull-request.yml"]["jobs"]["prepare"]
    assert not runs(first["if"], event_name="merge_group")
    assert runs(first["if"], event_name="pull_request", event={"action": "synchronize"})
    for event in ("pull_request", "merge_group"):
        assert f"github.event.workflow_run.event == '{event}'" in WORKFLOWS["comment.yml"]["jobs"]["comment"]["if"]


@pytest.mark.parametrize("whose", ["ours", "of init"])
def test_linters_report_nothing(whose, tmp_path):
    """Security and schema, offline; an adopter's linters find nothing in files that are not to be edited."""
    ours = whose == "ours"
    root = ROOT if ours else tmp_path
    if not ours:
        write_files(root, files_of_init(self_check=True, label="perf", runner="arm"))
    schema, files = ["check-jsonschema", "--builtin-schema"], sorted((root / ".github" / "workflows").iterdir())
    for command in (
        ["zizmor", "--offline", "--strict-collection", "--persona", "pedantic", "--no-progress", "--quiet", "."],
        [*schema, "vendor.github-workflows", *map(str, files)],
        *([[*schema, "vendor.github-actions", "action.yml", str(ACTION)]] if ours else ()),
    ):
        tool = Path(sys.executable).with_name(command[0])
        done = subprocess.run([tool, *command[1:]], cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_only_known_lints_are_ignored():
    """Each below a comment that says why; docs/explanation/security.md repeats it."""
    found = set()
    for path in (*FILES, ACTION):
        lines = path.read_text(encoding="utf-8").splitlines()
        for above, line in itertools.pairwise(lines):
            if ignored := re.search(r"zizmor: ignore\[(.+)\]", line):
                assert above.lstrip().startswith("# "), f"{path.name} does not say why"
                found.add((path.name, ignored[1]))
    assert found == {("comment.yml", "dangerous-triggers")}


def test_actionlint_ignores_what_it_does_not_know():
    """Keys and properties that it does not know yet; docs/explanation/security.md names them."""
    (rules,) = read_yaml(ROOT / ".github" / "actionlint.yaml")["paths"].values()
    assert rules == {
        "ignore": [
            'unexpected key "cache-mode" for "job" section',
            'property "workflow_(repository|sha)" is not defined',
        ]
    }


def test_actionlint_reports_nothing():
    """With shellcheck where that is installed."""
    tool = shutil.which("actionlint") or shutil.which("actionlint", path=str(Path.home() / "go" / "bin"))
    if tool is None:
        pytest.skip("actionlint is not here: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12")
    done = subprocess.run([tool], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ("counter", "::notice title=No instruction counts::windtunnel: valgrind "),
        ("databases", "::notice title=No database server::windtunnel: "),
    ],
)
def test_what_cannot_be_installed_is_a_note_and_no_failure(script, note, tmp_path):
    """On a system without apt-get, and where apt-get fails."""
    bash = shutil.which("bash")
    for name in ("env", "id"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for apt in (None, "exit 100"):
        if apt:
            (tmp_path / "apt-get").write_text(f"#!{bash}\n{apt}\n")
            (tmp_path / "apt-get").chmod(0o755)
            (tmp_path / "sudo").write_text(f"#!{bash}\nexit 1\n")
            (tmp_path / "sudo").chmod(0o755)
        env = {"PATH": str(tmp_path), "GITHUB_ACTIONS": "true"}
        done = subprocess.run([bash, ROOT / ".ci" / script], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(note)


def test_the_measuring_job_of_a_bisection_takes_its_search_from_a_job_and_writes_nothing():
    """Code of the project cannot replace the search, and what it leaves reaches the writing job as an artifact only."""
    jobs = WORKFLOWS["benchmark.yml"]["jobs"]
    assert jobs["search"]["permissions"] == {"contents": "read"}
    assert "secrets" not in str(jobs["search"])
    assert not [step for step in jobs["search"]["steps"] if "download-artifact" in step.get("uses", "")]
    (search,) = (step for step in jobs["search"]["steps"] if step.get("run", "").startswith("windtunnel bisect"))
    assert search["env"] == {"REQUEST": "${{ needs.store.outputs.request }}"}
    assert "--request /dev/stdin " in search["run"]
    assert "needs.search" not in str(jobs["record"]["steps"])
    assert "write" not in {
        right for key, job in jobs.items() if key == "search" for right in job["permissions"].values()
    }


def test_an_alert_is_bisected_after_the_runs_that_wait_for_each_other():
    """A run with inputs may meet another one, and both would choose the same alert."""
    (choice,) = (one for one in WORKFLOWS["benchmark.yml"]["jobs"]["store"]["steps"] if one.get("id") == "choose")
    wish = WORKFLOWS["benchmark.yml"]["env"]["WINDTUNNEL_NEW"]
    for inputs in ({"revisions": "v1"}, {"bench": "x"}, {}):
        env = {"WINDTUNNEL_NEW": evaluate(wish, inputs=inputs)}
        assert bool(evaluate(f"${{{{ {choice['if']} }}}}", env=env)) is not bool(inputs)


@pytest.mark.parametrize(
    ("event", "shards", "wanted"),
    [
        ("push", "0", set()),
        ("schedule", "0", {"store"}),
        ("push", "1", {"store"}),
        ("push", "2", {"run", "store"}),
        ("push", "", set()),  # no plan
    ],
)
def test_a_push_starts_no_job_that_has_nothing_to_do(event, shards, wanted):
    """The job that plans measures a single shard itself; what it leaves is stored, also if its measuring failed."""
    jobs = WORKFLOWS["benchmark.yml"]["jobs"]
    result = "failure" if not shards else "success"
    needs = {"plan": {"result": result, "outputs": {"shards": shards}}, "run": {"result": "skipped"}}
    github = {"event_name": event, "run_attempt": "1"}

    def starts(job):
        condition = re.sub(r"(always|!cancelled)\(\) && ", "", jobs[job]["if"])
        return bool(evaluate(f"${{{{ {condition} }}}}", needs=needs, github=github))

    assert {job for job in ("run", "store") if starts(job)} == wanted
    (measure,) = (step for step in jobs["plan"]["steps"] if step["name"].startswith("Measure"))
    steps = {"plan": {"outputs": {"shards": shards}}}
    assert bool(evaluate(f"${{{{ {measure['if']} }}}}", steps=steps)) is (shards == "1")
    if shards == "1":
        needs["plan"]["result"] = "failure"
        assert starts("store")
    github["run_attempt"] = "2"
    assert starts("store") is bool(shards), "a repeated run publishes again"
    needs["store"] = {"result": "skipped", "outputs": {"alert": "x"}}
    assert not starts("search")
    assert not starts("record")


@pytest.mark.parametrize("stored", ["success", "failure"])
@pytest.mark.parametrize("site", ["pages", "branch", "none"])
def test_a_bisection_does_not_depend_on_publishing(stored, site):
    """Pages may be off, or the run may lack the right to publish; a build that fails stops no shard."""
    jobs = WORKFLOWS["benchmark.yml"]["jobs"]
    needs = {"store": {"result": stored, "outputs": {"alert": "5d0c6f", "site": site if site == "pages" else ""}}}
    needs |= {"plan": {"result": "success", "outputs": {"shards": "2"}}, "build": {"result": "failure"}}

    def runs(job):
        condition = re.sub(r"(always|!cancelled)\(\) && ", "", jobs[job]["if"])  # a job that failed before stops none
        assert condition != jobs[job]["if"]
        return bool(evaluate(f"${{{{ {condition} }}}}", needs=needs, github={"event_name": "push", "run_attempt": "1"}))

    assert [runs(job) for job in ("run", "store", "search", "record")] == [True] * 4
    assert runs("deploy") is (stored == "success" and site == "pages")
    assert jobs["search"]["needs"] == ["store", "deploy"], "code of the project could replace the artifact of the site"
    assert jobs["search"]["if"].startswith("!cancelled() && "), "a deployment that fails or is skipped stops no search"
    steps = {step["name"]: step for step in jobs["store"]["steps"]}
    names = list(steps)
    assert names.index("Choose an alert to bisect") < names.index("Build the site")
    assert all(steps[name]["continue-on-error"] for name in ("Alert", "Publish on a branch"))
    (asks,) = (step for step in steps.values() if "--pages" in step.get("run", ""))
    assert jobs["store"]["outputs"]["site"] == f"${{{{ steps.{asks['id']}.outputs.site }}}}"


@pytest.mark.parametrize("ecosystem", ["uv", "github-actions"])
def test_new_versions_arrive_weekly_in_one_pull_request(ecosystem):
    """So that a comparison measures them together, and the search over packages names the one that moved a case."""
    (update,) = [each for each in DEPENDABOT["updates"] if each["package-ecosystem"] == ecosystem]
    assert update["schedule"]["interval"] == "weekly"
    ((_, group),) = update["groups"].items()
    assert group["patterns"] == ["*"]


def test_a_pull_request_that_changes_the_lock_alone_is_measured():
    """The lock is part of the commit: it is no irrelevant path."""
    settings = parse_settings((ROOT / "pyproject.toml").read_text(encoding="utf-8"), "pyproject.toml")
    assert not [each for each in settings.irrelevant_paths if path_matches("uv.lock", each)]
