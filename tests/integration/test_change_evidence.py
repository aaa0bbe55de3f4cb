"""What explains a change beside counts: the functions of the diff; real git."""

import io

from builders.repositories import a_repository, git
from builders.suites import change

from windtunnel.cli.comparison_setup import find_touched
from windtunnel.cli.console import NORMAL, Console
from windtunnel.git.repository import Repository

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
