"""Takes the steps of a new user in one project, and records what each did."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic

import json5
from uv import find_uv_bin

from windtunnel import files
from windtunnel.asv.pythons import find_interpreters
from windtunnel.compare.format import VERDICT_FORMAT

ROOT = Path(__file__).parents[2]
STEPS = ("init", "doctor", "plan", "run", "compare", "publish", "new")
WINDTUNNEL = Path(sys.executable).with_name("windtunnel")
PIN = f"OWNER/windtunnel@{'0' * 40}"
MINUTES = 15
"""The budget of a comparison, in minutes."""

KEPT = 6000
"""Characters of a command's output that are kept: its end."""

SLOWER = '''

def _slower(function):
    """Call the function five times: a slowdown whose size is known."""

    def call(*args, **kwargs):
        for _ in range(4):
            function(*args, **kwargs)
        return function(*args, **kwargs)

    return call


'''
"""What the study's own commit adds to a file, before it wraps functions of that file."""


def record_of(folder, project):
    """Return the file with what the steps of a project did."""
    return folder / f"{project['name'].replace('/', '+')}.json"


def read_record(path):
    """Return what the steps of a project did, nothing if none was tried."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


class Attempt:
    """One project: its clone, and the steps that are taken there."""

    def __init__(self, project, folder, env, minutes):
        self.project, self.env, self.minutes = project, env, minutes
        self.clone = folder / project["name"].replace("/", "+")
        self.apart = folder / f"{self.clone.name}.project" if "project" in project else None
        self.file = record_of(folder, project)
        self.out = folder / f"{self.clone.name}.out"
        self.record = read_record(self.file)

    def take(self, steps):
        """Take the steps and write down what each did."""
        self.out.mkdir(exist_ok=True)
        if "clone" not in self.record or not self.clone.exists():
            self.prepare()
        for step in steps:
            if step not in self.project.get("without", ()):
                getattr(self, f"step_{step}")()
                self.save()

    def save(self):
        """Write the record."""
        self.file.write_text(json.dumps(self.record, indent=1) + "\n", encoding="utf-8")

    def git(self, *args, where=None, **more):
        """Return the output of a git command."""
        command = ["git", "-c", "user.name=study", "-c", "user.email=study@example.org", *args]
        done = subprocess.run(
            command, cwd=where or self.clone, env=self.env, check=True, capture_output=True, text=True, **more
        )
        return done.stdout.strip()

    def prepare(self):
        """Clone the project and make the two commits that are compared."""
        began = monotonic()
        snapshot = clone_from_github(self, self.project["name"], self.clone)
        measured = self.clone
        if self.apart:
            clone_from_github(self, self.project["project"], self.apart)
            measured = self.apart
        base = head = ""
        if "slower" in self.project:
            base, head = self.commit_slower(measured)
        elif "head" in self.project:  # a known change
            base, head = (self.git("rev-parse", self.project[each], where=measured) for each in ("base", "head"))
        config = self.find_config()
        self.record["clone"] = {
            "snapshot": snapshot,
            "base": base,
            "head": head,
            "config": config,
            "own": config,
            "environment": self.keys(config).get("environment_type") or "virtualenv" if config else "",
            "seconds": monotonic() - began,
        }
        if config and "overrides" in self.project:
            self.record["clone"]["config"] = self.override(config, self.project["overrides"])
        self.save()

    def prepared(self, side):
        """Make an environment with a release of the project, as a caller does; return its Python."""
        folder, uv = self.out / side, find_uv_bin()
        python = folder / "bin" / "python"
        wanted = {each.spec: each.path for each in find_interpreters(self.env)}[self.project["python"]]
        packages = [*self.packages(), "asv_runner"]
        if not python.exists():
            for command in (
                [uv, "venv", "--quiet", "--python", wanted, folder],
                [uv, "pip", "install", "--quiet", "--python", python, *packages],
            ):
                subprocess.run([*map(str, command)], env=self.env, check=True)
            if side == "head":
                self.make_slower(next(folder.glob("lib/python*/site-packages")))
        return str(python)

    def commit_slower(self, measured):
        """Commit a change that calls functions five times; return the commit before it and the commit."""
        base = self.git("rev-parse", "HEAD", where=measured)
        self.make_slower(measured)
        self.git("commit", "--quiet", "--all", "--message=Call a function five times", where=measured)
        head = self.git("rev-parse", "HEAD", where=measured)
        if not self.apart:
            self.git("tag", "slower", where=measured)
            self.git("reset", "--quiet", "--hard", base, where=measured)
        return base, head

    def packages(self):
        """Yield what is installed in a prepared environment; a wheel that ``plan`` built is named by its pattern."""
        for package in self.project["packages"]:
            yield next(self.clone.rglob(package)) if package.endswith(".whl") else package

    def make_slower(self, folder):
        """Change files below a folder so that each function of ``slower`` is called five times."""
        for each in self.project["slower"]:
            file, _, function = each.partition(":")
            path = folder / file
            source = path.read_text(encoding="utf-8")
            path.unlink()  # an installer may share the file with other environments
            path.write_text(f"{source}{SLOWER}{function} = _slower({function})\n", encoding="utf-8")

    def find_config(self):
        """Return the asv configuration, relative to the clone: the listed one, or the first that is there."""
        found = sorted(self.git("ls-files", "*asv.conf.json").split(), key=lambda path: (path.count("/"), path))
        return self.project.get("config") or next(iter(found), "")

    def keys(self, config):
        """Return the keys of an asv configuration."""
        return json5.loads((self.clone / config).read_text(encoding="utf-8"))

    def override(self, config, values):
        """Write a copy of the asv configuration with other values beside it; return its path."""
        copy = (self.clone / config).with_name("asv.copy.conf.json")
        copy.write_text(json.dumps(self.keys(config) | values, indent=4), encoding="utf-8")
        return str(copy.relative_to(self.clone))

    def run(self, step, *arguments):
        """Run a command of Windtunnel in the clone; record what it did and return whether it succeeded."""
        self.record[step] = self.result([WINDTUNNEL, *arguments], self.clone)
        sys.stderr.write(f"{self.project['name']}: {step}: {describe(self.record[step])}\n")
        return self.record[step]["code"] == 0

    def result(self, command, where):
        """Return what a command did in a folder."""
        began, command = monotonic(), [*map(str, command)]
        process = subprocess.Popen(
            command,
            cwd=where,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=60 * self.minutes)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            output, _ = process.communicate()
            code = "timeout"
        return {
            "command": " ".join([Path(command[0]).name, *command[1:]]),
            "code": code,
            "seconds": round(monotonic() - began, 1),
            "output": output[-KEPT:],
            "windtunnel": tool_commit(),
        }

    def config(self, key="config"):
        """Return the option that names the asv configuration."""
        path = self.record["clone"][key]
        return ["--config", path] if path else []

    def selection(self):
        """Return the options that select the Python and the quick cases."""
        return [*self.python(), *(["--bench", self.project["bench"]] if "bench" in self.project else [])]

    def python(self):
        """Return the option that selects the Python: that of a prepared environment, if nothing is built."""
        if "packages" in self.project and not self.project.get("builds"):
            return ["--python", f"existing:{self.prepared('base')}"]
        return ["--python", self.project["python"]] if "python" in self.project else []

    def step_init(self):
        """Write the workflow files, as a new user does."""
        for path in (self.clone / ".github" / "workflows").glob("windtunnel*.yml"):
            remove(path)
        self.run("init", "init", "--pin", PIN, *(self.config("own") if "config" in self.project else []))

    def step_doctor(self):
        """Check what would be measured."""
        self.run("doctor", "doctor", *self.config())

    def step_plan(self):
        """Plan every case of the newest commit: the discovery builds it once."""
        plan = self.out / "plan.json"
        self.run("plan", "ci", "plan", *self.config(), *self.python(), "--commits", 1, "--out", plan)

    def step_run(self):
        """Measure the quick cases of the newest commit."""
        plan, out = self.out / "quick.json", self.out / "run"
        remove(out)
        options = ["--commits", 1, "--rounds", 1, "--shards", 1, "--out", plan]
        if self.run("run", "ci", "plan", *self.config(), *self.selection(), *options):
            self.run("run", "ci", "run", *self.config(), "--plan", plan, "--shard", 0, "--out", out)

    def step_compare(self):
        """Compare the two commits on the quick cases."""
        made = self.record["clone"]
        if not made["head"]:
            return
        where = ["--repo", self.apart] if self.apart else []
        selection = self.selection()
        if "packages" in self.project:
            where += ["--base-python", self.prepared("base"), "--head-python", self.prepared("head")]
            selection = ["--bench", self.project["bench"]]
        options = ["--seed", 1, "--budget", MINUTES, "--out", self.out / "verdict.json", "--no-gate"]
        commits = [made["base"][:12], made["head"][:12]]
        self.run("compare", "compare", *commits, *self.config(), *where, *selection, *options)
        if (self.out / "verdict.json").exists() and self.record["compare"]["code"] == 0:
            self.record["compare"]["result"] = read_verdict(self.out / "verdict.json")

    def step_publish(self):
        """Build the site from what run and compare left."""
        results, verdict = self.out / "run" / "results", self.out / "verdict.json"
        if results.exists():
            options = ["--verdict", verdict] if verdict.exists() else []
            self.run("publish", "publish", results, *self.config(), *options, "--out", self.out / "site")

    def step_new(self):
        """From nothing to the first verdict: two clones, the tool, one comparison."""
        if not self.project.get("new"):
            return
        folder = self.clone.with_name(f"{self.clone.name}.new")
        remove(folder)
        folder.mkdir()
        project = folder / self.clone.name
        commands = [
            (["git", "clone", "--quiet", f"https://github.com/{self.project['name']}", project], folder),
            (["git", "clone", "--quiet", ROOT, folder / "windtunnel"], folder),
            (["make", "-C", folder / "windtunnel", "tool"], folder),
            ([folder / "windtunnel/.windtunnel/tool/bin/windtunnel", "compare", *self.project["new"]], project),
        ]
        done = [self.result(command, where) for command, where in commands]
        self.record["new"] = done[-1] | {"commands": [[one["command"], one["seconds"]] for one in done]}
        self.record["new"]["seconds"] = sum(one["seconds"] for one in done)
        if done[-1]["code"] in (0, 1):
            self.record["new"]["result"] = read_verdict(project / "verdict.json")


def describe(result):
    """Return the exit code and the duration of a command."""
    return f"exit code {result['code']}, {result['seconds']:.0f} s"


def clone_from_github(attempt, name, folder):
    """Clone a repository, without the files that the clone lacks, if it lacks some; return its newest commit."""
    remove(folder)
    address = f"https://github.com/{name}"
    attempt.git("clone", "--quiet", "--no-checkout", address, str(folder), where=folder.parent)
    snapshot = attempt.git("rev-parse", "HEAD", where=folder)
    listed = attempt.git("rev-list", "--objects", "--no-walk", "--missing=print", "HEAD", where=folder)
    lacking = {line[1:] for line in listed.splitlines() if line.startswith("?")}
    attempt.git("read-tree", "HEAD", where=folder)
    if lacking:
        entries = attempt.git("ls-files", "--stage", where=folder).splitlines()
        gone = [entry.partition("\t")[2] for entry in entries if entry.split()[1] in lacking]
        attempt.git("rm", "--quiet", "--cached", "--", *gone, where=folder)
    attempt.git("checkout-index", "--all", "--force", where=folder)
    if lacking:
        tree, branch = (attempt.git(*args, where=folder) for args in (("write-tree",), ("branch", "--show-current")))
        alone = attempt.git("commit-tree", tree, f"-mWithout {len(gone)} files that the clone lacks", where=folder)
        for ref in ("HEAD", f"refs/remotes/origin/{branch}"):
            attempt.git("update-ref", ref, alone, where=folder)
    return snapshot


def remove(folder):
    """Remove a folder, if it exists."""
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def tool_commit():
    """Return the commit of Windtunnel."""
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def read_verdict(path):
    """Return the outcome of a comparison: how many cases of each verdict, and the largest change."""
    report = files.read(path, VERDICT_FORMAT)
    counts = {}
    for each in report.comparisons:
        counts[each.verdict.value] = counts.get(each.verdict.value, 0) + 1
    changed = [each for each in report.comparisons if each.significant and each.relative_change is not None]
    largest = max(changed, key=lambda each: abs(each.relative_change), default=None)
    return {
        "overall": report.overall.value,
        "planned": report.coverage.planned,
        "compared": report.coverage.compared,
        "verdicts": counts,
        "largest": [largest.benchmark, largest.relative_change] if largest else None,
    }
