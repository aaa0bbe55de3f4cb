"""``windtunnel ci prepare`` on real repositories: what is measured, on how many runners, without building anything."""

import json
import shutil
import time
from dataclasses import replace

import pytest
from builders.commands import windtunnel
from builders.reached import a_kept_map
from builders.records import a_record, a_task
from builders.repositories import a_repository, git
from builders.results import a_results_folder
from builders.suites import change
from builders.trees import a_benchmark, a_row, a_run
from msgspec import structs

from windtunnel.formats import encode_pretty
from windtunnel.model.reach_map import KEPT_FORMAT, MappedCase
from windtunnel.results.record_files import map_file

SUITE = {
    "asv.conf.json": '{"repo": ".", "benchmark_dir": "tests/suite"}',
    "tests/suite/suite.py": "def time_it(): pass\n",
    "src/db/query.py": "",
    "src/text.py": "",
}
DEPENDS = """
[[tool.windtunnel.depends]]
match = "^db"
paths = ["src/db/"]
"""


@pytest.fixture
def project(tmp_path):
    """A project whose suite lies in a folder that counts as irrelevant; nothing can be built in it."""
    return change(a_repository(tmp_path / "project", "one"), SUITE, "a suite")


def prepare(project, *argv, **env):
    """Run the command on the last commit; return its outcome, the verdict and the outputs of the step."""
    output = project.parent / "output"
    output.write_text("")
    names = {"GITHUB_OUTPUT": str(output), "GITHUB_EVENT_NAME": "", "GITHUB_BASE_REF": ""} | env
    out = project.parent / "prepared"
    done = windtunnel(project, "ci", "prepare", "HEAD~1", "HEAD", "--out", out, "--github-output", *argv, **names)
    verdict = json.loads((out / "verdict.json").read_text()) if done.returncode == 0 else None
    return done, verdict, dict(line.split("=", 1) for line in output.read_text().splitlines())


def results(project, *names, duration=12.0, records=()):
    """Earlier results of the benchmarks *names*, each of which took *duration* seconds for one case."""
    folder = project.parent / "results"
    rows = [replace(a_row(a_benchmark(name)), duration=duration) for name in names]
    a_results_folder(folder, a_run(*rows))
    for number, record in enumerate(records):
        (folder / "records").mkdir(exist_ok=True)
        (folder / "records" / f"{number}.record").write_bytes(encode_pretty(record))
    return folder


@pytest.mark.parametrize("path", ["docs/index.md", "README.md", "tests/test_text.py", "CHANGES/12.misc.rst"])
def test_an_irrelevant_change_needs_no_measuring(project, path):
    """Documentation and tests are neither installed nor timed; the verdict states the reason."""
    change(project, {path: "changed"}, "only words")
    done, verdict, outputs = prepare(project)
    assert (outputs["measured"], outputs["parts"]) == ("no", "[]")
    assert (verdict["overall"], verdict["unmeasured"]) == ("nothing_measured", "irrelevant")
    assert "irrelevant-paths" in verdict["notes"][0]
    assert "1 changed file, 0 of them can matter" in done.stdout


@pytest.mark.parametrize(
    "path",
    ["src/text.py", "changes/text.py", "changelog/data.json", "tests/suite/suite.py", "asv.conf.json", "setup.py"],
)
def test_code_and_the_suite_need_measuring(project, path):
    """So does the folder of the suite in an irrelevant one, and a package that has the name of a folder of notes."""
    change(project, {path: '{"repo": ".", "benchmark_dir": "tests/suite", "project": "x"}'}, "code")
    _, verdict, outputs = prepare(project)
    assert outputs["measured"] == "here"
    assert verdict["unmeasured"] is None
    assert outputs["base"] == git(project, "rev-parse", "HEAD~1")
    assert (json.loads(outputs["parts"]), outputs["budget"]) == ([], "16")


