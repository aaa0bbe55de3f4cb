"""Where the values that were read of results are kept, so that the next command reads only what is new."""

from collections.abc import Callable
from pathlib import Path

from windtunnel.errors import DataError
from windtunnel.results.column_cache import load_cache, store_cache
from windtunnel.results.column_reading import PointsRead, read_points

POINTS = "points"


def cache_beside(out: Path) -> Path:
    """Return the folder in which what is made at *out* keeps what it knows, where nobody names one."""
    return out.parent / f".{out.name}.cache"


def kept_points(results: Path, cache: Path, say: Callable[[str], None]) -> PointsRead:
    """Read *results* with what lies in the folder *cache*, and leave it there for the next time.

    A cache that cannot be written is said and costs time only. Raises DataError where there are no results.
    """
    read = read_points(results, load_cache(cache / POINTS))
    if read.is_news:
        try:
            store_cache(cache / POINTS, read.cache)
        except DataError as error:
            say(f"the next time will take as long: {error}")
    return read
