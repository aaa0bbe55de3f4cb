"""Build, test, publish and announce a release: each command is a step of .github/workflows/release.yml.

``make dist``, ``dist-test``, ``dist-publish`` and ``dist-release`` run them; docs/how-to/release.md explains them.
"""

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from uv import find_uv_bin

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PROJECTS = (
    "pyproject.toml",
    "src/asv_bench_async/pyproject.toml",
    "src/windtunnel_claims/pyproject.toml",
    "src/windtunnel_scenarios/pyproject.toml",
)
RELEASE_FILE = "src/windtunnel/release.json"
"""`windtunnel.cli.installed_pin` reads it."""
USE = """\
import asv_bench_async, windtunnel, windtunnel_claims.claims_command, windtunnel_scenarios.registry
from importlib.metadata import version
from importlib.resources import files
assert (files("windtunnel") / "_site" / "index.html").is_file(), "the wheel has no pages"
print(*(version(name) for name in ("windtunnel", "windtunnel-claims", "windtunnel-scenarios", "asv_bench_async")))
"""
"""What has to work where all four wheels are installed."""


class ReleaseError(Exception):
    """The release cannot be made, for a reason that its maker can change."""


def version_of(root: Path) -> str:
    """Return the version that all four distributions have; raises ReleaseError where they differ."""
    found = {name: tomllib.loads((root / name).read_text(encoding="utf-8"))["project"]["version"] for name in PROJECTS}
    if len(set(found.values())) != 1:
        raise ReleaseError(f"the distributions have different versions, {found}; give them the same one")
    return str(found[PROJECTS[0]])


def check_tag(tag: str, version: str) -> None:
    """Raise ReleaseError unless *tag* is the one of *version*."""
    if tag != f"v{version}":
        raise ReleaseError(
            f"the tag {tag!r} is not v{version}, the version in pyproject.toml; set the version there and tag again"
        )


