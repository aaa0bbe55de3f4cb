"""Where each scenario is, and the one way to prepare a case of it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from sys import implementation, version_info
from typing import Any

from windtunnel_scenarios.model import AnyScenario, Outcome, Run, UnavailableError, Variant, WrongOutcomeError
from windtunnel_scenarios.support.database_servers import find_command, how_to_install

MODULES: dict[str, tuple[str, ...]] = {
    "sleep": ("sleep",),
    "files": (
        "files",
        "one_file",
        "five_files",
        "files_synced",
        "one_file_synced",
        "five_files_synced",
        "files_fsync",
        "files_tmpfs",
        "files_two_disks",
        "files_dd",
        "files_dd_synced",
        "files_dd_tmpfs",
    ),
    "file_reads": ("read_small", "read_small_cold", "read_large", "read_large_cold"),
    "sqlite_queries": ("sqlite_queries", "sqlite_one_query", "sqlite_sums"),
    "sqlite_inserts": ("sqlite_bulk_insert", "sqlite_row_commits"),
    "insert_rows": ("insert_rows",),
    "postgres": ("postgres_select", "postgres_wait", "postgres_transactions", "postgres_insert"),
    "postgres_rows": ("postgres_rows",),
    "redis_commands": ("redis_commands", "redis_pipeline", "redis_pubsub"),
    "sqlite_wal": ("sqlite_wal",),
    "duckdb_queries": ("duckdb_queries",),
    "cpu_sum": ("cpu_sum", "cpu_yield"),
    "cpu_modulo": ("cpu_modulo", "cpu_modulo_threads"),
    "free_threading": ("parallel_sums", "parallel_modulo", "parallel_json"),
    "http_clients": (
        "http_requests",
        "http_one_request",
        "downloads",
        "downloads_server_limit",
        "downloads_client_limit",
    ),
    "downloads_far": ("downloads_far", "requests_far"),
    "http_streams": ("stream_downloads", "stream_uploads"),
    "https_clients": (
        "https_warm",
        "https_cold",
        "https_at_once_10",
        "https_at_once_100",
        "https_at_once_1000",
    ),
    "https_burst": ("https_burst",),
    "http_in_turn": ("http_in_turn",),
    "in_process": ("app_calls", "server_requests"),
    "mixtures": (
        "files_cpu",
        "files_cpu_synced",
        "http_cpu_1pct",
        "http_cpu_10pct",
        "http_cpu_100pct",
        "http_cpu_200pct",
        "sqlite_cpu_1pct",
        "sqlite_cpu_100pct",
    ),
    "fastapi_endpoint": (
        "fastapi_keep_alive",
        "fastapi_new_connections",
        "fastapi_sequential",
        "fastapi_idle",
        "fastapi_idle_under_load",
        "fastapi_parallel",
    ),
    "computing_endpoint": ("computing_endpoint",),
    "database_endpoint": ("database_endpoint",),
    "web_service": ("web_keep_alive", "web_new_connections", "servers_keep_alive", "servers_new_connections"),
    "echo": ("echo",),
    "echo_messages": ("echo_messages",),
    "websocket_server": ("websocket_server",),
    "grpc_calls": ("grpc_unary", "grpc_server_stream", "grpc_both_streams"),
    "scrape": ("scrape", "scrape_two_at_once"),
    "scrape_files": ("scrape_files",),
    "waiting_memory": ("waiting_tasks",),
    "waiting_connections": ("waiting_connections",),
    "driver_overhead": ("driver_overhead",),
    "tasks": ("tasks",),
    "thread_roundtrip": ("thread_roundtrip",),
    "queues": ("queue",),
    "context_switch": ("context_switch",),
    "timers": ("timers",),
    "execution_order": ("execution_order",),
    "loop_lag": ("loop_lag_files",),
    "blocking_calls": ("blocking_files", "blocking_sqlite"),
    "pool_jobs": ("pool_jobs",),
    "unit_costs": ("unit_costs",),
    "pool_start": ("pool_start",),
    "imports": ("imports",),
    "payload": ("payload", "payload_large", "payload_medium", "payload_cold", "payload_cold_large"),
    "subprocesses": ("subprocesses",),
    "task_groups": ("cancel_tasks", "nested_failure"),
    "back_pressure": ("back_pressure", "back_pressure_memory"),
}
"""The scenarios of each module. A process imports only the module of its case."""


def prepared(scenario: str, variant: str, load: str) -> AbstractContextManager[Run]:
    """Open the case with these names, as ``open_case`` does; raises UnavailableError when one is absent."""
    return open_case(*find(scenario, variant, load))


def find(scenario: str, variant: str, load: str) -> tuple[AnyScenario, Variant[Any], str]:
    """Return the scenario, variant and load with these names; raises UnavailableError when one is absent."""
    for module, names in MODULES.items():
        if scenario in names:
            for found in load_scenarios(module):
                for candidate in found.variants:
                    for name, _ in found.loads:
                        if (found.name, candidate.name, name) == (scenario, variant, load):
                            return found, candidate, name
    raise UnavailableError(f"this commit has no case {scenario}/{variant}/{load}")


def load_scenarios(module: str) -> tuple[AnyScenario, ...]:
    """Import a module and return its scenarios."""
    scenarios: tuple[AnyScenario, ...] = import_module(f"windtunnel_scenarios.{module}").SCENARIOS
    return scenarios


def all_scenarios() -> tuple[AnyScenario, ...]:
    """Return every scenario; imports all modules, but none of the libraries that variants require."""
    return tuple(scenario for module in MODULES for scenario in load_scenarios(module))


@contextmanager
def open_case(scenario: AnyScenario, variant: Variant[Any], load: str) -> Iterator[Run]:
    """Open a case, run it once as a warm-up, yield its run, and close the case at the end.

    The outcome of the warm-up is checked. Where ``Scenario.skip_warmup`` names the load, each timed run is checked
    instead. Raises UnavailableError when something that the variant requires is absent, and WrongOutcomeError when a
    checked run did not do the job.
    """
    check_available(variant)
    sizes = dict(scenario.loads)[load]
    with variant.technique(sizes) as run:
        checked = CheckedRun(run, sizes.outcome, f"{scenario.name}/{variant.name}/{load}")
        if load in scenario.skip_warmup:
            yield checked
        else:
            checked()
            yield run


MINIMUM = {"anyio": (4, 0), "trio": (0, 25), "websockets": (13, 0)}
"""The oldest release that variants run on: streams of a type, strict groups, asyncio."""


def _check_version(variant: str, module: str) -> None:
    """Raise UnavailableError when the installed release of *module* is older than its MINIMUM."""
    least = MINIMUM.get(module.partition(".")[0])
    if least is not None:
        found = version(module.partition(".")[0])
        if tuple(int(each) for each in found.split(".")[:2] if each.isdecimal()) < least:
            needed = ".".join(map(str, least))
            raise UnavailableError(f"{variant} requires {module} {needed} or newer; this environment has {found}")


def check_available(variant: Variant[Any], find_module: Callable[[str], object] = find_spec) -> None:
    """Raise UnavailableError when this environment lacks something that the variant requires."""
    if version_info < variant.min_python:
        raise UnavailableError(f"{variant.name} requires Python {'.'.join(map(str, variant.min_python))} or newer")
    for module in variant.requires:
        if find_module(module) is None:
            raise UnavailableError(f"{variant.name} requires {module}, absent from this {implementation.name}")
        _check_version(variant.name, module)
    for command in variant.commands:
        if find_command(command) is None:
            raise UnavailableError(f"{variant.name} requires the command {command}{how_to_install(command)}")


class CheckedRun:
    """A run that raises WrongOutcomeError when it does not do its job."""

    def __init__(self, run: Run, expected: Outcome, case: str) -> None:
        self._run, self._expected, self._case = run, expected, case

    def __call__(self) -> Outcome:
        outcome = self._run()
        if outcome != self._expected:
            raise WrongOutcomeError(f"{self._case}: expected {self._expected!r}, got {outcome!r}")
        return outcome

    def __getattr__(self, name: str) -> object:
        """Return what the run has recorded."""
        return getattr(self._run, name)
