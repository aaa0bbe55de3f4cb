"""Every scenario, and the one way to prepare a case of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from shutil import which
from sys import implementation, version_info

from windtunnel_scenarios.bulk_insert import BULK_INSERT
from windtunnel_scenarios.counter import COUNTER
from windtunnel_scenarios.cpu_modulo import CPU_MODULO, CPU_MODULO_THREADS
from windtunnel_scenarios.cpu_sum import CPU_SUM
from windtunnel_scenarios.cpu_yield import CPU_YIELD
from windtunnel_scenarios.crossing import CROSSING
from windtunnel_scenarios.downloads_far import DOWNLOADS_FAR
from windtunnel_scenarios.echo import ECHO
from windtunnel_scenarios.fastapi_cpu import (
    FASTAPI_CPU,
    FASTAPI_FRESH,
    FASTAPI_IDLE,
    FASTAPI_OPEN,
    FASTAPI_PROBED,
    FASTAPI_SEQUENTIAL,
)
from windtunnel_scenarios.files import (
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
from windtunnel_scenarios.files_cpu import FILES_CPU
from windtunnel_scenarios.handover import HANDOVER
from windtunnel_scenarios.harness import HARNESS
from windtunnel_scenarios.http import DOWNLOADS, DOWNLOADS_BEYOND_LIMIT, DOWNLOADS_CAPPED, HTTP, HTTP_ONE
from windtunnel_scenarios.http_cpu import HTTP_CPU, HTTP_CPU_DOUBLE, HTTP_CPU_HEAVY, HTTP_CPU_TENTH
from windtunnel_scenarios.locking import LOCKING
from windtunnel_scenarios.loop_lag import LOOP_LAG
from windtunnel_scenarios.loop_lag_cpu import LOOP_LAG_CPU
from windtunnel_scenarios.model import Load, Outcome, Run, Scenario, UnavailableError, Variant, WrongOutcomeError
from windtunnel_scenarios.order import ORDER
from windtunnel_scenarios.payload import PAYLOAD, PAYLOAD_LARGE
from windtunnel_scenarios.pool_start import POOL_START
from windtunnel_scenarios.row_commits import ROW_COMMITS
from windtunnel_scenarios.scrape import SCRAPE
from windtunnel_scenarios.sleep import SLEEP
from windtunnel_scenarios.sqlite import SQLITE, SQLITE_ONE
from windtunnel_scenarios.sqlite_cpu import SQLITE_CPU, SQLITE_CPU_HEAVY
from windtunnel_scenarios.subprocesses import SUBPROCESSES
from windtunnel_scenarios.switching import SWITCHING
from windtunnel_scenarios.tasks import TASKS
from windtunnel_scenarios.timers import TIMERS
from windtunnel_scenarios.waiting import WAITING, WAITING_HEAVY
from windtunnel_scenarios.web import WEB, WEB_CLOSE

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
