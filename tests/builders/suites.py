"""A small foreign project with an asv suite, in a git repository of its own."""

import json
import os
import shutil
from pathlib import Path

from builders.folders import write_files
from builders.repositories import git

PYPROJECT = """\
[build-system]
requires = []
build-backend = "build_spam"
backend-path = ["."]
[project]
name = "spam"
version = "1"
"""

BACKEND = '''\
"""Builds the wheel: less CPU than the import of a backend that knows more."""

import tomllib
import zipfile
from pathlib import Path

def build_wheel(folder, config_settings=None, metadata_directory=None):
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    name, version = project["name"], project["version"]
    if not isinstance(version, str):
        raise TypeError("Field `project.version` must be a string")
    info = f"{name}-{version}.dist-info"
    content = {
        **{path.as_posix(): path.read_text() for path in sorted(Path(name).rglob("*.py"))},
        f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: build_spam\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    content[f"{info}/RECORD"] = "".join(f"{path},,\\n" for path in (*content, f"{info}/RECORD"))
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / wheel, "w") as archive:
        for path, text in content.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return wheel
'''

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
            "build_spam.py": BACKEND,
            "spam/__init__.py": package,
            "suite/__init__.py": "",
            "suite/spam_suite.py": suite,
            "asv.conf.json": f"// a suite for tests\n{configuration}",
        },
        "spam begins",
    )


def change(folder, files, subject):
    """Write *files* (content by path) and commit them; return the folder."""
    write_files(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)
    return folder


SHARED = {"pip", "asv_runner"}
"""Packages of an environment that no test replaces: they have nine of ten files."""


def a_copy(source, target):
    """Copy a project or environments, with links to installed files: installers replace them, and write into none."""
    shared = []

    def leave(folder, names):
        found = SHARED.intersection(names) if Path(folder).name == "site-packages" else ()
        shared.extend(Path(folder, name) for name in found)
        return found

    def copy(one, other):
        (os.link if "site-packages" in one else shutil.copy2)(one, other)

    shutil.copytree(source, target, symlinks=True, copy_function=copy, ignore=leave)
    for package in shared:
        (target / package.relative_to(source)).symlink_to(package)
    return target
