"""The main job in steps: plan, run each shard, merge; the cases are those of a single run."""

import json
import shutil
import sys
from dataclasses import replace

import pytest
from builders.commands import windtunnel
from builders.locks import held
from builders.plans import cases_of
from builders.repositories import git
from builders.results import a_results_folder, a_shard
from builders.suites import PYPROJECT, a_copy, change

from windtunnel import formats
from windtunnel.bench.format import Plan
from windtunnel.model.run import Measured
from windtunnel.model.run_format import RunRecord
from windtunnel.results.tree import read_tree

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def plan_of(folder, *argv, **env):
    """Make a plan in *folder* and read it."""
    done = windtunnel(folder, "ci", "plan", "--out", folder / "plan.json", *argv, **env)
    assert done.returncode == 0, done.stderr
    return formats.decode((folder / "plan.json").read_bytes(), Plan, "plan.json")


def test_shards_hold_the_cases_of_the_plan(project):
    """Dividing loses and repeats nothing, and planning again gives the same bytes."""
    whole = plan_of(project)
    cut = plan_of(project, "--shards", "3")
    first = (project / "plan.json").read_bytes()
    plan_of(project, "--shards", "3")
    assert len(cut.shards) == 3
    assert cases_of(cut.shards) == cases_of(whole.shards)
    assert (project / "plan.json").read_bytes() == first


def test_shards_run_separately_and_merge_without_loss(project):
    """Every case that can be measured is in the merged results."""
    plan = plan_of(project, "--shards", "2")
    for index in range(len(plan.shards)):
        done = windtunnel(project, "ci", "run", "--plan", "plan.json", "--shard", index, "--out", f"shard-{index}")
        assert done.returncode == 0, done.stderr
    folders = [f"shard-{index}" for index in range(len(plan.shards))]
    assert windtunnel(project, "merge", *folders, "--into", "merged").returncode == 0
    (run,) = read_tree(project / "merged").runs
    measured = [result for row in run.rows for result in row.results if isinstance(result, Measured)]
    assert len(measured) == 3
    records = [formats.decode((project / f / "run.json").read_bytes(), RunRecord, f) for f in folders]
    assert sum(task.expected for record in records for task in record.tasks) == plan.cases


def test_a_suite_may_be_apart_from_its_project(project, tmp_path):
    """``repo`` is an address, so plan and run clone the project; its commits and irrelevant paths count."""
    change(project, {"docs/index.md": "nothing that is measured"}, "a page")
    beside = tmp_path / "beside"
    shutil.copytree(project / "suite", beside / "bench" / "suite")
    content = (project / "asv.conf.json").read_text()
    content = content.replace('"repo": "."', f'"repo": "file://{project}"')
    (beside / "bench" / "asv.conf.json").write_text(content.replace('".asv/env"', f'"{project}/.asv/env"'))
    (beside / "bench" / "pyproject.toml").write_text(PYPROJECT)  # asv takes build requirements from where it stands
    git(beside, "init", "--quiet")
    argv = ("--config", "bench/asv.conf.json", "--bench", "track_size", "--commits", "1")
    plan = plan_of(beside, *argv)
    assert [excluded.reason.partition(" ")[0] for excluded in plan.excluded] == ["differs", "not"]
    windtunnel(beside, "ci", "run", "--plan", "plan.json", "--shard", 0, "--out", "shard", code=0)
    (run,) = read_tree(beside / "shard" / "results").runs
    assert run.commit == git(project, "rev-parse", "HEAD~1")


def test_packages_of_the_checkout_do_not_replace_those_of_the_tool(project):
    """A checkout's root may hold a folder named like a dependency, as numpy's does."""
    for name in ("numpy", "json", "msgspec", "asv", "uv", "windtunnel"):
        (project / name).mkdir()
        (project / name / "__init__.py").write_text("raise ImportError('the checkout shadows the tool')")
    assert plan_of(project, "--bench", "track_size").cases == 1


def test_a_plan_uses_earlier_results(project):
    """It expects the measured time instead of the default; --skip-existing omits the cases that have results."""
    windtunnel(project, "bench", "--no-site", "--bench", "track_size")
    plan = plan_of(project, "--results", ".asv/results", "--bench", "track_size")
    ((measured,),) = (run.rows for run in read_tree(project / ".asv" / "results").runs)
    assert plan.cases == 1
    assert plan.shards[0].tasks[0].seconds == measured.duration
    assert plan_of(project, "--results", ".asv/results", "--bench", "track_size", "--skip-existing").cases == 0


