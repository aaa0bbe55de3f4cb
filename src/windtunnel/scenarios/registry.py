"""Every scenario, and the one way to prepare a case of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from shutil import which
from sys import implementation, version_info

from windtunnel.scenarios.bulk_insert import BULK_INSERT
from windtunnel.scenarios.contract import Load, Outcome, Run, Scenario, UnavailableError, Variant, WrongOutcomeError
from windtunnel.scenarios.counter import COUNTER
from windtunnel.scenarios.cpu_modulo import CPU_MODULO, CPU_MODULO_THREADS
from windtunnel.scenarios.cpu_sum import CPU_SUM
from windtunnel.scenarios.cpu_yield import CPU_YIELD
from windtunnel.scenarios.crossing import CROSSING
from windtunnel.scenarios.downloads_far import DOWNLOADS_FAR
from windtunnel.scenarios.echo import ECHO
from windtunnel.scenarios.fastapi_cpu import (
    FASTAPI_CPU,
    FASTAPI_FRESH,
    FASTAPI_IDLE,
    FASTAPI_OPEN,
    FASTAPI_PROBED,
    FASTAPI_SEQUENTIAL,
)
from windtunnel.scenarios.files import (
    FILE_ONE,
    FILES,
    FILES_DURABLE,
    FILES_FIVE,
    FILES_RAW,
    FILES_RAW_TMPFS,
    FILES_SETTLED,
    FILES_TMPFS,
    FILES_TWO_VOLUMES,
)
from windtunnel.scenarios.files_cpu import FILES_CPU
from windtunnel.scenarios.handover import HANDOVER
from windtunnel.scenarios.harness import HARNESS
from windtunnel.scenarios.http import DOWNLOADS, DOWNLOADS_BEYOND_LIMIT, DOWNLOADS_CAPPED, HTTP, HTTP_ONE
from windtunnel.scenarios.http_cpu import HTTP_CPU, HTTP_CPU_DOUBLE, HTTP_CPU_HEAVY, HTTP_CPU_TENTH
from windtunnel.scenarios.locking import LOCKING
from windtunnel.scenarios.loop_lag import LOOP_LAG
from windtunnel.scenarios.loop_lag_cpu import LOOP_LAG_CPU
from windtunnel.scenarios.order import ORDER
from windtunnel.scenarios.payload import PAYLOAD, PAYLOAD_LARGE
from windtunnel.scenarios.pool_start import POOL_START
from windtunnel.scenarios.row_commits import ROW_COMMITS
from windtunnel.scenarios.scrape import SCRAPE
from windtunnel.scenarios.sleep import SLEEP
from windtunnel.scenarios.sqlite import SQLITE, SQLITE_ONE
from windtunnel.scenarios.sqlite_cpu import SQLITE_CPU, SQLITE_CPU_HEAVY
from windtunnel.scenarios.subprocesses import SUBPROCESSES
from windtunnel.scenarios.switching import SWITCHING
from windtunnel.scenarios.tasks import TASKS
from windtunnel.scenarios.timers import TIMERS
from windtunnel.scenarios.waiting import WAITING, WAITING_HEAVY
from windtunnel.scenarios.web import WEB, WEB_CLOSE

SCENARIOS: tuple[Scenario, ...] = (
    SLEEP,
    FILES,
    SQLITE,
    SQLITE_ONE,
    HARNESS,
    CPU_SUM,
    CPU_YIELD,
    CPU_MODULO,
    CPU_MODULO_THREADS,
    HTTP,
    HTTP_ONE,
    DOWNLOADS,
    DOWNLOADS_CAPPED,
    DOWNLOADS_BEYOND_LIMIT,
    FILE_ONE,
    FILES_SETTLED,
    FILES_FIVE,
    FILES_DURABLE,
    FILES_TMPFS,
    FILES_TWO_VOLUMES,
    FILES_RAW,
    FILES_RAW_TMPFS,
    LOOP_LAG,
    TASKS,
    CROSSING,
    HANDOVER,
    LOCKING,
    SWITCHING,
    BULK_INSERT,
    FILES_CPU,
    HTTP_CPU,
    HTTP_CPU_HEAVY,
    SQLITE_CPU,
    SQLITE_CPU_HEAVY,
    FASTAPI_CPU,
    FASTAPI_FRESH,
    FASTAPI_SEQUENTIAL,
    FASTAPI_IDLE,
    WEB,
    WEB_CLOSE,
    SCRAPE,
    WAITING,
    WAITING_HEAVY,
    ORDER,
    FASTAPI_PROBED,
    FASTAPI_OPEN,
    LOOP_LAG_CPU,
    POOL_START,
    PAYLOAD,
    PAYLOAD_LARGE,
    COUNTER,
    ECHO,
    TIMERS,
    SUBPROCESSES,
    DOWNLOADS_FAR,
    ROW_COMMITS,
    HTTP_CPU_TENTH,
    HTTP_CPU_DOUBLE,
)


class Checked:
    """A run that is an error when it fails to do its job."""

    def __init__(self, run: Run, outcome: Outcome, case: str) -> None:
        self._run, self._outcome, self._case = run, outcome, case

    def __call__(self) -> Outcome:
        outcome = self._run()
        if outcome != self._outcome:
            raise WrongOutcomeError(f"{self._case}: expected {self._outcome!r}, got {outcome!r}")
        return outcome

    def __getattr__(self, name: str) -> object:
        """What the run has recorded."""
        return getattr(self._run, name)


@contextmanager
def prepared(scenario: str, variant: str, load: str) -> Iterator[Run]:
    """Open a case, let it do its job once outside the clock, and hand out its ``run``; close it at the end.

    Where nothing has to be warm (``Scenario.unwarmed``) every run is checked instead of one before the clock starts.
    Raises UnavailableError when the case or a library it needs is absent, WrongOutcomeError when a checked run failed
    to do the job.
    """
    job, way, size = find(scenario, variant, load)
    check(way)
    with import_module(job.module(way)).prepare(size) as run:
        checked = Checked(run, size.outcome, f"{scenario}/{variant}/{load}")
        if size.name in job.unwarmed:
            yield checked
        else:
            checked()
            yield run


def find(scenario: str, variant: str, load: str) -> tuple[Scenario, Variant, Load]:
    """Look a case up by its names."""
    for job in SCENARIOS:
        for way in job.variants:
            for size in job.loads:
                if (job.name, way.name, size.name) == (scenario, variant, load):
                    return job, way, size
    raise UnavailableError(f"this commit has no case {scenario}/{variant}/{load}")


def check(variant: Variant) -> None:
    """Refuse a variant that this Python, or what is installed for it, cannot carry out."""
    if version_info < variant.since:
        raise UnavailableError(f"{variant.name} needs Python {'.'.join(map(str, variant.since))} or newer")
    for library in variant.needs:
        if find_spec(library) is None:
            raise UnavailableError(f"{variant.name} needs {library}, absent from this {implementation.name}")
    for tool in variant.tools:
        if which(tool) is None:
            raise UnavailableError(f"{variant.name} needs the command {tool}")
