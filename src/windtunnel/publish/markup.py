"""What pages that take names for markup must not be given."""

from windtunnel.model.benchmark import Benchmark


def has_markup(benchmark: Benchmark) -> bool:
    """Tell whether a page that takes the name of *benchmark* for markup would show something else."""
    pretty = "".join(field.text for field in benchmark.extra if field.name == "pretty_name")
    return any(char in f"{benchmark.name}{pretty}" for char in "<>&\"'")