def test_a_large_suite_is_measured_in_parts(project):
    """Each in a job of its own; the last job confirms."""
    folder = results(project, *(f"suite.time_{number}" for number in range(8)), duration=12.0)
    change(project, {"src/text.py": "changed"}, "code")
    _, _, outputs = prepare(project, "--results", folder)
    assert outputs["measured"] == "apart"
    parts = json.loads(outputs["parts"])
    assert [(one["part"], one["of"]) for one in parts] == [(number, len(parts)) for number in range(1, len(parts) + 1)]
    assert len(parts) > 1


def test_a_change_that_never_runs_needs_no_measuring(project):
    """Comments and docstrings: the verdict names the files at once, and a maintainer can ask for it all the same."""
    change(project, {"src/text.py": '"""Words."""\n\n\n# a thought\n'}, "only words")
    done, verdict, outputs = prepare(project)
    assert (outputs["measured"], outputs["parts"]) == ("no", "[]")
    assert verdict["reach"]["unreached"] == ["src/text.py"]
    assert "never runs" in done.stdout
    assert prepare(project, GITHUB_EVENT_NAME="workflow_dispatch")[2]["measured"] == "here"
    change(project, {"src/text.py": '"""Words."""\n\n\nx = 1  # a thought\n'}, "code")
    assert prepare(project)[2]["measured"] == "here"


def test_two_equal_trees_need_no_measuring(project):
    """A pull request may have no file at all."""
    git(project, "commit", "--quiet", "--allow-empty", "--message", "nothing")
    _, verdict, outputs = prepare(project)
    assert (outputs["measured"], verdict["notes"]) == ("no", ["No file differs."])


def test_a_maintainer_can_ask_for_an_irrelevant_change(project):
    """The request counts more than the paths."""
    change(project, {"README.md": "changed"}, "only words")
    assert prepare(project, GITHUB_EVENT_NAME="workflow_dispatch")[2]["measured"] == "here"


def test_the_settings_are_those_of_base(project):
    """A pull request cannot declare its own changes irrelevant."""
    change(project, {"pyproject.toml": '[tool.windtunnel]\nirrelevant-paths = ["src/", "pyproject.toml"]\n'}, "hide")
    change(project, {"src/text.py": "slow"}, "slower")
    assert prepare(project)[2]["measured"] == "no"
    git(project, "reset", "--soft", "HEAD~2")
    git(project, "commit", "--quiet", "--message", "both")
    assert prepare(project)[2]["measured"] == "here"


def test_the_table_of_workflows_is_that_of_base(project):
    """It limits the time and the runners, which a pull request cannot raise; an option counts before it."""
    table = "[tool.windtunnel.ci]\ndeadline = {}\nmax-runners = {}\n"
    change(project, {"pyproject.toml": table.format(30, 1)}, "limits")
    change(project, {"pyproject.toml": table.format(300, 99), "src/text.py": "slow"}, "more")
    folder = results(project, *(f"suite.time_{number}" for number in range(8)), duration=60.0)
    done, _, outputs = prepare(project, "--results", folder)
    assert "Deadline: 30 min" in done.stdout
    assert len(json.loads(outputs["parts"])) == 1
    assert "Deadline: 40 min" in prepare(project, "--deadline", "40")[0].stdout


@pytest.mark.parametrize("repo", ["file://{hub}", "{hub}"])
def test_a_pull_request_cannot_measure_another_repository(project, repo):
    """The workflows name the checkout; a clone of the author could have its own base and settings."""
    hub = project.parent / "hub.git"
    hidden = '[tool.windtunnel]\nirrelevant-paths = ["src/", "*.toml", "*.json"]\n'
    config = json.dumps({"repo": repo.format(hub=hub), "benchmark_dir": "tests/suite"})
    change(project, {"src/text.py": "slow", "pyproject.toml": hidden, "asv.conf.json": config}, "slower")
    git(project.parent, "clone", "--quiet", "--bare", project, hub)
    assert prepare(project)[2]["measured"] == "no"
    assert prepare(project, "--repo", ".")[2]["measured"] == "here"


