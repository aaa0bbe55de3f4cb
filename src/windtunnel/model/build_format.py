"""build.json: one build of a commit that a job hands on to others, with the digests of its files."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.formats import Format
from windtunnel.model.identity import CommitHash

BUILD_SCHEMA = 1


class BuildState(StrEnum):
    """How a build ended."""

    BUILT = "built"
    """The files can be installed elsewhere."""
    FAILED = "failed"
    """The commit cannot be built or installed."""
    NOT_CACHEABLE = "not cacheable"
    """The suite installs from source and leaves no files, so each job builds on its own."""


class BuildFile(Struct, frozen=True, kw_only=True):
    """A file of a build, such as a wheel."""

    path: str
    """Path in the folder ``files`` beside build.json."""
    size: Annotated[int, Meta(ge=0)]
    """Bytes."""
    sha256: str
    """Digest of the content, in hexadecimal digits."""


class BuildRecord(Struct, frozen=True, kw_only=True):
    """One commit, built in one environment."""

    schema: int = BUILD_SCHEMA
    """Version of the format."""
    commit: CommitHash
    """Full hash of the commit."""
    environment: str
    """Name of the environment as asv names it."""
    key: str
    """Digest of the build command, the requirements, the variables, the Python and the platform."""
    toolchain: str
    """Compiler and compiler variables of the machine that built it."""
    state: BuildState
    """How the build ended."""
    seconds: Annotated[float, Meta(ge=0)]
    """Time to build and install the commit."""
    failure: str = ""
    """End of the output of a failed build; empty otherwise."""
    files: tuple[BuildFile, ...] = ()
    """Files of the build."""


BUILD_FORMAT = Format(
    name="build.json", type=BuildRecord, schema=BUILD_SCHEMA, remedy="build it again with windtunnel ci build"
)
