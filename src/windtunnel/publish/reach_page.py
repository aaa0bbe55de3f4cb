"""The page of the functions that no benchmark runs, from the reach maps that are stored with the results.

It is plain HTML without a script. A function counts if any stored map of the newest commit has it: in a case, or in the
import of the suite.
"""

import ast
import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from windtunnel.model.reach_map import KeptMap
from windtunnel.text.escaping import visible
from windtunnel.text.numbers import count

PAGE = "reach.html"

TESTS = re.compile(r"(^|/)(tests?|testing|_?test_[^/]*|conftest)(/|\.py$)")
"""Paths whose functions are not the project's own."""

HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="style.css">
<body>
<header class="top"><a class="brand" href="./">{project}</a></header>
<main id="content">
<h1>{title}</h1>
<p class="verdict">The other {left} are below. No benchmark shows whether they become slower, and a pull request that
changes only them is not measured.</p>
<p class="about">Commit {commit}, {cases}, Python {pythons}. What the import of the suite runs counts as run. Tests, and
code that is not Python, do not count.</p>
"""


def newest_maps(maps: Sequence[KeptMap]) -> tuple[KeptMap, ...]:
    """Return those of *maps* that are of the newest commit."""
    newest = max(maps, key=lambda each: (each.date, each.commit), default=None)
    return tuple(each for each in maps if newest and each.commit == newest.commit)


def project_folders(maps: Sequence[KeptMap], suite: str) -> tuple[str, ...]:
    """Return the folders, or files in the root, that have code of the project which *maps* show; *suite* is not one."""
    paths = {path for each in maps for path in each.files if not (suite and path.startswith(f"{suite}/"))}
    return tuple(sorted({"/".join(path.split("/")[: 2 if path.startswith("src/") else 1]) for path in paths}))


def list_functions(source: str) -> Iterator[str]:
    """Yield the qualified names of the outermost functions and methods in *source* that have code."""

    def walk(node: ast.AST, prefix: str) -> Iterator[str]:
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                is_empty = (
                    isinstance(one, ast.Pass) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
                    for one in each.body
                )
                if not all(is_empty):
                    yield f"{prefix}{each.name}"
            else:
                yield from walk(each, f"{prefix}{each.name}." if isinstance(each, ast.ClassDef) else prefix)

    try:
        yield from dict.fromkeys(walk(ast.parse(source), ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def render_page(project: str, maps: Sequence[KeptMap], functions: Mapping[str, Collection[str]]) -> str:
    """Return the page of *project*, whose *functions* are given by path; *maps* are of one commit, at least one."""
    run: dict[str, set[str]] = {}
    for each in maps:
        for path, names in each.files.items():
            run.setdefault(path, set()).update(names)
    own = {path: names for path, names in sorted(functions.items()) if names and not TESTS.search(path)}
    total = sum(map(len, own.values()))
    unused = {path: [name for name in names if name not in run.get(path, ())] for path, names in own.items()}
    left = sum(map(len, unused.values()))
    shown = HEAD.format(
        title=html.escape(f"Benchmarks run {total - left} of {count(total, 'function')}"),
        project=html.escape(visible(project, 40)),
        left=left,
        commit=maps[0].commit[:10],
        cases=count(max(len(each.cases) for each in maps), "case"),
        pythons=html.escape(", ".join(visible(each.python, 20) for each in maps)),
    )
    lines = [shown]
    for path, never in unused.items():
        if never:
            folded = html.escape(visible(path, 200)).replace("/", "/<wbr>")
            summary = f"{len(never)} of {len(own[path])} in {folded}"
            items = "".join(f"<li><code>{html.escape(visible(name, 200))}</code>" for name in never)
            lines.append(
                f'<details class="disclosure"><summary>{summary}</summary><ul class="links">{items}</ul></details>'
            )
    return "\n".join((*lines, "</main>", "</html>", ""))