@pytest.mark.parametrize(
    "rule", ["threshold = 9", "instructions-threshold = 9", '[[tool.windtunnel.expect]]\nmatch = ""\nbetter = "higher"']
)
def test_changed_rules_of_a_verdict_are_noted(project, rule):
    """Otherwise a regression would be an improvement, or too small, without a word."""
    change(project, {"pyproject.toml": f"[tool.windtunnel]\n{rule}\n", "src/text.py": "slow"}, "slower")
    assert "differ from those of base" in prepare(project)[1]["notes"][0]
    change(project, {"src/text.py": "slower"}, "the same rules")
    _, verdict, outputs = prepare(project)
    assert "differ" not in str(verdict["notes"])
    assert outputs["counts"] == ("yes" if "instructions" in rule else "no")


def test_a_pull_request_cannot_link_to_settings_of_its_own(project):
    """A link from the folder of the suite into a submodule leads out of both commits."""
    settings = '[tool.windtunnel]\nirrelevant-paths = ["docs/"]\n'
    change(project, {"suite/asv.conf.json": '{"repo": ".."}', "suite/pyproject.toml": settings}, "another suite")
    other = a_repository(project / "other", "one")
    hidden = '[tool.windtunnel]\nirrelevant-paths = ["src/", "suite", "suite/", "other"]\n'
    change(other, {"asv.conf.json": '{"repo": ".."}', "pyproject.toml": hidden}, "settings of the author")
    git(project, "rm", "--quiet", "-r", "suite")
    (project / "suite").symlink_to("other")
    change(project, {"src/text.py": "slow"}, "slower")
    arguments = ("--config", "suite/asv.conf.json", "--repo", ".")
    assert prepare(project, *arguments)[2]["measured"] == "here"


def test_settings_behind_a_symbolic_link_are_read(project):
    """Real suites link to the pyproject.toml of their project."""
    settings = '[tool.windtunnel]\nirrelevant-paths = ["src/"]\n'
    (project / "tests" / "pyproject.toml").symlink_to("../pyproject.toml")
    change(project, {"tests/asv.conf.json": '{"repo": ".."}', "pyproject.toml": settings}, "a link")
    change(project, {"src/text.py": "changed"}, "code")
    done, _, outputs = prepare(project, "--config", "tests/asv.conf.json")
    assert (outputs["measured"], done.stderr) == ("no", "")


def test_a_suite_that_is_not_part_of_the_pull_request_keeps_its_settings(project):
    """The checkout of another repository, which holds the suite, may lie inside that of the project."""
    other = a_repository(project / ".elsewhere", "one")
    settings = '[tool.windtunnel]\nirrelevant-paths = ["src/"]\n'
    change(other, {"asv.conf.json": '{"repo": ".."}', "pyproject.toml": settings}, "a suite")
    (project / ".git" / "info" / "exclude").write_text(".elsewhere/\n")
    change(project, {"src/text.py": "changed"}, "code")
    config = other / "asv.conf.json"
    assert prepare(project, "--config", config)[2]["measured"] == "no"
    assert prepare(project)[2]["measured"] == "here"


def test_broken_settings_of_base_leave_the_defaults(project):
    """The pull request that repairs them is measured, and a warning names the file."""
    change(project, {"pyproject.toml": "[tool.windtunnel]\nirrelevant = 3\n"}, "broken")
    change(project, {"pyproject.toml": ""}, "repaired")
    done, _, outputs = prepare(project)
    assert outputs["measured"] == "here"
    assert "pyproject.toml at" in done.stderr


