"""Reading from the page cache, from the disk and with io_uring: what is cold is checked."""

import errno
from mmap import PAGESIZE

import pytest

from windtunnel_scenarios.model import UnavailableError
from windtunnel_scenarios.support import io_uring, page_cache
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.page_cache import drop_from_cache, resident_pages
from windtunnel_scenarios.support.storage import TMPFS, file_system


def test_a_file_that_is_dropped_from_the_page_cache_has_no_page_in_memory(tmp_path):
    """A cold case reads from the disk: written pages are in memory, and after the drop none is."""
    path = tmp_path / "file"
    path.write_bytes(bytes(10_000))
    with path.open("rb") as file:
        try:
            drop_from_cache([str(path)])
        except UnavailableError as reason:
            pytest.skip(str(reason))
        assert resident_pages(file.fileno()) == 0
        file.read()
        assert resident_pages(file.fileno()) == -(-10_000 // PAGESIZE)


def test_a_file_that_stays_in_memory_makes_its_case_unavailable(monkeypatch):
    """On a tmpfs a cold case would be a warm one, so it is skipped, with what to do."""
    monkeypatch.setattr(page_cache, "MAX_SECONDS", 0)
    if file_system(TMPFS) != "tmpfs":
        pytest.skip("no tmpfs here")
    with temporary_folder(TMPFS) as folder:
        path = folder / "file"
        path.write_bytes(b"stays")
        with pytest.raises(UnavailableError, match="stays in the page cache; set TMPDIR"):
            drop_from_cache([str(path)])


def test_a_kernel_that_refuses_io_uring_makes_its_cases_unavailable(monkeypatch):
    """Containers forbid it by default; the reason says what allows it."""

    def refuse(entries):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(io_uring, "signal_of_a_ring", lambda: None)
    monkeypatch.setattr(io_uring, "OperationRing", refuse)
    with pytest.raises(UnavailableError, match=r"refuses io_uring .*io_uring_disabled=0"), io_uring.operation_ring(8):
        pass


def test_a_processor_that_liburing_was_not_built_for_makes_its_cases_unavailable(monkeypatch, tmp_path):
    """The signal ends a process that only tries, not the one that measures."""
    (tmp_path / "liburing.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    io_uring.signal_of_a_ring.cache_clear()
    try:
        with pytest.raises(UnavailableError, match="signal 4"), io_uring.operation_ring(8):
            pass
    finally:
        io_uring.signal_of_a_ring.cache_clear()
