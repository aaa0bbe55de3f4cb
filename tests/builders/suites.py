"""A small foreign project with an asv suite, in a git repository of its own."""

import json

from builders.repositories import git

PYPROJECT = """\
[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"
[project]
name = "spam"
version = "1"
"""

SUITE = """\
from spam import work

class Spam:
    params = [["plain", "failing", "absent"], [1, 2]]
    param_names = ["way", "size"]
    version = "1"
    number, repeat, warmup_time = 1, 3, 0

    def setup(self, way, size):
        if way == "absent":
            raise NotImplementedError("no such library")

    def time_work(self, way, size):
        if way == "failing":
            raise ValueError("spam is off")
        work(size)

def track_poison():
    return {"not": "a number"}
track_poison.version = "1"

def track_size():
    return 3
track_size.version = "1"
"""

CONFIGURATION = {
    "version": 1,
    "project": "spam",
    "repo": ".",
    "branches": ["main"],
    "environment_type": "uv",
    "matrix": {"req": {"pip+asv_runner": ["0.3.2"]}},
    "build_command": [
        (
            "/usr/bin/env uv build --quiet --wheel --no-build-isolation --python {env_dir}/bin/python"
            " --out-dir {build_cache_dir} {build_dir}"
        )
    ],
    "install_command": [
        "/usr/bin/env uv pip install --quiet --python {env_dir}/bin/python --no-deps --reinstall {wheel_file}"
    ],
    "uninstall_command": [
        "return-code=any /usr/bin/env uv pip uninstall --quiet --python {env_dir}/bin/python {project}"
    ],
    "benchmark_dir": "suite",
    "env_dir": ".asv/env",
    "results_dir": ".asv/results",
    "html_dir": ".asv/html",
}


WORK = "def work(size):\n    return sum(range(size * 1000))\n"


def a_project(folder, *, pythons, suite=SUITE, package=WORK, **settings):
    """A repository with one commit: the package ``spam``, its suite, and *settings* of asv with comments."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    configuration = json.dumps({**CONFIGURATION, "pythons": list(pythons), **settings}, indent=1)
    return change(
        folder,
        {
            ".gitignore": ".asv/\n.windtunnel/\n__pycache__/\n",
            "pyproject.toml": PYPROJECT,
            "spam/__init__.py": package,
            "suite/__init__.py": "",
            "suite/spam_suite.py": suite,
            "asv.conf.json": f"// a suite for tests\n{configuration}",
        },
        "spam begins",
    )


def change(folder, files, subject):
    """Write *files* (content by path) and commit them; return the folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)
    return folder
