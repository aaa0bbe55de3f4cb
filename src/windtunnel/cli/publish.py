"""``windtunnel publish``: from results to a site."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO, TypeVar

from windtunnel import files
from windtunnel.asv.project_repository import find_project_repository
from windtunnel.claims.format import CLAIMS_FORMAT
from windtunnel.cli.cache_folder import add_cache
from windtunnel.cli.options import Parser, Voice, add_suite, find_suite, parse
from windtunnel.cli.site_detection import site_detection
from windtunnel.compare.format import VERDICT_FORMAT
from windtunnel.detect.alert_format import ALERTS_FORMAT
from windtunnel.detect.format import CHANGES_FORMAT
from windtunnel.errors import ExitCode
from windtunnel.formats import Format
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
    repository = Repository.at(options.repo, env) if options.repo else find_project_repository(configuration, env)
    published = publish(
        PublishRequest(
            results=options.results or configuration.results_dir,
            out=options.out or configuration.folder / SITE,
            configuration=configuration,
            repository=repository,
            env=env,
            log=voice.say,
            detection=site_detection(configuration, repository, _read(options.changes, CHANGES_FORMAT)),
            asv_compatible=options.asv_compatible,
            claims=_read(options.claims, CLAIMS_FORMAT),
            alerts=_read(options.alerts, ALERTS_FORMAT),
            false_alarms=tuple(files.read(path, VERDICT_FORMAT).aa for path in options.verdict),
            cache=options.cache,
        )
    )
    for note in published.notes:
        voice.warn(note)
    out.write(f"{published.folder}\n")
    return ExitCode.FINE


def _read(path: Path | None, form: Format[T]) -> T | None:
    """Return the value in the file *path*, None without a path."""
    return files.read(path, form) if path else None


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
