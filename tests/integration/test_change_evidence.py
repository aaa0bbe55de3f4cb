"""What explains a change beside counts: the functions of the diff, and flame graphs; real git."""

import io

from builders.profiles import profile
from builders.repositories import a_repository, git
from builders.suites import change

from windtunnel.cli.change_evidence import FlameGraphFolder, find_touched
from windtunnel.cli.console import NORMAL, Console
from windtunnel.git.repository import Repository
from windtunnel.model.measure import CaseIdentity
from windtunnel.model.witness import CaseProfile

BEFORE = "def kept():\n    return 1\n\n\ndef changed():\n    return 1\n"


def test_the_functions_of_the_diff_are_found(tmp_path):
    """By path on head, also in a file that moved; without a diff, or without a commit, nothing is known."""
    repository, err = a_repository(tmp_path / "project", "begin"), io.StringIO()
    change(repository, {"pkg/mod.py": BEFORE, "pkg/removed.py": BEFORE, "README.md": "words\n"}, "before")
    git(repository, "mv", "pkg/removed.py", "pkg/moved.py")
    after = BEFORE.replace("changed():\n    return 1", "changed():\n    return 2")
    change(repository, {"pkg/mod.py": after, "README.md": "other words\n"}, "after")
    base, head = (git(repository, "rev-parse", name) for name in ("HEAD~1", "HEAD"))
    opened, console = Repository.at(repository, {}), Console(out=io.StringIO(), err=err, level=NORMAL)
    found = find_touched(opened, base, head, console)
    assert {*found} == {"pkg/mod.py", "pkg/moved.py"}, "files of other languages have no functions of Python"
    assert found["pkg/mod.py"].head_functions == {"changed"}
    assert found["pkg/moved.py"].base_file == "pkg/removed.py"
    assert find_touched(opened, head, head, console) is None
    assert not err.getvalue()
    assert find_touched(opened, base, "f" * 40, console) is None
    assert "does not say what the diff changes" in err.getvalue()


def test_flame_graphs_lie_beside_the_verdict(tmp_path):
    """As picture and as text, numbered in their order; a case without profiles has none."""
    folder, case = FlameGraphFolder(out=tmp_path / "out" / "verdict.json"), CaseIdentity(benchmark="suite.time_it")
    one, other = (profile(("run", 1, 100.0), ("run > helper", calls, 10.0 * calls)) for calls in (1, 50))
    assert folder.keep(case, one, CaseProfile(reason="no profile"), None) == ""
    assert folder.keep(case, one, other, None) == "flame-graphs/1.svg"
    assert folder.keep(case, other, one, None) == "flame-graphs/2.svg"
    written = {path.name: path.read_text() for path in (tmp_path / "out" / "flame-graphs").iterdir()}
    assert {*written} == {"1.svg", "1.txt", "2.svg", "2.txt"}
    assert written["1.svg"].startswith("<svg")
    assert "helper" in written["1.txt"]
