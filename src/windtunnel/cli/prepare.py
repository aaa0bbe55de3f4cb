"""``windtunnel ci prepare``: decides whether a pull request needs measuring, on how many runners, and for how long."""

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from time import time
from typing import Annotated

from windtunnel import formats
from windtunnel.asv.configuration import Configuration
from windtunnel.bench.result_history import ResultHistory
from windtunnel.cli.comparison_setup import find_base, find_changed_files, find_code, read_kept
from windtunnel.cli.console import Console
from windtunnel.cli.options import Arg, Folder, Minutes, PositiveInt
from windtunnel.cli.suite import SuiteOptions, open_context
from windtunnel.cli.workflow_run import write_github_output
from windtunnel.compare import runners
from windtunnel.compare.case_matching import with_own_threshold
from windtunnel.compare.changed_code import ChangedCode
from windtunnel.compare.decide import decide
from windtunnel.compare.format import RULES_CHANGED, VERDICT_FORMAT, Reach, ReportContext
from windtunnel.compare.reach import GUARD_SHARE, known_cases
from windtunnel.compare.samples_format import SMALL_THRESHOLD
from windtunnel.errors import ConfigurationError, ExitCode
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.model.benchmark import Benchmark, CaseIdentity, Selected, select
from windtunnel.model.identity import CommitHash
from windtunnel.model.reach_map import KeptMap, ReachMap
from windtunnel.model.settings import Expectation, Settings, case_expectation, find_unaffected, parse_settings
from windtunnel.results.record_files import MAPS, record_paths
from windtunnel.results.tree import BENCHMARKS, read_records, read_tree
from windtunnel.text import numbers
from windtunnel.text.escaping import visible

MAX_RUNS = 30
"""The newest results whose durations count; older ones are of other code and other machines."""

NOTHING_RUNS = "What differs in these files never runs: comments, docstrings, layout, or what only tools read."

NONE_RUNS = "None of {} runs what differs, by the map of {}, which is stored with the results."

MAX_MAP_DAYS = 30
"""A map of an older commit was made with other packages, and no job compares them where nothing is built."""

ASKED = "workflow_dispatch"
"""The event by which a maintainer asks for the comparison: irrelevant paths do not stop it."""


class PrepareOptions(SuiteOptions, frozen=True, kw_only=True):
    """Decide what a comparison of two commits measures, on how many runners, and for how long, without building.

    Nothing is measured if no changed file can affect a benchmark, or if by a stored map no benchmark runs what differs.
    The settings of the base commit apply.

    example:
      windtunnel ci prepare --out prepared                            # what a comparison of HEAD would measure
      windtunnel ci prepare main HEAD --out prepared --results results --deadline 20 --max-runners 4
      windtunnel ci prepare --out prepared --results results --changed-only --github-output   # in a workflow
    """

    base: Annotated[str, Arg(positional=True)] = ""
    """The commit to compare with (default: where HEAD left $GITHUB_BASE_REF, else the main branch)."""
    head: Annotated[str, Arg(positional=True)] = ""
    """The commit to decide about (default: HEAD)."""
    out: Folder
    """Write verdict.json here: notes, and why nothing is measured. compare --shards merges it with the parts. What
    compare --results reads stands beside it."""
    deadline: Minutes | None = None
    """Reach the verdict within this many minutes of the workflow's start (default: as in [tool.windtunnel.ci])."""
    max_runners: PositiveInt | None = None
    """Measure on at most this many runners at the same time, up to 256 (default: as many as there, else 4)."""
    results: Folder | None = None
    """Earlier results, from which cases, durations and the map of what cases run are read."""
    python: Annotated[tuple[str, ...], Arg(metavar="SPEC")] = ()
    """Compare on this Python; may be repeated (default: the first configured one)."""
    bench: Annotated[tuple[str, ...], Arg(metavar="REGEX")] = ()
    """Compare only the cases that match; may be repeated."""
    changed_only: bool = False
    """Leave out the cases that no changed file can affect, by [[tool.windtunnel.depends]]."""
    github_output: bool = False
    """Append base, head, measured, parts, budget, counts and changed-only to the file $GITHUB_OUTPUT.

    measured is no; here, if this job measures and confirms; or apart, if a job for each of the parts does, and one more
    confirms. The budget is that of the job that confirms.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a comparison measures."""

    base: CommitHash
    head: CommitHash
    sentences: tuple[str, ...]
    """The decision in words."""
    notes: tuple[str, ...]
    """What the report on the comparison states too."""
    plan: runners.RunnerPlan | None
    """None if no changed file can affect a case."""
    paths: tuple[str, ...] = ()
    """The changed files, if no case runs what differs in them."""
    map_commit: str = ""
    """The commit whose stored map says so; empty if nothing that runs differs."""
    counts: bool = False
    """Whether the jobs that screen count instructions, because they can fail the check."""
    by_map: bool = False
    """Whether cases that no changed file can affect are left out."""

    def outputs(self) -> Mapping[str, str]:
        """Return the outputs of the workflow step."""
        parts = self.plan.parts if self.plan else ()
        return {
            "base": self.base,
            "head": self.head,
            "measured": "no" if not self.plan else "apart" if parts else "here",
            "parts": formats.encode(parts).decode(),
            "budget": str(self.plan.confirmation if self.plan else 0),
            "counts": "yes" if self.counts else "no",
            "changed-only": "yes" if self.by_map else "",
        }


