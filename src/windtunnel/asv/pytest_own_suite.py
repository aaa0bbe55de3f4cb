"""Which benchmarks of a pytest suite a commit's own files have: their test functions are compared as text, not run."""

import ast
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from windtunnel.git.process import Git

PROJECT = "project.json"
"""The file in the folder of a pytest suite that says where the tests are."""


def own_pytest_suite(
    suite: Path, git: Git, commit: str, found: Sequence[Mapping[str, Any]], problems: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return those of the benchmarks *found* in the *suite* of the work tree that *commit* has too.

    A test function that differs there has another version. Of the *problems*, modules whose file differs or is missing
    there are left out: the commit's own may have none.
    """
    project = json.loads((suite / PROJECT).read_text(encoding="utf-8"))
    root, repository = Path(project["root"]).resolve(), git.directory.resolve()
    if not root.is_relative_to(repository):
        return [dict(each) for each in found], dict(problems)

    @cache
    def texts(path: str) -> tuple[str, str]:
        shown = git.attempt("show", f"{commit}:{(root / path).relative_to(repository).as_posix()}")
        here = (root / path).read_bytes() if (root / path).is_file() else b""
        before = b"" if shown.exit_code else shown.out
        return before.decode("utf-8", "replace"), here.decode("utf-8", "replace")

    own = []
    for entry in found:
        path, *names = str(entry["pretty_name"]).split("::")
        before, here = texts(path)
        function, unchanged = (_source(text, tuple(names)) for text in (before, here))
        if before and function == unchanged:
            own.append(dict(entry))
        elif function:
            own.append({**entry, "version": hashlib.sha256(function.encode()).hexdigest()})
    files: Mapping[str, str] = project["files"]
    return own, {
        module: why for module, why in problems.items() if module not in files or len({*texts(files[module])}) == 1
    }


@cache
def _source(text: str, names: tuple[str, ...]) -> str:
    """Return the source of the function with the qualified *names* in *text*, with its decorators; empty without it."""
    try:
        node: Any = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    for name in names:
        node = next((each for each in getattr(node, "body", ()) if getattr(each, "name", "") == name), None)
    if not names or node is None:
        return ""
    first = min(each.lineno for each in (node, *node.decorator_list))
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
