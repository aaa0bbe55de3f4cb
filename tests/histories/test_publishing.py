"""asv itself publishes the histories as Windtunnel rewrites them: the graphs are those that it draws of the originals.

asv draws only commits that its repository has, and those of the histories are not here: a repository with as many
commits is made, and each commit of the results is called by the hash of one of them, in the originals too.
``make test`` publishes the newest commits; ``WINDTUNNEL_PRESSURE=full make test ARGS="-n 0 -k test_publishing"`` all.
"""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from builders.asv_trees import require_equal_graphs
from builders.repositories import git

from tests.histories.archives import ARCHIVES, FULL, REASON, trees, unpacked
from windtunnel.results.tree import read_tree, write_tree

NEWEST = None if FULL else 8
"""Commits that are published."""

pytestmark = pytest.mark.skipif(not ARCHIVES, reason=REASON)


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.parent.name)
def test_asv_draws_the_same_of_what_we_rewrite(archive, tmp_path):
    """File for file, every graph of every benchmark."""
    for number, source in enumerate(trees(unpacked(archive, tmp_path / "archive"))):
        place = tmp_path / str(number)
        tree = read_tree(source)
        hashes = a_repository_for(tree, place / "repository")
        ours = replace(
            tree, runs=tuple(replace(run, commit=hashes[run.commit]) for run in tree.runs if run.commit in hashes)
        )
        write_tree(ours, place / "ours")
        copy(source, place / "theirs", hashes)
        drawn, expected = published(place, "ours", "theirs")
        require_equal_graphs(drawn, expected)
        assert len(drawn) > 10


def a_repository_for(tree, folder):
    """A repository with a commit for each of the newest commits of *tree*; returns its hashes by theirs."""
    dates = {run.commit: run.date // 1000 for run in tree.runs}
    newest = sorted(dates, key=lambda commit: (dates[commit], commit))[-NEWEST if NEWEST else None :]
    git(folder.parent.parent, "init", "--quiet", "--bare", "--initial-branch=main", str(folder))
    stream = "".join(
        f"commit refs/heads/main\ncommitter a <a@example.org> {dates[commit]} +0000\ndata {len(commit)}\n{commit}\n"
        for commit in newest
    )
    git(folder, "fast-import", "--quiet", stdin=stream)
    return dict(zip(newest, git(folder, "rev-list", "--reverse", "main").split(), strict=True))


def copy(source, target, hashes):
    """Copy the files of asv as they are, the hashes apart."""
    target.mkdir()
    shutil.copy(source / "benchmarks.json", target)
    newest = {commit[:8] for commit in hashes}
    for path in source.glob("*/*.json"):
        folder = target / path.parent.name
        folder.mkdir(exist_ok=True)
        if path.name == "machine.json":
            shutil.copy(path, folder)
        elif path.name[:8] in newest:
            data = json.loads(path.read_text(encoding="utf-8"))
            commit = data["commit_hash"]
            data["commit_hash"] = hashes[commit]
            name = path.name.replace(commit[:8], hashes[commit][:8], 1)
            (folder / name).write_text(json.dumps(data), encoding="utf-8")


ASV_COMMANDS = """
import json, sys
from asv.main import main
for argv in json.loads(sys.argv[1]):
    sys.argv[1:] = argv
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""
"""Carries out commands of asv in one process: loading asv takes longer than most of them."""


def published(place, *names):
    """Let asv bring the results of each name up to date and publish them; return the graphs of each by path."""
    (place / "suite").mkdir()
    commands = []
    for name in names:
        configuration = place / f"{name}.conf.json"
        settings = {
            "version": 1,
            "project": name,
            "repo": str(place / "repository"),
            "branches": ["main"],
            "dvcs": "git",
            "benchmark_dir": str(place / "suite"),
            "results_dir": str(place / name),
            "html_dir": str(place / f"{name}-html"),
        }
        configuration.write_text(json.dumps(settings), encoding="utf-8")
        commands += [["--config", str(configuration), *action] for action in (["update"], ["publish", "--no-pull"])]
    command = [sys.executable, "-P", "-c", ASV_COMMANDS, json.dumps(commands)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = [place / f"{name}-html" for name in names]
    return [
        {path.relative_to(html).as_posix(): graph(path) for path in html.glob("graphs/**/*.json")} for html in pages
    ]


WEIGHED = dict.fromkeys(("last_err", "last_value", "prev_value"))
"""What asv weighs by errors, which ``asv update`` cuts to five digits in format 1."""


def graph(path):
    """What asv drew, all values and the commits of all steps."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return [entry | WEIGHED if isinstance(entry, dict) else entry for entry in data]