def test_rounds_sets_the_number_of_processes(project):
    """The option overrides the rounds of the benchmark."""
    plan_of(project, "--bench", "time_work", "--rounds", "3")
    windtunnel(project, "ci", "run", "--plan", "plan.json", "--shard", 0, "--out", "shard")
    (run,) = read_tree(project / "shard" / "results").runs
    (row,) = run.rows
    assert [result.process_sizes for result in row.results if isinstance(result, Measured)] == [(3, 3, 3)] * 2


def test_new_plans_all_commits_since_the_newest_stored(project):
    """Without stored commits, --commits decides."""
    results = "--results", ".asv/results", "--bench", "track_size", "--new"
    (project / ".asv" / "results").mkdir()
    change(project, {"spam/a.py": ""}, "a")
    assert plan_of(project, *results, "--commits", "1").cases == 1
    windtunnel(project, "bench", "--no-site", "--bench", "track_size", "--commits", "1")
    assert plan_of(project, *results, "--commits", "1").cases == 0
    for name in "bcd":
        change(project, {f"spam/{name}.py": ""}, name)
    assert plan_of(project, *results, "--commits", "1").cases == 3


def test_a_lost_shard_is_planned_again_with_the_new_commits(project):
    """The merge records what no shard reached. Without new commits the plan has these cases alone."""
    results = "--results", ".asv/results", "--skip-existing", "--commits", "1"
    (project / ".asv" / "results").mkdir()
    whole = plan_of(project, *results, "--new", "--shards", "2", "--bench", "track_size", "--bench", "time_work")
    windtunnel(project, "ci", "run", "--plan", "plan.json", "--shard", 0, "--out", "shard-0")
    done = windtunnel(project, "merge", "shard-0", "--into", ".asv/results", "--plan", "plan.json")
    lost = sum(len(selection.cases) for task in whole.shards[1].tasks for selection in task.selections)
    assert done.returncode == 3
    assert f"no shard reached {lost} cases of the plan" in done.stderr
    again = plan_of(project, *results, "--new", "--bench", "track_size", "--bench", "time_work")
    assert cases_of(again.shards) == cases_of(whole.shards[1:])
    assert plan_of(project, *results, "--no-new", "--bench", "track_size").cases == 0


def test_an_older_commit_is_not_planned_where_the_installed_one_is_measured(project):
    """Environments of the type existing hold one commit, so an incomplete older one is left alone."""
    a_results_folder(project / ".asv" / "results", replace(a_shard(1), commit=git(project, "rev-parse", "HEAD")))
    plan_of(project, "--bench", "track_size")
    windtunnel(project, "merge", "nothing", "--into", ".asv/results", "--plan", "plan.json")
    change(project, {"spam/a.py": ""}, "a new commit")
    new = "--results", ".asv/results", "--skip-existing", "--new", "--bench", "track_size"
    assert len({commit for commit, *_ in cases_of(plan_of(project, *new).shards)}) == 2
    plan = plan_of(project, *new, "--python", f"existing:{sys.executable}")
    assert {commit for commit, *_ in cases_of(plan.shards)} == {git(project, "rev-parse", "HEAD")}


def test_no_new_leaves_new_commits_out(project):
    """They are named; the newest of the other commits are planned."""
    results = "--results", ".asv/results", "--bench", "track_size"
    windtunnel(project, "bench", "--no-site", "--bench", "track_size", "--commits", "1")
    measured = git(project, "rev-parse", "HEAD")
    change(project, {"spam/a.py": ""}, "a new commit")
    plan = plan_of(project, *results, "--no-new", "--commits", "1")
    assert {commit for commit, *_ in cases_of(plan.shards)} == {measured}
    assert [one.reason for one in plan.excluded if "a new commit" in one.item] == ["is new; a plan with --new has it"]


@pytest.mark.parametrize("option", ["--new", "--no-new"])
def test_new_needs_results(project, option):
    """Without results no commit is known to be stored."""
    done = windtunnel(project, "ci", "plan", "--out", "plan.json", option, code=2)
    assert "--new and --no-new need --results" in done.stderr


def test_before_the_first_results_the_newest_commit_is_planned(project):
    """A folder that no job has filled yet has no results."""
    plan = plan_of(project, "--results", "not-there", "--new", "--commits", "1", "--skip-existing")
    assert {commit for commit, *_ in cases_of(plan.shards)} == {git(project, "rev-parse", "HEAD")}


