"""How fast a site is published and how large it is, beside ``asv publish`` on the same results.

    make study ARGS="studies.performance.publishing make FOLDER"            1,500 commits of 500 benchmarks, one short
    make study ARGS="studies.performance.publishing detect FOLDER"          what publishing is given
    make study ARGS="studies.performance.publishing full FOLDER"            a full build
    make study ARGS="studies.performance.publishing commit FOLDER"          the commit that was kept back
    make study ARGS="studies.performance.publishing asv FOLDER"             asv publish
    make study ARGS="studies.performance.publishing ratios FOLDER"          what the steps above found
    make study ARGS="studies.performance.publishing all FOLDER --commits 60 --benchmarks 50"

The steps are commands of their own so that each can have the machine for itself. Results are made as in
``reading.py``; each publishing is a process of its own, and changes are handed in, as the workflow does it; ``detect``
is timed apart. Sizes are those of data: asv's graphs, index and regressions, our JSON; neither pages nor scripts.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from studies.performance import reading

CONFIG = {
    "version": 1,
    "project": "synthetic",
    "repo": "repo",
    "branches": ["main"],
    "results_dir": "results",
    "html_dir": "html",
    "show_commit_url": "https://example.org/commit/",
}


def make(folder, commits, benchmarks):
    """Write a repository and its results; those of the newest commit are kept back."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    hashes = repository(folder / "repo", commits)
    reading.write(folder / "results", commits, benchmarks)
    machine = folder / "results" / "runner"
    for number, commit in enumerate(hashes):
        old = reading.a_commit(number)
        (machine / f"{old[:8]}-virtualenv-py3.12.json").rename(machine / "moving")
        content = (machine / "moving").read_text().replace(old, commit)
        (machine / f"{commit[:8]}-virtualenv-py3.12.json").write_text(content)
        (machine / "moving").unlink()
    (folder / "results" / "benchmarks.json").write_text(json.dumps(listed(machine)))
    (folder / "asv.conf.json").write_text(json.dumps(CONFIG))
    newest = machine / f"{hashes[-1][:8]}-virtualenv-py3.12.json"
    newest.rename(folder / "newest.json")
    (folder / "newest").write_text(newest.name)


def repository(where, commits):
    """Make a repository of so many empty commits with one command; return their hashes, oldest first."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", where], check=True)
    stream = "".join(
        f"commit refs/heads/main\ncommitter a <a@example.org> {1_700_000_000 + 86_400 * number} +0000\n"
        f"data <<END\nchange number {number} of something or other\nEND\n\n"
        for number in range(commits)
    )
    subprocess.run(["git", "-C", where, "fast-import", "--quiet"], input=stream, text=True, check=True)
    log = ["git", "-C", where, "rev-list", "--reverse", "main"]
    return subprocess.run(log, check=True, capture_output=True, text=True).stdout.split()


def listed(machine):
    """What benchmarks.json says of the benchmarks in a results file."""
    found = json.loads(next(machine.glob("*-*.json")).read_text())["results"]
    entries = {
        name: {
            "code": "def time_something(): pass",
            "name": name,
            "param_names": [f"p{place}" for place in range(len(row[1]))],
            "params": row[1],
            "type": "time",
            "unit": "seconds",
            "version": row[2],
        }
        for name, row in found.items()
    }
    return entries | {"version": 2}


def timed(what, command, folder):
    """Run *command* in *folder*, keep how many seconds it took and say so, with those of the processor beside them."""
    started, before = perf_counter(), processor()
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    seconds, cpu = perf_counter() - started, processor() - before
    if done.returncode:
        sys.exit(f"{what} failed:\n{done.stdout}{done.stderr}")
    (folder / f"{what}.seconds").write_text(str(seconds))
    reading.say(f"{what}: {seconds:.2f} s ({cpu:.2f} s of processor time)")


def processor():
    """Return the seconds that the processes which have ended took of the processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def windtunnel(*arguments):
    """Return the command line of windtunnel."""
    return [sys.executable, "-m", "windtunnel.cli", *arguments]


def publish(what, folder):
    """Publish with changes that were detected before."""
    command = ["publish", "results", "--out", "site", "--repo", "repo", "--changes", "changes.json"]
    timed(what, windtunnel(*command), folder)


def detect(folder):
    """Find the changes that publishing is given, without a cache and with one."""
    shutil.rmtree(folder / ".changes.json.cache", ignore_errors=True)
    for what in ("detect", "detect again"):
        timed(what, windtunnel("detect", "results", "--out", "changes.json", "--repo", "repo"), folder)


def full(folder):
    """Build without a site and without a cache."""
    for name in ("site", ".site.cache"):
        shutil.rmtree(folder / name, ignore_errors=True)
    publish("full", folder)


def one_commit(folder):
    """Publish the commit that was kept back, and then once more without news."""
    target = folder / "results" / "runner" / (folder / "newest").read_text()
    shutil.copyfile(folder / "newest.json", target)
    publish("commit", folder)
    publish("nothing new", folder)


def asv(folder):
    """Let asv do the same."""
    shutil.rmtree(folder / "html", ignore_errors=True)
    timed("asv", [sys.executable, "-m", "asv", "publish", "--no-pull"], folder)


def ratios(folder):
    """Say what was measured, in ratios."""
    seconds = {path.stem: float(path.read_text()) for path in folder.glob("*.seconds")}
    theirs, ours = asv_size(folder / "html"), our_size(folder / "site")
    reading.say(f"asv publish / full build: {seconds['asv'] / seconds['full']:.1f}")
    reading.say(f"asv publish / detect and full build: {seconds['asv'] / (seconds['full'] + seconds['detect']):.1f}")
    reading.say(f"asv publish / one commit: {seconds['asv'] / seconds['commit']:.1f}")
    reading.say(f"data: asv {theirs / 1e6:.1f} MB, windtunnel {ours / 1e6:.1f} MB, ratio {theirs / ours:.1f}")


def asv_size(html):
    """Return the bytes of asv's data."""
    files = [*(html / "graphs").rglob("*.json"), *html.glob("*.json"), *html.glob("*.xml")]
    return sum(path.stat().st_size for path in files)


def our_size(site):
    """Return the bytes of our data."""
    files = [*(site / "data").rglob("*.*"), site / "site.json", site / "overview.json"]
    return sum(path.stat().st_size for path in files if path.is_file())


STEPS = {"detect": detect, "full": full, "commit": one_commit, "asv": asv, "ratios": ratios}


def main():
    """Carry out one step, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("make", *STEPS, "all"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commits", type=int, default=1500)
    parser.add_argument("--benchmarks", type=int, default=500)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.step in {"make", "all"}:
        make(folder, options.commits, options.benchmarks)
    for name in STEPS if options.step == "all" else (options.step,):
        if name in STEPS:
            STEPS[name](folder)


if __name__ == "__main__":
    main()
