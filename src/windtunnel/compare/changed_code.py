"""Which functions differ between two commits, from the sources of the files that differ.

What a case runs decides whether a change can reach it, so what counts is code: neither comments nor docstrings nor
layout. All code outside of functions counts for `MODULE`: it runs when the file is imported. So do decorators, bases
of classes, computed defaults, what is removed and still mentioned, and functions that a compiler translates: those run
without Python's notice.
"""

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windtunnel.compare.touched_functions import MAX_SOURCE, MODULE

COMPILED = re.compile(r"numba|jit\b|cfunc|pythran|taichi|triton|cython", re.IGNORECASE)
"""What code outside of functions mentions where a compiler may translate functions of the file."""

USUAL = re.compile(
    r"property|staticmethod|classmethod|(abc\.)?abstractmethod|(typing\.)?(overload|override|final)"
    r"|(functools\.)?(cache|cached_property|lru_cache(\(.*\))?)|(contextlib\.)?(async)?contextmanager"
    r"|\w+\.(setter|getter|deleter)"
)
"""Decorators that do nothing when the file is imported but to wrap the function."""

SPECIAL = re.compile(r"__\w+__")
"""Names that Python looks up itself, so that their presence alone has an effect."""

SHOWN = "authors", "classifiers", "description", "keywords", "license", "license-files", "maintainers", "readme", "urls"
TOOLS = ("black", "codespell", "coverage", "isort", "mypy", "pyright", "pytest", "ruff", "towncrier")
"""What of pyproject.toml builds nothing: keys of [project] that an index shows, and tables of tools of development."""

INSTALLS = re.compile(
    r"(uv|poetry|pdm|pixi|Pipfile)\.lock|pylock[\w.-]*\.toml|requirements/[\w.-]+\.txt"
    r"|((ci|requirements|ci/requirements)/)?([\w.-]*(requirements|constraints)[\w.-]*\.txt|environment[\w.-]*\.ya?ml)"
)
"""Files that only decide what is installed."""

UNREAD = re.compile(
    r"\.(?!git(ignore|attributes|modules|_archival))|.*\.pyi$|(.*/)?py\.typed$"
    r"|(_?typos|ruff|cliff)\.toml$|mypy\.ini$|(codecov|mkdocs|readthedocs)\.ya?ml$|CITATION\.cff$|CODEOWNERS$"
    r"|([Jj]ustfile|noxfile\.py|tox\.ini|[Tt]askfile\.ya?ml)$|((\.?conda([.-]?recipe)?|recipe)/)?meta\.ya?ml$"
)
"""Paths that neither asv's build nor a benchmark reads: files of tools, conda's recipe, and types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCode:
    """What differs between the commits."""

    functions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Qualified names by path, of outermost functions and methods, and `MODULE`; removed ones are not among them."""
    others: tuple[str, ...] = ()
    """Changed files that no function can be named of: they may reach every case."""
    installs: tuple[str, ...] = ()
    """Changed files that only decide what is installed: what that is shows once both commits are."""

    def builds(self, run: Iterable[str]) -> tuple[str, ...]:
        """Return the changed files that may take part in a build, because none of the files that *run* is one."""
        known = {*run}
        return tuple(path for path in self.functions if "build" in path and path not in known)


def find_changed_code(
    paths: Sequence[str],
    base: Callable[[str], str | None],
    head: Callable[[str], str | None],
    mentions: Callable[[str], bool],
    *,
    dispatches: bool = False,
) -> ChangedCode:
    """Return what differs in *paths*.

    *base* and *head* return the source of a path, None without one. *mentions* returns whether any source of head has a
    word. *dispatches*: a method that only base has counts for `MODULE`, whatever its name.
    """
    functions, others, installs = {}, [], []
    for path in paths:
        if UNREAD.match(path):
            continue
        before, after = base(path), head(path)
        contents = (before or "", after or "") if path.rpartition("/")[2] == "pyproject.toml" else None
        if contents and same_build(*contents):
            continue
        if INSTALLS.fullmatch(path) or (contents and same_build(*contents, installed=False)):
            installs.append(path)
        elif not path.endswith(".py") or path.rpartition("/")[2] == "setup.py":
            others.append(path)
        elif after is None:
            if mentions(path.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2]):
                others.append(path)
        elif (changed := changed_functions(before or "", after, mentions, dispatches=dispatches)) is None:
            others.append(path)
        elif changed:
            functions[path] = changed
    return ChangedCode(functions=functions, others=tuple(others), installs=tuple(installs))


def changed_functions(
    base: str, head: str, mentions: Callable[[str], bool], *, dispatches: bool = False
) -> frozenset[str] | None:
    """Return the names whose code differs in a file; None if one of the sources cannot be read."""
    try:
        before, after = _read(base), _read(head)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = {name for name, code in after.functions.items() if before.functions.get(name) != code}
    removed = before.functions.keys() - after.functions.keys()
    added = after.functions.keys() - before.functions.keys()
    last = {name.rpartition(".")[2]: name for name in (*removed, *added)}
    if (
        before.module != after.module
        or not _imports_alike(before, after)
        or not _exports_new_only(before.exported, after.exported, added)
        or any(before.decorators[name] != after.decorators[name] for name in before.functions.keys() - removed)
        or any(SPECIAL.fullmatch(name) and "." in whole for name, whole in last.items())
        or any((dispatches and "." in name) or mentions(name.rpartition(".")[2]) for name in sorted(removed))
        or (names and COMPILED.search(after.outside))
    ):
        names.add(MODULE)
    return frozenset(names)


