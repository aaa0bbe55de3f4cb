"""``windtunnel compare``: measures two commits and decides whether head is slower than base."""

import dataclasses
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from msgspec.structs import replace

from windtunnel import files
from windtunnel.asv.configuration import Configuration
from windtunnel.cli import comparison_setup
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, File, Folder, Minutes, PositiveInt
from windtunnel.cli.progress import ComparisonProgress
from windtunnel.cli.suite import AS_COMMITTED, Builds, SuiteContext, SuiteOptions, open_context
from windtunnel.cli.workflow_run import append_summary, latest_attempts
from windtunnel.compare import summary
from windtunnel.compare.changed_code import ChangedCode
from windtunnel.compare.decide import decide
from windtunnel.compare.format import VERDICT_FORMAT, ComparisonReport, Reach, ReportContext, SelfCheck
from windtunnel.compare.kinds import BROKEN, decide_kind
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.compare.report_text import render_annotations, render_terminal
from windtunnel.compare.request import WHOLE, CompareRequest, CompareSettings
from windtunnel.compare.runners import merge_shards
from windtunnel.compare.samples_format import Rules
from windtunnel.compare.schedule import find_suspects
from windtunnel.compare.session import COUNTING_INTERRUPTED, ENGINE_FAILED, INTERRUPTED, NO_CASE_MATCHES, compare
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.model.settings import MAX_MATRIX_JOBS

MAX_SLOWDOWN_PERCENT = 100
WORK_TREE = "The work tree, with its uncommitted changes, is compared with the last commit."
SOURCES = (".py", ".pyx", ".pxd", ".c", ".h", ".cc", ".cpp", ".rs", ".toml")
"""How files end that may be a part of the project."""
SHARD = re.compile(r"([0-9]{1,4})/([0-9]{1,4})(?::([0-9]{1,4}))?")
DEFAULT_BUDGET = 10
"""Minutes of measuring at a desk."""


def parse_shard(text: str) -> tuple[int, int, int]:
    """Return which shard of how many *text* means, and by which division; raises ValueError."""
    found = SHARD.fullmatch(text)
    which, of, division = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
    if not 1 <= which <= of <= MAX_MATRIX_JOBS:
        raise ValueError(
            "must be a part K/N, such as 2/4 for the second of four, or K/N:D with the number of a division"
        )
    return which, of, division


