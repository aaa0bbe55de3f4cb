"""Every scenario, and the one way to prepare a case of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from sys import implementation

from windtunnel.scenarios.contract import Load, Run, Scenario, UnavailableError, Variant, WrongOutcomeError
from windtunnel.scenarios.files import FILES
from windtunnel.scenarios.harness import HARNESS
from windtunnel.scenarios.sleep import SLEEP
from windtunnel.scenarios.sqlite import SQLITE

SCENARIOS: tuple[Scenario, ...] = (SLEEP, FILES, SQLITE, HARNESS)


@contextmanager
def prepared(scenario: str, variant: str, load: str) -> Iterator[Run]:
    """Open a case, let it do its job once outside the clock, and hand out its ``run``; close it at the end.

    Raises UnavailableError when the case or a library it needs is absent, WrongOutcomeError when the first run failed
    to do the job.
    """
    job, way, size = find(scenario, variant, load)
    for library in way.needs:
        if find_spec(library) is None:
            raise UnavailableError(f"{scenario}/{variant} needs {library}, absent from this {implementation.name}")
    module = import_module(f"windtunnel.scenarios.{job.name}.{way.name}")
    with module.prepare(size) as run:
        outcome = run()
        if outcome != size.outcome:
            raise WrongOutcomeError(f"{scenario}/{variant}/{load}: expected {size.outcome!r}, got {outcome!r}")
        yield run


def find(scenario: str, variant: str, load: str) -> tuple[Scenario, Variant, Load]:
    """Look a case up by its names."""
    for job in SCENARIOS:
        for way in job.variants:
            for size in job.loads:
                if (job.name, way.name, size.name) == (scenario, variant, load):
                    return job, way, size
    raise UnavailableError(f"this commit has no case {scenario}/{variant}/{load}")