def _imports_alike(base: "Source", head: "Source") -> bool:
    """Return whether the imports at the beginning of lines differ only in names that nothing unchanged can use.

    What one of them has more must be no name in the code of the other, and come from the standard library or from a
    module that both import; what that module imports in turn is code of its own.
    """
    if any(base.imports[name] != head.imports[name] for name in base.imports.keys() & head.imports.keys()):
        return False
    both = {*base.imports.values()} & {*head.imports.values()}
    for one, other in ((base, head), (head, base)):
        for name in one.imports.keys() - other.imports.keys():
            module = one.imports[name]
            root = module.partition(".")[0]
            if name.partition(".")[0] in other.names or not (module in both or root in sys.stdlib_module_names):
                return False
    return True


def _exports_new_only(base: frozenset[str] | None, head: frozenset[str] | None, added: Collection[str]) -> bool:
    """Return whether all that ``__all__`` has more on head are functions that base lacks."""
    if base is None or head is None:
        return base is head
    return base <= head <= base | {name for name in added if "." not in name}


@dataclass(slots=True)
class Source(ast.NodeTransformer):
    """The code of a file: that of each outermost function, and what is left without them."""

    functions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Each definition of a name, in the order of the file."""
    decorators: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The usual decorators of each definition, which have no effect but on what is called by its name."""
    exported: frozenset[str] | None = None
    """The names in ``__all__``; None without it."""
    imports: dict[str, str] = field(default_factory=dict)
    """The module that each name comes from which an import at the beginning of a line binds."""
    names: frozenset[str] = frozenset()
    """All names that the code uses or defines."""
    module: str = ""
    """What is left without functions and imports."""
    outside: str = ""
    """The code outside of functions as text."""
    _prefix: str = ""

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        """Take a function out; its decorators and what it computes when it is defined stay."""
        decorators = [each for each in node.decorator_list if not USUAL.fullmatch(ast.unparse(each))]
        name, usual = f"{self._prefix}{node.name}", [each for each in node.decorator_list if each not in decorators]
        node.decorator_list = []
        defaults = [each for each in (*node.args.defaults, *node.args.kw_defaults) if each and not _is_simple(each)]
        signature: list[ast.AST] = [node.args] if decorators else []
        stay = [*decorators, *defaults]
        left = "".join(map(ast.dump, (*stay, *signature)))
        _drop_docstring(node)
        self.functions[name].append(ast.dump(node))
        self.decorators[name].append("".join(map(ast.dump, usual)))
        self.outside += "".join(ast.unparse(each) for each in stay)
        return [ast.Expr(ast.Constant(f"{name} {left}"))] if stay else []

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> list[ast.stmt]:
        """Take a coroutine function out."""
        return self.visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Take the methods out."""
        around, self._prefix = self._prefix, f"{self._prefix}{node.name}."
        _drop_docstring(node)
        self.generic_visit(node)
        self._prefix = around
        return node

    def visit_If(self, node: ast.If) -> ast.If | list[ast.stmt]:
        """Drop what only type checkers read."""
        self.generic_visit(node)
        return node.orelse if ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"} else node

    def takes_import(self, node: ast.stmt) -> bool:
        """Note the names that *node* binds; return whether it is an import of names that none before it binds."""
        match node:
            case ast.Import():
                found = {each.asname or each.name: each.name for each in node.names}
            case ast.ImportFrom() if node.module != "__future__":
                module = f"{'.' * node.level}{node.module or ''}"
                found = {each.asname or each.name: module for each in node.names}
            case _:
                return False
        if "*" in found or found.keys() & self.imports.keys():
            return False
        self.imports |= found
        return True

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        """Take ``__all__`` out if it is a list of texts."""
        if not self._prefix and [ast.unparse(each) for each in node.targets] == ["__all__"]:
            try:
                names = ast.literal_eval(node.value)
            except ValueError:
                return node
            if self.exported is None:
                self.exported = frozenset(map(str, names))
                return None
        return node


def _read(text: str) -> Source:
    """Return the code of a file; raises ValueError or SyntaxError if it cannot be read."""
    if len(text) > MAX_SOURCE:
        raise ValueError
    tree = ast.parse(text)
    _drop_docstring(tree)
    used = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    made = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = Source(names=frozenset(used | {each.name for each in ast.walk(tree) if isinstance(each, made)}))
    found.visit(tree)
    found.outside += ast.unparse(tree)
    tree.body = [each for each in tree.body if not found.takes_import(each)]
    found.module = ast.dump(tree)
    return found


def _drop_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:]


def _is_simple(default: ast.expr) -> bool:
    """Return whether evaluating a default has no effect: a constant, a name, or a sign before a number."""
    return not any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr | ast.Subscript) for each in ast.walk(default))


def same_build(base: str, head: str, *, installed: bool = True) -> bool:
    """Return whether both contents of a pyproject.toml build the same, and if *installed* depend on the same."""

    def read(text: str) -> dict[str, Any]:
        found = tomllib.loads(text)
        for name in (*SHOWN, *(() if installed else ("dependencies", "optional-dependencies"))):
            found.get("project", {}).pop(name, None)
        for name in TOOLS:
            found.get("tool", {}).pop(name, None)
        return found if installed else {**found, "dependency-groups": None}

    try:
        return read(base) == read(head)
    except (ValueError, AttributeError, RecursionError):
        return False