def parse_percent(text: str) -> float:
    """Return the share that *text* means, such as 0.05 for ``5%``; raises ValueError."""
    try:
        percent = float(text.strip().removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= MAX_SLOWDOWN_PERCENT:
        raise ValueError(f"must be a percentage from 0% to {MAX_SLOWDOWN_PERCENT}%, such as 5%")
    return percent / 100


class CompareOptions(SuiteOptions, frozen=True, kw_only=True):
    """Measure two commits, process by process in turn, and decide what became slower or faster.

    Writes verdict.json and prints a report. After Ctrl-C the report covers what is measured by then. Results that are
    stored already: use asv compare.

    example:
      windtunnel compare                                        uncommitted changes against the last commit, or
                                                                HEAD against where it left the main branch
      windtunnel compare v1.2 HEAD --bench sqlite --budget 10     two commits, some cases, ten minutes
      windtunnel compare -k 'parse and not slow'                  some pytest benchmarks
      windtunnel compare main HEAD --shard 1/4 --no-confirm       a quarter of the cases, without confirmation
      windtunnel compare main HEAD --results results              with the map that the main branch left there
      windtunnel compare --base-python base/bin/python --head-python head/bin/python
      windtunnel compare --only verdict.json --out verdict.json   measure the suspects again
      windtunnel compare --self-check HEAD --slowdown 5%          how many slowdowns of 5 % are found
      windtunnel compare --shards shard-*/verdict.json --out verdict.json
      windtunnel compare --format github                          in a step of a workflow on pull_request
    """

    base: Annotated[str, Arg(positional=True)] = ""
    """The commit to compare with (default: HEAD if there are uncommitted changes of the project, which are then
    compared; else where HEAD left $GITHUB_BASE_REF, else the main branch)."""
    head: Annotated[str, Arg(positional=True)] = ""
    """The commit to decide about (default: HEAD)."""
    shards: Annotated[tuple[Path, ...], Arg(metavar="FILE", many=True)] = ()
    """Merge the verdicts of the shards of one comparison; of 1.attempt-1 and 1.attempt-2 only the latter."""
    only: File | None = None
    """Measure only the suspects of this verdict.json again."""
    prepared: File | None = None
    """Add the notes of this verdict.json, which windtunnel ci prepare wrote."""
    format: Literal["terminal", "github"] = "terminal"
    """github also annotates the step of a workflow, and appends the report to the summary of its job."""
    out: File = Path("verdict.json")
    """Write the verdict here."""
    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Measure on this Python, such as 3.13 or virtualenv:3.13; may be repeated (default: the first one here)."""
    builds: Builds = None
    """Install from the builds of windtunnel ci build in this folder; a commit without one is built."""
    results: Folder | None = None
    """Stored results, whose map says what cases run, and whose dates which of them to measure if the time does not
    suffice for all (default: results_dir)."""
    budget: Minutes | None = None
    """Stop measuring after this many minutes; building does not count (default: 10, and no limit with --rounds,
    --shard, --only, --no-confirm or --self-check)."""
    settings: CompareSettings
    self_check: bool = False
    """Compare the commit BASE (default: HEAD) with itself, so that each alarm is false."""
    slowdown: Annotated[float, Arg(metavar="PERCENT", parse=parse_percent, default="0")] = 0.0
    """With --self-check, let everything timed take so much longer in the processes of head, such as 5%."""
    base_python: Annotated[Path | None, Arg(metavar="PATH")] = None
    """The Python of an environment that has base installed; with --head-python, nothing is built."""
    head_python: Annotated[Path | None, Arg(metavar="PATH")] = None
    """The Python of an environment that has head installed."""
    seed: int | None = None
    """The seed of the random order (default: a random seed, which the report shows)."""
    rounds: PositiveInt | None = None
    """Run at most this many rounds for each case and stage (default: 24, suspects 30, small thresholds more; up to 270
    as long as a time limit leaves time)."""
    shard: Annotated[tuple[int, int, int], Arg(metavar="K/N[:D]", parse=parse_shard, default="1/1")] = WHOLE
    """Measure only part K of N; --shards merges the parts. D is the division that ci prepare found balanced."""
    no_gate: bool = False
    """Exit with code 0 even if a benchmark regressed or newly fails."""

    def __post_init__(self) -> None:
        """Refuse more than one source of values; raises UsageError."""
        super().__post_init__()
        if self.shards and self.only:
            raise UsageError("--shards and --only exclude each other")
        if self.slowdown and not self.self_check:
            raise UsageError("--slowdown needs --self-check")
        if self.self_check and (self.head or self.shards or self.only or self.interpreters):
            raise UsageError("--self-check measures one commit; name no other one and no verdict or Python")
        if bool(self.base_python) != bool(self.head_python):
            raise UsageError("--base-python and --head-python belong together; name both")
        if self.interpreters and (self.python or self.builds):
            raise UsageError(
                "--python and --builds are for environments to make, and --base-python names one; omit one"
            )

    @property
    def interpreters(self) -> tuple[Path, ...]:
        """The Pythons of base and head that the caller prepared; empty if there are none."""
        return tuple(path.absolute() for path in (self.base_python, self.head_python) if path)

    @property
    def seconds(self) -> float | None:
        """The time limit of measuring; None for no limit."""
        if self.budget:
            return self.budget * 60.0
        limited = self.rounds or self.only or self.self_check or self.settings.no_confirm or self.shard != WHOLE
        return None if limited else DEFAULT_BUDGET * 60.0

    @property
    def rules(self) -> Rules:
        """How verdicts are decided: where one machine has a time limit, it may use all of it."""
        if self.rounds:
            return Rules().until(self.rounds)
        whole = self.shard == WHOLE and not self.settings.no_confirm  # a part is merged with parts of other machines
        return Rules().timed() if whole and self.seconds is not None else Rules()


def run(options: CompareOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the verdict and print its report; exit code 1 if head is slower or fails, 3 if nothing was compared."""
    report = _report(options, console, env)
    write_atomically(options.out, VERDICT_FORMAT.encode(report))
    console.print(render_terminal(report))
    if options.format == "github":
        console.print(render_annotations(report))
        append_summary(env, render_markdown(report))
    for line in summary.explain_cost(report):
        console.detail(line)
    if {INTERRUPTED, COUNTING_INTERRUPTED} & {*report.notes}:
        return ExitCode.INTERRUPTED
    if NO_CASE_MATCHES in report.notes and not options.shards:
        asked = options.settings.asked
        raise UsageError(f"no benchmark matches {asked}; windtunnel ci plan lists asv's names with --bench .")
    if report.unmeasured or report.is_irrelevant:
        return ExitCode.FINE
    none_slowed = report.self_check is not None and bool(report.skipped) and not report.failed
    if report.overall == "nothing_measured" and not none_slowed and not _is_empty_shard(options, report):
        why = "no part measured anything" if report.is_empty else "the reasons are above"
        console.err.write(f"windtunnel compare: nothing could be compared; {why}\n")
        return ExitCode.DATA
    if ENGINE_FAILED in report.notes:
        console.err.write("windtunnel compare: measuring stopped early; the reason is above\n")
        return ExitCode.DATA
    broken = decide_kind(report) in BROKEN and not (options.no_gate or report.self_check)
    return ExitCode.REGRESSED if broken else ExitCode.FINE


def _is_empty_shard(options: CompareOptions, report: ComparisonReport) -> bool:
    """Return whether there are more shards than cases, so that this one has nothing to do."""
    parts = options.shard[1]
    return parts > 1 and report.coverage.planned == 0 and not report.failed


def _report(options: CompareOptions, console: Console, env: Mapping[str, str]) -> ComparisonReport:
    if options.shards:
        return merge_shards([files.read(path, VERDICT_FORMAT) for path in latest_attempts(options.shards)])
    measured = _measure(options, console, env)
    if not options.prepared:
        return measured
    return merge_shards([replace(files.read(options.prepared, VERDICT_FORMAT), rules=measured.rules), measured])


def _measure(options: CompareOptions, console: Console, env: Mapping[str, str]) -> ComparisonReport:
    """Measure what the options ask for; a confirmation is merged with its screening."""
    context = open_context(options, env, console, as_committed=False)
    suite, repository = context.suite, context.repository
    options, notes = _with_work_tree(options, context)
    screened = files.read(options.only, VERDICT_FORMAT) if options.only else None
    request = request_of(options, repository, screened, env.get("GITHUB_BASE_REF", ""), suite.branches)
    request = dataclasses.replace(request, notes=notes)
    console.log(f"base {request.base[:12]}, head {request.head[:12]}, random order with seed {request.seed}")
    if screened and not request.only and not request.only_aa:
        console.log(f"{options.only} has no suspects: nothing to measure")
        return screened
    paths: tuple[str, ...] = ()
    if not (options.settings.all or screened or options.self_check or options.interpreters):
        code, paths = comparison_setup.find_code(suite, repository, (request.base, request.head), console)
        results = options.results or suite.results_dir
        commits = request.base, request.head
        kept = comparison_setup.read_kept(suite, repository, results, commits, console) if code else {}
        request = dataclasses.replace(request, code=code, kept=kept, seen=comparison_setup.read_seen(results))
    if options.settings.changed_only:
        request = dataclasses.replace(request, changed=_changed(suite, repository, request, console))
    with context.work_dir.alone(), ComparisonProgress(console=console) as progress:
        setup = dataclasses.replace(
            comparison_setup.comparison_setup(context, options.python, options.builds, progress, options.interpreters),
            find_code=lambda each: comparison_setup.find_kept_code(suite, repository, (request.head, each), console),
            find_touched=lambda: comparison_setup.find_touched(repository, request.base, request.head, console),
        )
        if request.code == ChangedCode():  # nothing that runs differs
            return decide(
                ReportContext(
                    base=request.base,
                    head=request.head,
                    unmeasured="irrelevant",
                    reach=Reach(unreached=paths),
                    notes=notes,
                ),
                (),
            )
        found = compare(request, setup)
    return merge_shards([screened, found]) if screened else found


def _with_work_tree(options: CompareOptions, context: SuiteContext) -> tuple[CompareOptions, tuple[str, ...]]:
    """Return *options* with HEAD and the work tree as commits, and a note, if none is given and the project differs.

    The suite is always that of the work tree, so changes of it alone make no other commit.
    """
    repository, console = context.repository, context.console
    if not repository.is_dirty():
        return options, ()
    given = options.base or options.head or options.only or options.self_check or options.interpreters
    head = repository.resolve("HEAD")
    commit = head if given or context.env.get("GITHUB_BASE_REF") else repository.commit_work_tree()
    changed = comparison_setup.find_changed_files(context.suite, repository, head, commit)
    if not set(changed.paths) - changed.of_suite:
        console.warn(AS_COMMITTED)
        return options, ()
    console.log(WORK_TREE)
    sources = [path for path in repository.untracked() if path.endswith(SOURCES)]
    if sources:
        more = f" and {len(sources) - 3} more" if len(sources) > 3 else ""
        console.warn(f"untracked files are not in it: {', '.join(sources[:3])}{more}; to include them: git add")
    return replace(options, base=head, head=commit), (WORK_TREE,)


def _changed(
    suite: Configuration, repository: Repository, request: CompareRequest, console: Console
) -> tuple[str, ...] | None:
    """Return the files that decide which cases are measured, None if all cases are."""
    changed = comparison_setup.find_changed_files(suite, repository, request.base, request.head)
    if changed.suite:
        console.log("the suite or its settings changed, so all cases are measured")
        return None
    return changed.paths


def request_of(
    options: CompareOptions,
    repository: Repository,
    screened: ComparisonReport | None,
    target: str = "",
    configured: Sequence[str] = (),
) -> CompareRequest:
    """Return the request; *screened* is the verdict whose suspects are confirmed, if any.

    *target* is the branch that a pull request will be merged into, "" outside GitHub Actions; *configured* are the
    branches of the configuration.
    """
    check = screened.self_check if screened else SelfCheck(slowdown=options.slowdown) if options.self_check else None
    head = repository.resolve(
        screened.head if screened else options.head or options.self_check * options.base or "HEAD"
    )
    given = screened.base if screened else head if options.self_check else options.base
    base = comparison_setup.find_base(repository, given, head, target, configured)
    if base == head and not options.interpreters and not check:  # of prepared environments, commits are only labels
        raise UsageError(f"base and head are both {base[:12]}; name two commits: windtunnel compare BASE HEAD")
    return CompareRequest(
        base=base,
        head=head,
        options=options.settings,
        shard=options.shard,
        only=find_suspects([one.samples() for one in screened.comparisons], screened.rules) if screened else None,
        only_aa=screened.aa.suspects if screened else (),
        self_check=check,
        rules=screened.rules if screened else options.rules,
        seconds=options.seconds,
        seed=random.SystemRandom().randrange(2**31) if options.seed is None else options.seed,
    )
