"""Small asv suites, run by the script with which asv runs them, in environments as bare as asv's own."""

import json
import os
import shutil
import subprocess
import tempfile
import textwrap
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import asv
import asv_runner

import asv_bench_async

PLUGIN = Path(asv_bench_async.__file__).parent
ASV_SCRIPT = Path(asv.__file__).parent / "benchmark.py"
PYTEST = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
"""Packages of a Python that runs pytest without a plugin."""
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: 0\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What asv sees of a benchmark process."""

    code: int
    output: str
    result: object = None

    @property
    def lines(self):
        return self.output.splitlines()

    @property
    def error(self):
        """The last line of the traceback."""
        return self.lines[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A folder of benchmarks and the Python that runs them, in new processes or in those of *fork*.

    *env* comes on top of the environment of a new one.
    """

    folder: Path
    python: Path
    env: tuple[tuple[str, str], ...] = ()
    fork: object = None

    def run(self, name, *, profile=None, timeout=60, code=None, **attributes):
        """Run one benchmark in a process of its own, which has to end with *code*; *attributes* are `asv run -a`'s."""
        result = self.folder.parent / "result.json"
        result.unlink(missing_ok=True)
        outcome = self.command("run", name, json.dumps(attributes), str(profile), str(result), timeout=timeout)
        assert code in {None, outcome.code}, outcome.output
        found = json.loads(result.read_text(encoding="utf-8")) if result.exists() else None
        return Outcome(code=outcome.code, output=outcome.output, result=found)

    def discovered(self):
        """What asv learns of the suite, by name."""
        result = self.folder.parent / "discovered.json"
        outcome = self.command("discover", str(result))
        assert outcome.code == 0, outcome.output
        return {entry["name"]: entry for entry in json.loads(result.read_text(encoding="utf-8"))}

    def command(self, command, *arguments, timeout=60):
        arguments = [command, str(self.folder), *arguments]
        with tempfile.TemporaryFile() as output:
            if self.fork:
                streams = (output.fileno(),) * 3
                code = self.fork(arguments, dict(os.environ), streams, self.folder.parent).wait(timeout)
            else:
                code = subprocess.run(
                    [self.python, ASV_SCRIPT, *arguments],
                    cwd=self.folder.parent,
                    env={**os.environ, **dict(self.env)},
                    stdout=output,
                    stderr=output,
                    timeout=timeout,
                    check=False,
                ).returncode
            output.seek(0)
            return Outcome(code=code, output=output.read().decode().strip())


def a_suite(folder, python, *, env=(), fork=None, **modules):
    """Write the modules (name and source; `it` where the name does not matter) as an asv suite."""
    suite = folder / "benchmarks"
    suite.mkdir()
    for name, source in {"__init__": "", **modules}.items():
        (suite / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    return Suite(folder=suite, python=python, env=tuple(env), fork=fork)


def a_bare_python(python, folder, *, plugin=True, packages=()):
    """Make an environment of asv_runner, this plugin by default, and *packages* that are installed here."""
    site = folder / "site"
    shutil.copytree(Path(asv_runner.__file__).parent, site / "asv_runner", ignore=shutil.ignore_patterns("__pycache__"))
    if plugin:
        shutil.copytree(PLUGIN, site / "asv_bench_async", ignore=shutil.ignore_patterns("__pycache__"))
        metadata = site / "asv_bench_async-0.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(METADATA.format(name="asv_bench_async"), encoding="utf-8")
    for name in packages:
        origin = Path(find_spec(name).origin)
        source = origin.parent if origin.stem == "__init__" else origin
        (site / source.name).symlink_to(source)
    environment = folder / "environment"
    subprocess.run([python, "-m", "venv", "--without-pip", environment], check=True)
    installed = next(environment.glob("**/site-packages"))
    (installed / "site.pth").write_text(f"{site}\n", encoding="utf-8")
    return environment / "bin" / "python"
