"""Checks of the options of `windtunnel init`: values that GitHub would reject, evaluate or show to everyone."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec.structs import asdict

from windtunnel.errors import UsageError
from windtunnel.github.workflow_files import InitOptions, Pin
from windtunnel.model.settings import MAX_MATRIX_JOBS, Settings

RESULTS_TOKEN = "WINDTUNNEL_RESULTS_TOKEN"  # noqa: S105 - the name of a secret
"""The secret with which results reach another repository."""

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that YAML does not allow, or that end a line of it; and bytes of an argument that are not UTF-8."""

RELEASE = re.compile(r"[\w.+-]+", re.ASCII)
VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=[^\r\n]*")
RESERVED_VARIABLE = re.compile(r"PATH|GITHUB_\w*|RUNNER_\w*|BASH_ENV|LD_PRELOAD|NODE_OPTIONS", re.IGNORECASE)
"""Variables that GitHub does not allow, or that change every later step of a job."""

REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
SUITE_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(?:@(?!-)[A-Za-z0-9_./+-]+)?")
TRANSPORT = re.compile(r"-|[\w+.-]+::")
"""What git reads as an option, or as the name of a program to run."""

INVALID_BRANCH = re.compile(
    r"""
    [\x00-\x20\x7f~^:?*\[\\!]       # characters that git rejects, and those of a pattern on GitHub
    | \.\. | // | @\{
    | ^[-./] | /\. | [./]$
    | \.lock(?:/|$)
    | ^(?:@|HEAD)$
    """,
    re.VERBOSE,
)

OPTION_NAMES = {"suite_repository": "suite", "variables": "variable", "own_branch": "branch", "project": "config"}
"""The options of fields with another name."""


def check_workflows(options: InitOptions, pin: Pin) -> None:
    """Raise UsageError if a workflow with these *options* fails on GitHub or publishes a secret."""
    if not RELEASE.fullmatch(pin.release):
        raise UsageError(f"--release {pin.release[:80]!r} is not valid; use letters, digits and the signs . _ + -")
    for name, value in asdict(options).items():
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str):
                _check_text(f"--{OPTION_NAMES.get(name, name).replace('_', '-')}", text)
    for problem in (
        *_branch_problems(options),
        *_variable_problems(options),
        *_remote_problems(options.results_remote),
        *_other_problems(options),
    ):
        raise UsageError(problem)


def _check_text(option: str, text: str) -> None:
    if "${{" in text:
        raise UsageError(f"{option} {text[:80]!r}: GitHub would evaluate the expression; write it without ${{{{ }}}}")
    if CONTROL.search(text):
        raise UsageError(f"{option} {text[:80]!a} has a control character or a line separator; leave it out")


def _branch_problems(options: InitOptions) -> Iterator[str]:
    """Yield what is wrong with the names of branches, and with two branches of the same name in one repository."""
    for option, branch in (
        ("--branch", options.branch),
        ("--branch", options.own_branch),
        ("--site-branch", options.site_branch),
        ("--results-branch", options.results_branch),
    ):
        if INVALID_BRANCH.search(branch):
            yield f"{option} {branch[:80]!r} is not a valid name of a branch; use letters, digits and the signs - _ . /"
    measured = options.own_branch or options.branch
    if options.suite_repository or not measured:
        return
    results = options.results_branch or Settings().results_branch
    if options.pages and not options.results_remote and options.site_branch == results:
        yield f"--site-branch {results!r} is the results branch; name one for sites only, such as gh-pages"
    if options.pages and options.site_branch == measured:
        yield f"--site-branch {measured!r} is the measured branch; name one for sites only, such as gh-pages"
    if not options.results_remote and options.results_branch == measured:
        yield (
            f"--results-branch {measured!r} is the measured branch; name one for results only, "
            f"such as {Settings().results_branch}"
        )


def _variable_problems(options: InitOptions) -> Iterator[str]:
    for one in options.variables:
        found = VARIABLE.fullmatch(one)
        if found is None:
            yield f"--variable {one[:80]!r} is not NAME=VALUE in one line; write it so"
        elif RESERVED_VARIABLE.fullmatch(found[1]):
            yield f"--variable {found[1][:80]} is reserved; set it inside the --setup command instead"


def _remote_problems(remote: str) -> Iterator[str]:
    """Yield what is wrong with the address of the results; a message never shows a credential."""
    if TRANSPORT.match(remote):
        yield f"--results-remote {remote[:80]!r} is not the address of a repository; use https://github.com/OWNER/NAME"
        return
    try:
        url = urlsplit(remote)
    except ValueError:
        yield "--results-remote is not a valid address; use https://github.com/OWNER/NAME"
        return
    if url.password is not None or (url.scheme in {"http", "https"} and url.username is not None):
        yield (
            "--results-remote contains a user or a token, and the workflow file would show it to everyone; "
            f"write the address without it, and save the token as the secret {RESULTS_TOKEN}"
        )


def _other_problems(options: InitOptions) -> Iterator[str]:
    if options.repository and not REPOSITORY.fullmatch(options.repository):
        yield f"--repository {options.repository[:80]!r} is not OWNER/NAME; write it so"
    if options.suite_repository and not SUITE_REPOSITORY.fullmatch(options.suite_repository):
        yield f"--suite {options.suite_repository[:80]!r} is not OWNER/NAME or OWNER/NAME@REF; write it so"
    if options.max_runners > MAX_MATRIX_JOBS:
        yield f"--max-runners {options.max_runners} is too many; GitHub allows {MAX_MATRIX_JOBS} jobs at once"
    for option, wanted in (("--self-check", options.self_check), ("--claims", options.claims)):
        if wanted and (options.project or options.suite_repository):
            yield f"{option} needs the suite in the project's repository; omit it"
    folder = options.site_folder
    parts = set(folder.lower().split("/")) - {"", "."}
    if folder and (not parts or folder.startswith("/") or {"..", ".git"} & parts):
        yield f"--site-folder {folder[:80]!r} is not a folder of a branch; write it from the root, such as benchmarks"
