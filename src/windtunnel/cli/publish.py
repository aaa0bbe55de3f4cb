"""``windtunnel publish``: from results to a site."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO, TypeVar

from windtunnel.asv.project_repository import repository_of
from windtunnel.claims import format as claims_json
from windtunnel.cli.cache_folder import add_cache
from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, parse
from windtunnel.compare import format as verdict_json
from windtunnel.compare.format import FalseAlarms
from windtunnel.detect import alert_format
from windtunnel.detect import format as changes_json
from windtunnel.errors import DataError, ExitCode
from windtunnel.git.repository import Repository
from windtunnel.publish.publisher import PublishRequest, publish

T = TypeVar("T")

SITE = ".windtunnel/site"
"""Where ``make serve`` looks for it."""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Publish and print where the site is."""
    parser = _parser(out)
    options = parse(parser, argv)
    if options is None:
        return ExitCode.FINE
    voice = Voice.of(options, err)
    configuration = find_suite(options.config)
    published = publish(
        PublishRequest(
            results=options.results or configuration.results_dir,
            out=options.out or configuration.folder / SITE,
            configuration=configuration,
            repository=Repository.at(options.repo, env) if options.repo else repository_of(configuration, env),
            env=env,
            say=voice.say,
            asv_compatible=options.asv_compatible,
            changes=_handed(options.changes, changes_json.decode),
            claims=_handed(options.claims, claims_json.decode),
            alerts=_handed(options.alerts, alert_format.decode),
            arms=tuple(arm for path in options.verdict if (arm := _handed(path, _arm))),
            cache=options.cache,
        )
    )
    for note in published.notes:
        voice.warn(note)
    out.write(f"{published.site}\n")
    return ExitCode.FINE


def _handed(path: Path | None, decode: Callable[[bytes, str], T]) -> T | None:
    """Return what *decode* makes of the file at *path*, None where there is none."""
    if path is None:
        return None
    try:
        return decode(path.read_bytes(), str(path))
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}; name the file that the other command wrote"
        ) from None


def _arm(content: bytes, source: str) -> FalseAlarms:
    """Return the A/A arm of a verdict."""
    return verdict_json.decode_report(content, source).aa


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "publish",
        out=out,
        description=(
            "Build a static site from asv results: scenarios side by side, the history of every benchmark, what\n"
            "changed and when, each figure with its interval. The site is built beside the old one and then\n"
            "takes its place; when anything fails, the old one stays as it is."
        ),
        example="  windtunnel publish .asv/results --out site\n  python -m http.server --directory site",
    )
    parser.add_argument(
        "results",
        nargs="?",
        type=Path,
        metavar="RESULTS",
        help="asv's results (default: the results_dir configured)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="SITE",
        help=f"the site's folder, replaced (default: {SITE})",
    )
    add_suite(parser)
    add_cache(parser)
    parser.add_argument(
        "--repo", type=Path, metavar="DIR", help="a clone of the measured project (default: where --config lies)"
    )
    for name, what in (
        ("changes", "what windtunnel detect found (default: changes are detected now)"),
        ("claims", "what windtunnel claims decided"),
        ("alerts", "the alerts and their states, as they are kept beside the results"),
    ):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=what)
    parser.add_argument(
        "--verdict",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a verdict of windtunnel compare, whose A/A arm tells how often an alarm is false; again for more",
    )
    parser.add_argument(
        "--asv-compatible",
        action="store_true",
        help="add the data that asv publish leaves (index.json, graphs, regressions.json), for front ends of asv",
    )
    return parser