def test_earlier_durations_decide_the_number_of_runners(project):
    """50 benchmarks of 12 s a process: 210 min of work; the deadline of an hour needs five runners."""
    folder = results(project, *(f"suite.time_{number:02}" for number in range(50)))
    change(project, {"src/text.py": "changed"}, "code")
    done, verdict, outputs = prepare(project, "--results", folder, "--deadline", "60", "--max-runners", "9")
    assert len(json.loads(outputs["parts"])) == 6
    assert "about 210 min" in done.stdout
    assert verdict["notes"] == []
    done, verdict, outputs = prepare(project, "--results", folder, "--deadline", "20", "--max-runners", "3")
    assert len(json.loads(outputs["parts"])) == 3
    assert "The deadline of 20 min holds about" in verdict["notes"][0]


def test_recorded_builds_leave_less_time_for_measuring(project):
    """Two builds of 4 min take 8 min of the deadline."""
    task = structs.replace(a_task(), install_seconds=240.0)
    folder = results(project, "suite.time_it", records=[a_record(task)])
    change(project, {"src/text.py": "changed"}, "code")
    done, _, _ = prepare(project, "--results", folder)
    assert "starting 1 job and building take about 9 min" in done.stdout


def test_the_map_of_dependencies_leaves_cases_out(project):
    """With --changed-only, cases that no changed file can affect count neither as work nor as a reason to measure."""
    folder = results(project, "db.time_query", "text.time_split")
    change(
        project,
        {"pyproject.toml": f"{DEPENDS}[[tool.windtunnel.depends]]\nmatch = '^text'\npaths = ['src/text.py']"},
        "map",
    )
    change(project, {"src/text.py": "changed"}, "code")
    done, _, outputs = prepare(project, "--results", folder, "--changed-only")
    assert "Left out: 1 case" in done.stdout
    assert outputs["measured"] == "here"
    change(project, {"src/other.py": "changed"}, "more code")
    _, verdict, outputs = prepare(project, "--results", folder, "--changed-only")
    assert (outputs["measured"], verdict["unmeasured"]) == ("no", "irrelevant")
    assert "2 known cases" in verdict["notes"][0]
    assert prepare(project, "--results", folder)[2]["measured"] == "here"


def test_results_that_cannot_be_read_are_counted(project):
    """The command goes on with the others, or with the default."""
    folder = results(project, "suite.time_it")
    (folder / "desk" / "broken.json").write_text("{")
    change(project, {"src/text.py": "changed"}, "code")
    done, _, outputs = prepare(project, "--results", folder)
    assert outputs["measured"] == "here"
    assert "1 file or row of" in done.stderr
    done, _, outputs = prepare(project, "--results", project.parent / "absent")
    assert outputs["measured"] == "here"
    assert "does not exist, so no earlier durations" in done.stderr


def test_a_person_at_a_desk_gets_the_decision_in_words(project):
    """The default base is where HEAD left the main branch."""
    git(project, "checkout", "--quiet", "-b", "topic")
    change(project, {"src/text.py": "changed"}, "code")
    done = windtunnel(
        project, "ci", "prepare", "--out", project.parent / "here", GITHUB_EVENT_NAME="", GITHUB_BASE_REF="", code=0
    )
    for words in (
        "1 of them can matter",
        "Work: unknown",
        "This job measures and confirms, at most 16 min.",
        "Cost: at most 20 runner-minutes",
    ):
        assert words in done.stdout
    assert windtunnel(project, "ci", "prepare", "--out", "x", "--github-output", GITHUB_OUTPUT="").returncode == 2


MAPPED = {"suite.time_it": {"src/text.py": ("used",)}, "suite.time_too": {"src/db/query.py": ("used",)}}
CODE = "def used(): return {used}\n\ndef unused(): return {unused}\n"


def a_map_of(project, commit="HEAD", **about):
    """Stored results with the map of a commit of *project*, by default its newest."""
    about = {"cases": MAPPED, "date": int(time.time()), **about}
    kept = a_kept_map(git(project, "rev-parse", commit), **about)
    path = map_file(project.parent / "results", kept)
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir(parents=True)
    path.write_bytes(KEPT_FORMAT.encode(kept))
    return project.parent / "results"


