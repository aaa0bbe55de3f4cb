"""``windtunnel store``: keeps results on a branch that many jobs push to at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import TextIO

from windtunnel.cli.store.compact import compact
from windtunnel.cli.store.exchange import import_, pull, push
from windtunnel.cli.store.location import Streams
from windtunnel.errors import ExitCode, UsageError

ACTIONS: Mapping[str, Callable[[Sequence[str], Streams], int]] = {
    "pull": pull,
    "push": push,
    "import": import_,
    "compact": compact,
}

USAGE = """usage: windtunnel store ACTION [OPTION ...]

Keep results on a branch of their own (results-branch in [tool.windtunnel]) that many jobs push to at once.

  pull     put what the branch holds into a results folder; nothing there is lost
  push     put what a results folder holds on the branch; nothing there is lost
  import   put results that asv left elsewhere, in a folder or on a branch, into a results folder
  compact  drop the samples of old commits, and the branch's old history when asked

Each takes --quiet and --verbose; 'windtunnel store ACTION --help' tells the other options.

example:
  windtunnel store pull && windtunnel store push
"""


def main(argv: Sequence[str], out: TextIO, err: TextIO, env: Mapping[str, str]) -> int:
    """Find the action named first in *argv* and carry it out."""
    match list(argv):
        case [name, *rest] if name in ACTIONS:
            return ACTIONS[name](rest, Streams(out=out, err=err, env=env))
        case [] | ["-h" | "--help"]:
            out.write(USAGE)
            return ExitCode.FINE
        case _:
            raise UsageError(f"{argv[0]!r} is no action; there are {', '.join(ACTIONS)}: see windtunnel store --help")
