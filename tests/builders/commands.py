"""Our commands, called in this process: what they start is as real as from a shell, only their own start is saved."""

import contextlib
import io
import os
from dataclasses import dataclass

from windtunnel.cli import main


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a command ended, with the names of `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str


def windtunnel(folder, *argv, **env):
    """Call the command *argv* in *folder*, *env* added to the environment."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder):
        code = main(tuple(map(str, argv)), out, err, {**os.environ, **env})
    return Done(returncode=int(code), stdout=out.getvalue(), stderr=err.getvalue())
