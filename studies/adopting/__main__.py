"""Tries Windtunnel on public repositories with an asv suite, and prints the tables behind docs/adopted.md.

    make study ARGS="studies.adopting FOLDER"                    every project, every step
    make study ARGS="studies.adopting FOLDER --only networkx --steps compare publish"
    make study ARGS="studies.adopting FOLDER --clones DIR"       DIR/OWNER/NAME stands for that repository on GitHub
    make study ARGS="studies.adopting FOLDER --steps"            only print the table

studies/adopting/projects.toml lists the projects. FOLDER/OWNER+NAME is a clone. FOLDER/OWNER+NAME.json holds what each
step did there: the command, its exit code, its duration, the end of its output and the commit of Windtunnel. A step
replaces only its own record.

The steps are the commands of a new user: init, doctor, plan (all cases; the discovery builds once), run (some quick
cases), compare (two commits with a known change or with a change of the study's own), publish. The step `new` starts
from nothing, for projects that ask for it: it clones the project and Windtunnel, and compares two commits.
"""

import argparse
import os
import signal
import sys
import tomllib
from pathlib import Path

from studies.adopting.attempt import STEPS, Attempt, read_record, record_of
from studies.adopting.table import render

PROJECTS = Path(__file__).with_name("projects.toml")


def main():
    """Try what is asked for, then print the table."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it otherwise
    options = parse_options()
    projects = tomllib.loads(PROJECTS.read_text(encoding="utf-8"))["project"]
    chosen = [one for one in projects if not options.only or any(name in one["name"] for name in options.only)]
    env = environment(options.clones)
    options.folder.mkdir(parents=True, exist_ok=True)
    for project in chosen if options.steps else ():
        Attempt(project, options.folder.absolute(), env, options.minutes).take(options.steps)
    records = [(one, read_record(record_of(options.folder, one))) for one in projects]
    sys.stdout.write(render([(one, steps) for one, steps in records if steps]) + "\n")


def parse_options():
    """Return what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of the clones and records")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="the projects whose name contains NAME")
    parser.add_argument("--steps", nargs="*", default=STEPS, choices=STEPS, metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--clones", type=Path, metavar="DIR", help="clones as OWNER/NAME, instead of GitHub")
    parser.add_argument("--minutes", type=float, default=30, help="stop a step after this long")
    return parser.parse_args()


def environment(clones):
    """Return the environment variables of every command: git reads GitHub's repositories from *clones*, if given."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "PYTHONPATH"))}
    if not clones:
        return env
    pairs = {
        f"url.{clones.absolute()}/.insteadOf": "https://github.com/",
        "protocol.file.allow": "always",
        "safe.directory": "*",
    }
    for number, (key, value) in enumerate(pairs.items()):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return env | {"GIT_CONFIG_COUNT": str(len(pairs))}


if __name__ == "__main__":
    main()
