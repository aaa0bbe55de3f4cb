"""What could not be used, collected while a file is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from windtunnel.asv.results_format.text import UnreadableError
from windtunnel.model.results_tree import Problem

T = TypeVar("T")

MOST_PROBLEMS = 100
"""Problems named for one file; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded(Generic[T]):
    """What a file holds, None where nothing of it can be used, and everything that could not be."""

    value: T | None
    problems: tuple[Problem, ...] = ()


class Problems:
    """The problems of one file, in the order of their discovery."""

    def __init__(self, source: str) -> None:
        """Collect for the file called *source*."""
        self._source = source
        self._found: list[Problem] = []
        self._more = 0

    def add(self, key: str, reason: str) -> None:
        """Note that what stands under *key* cannot be used."""
        if len(self._found) < MOST_PROBLEMS:
            self._found.append(Problem(file=self._source, key=key, reason=reason))
        else:
            self._more += 1

    def all(self) -> tuple[Problem, ...]:
        """Return the problems found so far."""
        if not self._more:
            return tuple(self._found)
        return (*self._found, Problem(file=self._source, key="", reason=f"has {self._more} more problems"))


def decoded(source: str, read: Callable[[Problems], T]) -> Decoded[T]:
    """Return what *read* makes of the file called *source*; what it raises is one more problem."""
    problems = Problems(source)
    value = None
    try:
        value = read(problems)
    except UnreadableError as error:
        problems.add(error.key, error.reason)
    except RecursionError:
        problems.add("", "is nested too deeply")
    return Decoded(value=value, problems=problems.all())
