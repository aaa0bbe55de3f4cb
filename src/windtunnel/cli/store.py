"""``windtunnel store``: keeps results, or a site, on a branch that many jobs push to at once."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.cli.console import Console
from windtunnel.cli.locations import (
    ResultsOptions,
    branch_folder,
    open_remote_branch,
    open_results_branch,
    results_folder,
)
from windtunnel.cli.options import Arg, Count, Name
from windtunnel.cli.suite import SuiteOptions, find_optional_suite, settings_of
from windtunnel.errors import DataError, ExitCode, UsageError
from windtunnel.git.branch import RemoteBranch
from windtunnel.results.branch import exchange
from windtunnel.results.branch.retry import DEFAULT_RACE_PAUSE, RetryPolicy
from windtunnel.text.numbers import count


class RetryOptions(Struct, frozen=True, kw_only=True):
    """How long to retry."""

    retry_timeout: Annotated[float, Meta(ge=0), Arg(metavar="SECONDS")] = 300
    """How long to retry while other jobs push or the remote is unreachable."""
    retry_pause: Annotated[float, Meta(ge=0), Arg(metavar="SECONDS")] = DEFAULT_RACE_PAUSE
    """How long to wait at least after another job pushed first; later pauses are longer."""

    @property
    def policy(self) -> RetryPolicy:
        """The policy of retries."""
        return RetryPolicy(timeout=self.retry_timeout, race_pause=self.retry_pause)


class PushOptions(ResultsOptions, frozen=True, kw_only=True):
    """Merge the content of a results folder into the results branch.

    example:
      windtunnel store push
    """

    retry: RetryOptions


class PullOptions(PushOptions, frozen=True, kw_only=True):
    """Merge the content of the results branch into a results folder.

    example:
      windtunnel store pull && windtunnel store push
    """

    if_exists: bool = False
    """Succeed also when the branch does not exist yet."""


class CompactOptions(PushOptions, frozen=True, kw_only=True):
    """Drop the samples of old commits from the results branch; their statistics stay.

    example:
      windtunnel store compact --keep 100
    """

    keep: Count = 200
    """Keep the samples of this many commits, the newest by author date."""


class SiteOptions(SuiteOptions, frozen=True, kw_only=True):
    """Publish a site in a folder of a branch, such as the branch that GitHub Pages serves.

    Replaces that folder with one commit and leaves all other files of the branch as they are. The push is never forced.

    example:
      windtunnel store site .windtunnel/site --site-branch gh-pages --site-folder benchmarks
    """

    site: Annotated[Path, Arg(positional=True)]
    """The folder that windtunnel publish wrote."""
    site_branch: Name = "gh-pages"
    """The branch, which is created when it is missing."""
    site_folder: Annotated[str, Arg(metavar="DIR")]
    """The folder on that branch."""
    remote: Name | None = None
    """The name, URL or path of the remote (default: results-remote in [tool.windtunnel], else origin)."""
    retry: RetryOptions


def pull(options: PullOptions, console: Console, env: Mapping[str, str]) -> int:
    """Carry out ``windtunnel store pull``."""
    folder = results_folder(options)
    with open_results_branch(options, env) as branch:
        done = exchange.pull(branch, folder, options.retry.policy)
        if done.commit is None and not options.if_exists:
            raise DataError(_no_branch(branch))
        arrived = count(len(done.written), "new or longer file") if done.written else "nothing new"
        console.print(f"{arrived} from {branch} in {folder}\n")
    return _report(done.notes, console, fails=False)


def push(options: PushOptions, console: Console, env: Mapping[str, str]) -> int:
    """Carry out ``windtunnel store push``."""
    folder = results_folder(options)
    with open_results_branch(options, env) as branch:
        done = exchange.push(folder, branch, options.retry.policy)
        what = count(len(done.paths), "file") if done.paths else "nothing new"
        console.print(f"{what} pushed to {branch}, which is at {(done.commit or '')[:8]}\n")
    return _report(done.notes, console, fails=done.broken_source)


def compact(options: CompactOptions, console: Console, env: Mapping[str, str]) -> int:
    """Carry out ``windtunnel store compact``."""
    with open_results_branch(options, env) as branch:
        done = exchange.drop_samples(branch, options.keep, options.retry.policy)
        if done.commit is None:
            raise DataError(_no_branch(branch))
        console.print(f"{branch}: {done.notes[0]}\n")
    return ExitCode.FINE


def site(options: SiteOptions, console: Console, env: Mapping[str, str]) -> int:
    """Carry out ``windtunnel store site``."""
    folder = branch_folder(options.site_folder, "--site-folder")
    settings = settings_of(find_optional_suite(options.config))
    if options.site_branch == settings.results_branch:
        raise UsageError(f"--site-branch {options.site_branch} is the results branch; name one for sites only")
    with open_remote_branch(options.site_branch, options.remote or settings.results_remote, Path.cwd(), env) as branch:
        done = exchange.push_site(options.site, branch, folder, options.retry.policy)
        what = f"{folder} is new" if done.paths else f"{folder} is up to date"
        console.print(f"{branch}: {what}, at {(done.commit or '')[:8]}\n")
    return ExitCode.FINE


def _no_branch(branch: RemoteBranch) -> str:
    return f"there is no {branch} yet; the first windtunnel store push creates it"


def _report(notes: Sequence[str], console: Console, *, fails: bool) -> int:
    """Report what was broken or in conflict; the rest is done, also where the command *fails* (exit code 3).

    What is broken on the results branch fails no command: every later run would fail until a person removes it.
    """
    for note in notes:
        console.warn(note)
    return ExitCode.DATA if fails else ExitCode.FINE


ACTIONS = {"pull": pull, "push": push, "compact": compact, "site": site}
"""The actions of the command, by name."""
