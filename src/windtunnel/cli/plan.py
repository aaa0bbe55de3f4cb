"""``windtunnel ci plan``: splits what is to be measured into shards for a job matrix."""

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace

from msgspec import structs

from windtunnel import formats
from windtunnel.asv.configuration import EXISTING, FINDS_PYTHON, Configuration
from windtunnel.asv.pythons import environment_type
from windtunnel.bench.commit_selection import CommitFilter, PlanRequest, without_new
from windtunnel.bench.format import Plan
from windtunnel.bench.plan import NAME_A_PYTHON, own_python_warning
from windtunnel.bench.result_history import ResultHistory
from windtunnel.cli.console import Console
from windtunnel.cli.options import File, Folder, Name, PositiveInt
from windtunnel.cli.suite import Builds, SuiteOptions, find_builds, make_planner, open_context, place_of
from windtunnel.cli.workflow_run import write_github_output
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.model.run import ResultsTree
from windtunnel.model.settings import MAX_MATRIX_JOBS
from windtunnel.results.tree import read_records, read_tree
from windtunnel.text import numbers


class PlanOptions(SuiteOptions, frozen=True, kw_only=True):
    """Split commits x Pythons x benchmarks into shards of equal duration, estimated from earlier results.

    example:
      windtunnel ci plan --out plan.json --shards 4
      windtunnel ci plan --out plan.json --results results --new
      windtunnel ci plan --out plan.json --revisions v2.0..main --backfill 40 --results results --skip-existing
      windtunnel ci plan --out plan.json --elsewhere --github-output   # in a workflow, before the job matrix
    """

    out: File
    """Write the plan here."""
    selection: PlanRequest
    branch: Name | None = None
    """The branch whose commits are read (default: the first of 'branches' that exists, else the default branch)."""
    shards: PositiveInt | None = None
    """Make at most this many shards, up to 256 (default: as many as keep each within an hour)."""
    results: Folder | None = None
    """Earlier results, from which durations and existing results are read; a missing folder has none."""
    skip_existing: bool = False
    """Leave out what --results has."""
    new: bool | None = None
    """Measure all commits since the newest in --results and those that a run left incomplete, instead of --commits.

    With --no-new, leave these commits out: another plan has them.
    """
    builds: Builds = None
    """Discover the benchmarks with a build of windtunnel ci build in this folder instead of building."""
    save_build: Folder | None = None
    """Save the build that discovery makes in this folder, for windtunnel ci build --reuse."""
    elsewhere: bool = False
    """Plan also for Pythons that are not on this machine."""
    github_output: bool = False
    """Append matrix, builds (the builds that several shards need), shards and cases to the file $GITHUB_OUTPUT."""

    def __post_init__(self) -> None:
        """Refuse --new without results; raises UsageError."""
        super().__post_init__()
        if self.new is not None and not self.results:
            raise UsageError("--new and --no-new need --results, from which the newest measured commit is read")


