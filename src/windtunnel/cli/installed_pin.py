"""The commit of Windtunnel that workflows use: the one of a release, or the installed one."""

from collections.abc import Mapping
from importlib.metadata import distribution, version
from pathlib import Path

from msgspec import Struct

import windtunnel
from windtunnel import formats
from windtunnel.cli.workflow_run import own_run
from windtunnel.errors import ConfigurationError, UsageError
from windtunnel.git.remote import resolve_remote_ref
from windtunnel.github.repositories import repository_name
from windtunnel.github.workflow_files import Pin

RELEASE_FILE = "release.json"
"""In the package of a release; `.ci/release.py` writes it before the wheels are built."""


class _ReleaseSource(Struct, frozen=True, kw_only=True):
    """What a released package was built from: the ``owner/name`` of the repository, and the full hash."""

    repository: str
    commit: str


def choose_pin(pin: str, release: str, kept: Pin | None, around: Path, env: Mapping[str, str]) -> Pin:
    """Return the pin that *pin* or the tag *release* names, else *kept* (of existing files), else the installed one.

    The tag is one of the repository of *kept*, or of the installed windtunnel. Raises UsageError, and RemoteError if
    that repository cannot be read.
    """
    if pin:
        return Pin.parse(pin, release or f"v{version('windtunnel')}")
    if not release:
        return kept or installed_pin(env)
    try:
        repository = (kept or installed_pin(env)).repository
    except UsageError as error:
        raise UsageError(
            f"the repository with the release {release} is not known, because {error}\nor without a network: "
            f"--pin OWNER/NAME@HASH --release {release}"
        ) from None
    commit = resolve_remote_ref(f"{own_run(env).server}/{repository}", f"refs/tags/{release}", around, env)
    return Pin.parse(f"{repository}@{commit}", release)


def check_repository(pin: Pin, env: Mapping[str, str]) -> None:
    """Raise ConfigurationError if the installed windtunnel is known to be of another repository than *pin*."""
    try:
        own = installed_pin(env)
    except UsageError:
        return
    if own.repository.lower() != pin.repository.lower():
        raise ConfigurationError(
            f"the workflows use {pin.repository}, and the installed windtunnel is of {own.repository}. If it was "
            f"moved, no run starts until you pin the new name: windtunnel init --pin {own.repository}@{own.commit}\n"
            f"For a mirror or a fork, name its pin: --check --pin {pin.repository}@{pin.commit} --release {pin.release}"
        )


class _DirectUrl(Struct, frozen=True, kw_only=True):
    """Where an installed distribution came from (PEP 610)."""

    url: str
    vcs_info: Mapping[str, str] = {}


def installed_pin(env: Mapping[str, str]) -> Pin:
    """Return the commit that the installed windtunnel is of; raises UsageError if it is not known to be on GitHub."""
    released = Path(windtunnel.__file__).with_name(RELEASE_FILE)
    if released.is_file():
        built = formats.decode(released.read_bytes(), _ReleaseSource, RELEASE_FILE)
        return Pin.parse(f"{built.repository}@{built.commit}", f"v{version('windtunnel')}")
    text = distribution("windtunnel").read_text("direct_url.json")
    source = formats.decode(text.encode(), _DirectUrl, "direct_url.json") if text else _DirectUrl(url="")
    commit, repo = source.vcs_info.get("commit_id", ""), repository_name(source.url, env)
    if commit and repo:
        return Pin.parse(f"{repo}@{commit}", f"v{version('windtunnel')}")
    raise UsageError(
        "the installed windtunnel is neither a release nor from GitHub, so name the commit there that the workflows "
        f"use, in full: --pin OWNER/NAME@{commit or 'HASH'}"
    )
