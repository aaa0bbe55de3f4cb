"""Steps of the workflow that `windtunnel init --self-contained` writes, and what they need of their jobs."""

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

from windtunnel.github.job_outputs import PARTS
from windtunnel.github.workflow_checks import RESULTS_TOKEN
from windtunnel.github.workflow_files import InitOptions

CHECKOUT = "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
"""The version of actions/checkout, as GitHub Connect resolves it."""

BRANCH_OPTION = '${WINDTUNNEL_BRANCH:+--branch "$WINDTUNNEL_BRANCH"}'
REMOTE_OPTIONS = '${RESULTS_BRANCH:+--branch "$RESULTS_BRANCH"} ${RESULTS_REMOTE:+--remote "$RESULTS_REMOTE"}'


def checkout(options: InitOptions, ref: str, *, submodules: bool = True) -> str:
    """Return the step that checks out the project with its whole history, by default the event's commit."""
    chosen = {"no": "", "yes": "true", "recursive": "recursive"}[options.submodules] if submodules else ""
    return "".join(
        f"{line}\n"
        for line in (
            "      - name: Check out",
            f"        uses: actions/checkout@{options.checkout or CHECKOUT}",
            "        with:",
            *([f"          ref: ${{{{ {ref} }}}}"] if ref else []),
            *([f'          submodules: "{chosen}"'] if chosen else []),
            "          fetch-depth: 0",
            "          persist-credentials: false",
        )
    )


def install(target: str) -> str:
    """Return the steps that install windtunnel; git itself compares the hash."""
    return f"""\
      - name: Clone windtunnel
        run: git clone --quiet --no-checkout "$WINDTUNNEL_SOURCE" .windtunnel-tool
      - name: Check out windtunnel
        run: git -C .windtunnel-tool checkout --quiet --detach "$WINDTUNNEL_COMMIT"
      - name: Install windtunnel
        run: make --directory .windtunnel-tool {target}
"""


def pull_results(options: InitOptions, folder: str, *, own_token: bool = True) -> str:
    """Return the step that fetches the results; a pull request never gets a token that can write them."""
    optional = "" if own_token else "        continue-on-error: true # only estimates need them\n"
    return f"""\
      - name: Fetch earlier results # before any code of the project runs in this job, because of the token
{optional}\
        run: windtunnel store pull --config "$WINDTUNNEL_CONFIG" --results {folder} --if-exists {REMOTE_OPTIONS}
        env:
{credentials(options, own_token=own_token)}"""


def credentials(options: InitOptions, *, results: bool = True, own_token: bool = True) -> str:
    """Return the variables with which git requests the token, for one server only, and of *results* their address."""
    has_secret = results and own_token and options.results_remote
    url = urlsplit(options.results_remote)
    server = f"{url.scheme}://{url.netloc}" if has_secret and url.netloc else "${{ github.server_url }}"
    return "".join(
        f"          {line}\n"
        for line in (
            *(
                [
                    f"RESULTS_BRANCH: {quote(options.results_branch)}",
                    f"RESULTS_REMOTE: {quote(options.results_remote)}",
                ]
                if results
                else []
            ),
            'GIT_CONFIG_COUNT: "1" # git requests the token when needed, for one server; no file holds it',
            f"GIT_CONFIG_KEY_0: credential.{server}.helper",
            'GIT_CONFIG_VALUE_0: \'!printf "username=x-access-token\\npassword=%s\\n" "$GITHUB_TOKEN" #\'',
            f"GITHUB_TOKEN: ${{{{ {f'secrets.{RESULTS_TOKEN}' if has_secret else 'github.token'} }}}}",
        )
    )


def set_up(options: InitOptions, condition: str) -> str:
    """Return the step that prepares the runner for the project, if there is a command."""
    if not options.setup:
        return ""
    return "".join(
        f"{line}\n"
        for line in (
            "      - name: Set up the project",
            *([f"        if: {condition}"] if condition else []),
            '        run: bash -euo pipefail -c "$SETUP"',
            "        env:",
            f"          SETUP: {quote(options.setup)}",
        )
    )


def variables(options: InitOptions) -> str:
    """Return the environment variables of a job that builds or measures."""
    pairs = (one.split("=", 1) for one in options.variables)
    lines = "".join(f"      {name}: {quote(value)}\n" for name, value in pairs)
    return f"    env:\n{lines}" if lines else ""


def outputs() -> str:
    """Return the outputs of a job with the step ``pack``."""
    return "".join(f"      {name}: ${{{{ steps.pack.outputs.{name} }}}}\n" for name in _parts())


def inputs(job: str) -> str:
    """Return the variables of the step that unpacks what *job* handed over."""
    return "".join(f"          {name.upper()}: ${{{{ needs.{job}.outputs.{name} }}}}\n" for name in _parts())


def _parts() -> Iterator[str]:
    return (f"part{number}" for number in range(PARTS))


def site_address(options: InitOptions) -> str:
    """Return the address of the site, or where the run finds it."""
    return quote(options.site) if options.site else "${{ vars.WINDTUNNEL_SITE }}"


def quote_expression(text: str) -> str:
    """Return *text* as a string of an expression."""
    return "'" + text.replace("'", "''") + "'"


def quote(text: str) -> str:
    """Return *text* as a YAML string, in JSON syntax."""
    return json.dumps(text, ensure_ascii=False)
