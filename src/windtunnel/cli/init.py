"""``windtunnel init``: the workflow files of a repository that has an asv suite."""

import argparse
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TextIO

from windtunnel.asv import configuration
from windtunnel.cli.options import Parser, Voice, find_suite, parse
from windtunnel.errors import ConfigurationError, ExitCode, UsageError
from windtunnel.files import write_atomically
from windtunnel.git.repository import Repository
from windtunnel.github.workflow_files import InitOptions, Pin, WorkflowFile, render_workflows

NEXT = """next:
  1. On GitHub, Settings > Pages > Source: choose "GitHub Actions" (or run init with --no-pages).
  2. Settings > Secrets and variables > Actions > Variables: set WINDTUNNEL_SITE to the site's address, for links.
  3. Commit the files and push. The first run measures the newest commit and makes the branch {branch}.
  4. To require the verdict, require the check "windtunnel" in the rules of {main}.
docs/how-to/adopt.md tells more.
"""

EXAMPLE = """  windtunnel init --pin OWNER/windtunnel@0123456789abcdef0123456789abcdef01234567
  windtunnel init --check"""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Write the files, or with --check say what is out of date (exit code 2)."""
    options = parse(_parser(out), argv)
    if options is None:
        return ExitCode.FINE
    repository, voice = Repository.at(Path.cwd(), env), Voice.of(options, err)
    existing = _existing(repository.root)
    chosen = _init_options(options, repository, existing)
    files = render_workflows(chosen, _pin(options, existing))
    stale = [one for one in files if existing.get(one.path) != one.content]
    if options.check:
        return _checked(stale, existing)
    foreign = [one.path for one in stale if one.path in existing and Pin.find(existing[one.path]) is None]
    if foreign and not options.force:
        raise UsageError(f"{foreign[0]} is there and not ours; move it away, or overwrite it with --force")
    for one in stale:
        write_atomically(repository.root / one.path, one.content.encode())
        out.write(f"{one.path}\n")
    if not stale:
        voice.say("all files are up to date")
    settings = find_suite(repository.root / chosen.config).settings
    voice.say(NEXT.format(branch=settings.results_branch, main=chosen.branch))
    return ExitCode.FINE


def _parser(out: TextIO) -> Parser:
    parser = Parser(
        "init",
        out=out,
        description="Write the workflow files that let GitHub Actions measure this repository's asv suite.\n"
        "What is not said now is as the files that are there say it.",
        example=EXAMPLE,
    )
    add = parser.add_argument
    add("--config", type=Path, metavar="FILE", help="the asv configuration (default: the one in this repository)")
    add("--pin", default="", metavar="OWNER/NAME@HASH", help="the commit of windtunnel (default: the one in use)")
    add("--release", default=f"v{version('windtunnel')}", metavar="NAME", help="its release, for people (%(default)s)")
    add("--branch", default="", metavar="NAME", help="the branch that is measured (default: the main one)")
    add("--runner", metavar="LABEL", help="runners that measure (ubuntu-24.04)")
    add("--label", metavar="NAME", help="measure only pull requests with this label (all)")
    add("--pages", action=argparse.BooleanOptionalAction, help="deploy the site to GitHub Pages (yes)")
    add("--commands", action=argparse.BooleanOptionalAction, help="hear comments that begin with /benchmark (no)")
    add("--check", action="store_true", help="write nothing; say what is out of date")
    add("--force", action="store_true", help="overwrite files that are not ours")
    return parser


def _init_options(options: argparse.Namespace, repository: Repository, existing: Mapping[str, str]) -> InitOptions:
    """Return the options of this call, and those of the existing files for the rest."""
    before = next((found for text in existing.values() if (found := InitOptions.find(text))), None)
    config = _config(options.config, repository, before)
    suite = find_suite(config)
    usual = before or InitOptions(config="", branch=(suite.asv.branches or (repository.default_branch(),))[0])
    return InitOptions(
        config=config.relative_to(repository.root).as_posix(),
        branch=options.branch or usual.branch,
        runner=options.runner or usual.runner,
        label=usual.label if options.label is None else options.label,
        pages=usual.pages if options.pages is None else options.pages,
        commands=usual.commands if options.commands is None else options.commands,
    )


def _config(given: Path | None, repository: Repository, before: InitOptions | None) -> Path:
    """Return the configuration *given*, that of *before*, or the only one of the repository."""
    root = repository.root.resolve()
    if before and not given and (root / before.config).is_file():
        given = root / before.config
    if given:
        path = given.resolve()
        if not path.is_relative_to(root):
            raise UsageError(f"{given} is not in the repository {root}; run init where the suite is")
        return root / path.relative_to(root)
    listed = repository.git.text("ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    found = sorted(
        {name for name in listed if name.rpartition("/")[2] in configuration.NAMES and (root / name).exists()}
    )
    if not found:
        raise ConfigurationError(f"{root} has no {configuration.NAMES[0]}; 'asv quickstart' makes one")
    if len(found) > 1:
        raise UsageError(f"there are several suites: {', '.join(found)}; name one with --config")
    return root / found[0]


def _pin(options: argparse.Namespace, existing: Mapping[str, str]) -> Pin:
    if options.pin:
        return Pin.parse(options.pin, options.release)
    pins = [pin for text in existing.values() if (pin := Pin.find(text))]
    if not pins:
        raise UsageError(
            "name the commit of windtunnel that the workflows shall use: --pin OWNER/NAME@HASH; "
            "git ls-remote https://github.com/OWNER/NAME 'v*' lists its releases"
        )
    return pins[0]


def _existing(root: Path) -> Mapping[str, str]:
    """Return the existing workflow files with our names, by path."""
    pin = Pin(repository="o/n", commit="0" * 40, release="v0")
    names = [one.path for one in render_workflows(InitOptions(config="", branch="", commands=True), pin)]
    return {name: (root / name).read_text(encoding="utf-8") for name in names if (root / name).is_file()}


def _checked(stale: Sequence[WorkflowFile], existing: Mapping[str, str]) -> int:
    if not stale:
        return ExitCode.FINE
    told = ", ".join(f"{one.path} ({'differs' if one.path in existing else 'is missing'})" for one in stale)
    raise ConfigurationError(f"out of date: {told}; windtunnel init writes them again")
