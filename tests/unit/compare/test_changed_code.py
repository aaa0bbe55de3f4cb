"""What of a diff is code, and whose: names are attributed only where nothing else can change."""

import pytest

from windtunnel.compare.changed_code import ChangedCode, changed_functions, find_changed_code, same_build

BASE = '''\
"""A module."""
import functools
LIMIT = 3
__all__ = ["work"]

def work(size=2, *, limit=LIMIT):
    """Do it."""
    def inner():
        return size
    return inner()

class Store:
    """Keeps."""
    kept = 1
    def read(self): return 1
    @property
    def size(self): return 2
    @size.setter
    def size(self, value): pass

@register("name")
def registered(size): return 1
'''
MODULE = "<module>"


def changed(old, new, mentioned=()):
    """The names that differ when *old* in the file is *new*."""
    assert old in BASE
    return changed_functions(BASE, BASE.replace(old, new, 1), lambda word: word in mentioned)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("return inner()", "return 2 * inner()", {"work"}),
        ("return size\n", "return -size\n", {"work"}),
        ("size=2", "size=3", {"work"}),
        ("def read(self): return 1", "def read(self): return 7", {"Store.read"}),
        ("def size(self, value): pass", "def size(self, value): self.x = value", {"Store.size"}),
        ("registered(size): return 1", "registered(size): return 2", {"registered"}),
        ("class Store:", "def more(): return 1\n\nclass Store:", {"more"}),
        ("    def read(self)", "    def more(self): return 1\n    def read(self)", {"Store.more"}),
        ("    @property\n", "    @functools.cache\n    def more(self): return 1\n    @property\n", {"Store.more"}),
    ],
)  # fmt: skip
def test_a_change_in_a_function_is_its_own(old, new, names):
    """Also in what stands in it, and of a function that is added."""
    assert changed(old, new) == names


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("kept = 1", "kept = 2"),
        ("class Store:", "class Store(dict):"),
        ("import functools", "import functools, other"),
        ("import functools", "import other as functools"),
        ("import functools", "from functools import *"),
        ("import functools", "import functools\nfrom math import register"),
        ("import functools", "import functools\nif LIMIT: import re"),
        ("import functools", "import functools\nfrom math import work"),
        ('@register("name")', '@register("other")'),
        ('@register("name")\n', ""),
        ("def registered(size)", "def registered(size: int)"),
        ("    @property\n", ""),
        ("limit=LIMIT", "limit=find_limit()"),
        ('__all__ = ["work"]', '__all__ = ["work", "Store"]'),
        ('__all__ = ["work"]\n', ""),
        ("    def read(self)", "    def __eq__(self, other): return True\n    def read(self)"),
        ("class Store:", "class More(Store): pass\n\nclass Store:"),
        ("def work(", "if LIMIT: work = 1\ndef work("),
    ],
)
def test_what_runs_at_import_is_the_modules(old, new):
    """Decorators, computed defaults, bases, class attributes, and methods that Python looks up itself."""
    assert MODULE in changed(old, new)
    assert MODULE in changed_functions(BASE.replace(old, new, 1), BASE, bool)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Do it.", "Do it well."),
        ("A module.", "Another module."),
        ("Keeps.", "Keeps all."),
        ("return inner()", "return inner()  # why"),
        ("def read(self): return 1", "def read(self):\n\n        return 1"),
    ],
)
def test_words_and_layout_are_no_code(old, new):
    """Docstrings, comments and lines."""
    assert changed(old, new) == frozenset()


@pytest.mark.parametrize(
    "imports",
    [
        "import re, functools\nfrom .b import first",
        "import functools\nfrom .b import first\nfrom typing import Any",
        "import functools\nfrom .b import first, second as other",
        "import functools\nfrom .b import first\nif TYPE_CHECKING:\n    from .c import third",
    ],
)
def test_an_import_of_names_that_nothing_unchanged_uses_changes_nothing(imports):
    """From the standard library, or from a module that the file imports already; nor do those for type checkers."""
    base = BASE.replace("import functools", "import functools\nfrom .b import first\nif TYPE_CHECKING: import x")
    head = BASE.replace("import functools", f"{imports}\nif TYPE_CHECKING: import y")
    assert changed_functions(base, head, lambda _: True) == changed_functions(head, base, lambda _: True) == frozenset()


def test_a_removed_function_may_leave_another_in_its_place():
    """A method of a base class, a built-in function: unless nothing in the project says its name any more."""
    removed = "    def read(self): return 1\n"
    assert changed(removed, "") == frozenset()
    assert changed(removed, "", {"read"}) == {MODULE}
    special = BASE.replace("read", "__len__")
    assert changed_functions(special, BASE.replace(removed, ""), lambda _: False) == {MODULE}