def test_more_shards_than_a_matrix_has_jobs_are_fewer_with_a_warning(project):
    """GitHub would refuse the matrix."""
    done = windtunnel(project, "ci", "plan", "--out", "plan.json", "--shards", "300", "--bench", "track_size", code=0)
    assert "--shards 300: a job matrix of GitHub has at most 256 jobs" in done.stderr


def test_an_irrelevant_range_is_excluded(project):
    """A change of documents is reported, and nothing is planned or built, also before the first discovery."""
    change(project, {"README.md": "spam"}, "a readme")
    shutil.rmtree(project / ".windtunnel")
    plan = plan_of(project, "--revisions", "HEAD~1..HEAD")
    assert plan.cases == 0
    assert not (project / ".windtunnel" / "discovered").exists()
    assert [
        excluded.item.endswith("(a readme)") for excluded in plan.excluded if excluded.item.startswith("commit")
    ] == [True]


def test_elsewhere_plans_absent_pythons(project):
    """--elsewhere plans for Pythons that only the runners have."""
    assert {task.python for task in plan_of(project, "--elsewhere").shards[0].tasks} == {HERE, "3.99"}
    assert plan_of(project).excluded[0].item == "Python 3.99"


def test_a_budget_keeps_the_newest_commits(project):
    """Cases above the budget are excluded and reported."""
    change(project, {"spam/more.py": ""}, "more")
    newest = cases_of(plan_of(project, "--commits", "1").shards)
    plan = plan_of(project, "--budget", "1")
    assert set(newest) <= set(cases_of(plan.shards))


def test_the_job_matrix_lists_the_pythons_of_each_job(project, tmp_path):
    """It is written to $GITHUB_OUTPUT."""
    output = tmp_path / "output"
    plan = plan_of(project, "--shards", "2", "--elsewhere", "--github-output", GITHUB_OUTPUT=str(output))
    lines = dict(line.split("=", 1) for line in output.read_text().splitlines())
    jobs = json.loads(lines["matrix"])["include"]
    assert [job["shard"] for job in jobs] == [shard.index for shard in plan.shards]
    assert set(" ".join(job["pythons"] for job in jobs).split()) == {HERE, "3.99"}
    assert (lines["shards"], lines["cases"]) == ("2", str(plan.cases))


@pytest.fixture(scope="module")
def whole_plan(prepared, tmp_path_factory):
    """The file of a plan that is valid in each copy of the project."""
    folder = a_copy(prepared, tmp_path_factory.mktemp("planned") / "project")
    plan_of(folder)
    return (folder / "plan.json").read_bytes()


@pytest.fixture
def planned(project, whole_plan):
    """A copy of the project with a plan."""
    (project / "plan.json").write_bytes(whole_plan)
    return project


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{", "is not a valid"),
        ('{"schema": "x"}', "this version reads"),
        ('{"schema": 99}', "has the schema 99"),
    ],
)
def test_an_unusable_plan_is_reported(project, content, said):
    """The message names the file and the fix."""
    if content is not None:
        (project / "plan.json").write_text(content)
    done = windtunnel(project, "ci", "run", "--plan", "plan.json", "--shard", "0", "--out", "shard", code=3)
    assert "plan.json" in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--shard", "7", "--out", "shard"), "--shard 7 is not one of them"),
        (("--shard", "0", "--out", "suite"), "suite"),
    ],
)
def test_a_missing_shard_and_a_folder_that_is_not_empty_are_usage_errors(planned, argv, said):
    """The message shows the number of shards; two runs must not be mixed."""
    assert said in windtunnel(planned, "ci", "run", "--plan", "plan.json", *argv, code=2).stderr


def test_a_folder_that_another_run_uses_is_refused(planned):
    """Two shards in one folder would be mixed."""
    (planned / "shard").mkdir()
    with held(planned / "shard"):
        done = windtunnel(planned, "ci", "run", "--plan", "plan.json", "--shard", "0", "--out", "shard")
    assert done.returncode == 3
    assert "another Windtunnel is writing into" in done.stderr
    assert {path.name for path in (planned / "shard").iterdir()} <= {".lock"}


@pytest.mark.parametrize("config", ["../outside.json", "/etc/passwd", "absent/asv.conf.json"])
def test_a_plan_cannot_name_a_file_outside_the_repository(planned, config):
    """The configuration of a plan must be in this repository."""
    content = json.loads((planned / "plan.json").read_text())
    (planned.parent / "outside.json").write_text("{}")
    (planned / "plan.json").write_text(json.dumps({**content, "config": config}))
    done = windtunnel(planned, "ci", "run", "--plan", "plan.json", "--shard", "0", "--out", "shard", code=2)
    assert "which the plan uses" in done.stderr
