"""What a push and a pull request cost on GitHub: jobs, runner-minutes, and minutes until the comment, under act.

    make study ARGS="studies.workflow_cost FOLDER"                  50 cases of a package in pure Python
    make study ARGS="studies.workflow_cost FOLDER --project CLONE --config benchmarks/asv.conf.json --python 3.13 \
      --slower networkx/classes/graph.py:Graph.copy"                a real suite, from a clone with one commit

The jobs run under act with real builds and real measurements, one after the other as on GitHub. To each job 75 s are
added, in which GitHub starts a runner, checks out, and installs Windtunnel. The pull request slows a function down; it
comes after a push, so durations are known. The workflows are those of the work tree.
"""

import argparse
import json
import shutil
import sys
from datetime import datetime
from pathlib import Path

from actions import acting
from actions.pulls import a_pull_request
from actions.pushes import a_push
from builders.repositories import git
from builders.suites import CONFIGURATION, a_project, change
from forge.server import serving
from forge.state import Forge

START = 75
"""Seconds from the wish for a job until its first own step."""

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
FUNCTIONS = tuple(f"op{number}" for number in range(25))
HATCHLING = """\
[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"
[project]
name = "spam"
version = "1"
"""
CASES = "".join(f"    def time_{name}(self, size):\n        {name}(size)\n" for name in FUNCTIONS)
SUITE = f"""\
{"".join(f"from spam.{name} import {name}{chr(10)}" for name in FUNCTIONS)}
class Ops:
    params, param_names, version = [1, 2], ["size"], "1"
{CASES}"""
TWICE = """

def _twice(function):
    return lambda *args, **kwargs: (function(*args, **kwargs), function(*args, **kwargs))[1]


FUNCTION = _twice(FUNCTION)
"""
FUNCTION = "def {name}(size):\n    return sum(i * i{more} for i in range(size * {loops}))\n"


def own_project(folder):
    """Create the project of 50 cases; return what a pull request changes."""
    build = [CONFIGURATION["build_command"][0].replace(" --no-build-isolation", "")]
    a_project(folder, pythons=(HERE,), suite=SUITE, package="", build_command=build)
    texts = {name: {"name": name, "more": "", "loops": 2000 + 300 * at} for at, name in enumerate(FUNCTIONS)}
    modules = {f"spam/{name}.py": FUNCTION.format(**what) for name, what in texts.items()}
    change(folder, {**modules, "pyproject.toml": HATCHLING}, "ops")
    return {"spam/op7.py": FUNCTION.format(**texts["op7"] | {"more": " + i"})}


def real_project(folder, options):
    """Copy the commit of a clone; return what a pull request changes."""
    git(folder.parent, "clone", "--quiet", "--depth=1", f"file://{options.project.resolve()}", folder.name)
    git(folder, "checkout", "--quiet", "-B", "main")
    settings = (folder / options.config).with_name("pyproject.toml")
    known = settings.read_text(encoding="utf-8") if settings.exists() else ""
    kind = f"virtualenv:{options.python}"
    change(folder, {settings.relative_to(folder): f'{known}\n[tool.windtunnel.ci]\npython = "{kind}"\n'}, "settings")
    file, _, function = options.slower.partition(":")
    return {file: (folder / file).read_text(encoding="utf-8") + TWICE.replace("FUNCTION", function)}


def add_workflows(folder, config):
    """Give the project the workflows of the work tree, for its configuration, and a repository to push to."""
    shutil.rmtree(folder / ".github" / "workflows", ignore_errors=True)
    acting.copy_workflows(folder)
    for path in (folder / ".github" / "workflows").glob("*.yml"):
        path.write_text(path.read_text(encoding="utf-8").replace("asv.conf.json", config), encoding="utf-8")
    change(folder, {}, "workflows")
    git(folder.parent, "clone", "--quiet", "--bare", folder.name, "origin.git")
    for name in git(folder, "remote").split():
        git(folder, "remote", "remove", name)
    git(folder, "remote", "add", "origin", str(folder.parent / "origin.git"))


def durations(acted):
    """The seconds of each job that ran, by its name in the file."""
    ran = {(one["jobID"], str(one.get("matrix"))) for one in acted.log if one.get("stepResult") and one.get("jobID")}
    found = {}
    for name, matrix in sorted(ran):
        own = (one for one in acted.log if (one.get("jobID"), str(one.get("matrix"))) == (name, matrix))
        times = [datetime.fromisoformat(one["time"]).timestamp() for one in own if one.get("time")]
        found.setdefault(name, []).append(max(times) - min(times))
    return found


def show(title, stages, twice=()):
    """Print what it costs: jobs of one stage run side by side; those in *twice* also start when the run begins."""
    every = [seconds + START for stage in (*stages, *twice) for seconds in stage]
    waits = sum(max(stage) + START for stage in stages if stage)
    found = {"jobs": len(every), "runner-minutes": round(sum(every) / 60, 1), "minutes": round(waits / 60, 1)}
    sys.stdout.write(f"{title} {json.dumps(found)} {[[round(one) for one in stage] for stage in stages]}\n")
    sys.stdout.flush()


def main():
    """Print the cost of a push, then of a pull request."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--project", type=Path)
    parser.add_argument("--config", default="asv.conf.json")
    parser.add_argument("--python", default=HERE)
    parser.add_argument("--slower", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True)
    clone, origin = options.folder / "clone", options.folder / "origin.git"
    slower = real_project(clone, options) if options.project else own_project(clone)
    add_workflows(clone, options.config)
    with serving(Forge(repo="org/spam")) as forge:
        to_forge = {"token": forge.token, "GITHUB_API_URL": forge.url, "patience": 7200}

        def act(event, payload, workflow, run_id, **more):
            where = options.folder / workflow.removesuffix(".yml")
            done = acting.run(clone, origin, event, payload, where, workflow=workflow, run_id=run_id,
                              GITHUB_REPOSITORY="org/spam", **more)  # fmt: skip
            if done.code:
                sys.stderr.write(f"{workflow} failed; see {where / 'act.log'}\n")
            return done

        pushed = durations(act("push", a_push(clone), "benchmark.yml", "5", **to_forge))
        show("push", [pushed.get(name, []) for name in ("plan", "build", "run", "store", "deploy")])
        event = a_pull_request(clone, forge, slower)
        acted = act("pull_request", event, "pull-request.yml", "7", patience=7200)
        forge.run(7, event["pull_request"]["head"]["sha"], created_at=acted.jobs()[0]["started_at"])
        forge.jobs[7], forge.shelf = acted.jobs(), acted.artifacts.parent
        git(clone, "checkout", "--quiet", "main")
        ended = {"action": "completed", "workflow_run": {"id": 7, "event": "pull_request"}}
        comment = durations(
            act("workflow_run", ended | {"repository": event["repository"]}, "comment.yml", "8", **to_forge)
        )
        measured = durations(acted)
        stages = [measured.get(name, []) for name in ("prepare", "screen", "confirm")]
        show("pull request", [*stages, comment["comment"]], twice=[comment["comment"]])
        sys.stdout.writelines(f"{one['body'].splitlines()[0]}\n" for one in forge.comments)


if __name__ == "__main__":
    main()