def test_a_new_function_may_be_exported():
    """An import of all names gets one more, which is among those that changed."""
    head = BASE.replace('["work"]', '["work", "more"]') + "\ndef more(): return 1\n"
    assert changed_functions(BASE, head, lambda _: True) == {"more"}


@pytest.mark.parametrize("code", ["import numba\n{}", "@jit\n{}", "@nb.njit(cache=True)\n{}", "@maybe_jit\n{}"])
def test_functions_that_a_compiler_may_translate_count_for_the_module(code):
    """They run without Python's notice, so that no map has them."""
    base, head = (code.format(f"def work(): return {value}\n") for value in (1, 2))
    assert MODULE in changed_functions(base, head, lambda _: False)


def test_a_file_that_cannot_be_read_has_no_names():
    """A newer syntax, or none."""
    assert changed_functions(BASE, "def work(:", lambda _: False) is None


def found(base, head, mentioned=()):
    """What differs between two trees: content by path."""
    paths = sorted({path for path in {**base, **head} if base.get(path) != head.get(path)})
    return find_changed_code(paths, base.get, head.get, lambda word: word in mentioned)


@pytest.mark.parametrize(
    "path", ["src/core.pyx", "src/fast.c", "data/table.json", "setup.py", "asv.conf.json", "vendor"]
)
def test_what_is_not_python_is_not_attributed(path):
    """Nor is what builds."""
    assert found({path: "1"}, {path: "2"}).others == (path,)


@pytest.mark.parametrize("path", [".circleci/config.yml", "src/core.pyi", "py.typed", "noxfile.py", "recipe/meta.yaml"])
def test_what_nothing_reads_is_left_out(path):
    """Settings of tools, and types; git's own files may decide what a build takes."""
    assert found({path: "1"}, {path: "2"}) == ChangedCode()
    assert found({".gitignore": "1"}, {".gitignore": "2"}).others == (".gitignore",)


@pytest.mark.parametrize(
    "path", ["uv.lock", "requirements-dev.txt", "requirements/test.txt", "ci/requirements/environment.yml"]
)
def test_what_only_decides_about_packages_is_apart(path):
    """They are compared once both commits are installed; a file of that name elsewhere may be data."""
    assert found({path: "1"}, {path: "2"}) == ChangedCode(installs=(path,))
    assert found({f"src/{path}": "1"}, {f"src/{path}": "2"}).others == (f"src/{path}",)


def test_files_that_come_and_go():
    """All of a new file is new; one that is gone may have been imported by whoever names it."""
    assert found({}, {"a.py": "def f(): pass\n"}).functions == {"a.py": {"f"}}
    assert found({"pkg/test_a.py": "X = 1\n"}, {}) == ChangedCode()
    assert found({"pkg/a.py": "X = 1\n"}, {}, {"a"}).others == ("pkg/a.py",)
    assert found({"pkg/a/__init__.py": "X = 1\n"}, {}, {"a"}).others == ("pkg/a/__init__.py",)


def test_tables_of_tools_build_nothing():
    """All other tables of a pyproject.toml may."""
    base = '[project]\nname = "spam"\n[tool.ruff]\nline-length = 80\n'
    assert same_build(base, base.replace("80", "100"))
    assert not same_build(base, base.replace("spam", "eggs"))
    assert not same_build(base, "[project")
    assert found({"pyproject.toml": base}, {"pyproject.toml": base.replace("80", "100")}) == ChangedCode()
    assert same_build(base, f'{base}[project.urls]\nhome = "there"\n')
    for more in ('[project.optional-dependencies]\ndev = ["ruff==2"]\n', '[dependency-groups]\ndev = ["ruff"]\n'):
        assert not same_build(base, base + more)
        assert found({"pyproject.toml": base}, {"pyproject.toml": base + more}).installs == ("pyproject.toml",)


def test_a_method_that_the_map_lacks_may_take_the_place_of_another():
    """`visit_` + a name finds it, though no source mentions it; a new function has callers that differ too."""
    base = {"a.py": "class A:\n    x = 1\n    def visit_x(self): pass\n\ndef f(): pass\n"}
    head = {"a.py": "class A:\n    x = 1\n"}
    paths = ["a.py"]
    assert find_changed_code(paths, base.get, head.get, lambda _: False) == ChangedCode()
    found = find_changed_code(paths, base.get, head.get, lambda _: False, dispatches=True)
    assert found.functions == {"a.py": {MODULE}}
    without = {"a.py": "class A:\n    x = 1\n    def visit_x(self): pass\n"}
    assert find_changed_code(paths, base.get, without.get, lambda _: False, dispatches=True) == ChangedCode()
