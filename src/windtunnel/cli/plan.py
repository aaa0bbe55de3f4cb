"""``windtunnel plan``: cuts what is to be timed into shards for a job matrix."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from windtunnel import formats
from windtunnel.asv.configuration import Configuration
from windtunnel.bench.format import Plan
from windtunnel.bench.plan import PlanRequest
from windtunnel.bench.result_history import ResultHistory
from windtunnel.bench.sharding import MAX_MATRIX_JOBS
from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, parse
from windtunnel.cli.selection_options import add_selection, find_repository, make_planner, positive, request_of, tell
from windtunnel.errors import ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.model.identity import CommitHash
from windtunnel.model.run import ResultsTree
from windtunnel.results.tree import read_records, read_tree

EXAMPLE = """\
  windtunnel plan --out plan.json --shards 4
  windtunnel plan --out plan.json --results results --new
  windtunnel plan --out plan.json --revisions v2.0..main --backfill 40 --results results --skip-existing
  windtunnel plan --out plan.json --elsewhere --github-output   # in a workflow, before the job matrix"""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Write the plan; with --github-output also the job matrix."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    if options.new and not options.results:
        raise UsageError("--new needs --results, which tells what is there already")
    voice, suite = Voice.of(options, err), find_suite(options.config)
    repository = find_repository(suite, env, voice)
    tree = read_tree(options.results) if options.results else ResultsTree()
    records, doubts = read_records(options.results) if options.results else ((), ())
    for problem in (*map(str, tree.problems), *doubts):
        voice.warn(problem)
    known = ResultHistory.from_results(tree, records, options.machine, retry=options.retry)
    planner = make_planner(suite, repository, suite.folder / ".windtunnel" / "discovered", env, voice)
    plan = planner.plan(_request(options, suite, tree), known if options.skip_existing else known.without_results())
    write_atomically(options.out.absolute(), formats.encode(plan))
    tell(plan, voice)
    for shard in plan.shards:
        voice.detail(f"shard {shard.index}: {shard.cases} cases, about {shard.seconds / 60:.1f} min")
    if options.github_output:
        _write_output(plan, env)
    return ExitCode.FINE


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "plan",
        out=out,
        description="Cut commits x Pythons x benchmarks into shards that take equally long, as earlier results tell.",
        example=EXAMPLE,
    )
    add_suite(parser)
    add_selection(parser)
    add = parser.add_argument
    add("--out", type=Path, required=True, metavar="FILE", help="where the plan goes")
    add("--shards", type=_shards, default=0, metavar="N", help=f"at most this many, up to {MAX_MATRIX_JOBS}")
    add("--shard-minutes", type=positive, default=60, metavar="MIN", help="else, as many as keep each below this (60)")
    add("--results", type=Path, metavar="DIR", help="earlier results: how long cases take, and what is there already")
    add("--skip-existing", action="store_true", help="leave out what --results has")
    add("--new", action="store_true", help="all commits since the newest that --results has, instead of --commits")
    add("--machine", default="", metavar="NAME", help="what counts as there is what this machine measured (any)")
    add("--elsewhere", action="store_true", help="plan for Pythons that are not on this machine, too")
    add("--github-output", action="store_true", help="append matrix, shards and cases to the file $GITHUB_OUTPUT")
    return parser


def _request(options: argparse.Namespace, suite: Configuration, tree: ResultsTree) -> PlanRequest:
    asked = request_of(options, suite, shards=options.shards)
    return replace(
        asked,
        commits=replace(asked.commits, stored=_stored(tree, options.machine) if options.new else frozenset()),
        shard_seconds=options.shard_minutes * 60.0,
        elsewhere=options.elsewhere,
    )


def _stored(tree: ResultsTree, machine: str) -> frozenset[CommitHash]:
    return frozenset(run.commit for run in tree.runs if not machine or run.machine == machine)


def _shards(text: str) -> int:
    return min(positive(text), MAX_MATRIX_JOBS)


def matrix_of(plan: Plan) -> str:
    """Return the job matrix as GitHub wants it: one job a shard, with the Pythons that it has to set up."""
    jobs = [
        {
            "shard": shard.index,
            "pythons": " ".join(pythons := dict.fromkeys(task.python for task in shard.tasks)),
            "versions": "\n".join(pythons),
            "minutes": round(shard.seconds / 60, 1),
        }
        for shard in plan.shards
    ]
    return json.dumps({"include": jobs}, separators=(",", ":"))


def _write_output(plan: Plan, env: Mapping[str, str]) -> None:
    path = env.get("GITHUB_OUTPUT")
    if not path:
        raise UsageError(
            "--github-output needs $GITHUB_OUTPUT, the file that a workflow step has; leave it out elsewhere"
        )
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"matrix={matrix_of(plan)}\nshards={len(plan.shards)}\ncases={plan.cases}\n")
