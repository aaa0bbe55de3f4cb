"""``windtunnel ci settings``: what the steps of a job need from ``[tool.windtunnel.ci]``."""

from collections.abc import Mapping
from pathlib import Path

from windtunnel.asv.configuration import Configuration, find_project_elsewhere
from windtunnel.cli.console import Console
from windtunnel.cli.options import CommonOptions, File, Name
from windtunnel.cli.suite import read_suite
from windtunnel.cli.workflow_run import append_variables, write_github_output
from windtunnel.errors import ExitCode, RefusedError, RemoteError, UsageError
from windtunnel.git.remote import fetch_history, fetch_submodules, resolve_remote_ref
from windtunnel.git.repository import Repository
from windtunnel.github.client import RepositoryName, connect, get


class StepSettingsOptions(CommonOptions, frozen=True, kw_only=True):
    """Write what the steps of a job need from [tool.windtunnel.ci] to $GITHUB_OUTPUT and $GITHUB_ENV.

    Also fetches the history of the measured branch and of HEAD, unless the suite measures another repository. Outputs
    are setup, instructions; and site (pages, branch or none). Later steps find $WINDTUNNEL_BRANCH, _PYTHON, _SITE,
    _SITE_BRANCH and _SITE_FOLDER.

    example:
      windtunnel ci settings --config asv.conf.json --default-branch main   # in the action that prepares a runner
    """

    config: File
    """The asv configuration."""
    branch: Name = ""
    """The measured branch, whatever the settings name."""
    default_branch: Name = ""
    """The default branch of the repository, which actions/checkout does not leave in the clone."""
    pages: bool = False
    """Write site alone, and none for pages where GitHub answers that the repository has no Pages."""
    measures: bool = False
    """Prepare a job that builds or measures: fetch the submodules, and set the variables, that the settings name."""


def run(options: StepSettingsOptions, console: Console, env: Mapping[str, str]) -> int:
    """Write the outputs and variables; exit code 0."""
    suite = read_suite(options.config)
    ci = suite.settings.ci
    site = "none" if ci.pages is False else "branch" if ci.site_branch else "pages"
    if options.pages:
        write_github_output(env, {"site": "none" if site == "pages" and _lacks_pages(env, console) else site})
        return ExitCode.FINE
    here = Repository.at(Path.cwd(), env)
    apart = not options.branch and bool(find_project_elsewhere(suite, here))
    branch = options.branch or ci.branch or ("" if apart else usual_branch(suite, options.default_branch, here, env))
    if branch and not apart:
        fetch_history(here.root, branch, here.resolve("HEAD"), env)
    write_github_output(env, {"setup": ci.setup, "instructions": "yes" if ci.instructions else "no", "site": site})
    if options.measures:
        append_variables(env, ci.variables)
        if ci.submodules != "no":
            fetch_submodules(here.root, env, recursive=ci.submodules == "recursive")
    variables = {"BRANCH": branch, "PYTHON": ci.python, "SITE": ci.site}
    variables |= {"SITE_BRANCH": ci.site_branch, "SITE_FOLDER": ci.site_folder}
    append_variables(env, {f"WINDTUNNEL_{name}": value for name, value in variables.items()})
    console.log(f"the measured branch is {branch or 'the default branch of the project'}")
    return ExitCode.FINE


def _lacks_pages(env: Mapping[str, str], console: Console) -> bool:
    """Return whether the repository has no Pages, with a warning; where GitHub does not say, a deployment shows it."""
    try:
        repo = RepositoryName.parse(env.get("GITHUB_REPOSITORY", ""))
        with connect(env) as client:
            client.send(get(repo.path("pages"), dict[str, object]))
    except (RemoteError, UsageError) as error:
        if not isinstance(error, RefusedError) or error.status != 404:
            return False
        console.warn(f"{repo} has no Pages, so its site is not published; switch them on, or set pages = false")
        return True
    return False


def usual_branch(suite: Configuration, default: str, here: Repository, env: Mapping[str, str]) -> str:
    """Return the first configured branch that the remote has, else the *default* one."""
    for name in suite.branches:
        if name == default:
            return default
        try:
            resolve_remote_ref("origin", f"refs/heads/{name}", here.root, env)
        except UsageError:
            continue
        return name
    return default