def the_map_in(folder):
    """The file of the one map in *folder*."""
    (path,) = (folder / "records").iterdir()
    return path


@pytest.fixture
def code(project):
    """The project with code that some cases run; each line is a commit's change."""
    return change(project, {"src/text.py": CODE.format(used=1, unused=1), "src/db/query.py": CODE}, "code")


def test_a_change_that_no_benchmark_runs_is_told_at_once(code):
    """By the map that the main branch left with the results: no job builds, and the verdict names files and map."""
    folder = a_map_of(code)
    change(code, {"src/text.py": CODE.format(used=1, unused=2)}, "unused")
    done, verdict, outputs = prepare(code, "--results", folder)
    assert (outputs["measured"], outputs["parts"]) == ("no", "[]")
    assert (verdict["overall"], verdict["unmeasured"]) == ("nothing_measured", "irrelevant")
    assert verdict["reach"]["unreached"] == ["src/text.py"]
    assert verdict["reach"]["map_commit"] == git(code, "rev-parse", "HEAD~1")
    assert f"None of 2 cases runs what differs, by the map of {verdict['base'][:10]}" in done.stdout
    assert prepare(code, "--results", folder, GITHUB_EVENT_NAME="workflow_dispatch")[2]["measured"] == "here"


def test_the_map_of_another_commit_counts_where_nothing_that_differs_runs(code):
    """The branch may have begun before, and the main branch gone on: what differs from the map counts too."""
    change(code, {"src/text.py": CODE.format(used=1, unused=3)}, "main goes on")
    folder = a_map_of(code)
    git(code, "reset", "--quiet", "--hard", "HEAD~1")
    change(code, {"src/text.py": CODE.format(used=1, unused=2)}, "unused")
    assert prepare(code, "--results", folder)[2]["measured"] == "no"
    git(code, "reset", "--quiet", "--hard", "HEAD~1")
    change(code, {"src/text.py": CODE.format(used=3, unused=1)}, "main goes on otherwise")
    folder = a_map_of(code)
    git(code, "reset", "--quiet", "--hard", "HEAD~1")
    change(code, {"src/text.py": CODE.format(used=1, unused=2)}, "unused")
    assert prepare(code, "--results", folder)[2]["measured"] == "here"


def add_map(folder, commit, **about):
    """Store one more map."""
    kept = a_kept_map(commit, **{"cases": MAPPED, "date": int(time.time()), **about})
    map_file(folder, kept).write_bytes(KEPT_FORMAT.encode(kept))


def test_of_several_maps_that_of_base_counts(code):
    """The main branch has gone on, with what cannot be attributed to a function."""
    base, folder = git(code, "rev-parse", "HEAD"), a_map_of(code)
    change(code, {"data.json": "{}"}, "main goes on")
    add_map(folder, git(code, "rev-parse", "HEAD"))
    git(code, "reset", "--quiet", "--hard", base)
    change(code, {"src/text.py": CODE.format(used=1, unused=2)}, "unused")
    _, verdict, outputs = prepare(code, "--results", folder)
    assert (outputs["measured"], verdict["reach"]["map_commit"]) == ("no", base)


def test_a_map_of_few_cases_hides_no_other(code):
    """Of base, only some cases were measured."""
    commit, folder = git(code, "rev-parse", "HEAD"), a_map_of(code)
    change(code, {"src/text.py": CODE.format(used=1, unused=2)}, "base")
    add_map(folder, git(code, "rev-parse", "HEAD"), cases={"suite.time_it": {}}, total=2)
    change(code, {"src/text.py": CODE.format(used=1, unused=3)}, "unused")
    _, verdict, outputs = prepare(code, "--results", folder)
    assert (outputs["measured"], verdict["reach"]["map_commit"]) == ("no", commit)


