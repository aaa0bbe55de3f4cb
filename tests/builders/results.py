"""Results folders in asv's format, written with the codec."""

from builders.trees import a_benchmark, a_hash, a_row, a_run, a_tree, a_value

from windtunnel.results.tree import write_tree


def a_results_folder(root, *runs, benchmarks=None):
    """The folder *root* with *runs* and, by default, the benchmarks that the runs name."""
    names = {row.name: a_benchmark(row.name, version=row.version) for run in runs for row in run.rows}
    tree = a_tree(*runs, benchmarks=tuple(names.values()) if benchmarks is None else benchmarks)
    write_tree(tree, root)
    return root


def commit_hash(number):
    """The hash of a commit that differs from others in its first eight digits."""
    return a_hash(number << 128)


def a_shard(number, commit=1):
    """A run of one benchmark that no other shard has, and of one that all have."""
    own, common = a_benchmark(f"suite.time_{number:02}"), a_benchmark("suite.time_common")
    rows = a_row(own, a_value(0.1 + number)), a_row(common, a_value(1 + number / 100))
    return a_run(*rows, commit=commit << 128, date=1_700_000_000_000 + commit * 1000)


def contents(root):
    """Every results file below *root*: bytes by path."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*.*"))
        if path.suffix in {".json", ".parquet"}
    }
