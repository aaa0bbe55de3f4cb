"""The page of functions that no benchmark runs."""

from builders.reached import a_kept_map

from windtunnel.publish.reach_page import list_functions, newest_maps, project_folders, render_page

SOURCE = '''
import typing

def run(): return lambda: 1

class A:
    async def method(self):
        def inner(): pass
    class B:
        def deep(self): return 1
    @typing.overload
    def declared(self, one): ...
    def abstract(self):
        """Words."""
if typing.TYPE_CHECKING:
    def rare(): return 2
'''


def test_functions_have_the_names_of_a_map():
    """Outermost functions and methods that have code; nothing of a file that is not Python of today."""
    assert list(list_functions(SOURCE)) == ["run", "A.method", "A.B.deep", "rare"]
    assert not list(list_functions("def broken(:"))


def test_only_folders_of_the_project_count():
    """Those of which the map shows a file, without the suite."""
    cases = {"suite.time_it": {"src/spam/a.py": ("run",), "eggs/b.py": ("f",), "bench/suite.py": ("time_it",)}}
    kept = a_kept_map("1" * 40, cases, imports={"one.py": ("<module>",)})
    assert project_folders([kept], "bench") == ("eggs", "one.py", "src/spam")


def test_the_newest_commit_counts():
    """On all its Pythons."""
    old, new, other = (a_kept_map(digit * 40, date=date) for digit, date in (("1", 1), ("2", 2), ("2", 2)))
    assert newest_maps([old, new, other]) == (new, other)
    assert newest_maps([]) == ()


def page(functions, **cases):
    maps = [a_kept_map("1" * 40, {f"suite.{name}": found}, python=name) for name, found in cases.items()]
    return render_page("spam", maps, functions)


def test_functions_that_no_benchmark_runs_are_listed():
    """One that runs on any Python runs; functions of tests are not the project's."""
    functions = {"a.py": ("f", "g", "h"), "b.py": ("x",), "spam/tests/test_a.py": ("test_f",), "c.py": ("run",)}
    text = page(functions, old={"a.py": ("f",), "c.py": ("run",)}, new={"a.py": ("g",)})
    assert "<h1>Benchmarks run 3 of 5 functions</h1>" in text
    assert '<summary>1 of 3 in a.py</summary><ul class="links"><li><code>h</code></ul>' in text
    assert "<summary>1 of 1 in b.py</summary>" in text
    assert "test_f" not in text
    assert "c.py" not in text
    assert "Python old, new" in text


def test_names_are_escaped():
    """Paths and Pythons come from a branch and from git."""
    text = page({"<img src=x>.py": ("f",)}, **{"<b>": {}})
    assert "<img" not in text
    assert "<b>" not in text
    assert "&lt;img src=x&gt;.py" in text
