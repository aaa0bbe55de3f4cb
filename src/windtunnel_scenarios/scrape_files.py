"""The pages of ``scrape`` read from files instead of downloaded, so that no server and no network decide the time.

The files were just written, so reading one copies it from the page cache.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from windtunnel_scenarios.model import LoadName, Loads, Outcome, Run, Scenario, Variant
from windtunnel_scenarios.scrape import CONCURRENCY, prices, sum_prices
from windtunnel_scenarios.support.folders import temporary_folder
from windtunnel_scenarios.support.subprocess_run import Measured, OpenJob, measure_peak, measured_subprocess


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFiles:
    """How many pages, each in a file."""

    count: int

    @property
    def outcome(self) -> Outcome:
        """The sum of each page's prices."""
        return tuple(sum(prices(day)) for day in range(self.count))


def page_files(folder: str, count: str) -> list[Path]:
    """Return the file of each page."""
    return [Path(folder, str(day)) for day in range(int(count))]


def read(path: Path) -> int:
    """Read a page and add up its prices."""
    return sum_prices(path.read_bytes())


@contextmanager
def sync(folder: str, count: str) -> Iterator[Measured]:
    """Read one page after the other."""
    yield lambda: measure_peak(lambda: map(read, page_files(folder, count)))


@contextmanager
def threads(folder: str, count: str) -> Iterator[Measured]:
    """Read all pages from up to 100 threads; starting the threads is part of the job."""

    def read_pages() -> list[int]:
        with ThreadPoolExecutor(max_workers=CONCURRENCY) as pool:
            return list(pool.map(read, page_files(folder, count)))

    yield lambda: measure_peak(read_pages)


@contextmanager
def greenlets(folder: str, count: str) -> Iterator[Measured]:
    """Read all pages from up to 100 greenlets, in a process that gevent has patched; it does not patch files."""
    from gevent import monkey

    monkey.patch_all()

    from gevent.pool import Pool

    yield lambda: measure_peak(lambda: Pool(CONCURRENCY).map(read, page_files(folder, count)))


@contextmanager
def aiofiles_gather(folder: str, count: str) -> Iterator[Measured]:
    """Read all pages at once with aiofiles, in asyncio's own pool of threads."""
    import asyncio

    import aiofiles

    async def read_page(path: Path) -> int:
        async with aiofiles.open(path, "rb") as file:
            return sum_prices(await file.read())

    async def read_pages() -> list[int]:
        return list(await asyncio.gather(*map(read_page, page_files(folder, count))))

    with asyncio.Runner() as runner:
        runner.get_loop()
        yield lambda: measure_peak(lambda: runner.run(read_pages()))


@contextmanager
def reader_process(load: PageFiles, open_job: OpenJob) -> Iterator[Run]:
    """Write the pages, and read them in a process of its own for each run."""
    with temporary_folder() as folder, measured_subprocess(open_job, folder, load.count) as run:
        for day in range(load.count):
            (folder / str(day)).write_bytes(b"\n".join(b"%d" % price for price in prices(day)))
        yield run


def variant(name: str, open_job: OpenJob, *requires: str) -> Variant[PageFiles]:
    """A variant whose process does this job."""
    return Variant(name=name, technique=partial(reader_process, open_job=open_job), requires=requires)


SCRAPE_FILES = Scenario(
    name="scrape_files",
    skip_warmup=tuple(LoadName),
    loads=Loads(
        trial=PageFiles(count=5),
        quick=PageFiles(count=100),
        standard=PageFiles(count=400),
    ),
    variants=(
        variant("sync", sync),
        variant("threads_100", threads),
        variant("gevent_100", greenlets, "gevent"),
        variant("aiofiles_gather", aiofiles_gather, "aiofiles"),
    ),
)

SCENARIOS = (SCRAPE_FILES,)