def run(options: PrepareOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write verdict.json, print the decision, and set the outputs of the workflow step; exit code 0."""
    prepared = _prepare(options, console, env)
    context = ReportContext(
        base=prepared.base,
        head=prepared.head,
        unmeasured=None if prepared.plan else "irrelevant",
        reach=Reach(unreached=prepared.paths, map_commit=prepared.map_commit) if prepared.paths else None,
        notes=prepared.notes,
    )
    write_atomically(options.out / "verdict.json", VERDICT_FORMAT.encode(decide(context, ())))
    if options.results and prepared.plan:
        for path in (options.results / BENCHMARKS, *record_paths(options.results, MAPS)):
            if path.is_file():
                write_atomically(options.out / path.relative_to(options.results), path.read_bytes())
    for line in (*prepared.sentences, *(f"Note: {note}" for note in prepared.notes)):
        console.print(f"{visible(line, 1000)}\n")
    if options.github_output:
        write_github_output(env, prepared.outputs())
    return ExitCode.FINE


def _prepare(options: PrepareOptions, console: Console, env: Mapping[str, str]) -> Prepared:
    context = open_context(options, env, console)
    suite, repository = context.suite, context.repository
    head = repository.resolve(options.head or "HEAD")
    base = find_base(repository, options.base, head, env.get("GITHUB_BASE_REF", ""), suite.branches)
    settings = _read_settings(suite, repository, (base, head), console)
    changed = find_changed_files(suite, repository, base, head)
    relevant = changed.relevant(settings.irrelevant_paths)
    asked = env.get("GITHUB_EVENT_NAME", "") == ASKED
    files_changed = f"{numbers.count(len(changed.paths), 'changed file')}, {len(relevant)} of them can matter"
    opening = f"{base[:10]} against {head[:10]}: {files_changed}."
    nothing = Prepared(base=base, head=head, sentences=(opening, runners.NOTHING), notes=(), plan=None)
    if not relevant and not asked:
        note = "No file differs."
        if changed.paths:
            note = "All changed files are among the paths that no measurement depends on (irrelevant-paths)."
        return replace(nothing, notes=(note,))
    ruled = replace(suite, settings=settings)
    code, _ = find_code(ruled, repository, (base, head), console)
    if code == ChangedCode() and not asked:
        return replace(nothing, notes=(NOTHING_RUNS,), paths=relevant)
    benchmarks, history = _read_history(options.results, console)
    selected = tuple(select(benchmarks, options.bench))
    names = frozenset(case.name for _, selection in selected for case in selection.cases)
    wanted = options.changed_only or settings.ci.changed_only
    by_map = wanted and not changed.suite
    unaffected = {*find_unaffected(names, changed.paths, settings.depends)} if by_map else set()
    if names and names <= unaffected:
        note = f"No changed file can affect any of the {numbers.count(len(names), 'known case')} (--changed-only)."
        return replace(nothing, notes=(note,))
    left_out, commit = frozenset[str](), ""
    if options.results and code and not asked:
        maps = read_kept(ruled, repository, options.results, (base, head), console)
        chosen = _choose_maps(maps, options.python or suite.asv.pythons[:1], history.environments)
        left_out, commit = _unreached(chosen, code, settings)
    suites = (changed, find_changed_files(suite, repository, commit, head)) if commit else ()
    if suites and not any(each.suite for each in suites):
        note = NONE_RUNS.format(numbers.count(len(left_out), "case"), commit[:10])
        paths = tuple(code.functions if code else ()) or relevant
        return replace(nothing, notes=(note,), paths=paths, map_commit=commit)
    control = sorted(left_out)[:: round(1 / GUARD_SHARE)]
    unaffected = {*unaffected, *names.intersection(left_out).difference(control)}
    costs = tuple(_costs(selected, history, unaffected, max(1, len(options.python)), suite.settings.expectations))
    deadline, most = options.deadline or settings.ci.deadline, options.max_runners or settings.ci.max_runners
    plan = runners.plan_runners(costs, deadline, most or runners.DEFAULT_MAX_RUNNERS, history.build_minutes)
    sentences = (opening, *runners.describe_plan(plan, costs, len(unaffected), deadline))
    rules = (RULES_CHANGED,) if settings.expectations != suite.settings.expectations else ()
    counts = any(one.instructions_threshold for one in suite.settings.expectations)
    return replace(nothing, sentences=sentences, notes=(*rules, *plan.notes), plan=plan, counts=counts, by_map=by_map)


def _choose_maps(
    maps: Mapping[str, tuple[KeptMap, ReachMap]], pythons: Sequence[str], environments: int
) -> list[tuple[KeptMap, ReachMap]]:
    """Return the recent ones of *maps* for *pythons*, any without them; none unless all *environments* have one."""
    names = {each.rpartition(":")[2] for each in pythons}
    oldest = time() - MAX_MAP_DAYS * 86_400
    found = [each for each in maps.values() if each[0].date > oldest and (not names or each[0].python in names)]
    return found if len(found) >= environments * max(1, len(names)) else []


def _unreached(
    chosen: Sequence[tuple[KeptMap, ReachMap]], code: ChangedCode, settings: Settings
) -> tuple[frozenset[str], str]:
    """Return the cases that by all maps *chosen* run nothing of *code*, and a commit of these if they are all cases."""
    found = [frozenset(known_cases(holds, code, settings.depends).cases) for _, holds in chosen]
    left_out = frozenset.intersection(*found) if found else frozenset()
    whole = all(len(kept.cases) >= kept.total > 0 and left_out >= kept.cases.keys() for kept, _ in chosen)
    return left_out, chosen[0][0].commit if chosen and whole else ""


def _read_settings(
    suite: Configuration, repository: Repository, commits: tuple[CommitHash, CommitHash], console: Console
) -> Settings:
    """Return the settings of *suite* at the first of *commits*, so that a pull request does not choose its own rules.

    A suite that neither commit of the *repository* has is not part of the pull request: its work tree counts. The path
    by which the suite is called counts before the one that links lead to, because a pull request can change a link.
    """
    folders = tuple(dict.fromkeys(_folders_inside(suite, repository)))
    tried = ((commit, folder) for commit in commits for folder in folders)
    found = (folder for commit, folder in tried if repository.read(commit, folder / suite.own_file) is not None)
    inside = next(found, None)
    if inside is None:
        return suite.settings
    name = inside / "pyproject.toml"
    content = repository.read(commits[0], name) or b""
    try:
        return parse_settings(content.decode("utf-8", "replace"), f"{name} at {commits[0][:10]}")
    except ConfigurationError as error:
        console.warn(f"the default settings apply: {visible(str(error), 400)}")
        return Settings()


def _folders_inside(suite: Configuration, repository: Repository) -> Iterator[PurePosixPath]:
    """Yield the folder of *suite* from the root of *repository*: as it is called, then without symbolic links."""
    root = repository.root.resolve()
    for folder in (Path(os.path.normpath(suite.folder)), suite.folder.resolve()):
        if folder.is_relative_to(root):
            yield PurePosixPath(folder.relative_to(root).as_posix())


def _read_history(folder: Path | None, console: Console) -> tuple[tuple[Benchmark, ...], ResultHistory]:
    """Return the benchmarks and the newest runs in the *folder* of earlier results; nothing without one."""
    if folder is None or not folder.is_dir():
        if folder:
            console.warn(f"folder {folder} does not exist, so no earlier durations are known")
        return (), ResultHistory()
    tree = read_tree(folder)
    records, problems = read_records(folder)
    if unusable := len(tree.problems) + len(problems):
        console.warn(f"{numbers.count(unusable, 'file or row', 'files or rows')} of {folder} could not be used")
    newest = tuple(sorted(tree.runs, key=lambda run: run.date)[-MAX_RUNS:])
    history = ResultHistory.from_results(replace(tree, runs=newest), records[-MAX_RUNS:], "", retry=True)
    return (tree.benchmarks if newest else ()), history


def _costs(
    selected: Iterable[Selected],
    history: ResultHistory,
    unaffected: Container[str],
    pythons: int,
    expectations: Sequence[Expectation],
) -> Iterator[runners.BenchmarkCost]:
    """Yield what each benchmark costs that has a case outside *unaffected*, in the environments of all *pythons*."""
    for benchmark, selection in selected:
        own = with_own_threshold(benchmark, expectations)
        if names := [case.name for case in selection.cases if case.name not in unaffected]:
            thresholds = [case_expectation(CaseIdentity(benchmark=name), own).threshold for name in names]
            times = history.environments * pythons
            yield runners.BenchmarkCost(
                name=benchmark.name,
                cases=len(names) * times,
                small_thresholds=sum(threshold <= SMALL_THRESHOLD for threshold in thresholds) * times,
                process_seconds=history.process_seconds(benchmark),
                asv_sampling=benchmark.attribute("repeat") == 0,
            )