@pytest.mark.parametrize(
    ("files", "about"),
    [
        ({"src/text.py": CODE.format(used=2, unused=1)}, {}),
        ({"src/text.py": f"{CODE.format(used=1, unused=2)}X = 1\n"}, {"imports": {"src/text.py": ("<module>",)}}),
        ({"src/text.py": CODE.format(used=1, unused=2), "src/data.json": "{}"}, {}),
        ({"src/text.py": CODE.format(used=1, unused=2), "tests/suite/suite.py": "def time_new(): pass\n"}, {}),
        ({"src/text.py": CODE.format(used=1, unused=2)}, {"total": 3}),
        (
            {"src/text.py": CODE.format(used=1, unused=2)},
            {"cases": {"suite.time_it": MappedCase(module="suite", reason="x")}},
        ),
        ({"src/text.py": CODE.format(used=1, unused=2)}, {"date": 1}),
        ({"src/text.py": CODE.format(used=1, unused=2)}, {"python": "3.99", "--python": "3.13"}),
        ({"src/text.py": CODE.format(used=1, unused=2)}, {"commit": "HEAD^{tree}"}),
    ],
    ids=["run", "imported", "data", "suite", "part", "unseen", "old", "python", "unknown commit"],
)
def test_what_the_map_cannot_exclude_is_measured(code, files, about):
    """Code that runs or may run, other files, a case that is not or not wholly known, an old or foreign map."""
    python = ("--python", about.pop("--python")) if "--python" in about else ()
    folder = a_map_of(code, **about)
    change(code, files, "a change")
    done, _, outputs = prepare(code, "--results", folder, *python)
    assert outputs["measured"] == "here", done.stdout


def test_a_new_method_may_run(code):
    """The map cannot have it: it may take the place of another. A new function has no caller that does not differ."""
    used = CODE.format(used=1, unused=1)
    change(code, {"src/text.py": f"{used}\nclass A:\n    x = 1\n"}, "a class")
    folder = a_map_of(code, imports={"src/text.py": ("<module>",)})
    change(code, {"src/text.py": f"{used}\nclass A:\n    x = 1\n\ndef fresh(): pass\n"}, "a function")
    assert prepare(code, "--results", folder)[2]["measured"] == "no"
    git(code, "reset", "--quiet", "--hard", "HEAD~1")
    change(code, {"src/text.py": f"{used}\nclass A:\n    x = 1\n    def visit_x(self): pass\n"}, "a method")
    assert prepare(code, "--results", folder)[2]["measured"] == "here"


def test_a_broken_map_is_named_and_not_used(code):
    """The results branch is an input like any other."""
    folder = a_map_of(code)
    the_map_in(folder).write_bytes(b"{")
    change(code, {"src/text.py": CODE.format(used=1, unused=2)}, "unused")
    done, _, outputs = prepare(code, "--results", folder)
    assert outputs["measured"] == "here"
    assert "a reach map could not be read" in done.stderr


def test_only_cases_that_the_change_reaches_are_planned(code):
    """With one in twenty of the others; the jobs that measure get the map and the dates of the results."""
    names = [f"suite.time_{number}" for number in range(41)]
    cases = {name: {"src/text.py": ("used",)} if name == names[0] else {} for name in names}
    folder = results(code, *names, duration=60.0)
    a_map_of(code, cases=cases)
    change(code, {"src/text.py": CODE.format(used=2, unused=1)}, "slower")
    done, _, outputs = prepare(code, "--results", folder)
    assert "Left out: 38 cases that the change cannot affect." in done.stdout
    assert "Work: 3 cases" in done.stdout
    handed_on = code.parent / "prepared"
    assert the_map_in(handed_on).read_bytes() == the_map_in(folder).read_bytes()
    assert (handed_on / "benchmarks.json").read_bytes() == (folder / "benchmarks.json").read_bytes()
    assert outputs["measured"] in {"here", "apart"}
