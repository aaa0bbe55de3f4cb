"""Change detection where nobody hands its outcome in: what ``windtunnel detect`` would write."""

import re
from pathlib import Path

from windtunnel.analysis.detection import DetectionSettings, detect
from windtunnel.analysis.history import History, history_by_date
from windtunnel.analysis.series import Wishes
from windtunnel.configuration import Settings
from windtunnel.errors import ConfigurationError, DataError, UsageError
from windtunnel.git import Repository
from windtunnel.measurement import ResultsTree
from windtunnel.measurement.changes import Changes
from windtunnel.past import history_of
from windtunnel.tree import read_tree


def detect_changes(results: Path, repository: Repository, settings: Settings) -> Changes:
    """Return the changes in *results* over the main branch of *repository*, or over the commits' dates."""
    tree = read_tree(results)
    wishes = Wishes(expectations=settings.expectations)
    references = tuple(map(_pattern, settings.reference_benchmarks))
    return detect(tree, _history(tree, repository), DetectionSettings(wishes=wishes, references=references))


def _history(tree: ResultsTree, repository: Repository) -> History:
    try:
        return history_of(repository, None, frozenset(run.commit for run in tree.runs))
    except (UsageError, DataError):
        return history_by_date(tree.runs)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigurationError(
            f"reference benchmark {text!r} is no regular expression: {error}; mend [tool.windtunnel]"
        ) from None