def release_notes(changelog: str, version: str) -> str:
    """Return the section of *version*; raises ReleaseError where there is none, or it is not released."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    found = [one for one in sections if one.split(maxsplit=1)[:1] == [version]]
    if len(found) != 1:
        raise ReleaseError(f"CHANGELOG.md has {len(found)} sections '## {version}'; it needs one")
    head, _, text = found[0].partition("\n")
    if "unreleased" in head or not text.strip():
        raise ReleaseError(
            f"CHANGELOG.md: write the date into '## {head}', and what changed below it, and commit that: "
            "a release is built from the commit"
        )
    return text.strip() + "\n"


def build(tag: str, repository: str, commit: str) -> None:
    """Build wheels and sdists of *commit* into dist/, from its committed files alone.

    With a *tag* they are a release of *repository*: the wheels hold the commit, which `windtunnel init` pins.
    """
    commit = git("rev-parse", "--verify", f"{commit}^{{commit}}").decode().strip()
    with TemporaryDirectory() as folder:
        source = Path(folder)
        with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", commit))) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python has it since 3.11.4
            archive.extractall(source)  # noqa: S202 - files of this repository
        version = version_of(source)
        if tag:
            check_tag(tag, version)
            release_notes((source / "CHANGELOG.md").read_text(encoding="utf-8"), version)
            if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
                raise ReleaseError(f"{repository!r} is not OWNER/NAME; `windtunnel init` pins what --repository states")
            built = {"repository": repository, "commit": commit}
            (source / RELEASE_FILE).write_text(json.dumps(built) + "\n", encoding="utf-8")
        DIST.mkdir(exist_ok=True)
        for old in DIST.iterdir():
            old.unlink()
        command = (
            "build",
            "--all-packages",
            "--no-build-isolation",
            "--python",
            sys.executable,
            "--out-dir",
            str(DIST),
        )
        uv(command, cwd=source, SOURCE_DATE_EPOCH=git("show", "--no-patch", "--format=%ct", commit).decode().strip())
    (DIST / ".gitignore").unlink(missing_ok=True)


def test(tag: str, python: str) -> None:
    """Install the wheels in dist/ for *python* in a clean environment, and use them: those of a *tag* know it."""
    version = version_of(ROOT)
    with TemporaryDirectory() as folder:
        there = Path(folder)
        uv(("venv", "--python", python, "env"), cwd=there)
        wheels = sorted(map(str, DIST.glob("*.whl")))
        uv(("pip", "install", "--python", "env", *wheels), cwd=there)
        tool = there / "env" / "bin"
        versions = run([str(tool / "python"), "-c", USE], there).split()
        said = run([str(tool / "windtunnel"), "--version"], there).split()[-1:]
        if [*versions, *said] != [version] * 5:
            raise ReleaseError(f"installed were {versions} and {said} instead of {version}")
        suite = there / "suite"
        suite.mkdir()
        (suite / "benchmarks").mkdir()
        (suite / "benchmarks" / "__init__.py").touch()
        (suite / "asv.conf.json").write_text('{"version": 1, "project": "p", "branches": ["main"]}', encoding="utf-8")
        (suite / "pyproject.toml").write_text("[tool.windtunnel.ci]\npages = false\n", encoding="utf-8")
        run(["git", "init", "--quiet", "--initial-branch=main"], suite)
        run(["git", "add", "."], suite)
        author = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        run(["git", *author, "commit", "--quiet", "--message", "suite"], suite)
        pin = () if tag else ("--pin", f"OWNER/NAME@{'0' * 40}")
        sys.stdout.write(run([str(tool / "windtunnel"), "init", *pin], suite))


def publish(distribution: str) -> None:
    """Upload dist/ to the package index: by trusted publishing in GitHub Actions, else as uv's variables say.

    With a *distribution* only its files, as each has a publisher of its own until its first release.
    """
    files = DIST.glob(f"{distribution.replace('-', '_')}-[0-9]*" if distribution else "*")
    uv(("publish", *sorted(map(str, files))), cwd=ROOT)


def announce(tag: str) -> None:
    """Create the release of *tag* on GitHub, with the notes of CHANGELOG.md and the files in dist/."""
    version = version_of(ROOT)
    check_tag(tag, version)
    notes = release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "notes.md"
        path.write_text(notes, encoding="utf-8")
        files = sorted(map(str, DIST.iterdir()))
        run(["gh", "release", "create", tag, *files, "--verify-tag", "--title", tag, "--notes-file", str(path)], ROOT)


def git(*command: str) -> bytes:
    """Run git in this repository."""
    return subprocess.run(["git", *command], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def uv(command: Sequence[str], *, cwd: Path, **env: str) -> None:
    """Run uv; no variable of the caller chooses another environment."""
    kept = {key: value for key, value in os.environ.items() if key not in {"UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV"}}
    subprocess.run([find_uv_bin(), *command], cwd=cwd, env={**kept, **env}, check=True)


def run(command: Sequence[str], cwd: Path) -> str:
    """Run a command and return its output."""
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


def main(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Run the command that *argv* names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("build", "test", "publish", "announce"))
    parser.add_argument("--tag", default="", help="v and the version; without it, the wheels are no release")
    parser.add_argument("--repository", default=env.get("GITHUB_REPOSITORY", ""), help="OWNER/NAME on GitHub")
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--distribution", default="", help="what to publish (default: all four)")
    options = parser.parse_args(argv)
    try:
        match options.command:
            case "build":
                build(options.tag, options.repository, options.commit)
            case "test":
                test(options.tag, options.python)
            case "publish":
                publish(options.distribution)
            case _:
                announce(options.tag)
    except ReleaseError as error:
        sys.stderr.write(f"release: {error}\n")
        return 2
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"release: {' '.join(map(str, error.cmd[:3]))} failed with exit code {error.returncode}\n")
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
