"""``windtunnel store compact``: a smaller branch."""

import argparse
from collections.abc import Sequence

from windtunnel.cli.options import parse
from windtunnel.cli.store.location import Place, Streams, add_remote, count, opened, parser
from windtunnel.errors import DataError, ExitCode
from windtunnel.results.branch.compact import drop_samples, squash

KEEP = 200
"""Commits; change detection looks at statistics, only comparisons of recent commits look at samples."""


def compact(argv: Sequence[str], streams: Streams) -> int:
    """Carry out ``windtunnel store compact``."""
    made = parser(
        "compact",
        streams,
        "Drop the samples of old commits (their statistics stay) and say what that saves. With --squash also replace\n"
        "the branch's history by one commit; the history before stays on a branch of its own, which you may delete.",
        "windtunnel store compact --keep 100 --squash",
    )
    add_remote(made)
    made.add_argument(
        "--keep",
        type=_number,
        default=KEEP,
        metavar="N",
        help="commits that keep their samples, newest first by the authors' dates (default: %(default)s)",
    )
    made.add_argument("--squash", action="store_true", help="replace the branch's own history")
    options = parse(made, argv)
    if options is None:
        return ExitCode.FINE
    place = Place.of(options)
    with opened(place.branch, options.remote, place.start, streams.env) as branch:
        done = drop_samples(branch, options.keep, options.retry)
        if done.updated.commit is None:
            raise DataError(f"there is no {branch} yet; the first 'windtunnel store push' makes it")
        sizes = done.sizes
        streams.out.write(
            f"{branch}: {count(sizes.files, 'file')}, {sizes.before} bytes before, {sizes.after} bytes after; "
            f"{count(len(done.updated.changed), 'file')} lost samples\n"
        )
        if options.squash:
            squashed = squash(branch, options.retry)
            where = f"; the history before is on {squashed.archive}" if squashed.archive else " already"
            streams.out.write(f"{branch}: one commit, {squashed.commit[:8]}{where}\n")
    return ExitCode.FINE


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than none")
    return number
