"""What `make tool` installs: files with the hashes of the repository, from whatever index they come."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from actions.acting import uv_cache
from builders.package_index import a_wheel, served
from uv import find_uv_bin

ROOT = Path(__file__).parents[2]
FILES = ("Makefile", "pyproject.toml", "uv.lock", ".ci/uv.txt", "README.md", "LICENSE")


@pytest.fixture
def checkout(tmp_path):
    """What `make tool` reads, and a file that tampered packages write."""
    folder = tmp_path / "checkout"
    (folder / ".ci").mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    for name in ("src", "site"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    return folder


def make(checkout, target, **env):
    """Run ``make`` with an empty home."""
    home = checkout.parent / "home"
    home.mkdir()
    kept = {key: os.environ[key] for key in ("PATH", "SSL_CERT_FILE") if key in os.environ}
    return subprocess.run(
        ["make", "--no-print-directory", target],
        cwd=checkout, env={**kept, "HOME": str(home), **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def an_index(tmp_path, name, version, **contents):
    """A folder that serves one tampered wheel."""
    a_wheel(tmp_path / "index" / "simple" / name, name, version, **contents)
    return tmp_path / "index"


def test_a_uv_with_another_hash_is_not_installed(checkout, tmp_path):
    """It would run with the token of the job that installs the tool."""
    ran = tmp_path / "ran"
    version = next(line for line in (ROOT / ".ci/uv.txt").read_text().splitlines() if line.startswith("uv=="))
    script = f"#!/bin/sh\ntouch {ran}\n"
    index = an_index(tmp_path, "uv", version[4:].rstrip(" \\"), files={}, scripts=[("uv", script), ("uvx", script)])
    with served(index) as (url, asked):
        done = make(checkout, "tool", PIP_INDEX_URL=url)
    assert "/simple/uv/" in asked
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert not ran.exists()


def with_uv(checkout, folder):
    """Make the virtual environment *folder* with the uv of these tests, so that no test downloads one."""
    uv = find_uv_bin()
    subprocess.run([uv, "venv", "--quiet", folder], cwd=checkout, check=True)
    (checkout / folder / "bin" / "uv").symlink_to(uv)


def tampered_backend(tmp_path):
    """An index with a build backend that writes a file when it is executed, and that file."""
    ran = tmp_path / "ran"
    backend = {"hatchling/__init__.py": "", "hatchling/build.py": f"open({str(ran)!r}, 'w').close()\n"}
    return an_index(tmp_path, "hatchling", "1.33.0", files=backend), ran


def test_no_index_is_asked_for_a_build_backend(checkout, tmp_path):
    """uv builds without isolation: in isolation it would take what an index offers, and has no hash to check."""
    index, ran = tampered_backend(tmp_path)
    with_uv(checkout, ".windtunnel/tool-light")
    with served(index) as (url, asked):
        done = make(checkout, "tool-light", UV_INDEX=url, UV_CACHE_DIR=uv_cache())
    assert done.returncode == 0, done.stderr
    assert asked == []
    assert not ran.exists()


def test_the_checkout_around_the_tool_does_not_choose_what_is_installed(checkout, tmp_path):
    """uv and pip read settings from folders above; there is the code of a project, or of a pull request."""
    index, ran = tampered_backend(tmp_path)
    with_uv(checkout, ".windtunnel/tool-light")
    script = f"open({str(ran)!r}, 'w').close()"
    for name in ("venv.py", "pip.py", "uv.py", "sitecustomize.py"):
        (tmp_path / name).write_text(script)
    with served(index) as (url, asked):
        (tmp_path / "uv.toml").write_text(f'index-url = "{url}"\n')
        workspace = '[project]\nname = "p"\nversion = "1"\n[tool.uv.workspace]\nmembers = ["checkout"]\n'
        (tmp_path / "pyproject.toml").write_text(f'{workspace}[[tool.uv.index]]\nurl = "{url}"\ndefault = true\n')
        (tmp_path / "Makefile").write_text(f"tool-light:\n\ttouch {ran}\n")
        done = make(checkout, "tool-light", UV_CACHE_DIR=uv_cache())
    assert done.returncode == 0, done.stderr
    assert asked == []
    assert not ran.exists()


def test_a_build_backend_with_another_hash_is_not_executed(checkout, tmp_path):
    """The server of the locked file sends something else, and this machine has no copy of it."""
    index, ran = tampered_backend(tmp_path)
    with_uv(checkout, ".windtunnel/tool-light")
    with served(index) as (url, asked):
        lock = checkout / "uv.lock"
        text, count = re.subn(
            r'"https:[^"]+/(hatchling-1\.33\.0-py3-none-any\.whl)"', rf'"{url}hatchling/\1"', lock.read_text()
        )
        assert count == 1
        lock.write_text(text)
        done = make(checkout, "tool-light", UV_CACHE_DIR=str(tmp_path / "cache"))
    assert any(path.endswith(".whl") for path in asked)
    assert done.returncode != 0
    assert "Hash mismatch" in done.stderr
    assert not ran.exists()
