"""Overviews of small results trees."""

from builders.trees import BOARD, a_benchmark, a_hash, a_row, a_run, a_scenario, a_tree, a_value

from windtunnel.model.run import Failed
from windtunnel.publish.format.site import CommitSummary, Project
from windtunnel.publish.overview import build_overview

SUBJECT = "scenarios: sleep keeps its contract"


def an_overview(tree, commits=(3, 2, 1), board=BOARD):
    """The overview of *tree*; *commits* is the history, newest first, which alone has subjects."""
    known = [a_hash(each) for each in commits]

    def summarise(needed):
        hashes = dict.fromkeys((*(each for each in known if each in needed), *needed))
        return [
            CommitSummary(hash=each, subject=SUBJECT if each in known else None, date=1_700_000_000, url=None)
            for each in hashes
        ]

    return build_overview(tree, known, summarise, Project(name="project", url=None), board)


def site_data(tree, commits=(1,)):
    """The content of overview.json for *tree*."""
    return an_overview(tree, commits).data


def a_full_tree(pythons=("3.11", "3.12", "3.13")):
    """A tree with everything that the page can show: scenarios, loads, a failure, too few samples, other benchmarks."""
    sleep = a_scenario("sleep.Sleep.time_run", ("sync", "async_sequential", "gather"), ("quick", "standard"))
    files = a_scenario("files.Files.time_run", ("plain", "aiofiles_gather"), ("quick",))
    memory = a_benchmark("memory.Memory.peakmem_import", unit="bytes", n=["1", "'two words'"])
    rows = (
        a_row(sleep, *(a_value(base * load) for base in (0.03, 0.0301, 0.01) for load in (1, 10))),
        a_row(files, a_value(0.004), Failed()),
        a_row(memory, a_value(2e7), a_value(3e7, count=2)),
    )
    return a_tree(*(a_run(*rows, python=python) for python in pythons), benchmarks=[sleep, files, memory])
