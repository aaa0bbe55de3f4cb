"""``windtunnel ci build``: builds each commit once, for the jobs that measure it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from windtunnel import files
from windtunnel.asv import protocol
from windtunnel.asv.engine_session import Supervisor
from windtunnel.bench.format import PLAN_FORMAT, SharedBuild
from windtunnel.bench.shard_run import LOG
from windtunnel.cli.comparison_setup import find_environments
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Count, File, Folder
from windtunnel.cli.run import planned_config
from windtunnel.cli.suite import Builds, SuiteContext, SuiteOptions, find_builds, find_repository, find_suite, place_of
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.model.run_format import BuildRecord, error_line
from windtunnel.text.escaping import visible


class BuildOptions(SuiteOptions, frozen=True, kw_only=True):
    """Build commits in asv's environments, and save what asv's build cache then holds.

    OUT/ENVIRONMENT/COMMIT gets the files and a build.json. ``--builds OUT`` of run, compare, bisect and plan installs
    from them without building. A build that fails is saved as failed and does not stop the others.

    example:
      windtunnel ci build main HEAD --out builds                     two commits, for compare --builds builds
      windtunnel ci build --plan plan.json --out builds              what several shards of a plan need
      windtunnel ci build main --out builds --reuse cache            unless the folder cache has the build
    """

    commits: Annotated[tuple[str, ...], Arg(positional=True, metavar="COMMIT", many=True)] = ()
    """The commits to build."""
    plan: File | None = None
    """Build what several shards of this plan need, instead of commits."""
    task: Count | None = None
    """Of the plan, build only the task with this number, from 0."""
    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Build for this Python, such as 3.13 or virtualenv:3.13; may be repeated (default: the first one here)."""
    out: Folder
    """The folder to save the builds in."""
    reuse: Builds = None
    """Take a build from this folder when build command, Python and compiler are equal, instead of building."""

    def __post_init__(self) -> None:
        """Refuse anything but one source of commits; raises UsageError."""
        super().__post_init__()
        if bool(self.commits) == bool(self.plan):
            raise UsageError("name the commits to build, or a plan with --plan")
        if self.task is not None and not self.plan:
            raise UsageError("--task needs --plan, whose builds it numbers")


def run(options: BuildOptions, console: Console, env: Mapping[str, str]) -> int:
    """Build everything; exit code 3 when nothing could be built."""
    plan = files.read(options.plan, PLAN_FORMAT) if options.plan else None
    suite = find_suite(planned_config(options.config, plan, env) if plan else options.config, env)
    repository = find_repository(options, suite, env, console)
    context = SuiteContext(suite=suite, repository=repository, env=env, console=console)
    builds = _chosen(plan.builds, options.task, options.plan) if plan and options.plan else _requested(options, context)
    if not builds:
        console.log(f"{options.plan} has no build that several shards need")
        return ExitCode.FINE
    out = options.out.absolute()
    supervisor = Supervisor(env=env, log=out / LOG)
    place = place_of(suite, repository, find_builds(options.reuse, console))
    usable = False
    with context.work_dir.alone():
        for build in builds:
            where = replace(place, pythons=(build.python,), environment=build.environment)
            request = protocol.BuildCommit(place=where, commit=build.commit, out=str(out))
            console.log(f"{build.commit[:12]} in {build.environment}")
            usable |= _build(request, supervisor, console)
    if not usable:
        console.warn(f"nothing could be built; the reasons are above and in {supervisor.log}")
    return ExitCode.FINE if usable else ExitCode.DATA


def _chosen(builds: Sequence[SharedBuild], task: int | None, path: Path) -> Sequence[SharedBuild]:
    """Return the build with the number *task*, or all; raises UsageError."""
    if task is None:
        return builds
    if task >= len(builds):
        raise UsageError(f"{path} has {len(builds)} builds, numbered from 0; --task {task} is not one of them")
    return builds[task : task + 1]


def _requested(options: BuildOptions, context: SuiteContext) -> Sequence[SharedBuild]:
    """Return each commit in each environment that a comparison would use; raises UsageError."""
    commits = dict.fromkeys(context.repository.resolve(name) for name in options.commits)
    return [
        SharedBuild(commit=commit, python=one.python, environment=one.environment)
        for one in find_environments(context, options.python)[0]
        for commit in commits
    ]


def _build(request: protocol.BuildCommit, supervisor: Supervisor, console: Console) -> bool:
    """Build one commit and report how it went; return whether other jobs can go on."""
    try:
        for event in supervisor.ask(request, "  nothing is built"):
            match event:
                case protocol.BuildRefused():
                    console.warn(visible(f"its earlier build is not used: {event.reason}", 400))
                case protocol.BuildSaved():
                    console.log(visible(f"  {_outcome(event.record, reused=event.reused)}", 400))
                    return event.record.state != "failed"
                case protocol.Working():
                    console.log(visible(f"  {event.text}", 400))
                case _:
                    pass
    except DataError as error:
        console.warn(visible(str(error), 400))
    return False


def _outcome(record: BuildRecord, *, reused: bool) -> str:
    """Return in one line how a build ended."""
    size = sum(file.size for file in record.files) / 1e6
    match record.state:
        case "failed":
            return f"failed after {record.seconds:.0f} s: {error_line(record.failure)}"
        case "not cacheable":
            return "the suite installs from source, so each job builds on its own"
        case "built" if reused:
            return f"taken from an earlier build, which took {record.seconds:.0f} s ({size:.1f} MB)"
        case _:
            return f"built in {record.seconds:.0f} s ({size:.1f} MB)"
