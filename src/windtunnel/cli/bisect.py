"""``windtunnel bisect``: which commit changed a benchmark."""

import argparse
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from msgspec.structs import replace

from windtunnel import files, formats
from windtunnel.bench.commit_selection import is_irrelevant
from windtunnel.cli.comparison_progress import Watch
from windtunnel.cli.comparison_setup import Desk, add_where
from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, parse
from windtunnel.cli.selection_options import find_repository
from windtunnel.compare.bisect_format import BISECT_FORMAT, Bisection, BisectionAnswer, CandidateCommit
from windtunnel.compare.bisect_report import render_bisection
from windtunnel.compare.bisection import DEFAULT_ERROR
from windtunnel.compare.bisector import Bisector
from windtunnel.compare.case_matching import ComparableCase
from windtunnel.compare.environment_pair import find_comparable_cases
from windtunnel.compare.request import CompareRequest, ComparisonSetup
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.text.escaping import preformatted

INTERRUPTED = "interrupted"

EXAMPLE = """\
  windtunnel bisect sqlite.Insert.time_gather v1.2 main
  windtunnel bisect "time_work('plain', 1)" 1a2b3c4 HEAD --budget 20 --python 3.13"""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Search and print the answer; exit code 0 when a commit or a range is named, 3 when there is no answer."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    voice, suite = Voice.of(options, err), find_suite(options.config)
    repository = find_repository(suite, env, voice)
    desk = Desk(suite=suite, repository=repository, env=env, voice=voice)
    candidates = _candidates(repository, options.good, options.bad, suite.settings.irrelevant_paths)
    voice.say(f"{len(candidates) - 1} commits that can matter after {candidates[0].hash[:10]}")
    with desk.work_dir.alone(), Watch(voice=voice) as watch:
        found = _searched(options, desk, desk.setting(options.python[-1:], watch), candidates)
    if options.out:
        write_atomically(options.out, formats.encode_pretty(found))
    text = render_bisection(found)
    out.write(preformatted(text) if options.format == "markdown" else text)
    if found.answer is BisectionAnswer.UNFINISHED and found.reason == INTERRUPTED:
        return ExitCode.INTERRUPTED
    return ExitCode.FINE if found.answer in {BisectionAnswer.COMMIT, BisectionAnswer.RANGE} else ExitCode.DATA


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "bisect",
        out=out,
        description="Find the commit that changed a benchmark: each commit tried is measured in turn with the good\n"
        "one until it is clear on which side of the change it lies. The same command goes on after a break.",
        example=EXAMPLE,
    )
    parser.add_argument("benchmark", metavar="BENCHMARK", help="the name of a case, or what is found in just one")
    parser.add_argument("good", metavar="GOOD", help="a commit before the change")
    parser.add_argument("bad", metavar="BAD", help="a commit after it")
    add_suite(parser)
    add_where(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write bisect.json there")
    parser.add_argument("--format", choices=("terminal", "markdown"), default="terminal", help="default: %(default)s")
    parser.add_argument("--afresh", action="store_true", help="forget what earlier calls measured")
    return parser


def _searched(
    options: argparse.Namespace, desk: Desk, setting: ComparisonSetup, candidates: tuple[CandidateCommit, ...]
) -> Bisection:
    """Search, and keep every measurement beside the suite; Ctrl-C ends it without an answer."""
    deadline = setting.clock() + 60 * options.budget if options.budget else float("inf")
    compared = _case(options.benchmark, candidates, setting)
    fresh = Bisection(
        benchmark=compared.samples.benchmark,
        case=compared.case.name,
        environment=compared.samples.environment,
        machine=setting.machine.name,
        candidates=candidates,
        error=DEFAULT_ERROR,
    )
    place = desk.work_dir.root / "bisect" / f"{_key(fresh)}.json"

    def keep(state: Bisection) -> None:
        write_atomically(place, formats.encode(state))

    bisector = Bisector(setup=setting, case=compared, save=keep, log=desk.voice.say)
    begun = fresh if options.afresh else _earlier(place, fresh, desk.voice)
    try:
        return bisector.search(begun, deadline)
    except KeyboardInterrupt:
        return replace(_earlier(place, fresh, desk.voice), reason=INTERRUPTED)


def _candidates(repository: Repository, good: str, bad: str, irrelevant: Sequence[str]) -> tuple[CandidateCommit, ...]:
    """Return the good commit and every later one up to the bad one, along first parents, that can matter."""
    first, last = repository.resolve(good), repository.resolve(bad)
    if first == last:
        raise UsageError(f"good and bad are both {first[:10]}; name two commits")
    if repository.merge_base(first, last) != first:
        raise UsageError(
            f"{good} is no ancestor of {bad}; name a good commit that the bad one descends from: "
            f"git merge-base {good} {bad}"
        )
    log = repository.first_parent_log(f"{first}..{last}")
    kept = [
        CandidateCommit(hash=one.hash, subject=one.subject)
        for one in reversed(log)
        if one.hash == last
        or not one.parent
        or not is_irrelevant(repository.diff_names(one.parent, one.hash), irrelevant)
    ]
    (begin,) = repository.first_parent_log(first, 1)
    return (CandidateCommit(hash=first, subject=begin.subject), *kept)


def _case(wanted: str, candidates: Sequence[CandidateCommit], setting: ComparisonSetup) -> ComparableCase:
    """Return the one case that *wanted* names; raises UsageError where that is none or not one."""
    request = CompareRequest(base=candidates[0].hash, head=candidates[-1].hash)
    cases = find_comparable_cases(request, setting)
    exact = [one for one in cases if wanted in {one.case.name, one.samples.benchmark}]
    try:
        found = exact or [one for one in cases if re.search(wanted, one.case.name)]
    except re.error as error:
        raise UsageError(f"BENCHMARK {wanted!r} is neither a name nor a regular expression: {error}") from None
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"no case that good and bad commit have in common is called {wanted!r}; see asv's names")
    names = ", ".join(repr(one.case.name) for one in found[:10])
    raise UsageError(f"{wanted!r} means {len(found)} cases; name one of them: {names}")


def _key(state: Bisection) -> str:
    """Return what tells one search from another: everything but what was measured."""
    return hashlib.sha256(formats.encode(replace(state, measured=()))).hexdigest()[:16]


def _earlier(place: Path, fresh: Bisection, voice: Voice) -> Bisection:
    """Return what an earlier call has measured of the same search."""
    if not place.is_file():
        return fresh
    try:
        state = files.read(place, BISECT_FORMAT)
    except DataError as error:
        voice.warn(f"begun anew: {error}")
        return fresh
    if replace(state, measured=()) != fresh:
        return fresh
    voice.say(f"{len(state.measured)} commits were tried before; going on from there (--afresh forgets them)")
    return state