def run(options: PlanOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the plan; with --github-output also the job matrix."""
    context = open_context(options, env, console)
    suite, repository = context.suite, context.repository
    results = options.results if options.results and options.results.is_dir() else None
    tree = read_tree(results) if results else ResultsTree()
    records, problems = read_records(results, lost=True) if results else ((), ())
    for problem in (*map(str, tree.problems), *problems):
        console.warn(problem)
    warn_of_own_python(options.selection, suite, console)
    known = ResultHistory.from_results(tree, records, "", retry=options.selection.retry)
    planner = make_planner(suite, repository, suite.folder / ".windtunnel" / "discovered", env, console)
    save = options.save_build and options.save_build.absolute()
    planner = replace(planner, place=place_of(suite, repository, find_builds(options.builds, console)), save=save)
    selection = structs.replace(
        options.selection, instructions=options.selection.instructions or suite.settings.ci.instructions
    )
    revisions = default_revisions(options.branch, suite, repository)
    request = plan_request(selection, suite, revisions)
    commits = CommitFilter(irrelevant=suite.settings.irrelevant_paths)
    stored = frozenset(run.commit for run in tree.runs)
    measures_installed = environment_type(request.python, suite.asv.environment_type) == EXISTING
    incomplete = frozenset() if measures_installed else known.incomplete
    if options.new:
        commits = replace(commits, stored=stored, incomplete=incomplete)
    elif options.new is False:
        commits = without_new(repository, commits, revisions, stored, incomplete)
    plan = planner.plan(
        request,
        commits,
        known if options.skip_existing else known.without_results(),
        shards=min(options.shards or suite.settings.ci.max_runners or 0, MAX_MATRIX_JOBS),
        elsewhere=options.elsewhere,
    )
    write_atomically(options.out.absolute(), formats.encode(plan))
    log_plan(plan, console)
    for shard in plan.shards:
        console.detail(f"shard {shard.index}: {shard.cases} cases, about {shard.seconds / 60:.1f} min")
    if (options.shards or 0) > MAX_MATRIX_JOBS:
        console.warn(f"--shards {options.shards}: a job matrix of GitHub has at most {MAX_MATRIX_JOBS} jobs")
    if options.github_output:
        kind = environment_type(options.selection.python, suite.asv.environment_type)
        outputs = {"matrix": matrix_of(plan, kind), "builds": build_matrix_of(plan, kind)}
        outputs |= {"shards": str(len(plan.shards)), "cases": str(plan.cases)}
        write_github_output(env, outputs)
    return ExitCode.FINE


def matrix_of(plan: Plan, kind: str) -> str:
    """Return the job matrix for GitHub: one job for each shard, with its Pythons and those to set up for it.

    *kind* is the type of the environments.
    """
    jobs = [
        {
            "shard": shard.index,
            "pythons": " ".join(pythons := dict.fromkeys(task.python for task in shard.tasks)),
            "versions": _versions(pythons, kind),
            "minutes": round(shard.seconds / 60, 1),
        }
        for shard in plan.shards
    ]
    return json.dumps({"include": jobs}, separators=(",", ":"))


def build_matrix_of(plan: Plan, kind: str) -> str:
    """Return the job matrix of the builds that several shards need; it may be empty."""
    jobs = [
        {
            "task": number,
            "commit": build.commit[:12],
            "python": build.python,
            "versions": _versions((build.python,), kind),
        }
        for number, build in enumerate(plan.builds)
    ]
    return json.dumps({"include": jobs}, separators=(",", ":"))


def _versions(pythons: Iterable[str], kind: str) -> str:
    """Return what actions/setup-python sets up; empty for environments that bring their own Python."""
    return "\n".join(pythons) if kind in FINDS_PYTHON else ""


def default_revisions(branch: str | None, suite: Configuration, repository: Repository) -> str:
    """Return what is measured without --revisions: the *branch* asked for, else HEAD; of a clone, the main branch."""
    if branch or repository.bare:
        return repository.measured_branch(branch, suite.branches).commit
    return "HEAD"


def warn_of_own_python(options: PlanRequest, suite: Configuration, console: Console) -> None:
    """Warn if the configuration makes Windtunnel measure its own Python."""
    if warning := own_python_warning(suite, options.python):
        console.warn(f"{warning}; {NAME_A_PYTHON}")


def refuse_uncountable(options: PlanRequest, env: Mapping[str, str]) -> None:
    """Raise UsageError if instructions are to be counted here without valgrind: skipped cases are not tried again."""
    if options.instructions and shutil.which("valgrind", path=env.get("PATH")) is None:
        raise UsageError(
            "--instructions counts with valgrind, which is missing: sudo apt-get install valgrind (Linux), or omit it"
        )


def plan_request(options: PlanRequest, suite: Configuration, revisions: str) -> PlanRequest:
    """Return what to plan: *options*, with the *revisions* and the settings of *suite* where they name none."""
    usual = () if options.asked else suite.settings.bench
    return structs.replace(options, revisions=options.revisions or revisions, bench=options.bench or usual)


def log_plan(plan: Plan, console: Console) -> None:
    """Report what is planned and what is left out."""
    by_reason: dict[str, list[str]] = {}
    for excluded in plan.excluded:
        by_reason.setdefault(excluded.reason, []).append(excluded.item)
    for reason, items in by_reason.items():
        first, *rest = items
        more = f" and {len(rest)} more" if rest else ""
        console.log(f"left out: {first}{more}: {reason}")
        for item in rest:
            console.detail(f"left out: {item}: {reason}")
    if not plan.shards:
        console.log("nothing new to measure")
        return
    tasks = [task for shard in plan.shards for task in shard.tasks]
    commits = len({task.commit for task in tasks})
    pythons = ", ".join(dict.fromkeys(task.python for task in tasks))
    console.log(
        f"{numbers.count(plan.cases, 'case')} to measure: {numbers.count(commits, 'commit')}, Python {pythons}; "
        f"about {plan.seconds / 60:.0f} min"
    )
