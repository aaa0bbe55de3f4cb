"""CPU seconds and sizes of detection and publishing beside asv publish, on public histories and a synthetic one.

    make study ARGS="studies.performance.sizes"                          the histories of tests/histories, all commits
    make study ARGS="studies.performance.sizes --tree FOLDER"            a results folder of asv; may be repeated
    make study ARGS="studies.performance.sizes --synthetic 1500 3000"    benchmarks and commits, as many as numpy has
    make study ARGS="studies.performance.sizes --synthetic 1500 3000 --folder DIR"    goes on after an interrupted call

The commits of a history are not here, so a repository with as many commits is made, and each commit of the results is
called by the hash of one of them. Each command is a process; "once more" is a second call without anything new. The
last line has the compressed files that the page of changes, and at most that of a benchmark, ask for first.
"""

import argparse
import gzip
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["WINDTUNNEL_PRESSURE"] = "full"

from studies.performance import publishing, reading
from tests.histories.archives import ARCHIVES, trees, unpacked
from tests.histories.test_publishing import a_repository_for, copy
from windtunnel.results.tree import read_tree


def main():
    """Print a table for each history."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, action="append", default=[])
    parser.add_argument("--folder", type=Path, help="keep everything here; steps that were done are not repeated")
    parser.add_argument("--synthetic", type=int, nargs=2, metavar=("BENCHMARKS", "COMMITS"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = (options.folder or Path(name)).resolve()
        if options.synthetic:
            benchmarks, commits = options.synthetic
            folder = place / f"synthetic-{benchmarks}-{commits}"
            if not (folder / "newest").exists():  # it is written last
                publishing.make(folder, commits, benchmarks)
            compare(folder, f"synthetic, {benchmarks} benchmarks x {commits} commits")
        sources = options.tree or ([] if options.synthetic else list(unpack_all(place)))
        for number, source in enumerate(sources):
            folder = place / str(number)
            if not (folder / "asv.conf.json").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                copy(source, folder / "results", a_repository_for(read_tree(source), folder / "repo"))
                (folder / "asv.conf.json").write_text(json.dumps(publishing.CONFIG))
            compare(folder, str(source).removeprefix(name))


def unpack_all(place):
    """Every results tree of the histories."""
    for archive in ARCHIVES:
        yield from trees(unpacked(archive, place / archive.parent.name))


def compare(folder, title):
    """Run the commands of both tools in *folder*, and print what they took."""
    reading.say(f"\n{title}")
    detect = publishing.windtunnel("detect", "results", "--out", "changes.json", "--repo", "repo")
    publish = publishing.windtunnel(
        "publish", "results", "--out", "site", "--repo", "repo", "--changes", "changes.json"
    )
    asv = [sys.executable, "-m", "asv"]
    steps = {
        "detect": detect,
        "detect, once more": detect,
        "publish": publish,
        "publish, once more": publish,
        "asv update": [*asv, "update"],
        "asv publish": [*asv, "publish", "--no-pull"],
    }
    for what, command in steps.items():
        if (folder / f"{what}.seconds").exists():
            reading.say(f"{what}: done before")
        else:
            publishing.timed(what, command, folder)
    site = folder / "site"
    feeds = sum(path.stat().st_size for path in (site / "feeds").rglob("*.*") if path.is_file())
    reading.say(
        f"MB: changes.json {megabytes((folder / 'changes.json').stat().st_size)}, data of the site "
        f"{megabytes(publishing.our_size(site))}, feeds {megabytes(feeds)}, asv's data "
        f"{megabytes(publishing.asv_size(folder / 'html'))}"
    )
    reading.say(f"kB that a page asks for, compressed: {', '.join(page_sizes(site))}")


def page_sizes(site):
    """Yield the sizes of what the page of changes and the largest page of a benchmark load of changes and histories."""
    files = json.loads((site / "site.json").read_text())["files"]
    head = json.loads((site / files["changes"]).read_text())
    alerts = [files["alerts"]] if files["alerts"] else []
    yield f"changes {kilobytes(site, [files['changes'], *head['blocks'][:1], *alerts])}"
    groups = [path for _, path in files["benchmark_changes"]]
    yield f"changes of a benchmark, at most {max((kilobytes(site, [path]) for path in groups), default=0)}"
    histories = (site / "data" / "benchmarks").rglob("*.json.gz")
    yield f"history of a benchmark, at most {max((kilobytes(site, [path]) for path in histories), default=0)}"


def kilobytes(site, paths):
    """The kB of *paths* as they are transferred: a server compresses what is not yet."""
    contents = ((site / path).read_bytes() for path in paths)
    sizes = (len(each) if each.startswith(b"\x1f\x8b") else len(gzip.compress(each, 6)) for each in contents)
    return round(sum(sizes) / 1000)


def megabytes(size):
    """*size* in MB with two digits."""
    return f"{size / 1e6:.2f}"


if __name__ == "__main__":
    main()
