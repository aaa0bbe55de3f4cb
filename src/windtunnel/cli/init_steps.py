"""What ``windtunnel init`` finds out and advises: Pages, several suites, the steps on GitHub."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from windtunnel.cli.console import Console
from windtunnel.errors import UsageError
from windtunnel.git.repository import Repository
from windtunnel.github.client import RepositoryName, is_private, repository_name
from windtunnel.github.workflow_checks import RESULTS_TOKEN
from windtunnel.github.workflow_files import InitOptions, Pin
from windtunnel.model.identity import MachineName
from windtunnel.model.settings import Settings
from windtunnel.results.machine_kinds import kind_of, propose_kinds

ROOT_NAME = "main"
"""The name of a suite in the root of a repository that has others."""


def forge_name(repository: Repository, env: Mapping[str, str]) -> RepositoryName | None:
    """Return the name of *repository* on GitHub, by its first remote there."""
    return next((found for one in repository.remotes() if (found := repository_name(one, env))), None)


def ask_pages(repository: Repository, console: Console, env: Mapping[str, str]) -> bool:
    """Return whether to publish the site of *repository*; unless everyone can read it, a person decides."""
    if not repository.remotes():
        console.warn(
            "this repository has no remote yet. GitHub may show the site of a private repository to everyone; "
            "if that must not happen, run init again with --no-pages"
        )
        return True
    repo = forge_name(repository, env)
    private = is_private(repo, env) if repo else None
    if private is False:
        return True
    if repo is None:
        reason = "no remote of this repository is on GitHub, so it may be private"
    elif private:
        reason = f"{repo} is private or does not exist yet"
    else:
        reason = f"GitHub did not answer whether {repo} is private"
    problem = f"{reason}. GitHub may show its Pages, and so the results, to everyone"
    if not sys.stdin.isatty():
        raise UsageError(f"{problem}; decide with --pages (publish the site) or --no-pages (keep only the results)")
    console.err.write(f"windtunnel: {problem}.\nPublish the site? [y/N] ")
    console.err.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def machine_kinds_to_add(results: Path, settings: Settings) -> str:
    """Return what to add to pyproject.toml where *results* have the host names of hosted runners; empty otherwise."""
    names = [MachineName(path.parent.name) for path in sorted(results.glob("*/machine.json"))]
    apart = [name for name in names if kind_of(name, settings.machines) == name]
    patterns = propose_kinds(apart)
    if not patterns:
        return ""
    kinds = [f"hosted{number if number > 1 else ''} = '{pattern}'" for number, pattern in enumerate(patterns, 1)]
    lines = "".join(f"\n  {line}" for line in ("[tool.windtunnel.machines]", *kinds))
    return (
        f"{results} has {len(apart)} machines, and names of hosted runners are among them. Each machine has series of "
        f"its own, which are too short to show a change. To join such runners, add to pyproject.toml:{lines}"
    )


def next_steps(options: InitOptions, pin: Pin, repo: RepositoryName | None, *, offers_claims: bool = False) -> str:
    """Return what a person does next, for one suite; *offers_claims* if a weekly run could measure its claims."""
    title = f"next, for the suite {options.name}:" if options.name else "next:"
    steps = (f"  {number}. {step}" for number, step in enumerate(_steps(options), 1))
    offer = ["The suite has claims; init --claims adds a weekly run that measures them."] if offers_claims else []
    return "\n".join([title, *steps, *offer, *_apart(options, pin, repo), f"See {_manual(pin)}", ""])


def _manual(pin: Pin) -> str:
    """Return the address of the documentation at the commit of *pin*."""
    return f"https://github.com/{pin.repository}/blob/{pin.commit}/docs/how-to/adopt.md"


def _steps(options: InitOptions) -> Iterator[str]:
    branch = options.results_branch or Settings().results_branch
    if not options.suite_repository:
        if options.results_remote:
            yield (
                f"Create a token that can write the contents of {options.results_remote}, and save it as the secret\n"
                f"     {RESULTS_TOKEN} (Settings > Secrets and variables > Actions)."
            )
        yield from _site_steps(options)
        where = f"of {options.results_remote}" if options.results_remote else "of this repository"
        yield (
            "Commit the files and push. The first run measures the newest commit.\n"
            f"     Branch {branch} {where} keeps the results."
        )
    else:
        yield f"Commit the files and push. Pull requests are compared with the suite in {options.suite_repository}."
    if options.compares:
        check = f"windtunnel-{options.name}" if options.name else "windtunnel"
        yield f'To require the verdict, require the check "{check}" in the rules of {options.branch}.'


def _site_steps(options: InitOptions) -> Iterator[str]:
    if not options.pages:
        return
    if options.site_branch:
        yield (
            f'On GitHub, Settings > Pages > Source: "Deploy from a branch", {options.site_branch}. '
            f"The site is in the folder {options.site_folder}."
        )
    else:
        yield 'On GitHub, Settings > Pages > Source: choose "GitHub Actions" (or run init with --no-pages).'
    if not options.site:
        yield (
            "For links, set the variable WINDTUNNEL_SITE to the site's address\n"
            "     (Settings > Secrets and variables > Actions > Variables)."
        )


def _apart(options: InitOptions, pin: Pin, repo: RepositoryName | None) -> Iterator[str]:
    """Yield what happens for a suite whose project has a repository of its own."""
    if not options.project:
        return
    own = repo or "OWNER/NAME"
    config = "" if options.config == "asv.conf.json" else f" --config {options.config}"
    yield f"This suite measures another repository, {options.project}:"
    yield f"  - Each night and after each push to {options.own_branch} here, a run measures its new commits."
    yield "  - Pull requests here change only the suite, so they are not compared."
    yield "  - To compare pull requests of the project, run this in a clone of the project, and commit the files there:"
    yield f"      windtunnel init --pin {pin.repository}@{pin.commit} --suite {own}{config}"


def several_suites(configs: Sequence[str], pin: Pin) -> str:
    """Return the error for a repository with several suites: the command for each."""
    names = list[str]()
    for config in configs:
        names.append(_suite_name(config, names))
    commands = (
        f"  windtunnel init --pin {pin.repository}@{pin.commit} --name {name} --config {config}"
        for name, config in zip(names, configs, strict=True)
    )
    return "\n".join(["the repository has several suites; run init for each that you want to measure:", *commands])


def _suite_name(config: str, taken: Sequence[str]) -> str:
    """Return a name for the suite of *config*, after its folders."""
    folder = "-".join(PurePosixPath(config).parent.parts) or ROOT_NAME
    plain = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in folder).strip("-")[:36] or "suite"
    return plain if plain not in taken else f"{plain}-{len(taken) + 1}"
