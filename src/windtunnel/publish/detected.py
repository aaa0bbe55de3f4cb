"""The search for changes, apart: what it needs takes long to import, and most sites are handed what was found."""

from windtunnel.detect.detection import detect
from windtunnel.detect.format import DetectedChanges
from windtunnel.detect.settings import detection_settings
from windtunnel.git.history import find_order
from windtunnel.git.repository import Repository
from windtunnel.model.settings import Settings
from windtunnel.results.columns import ResultsPoints


def detected(points: ResultsPoints, repository: Repository, settings: Settings) -> DetectedChanges:
    """Return what ``windtunnel detect`` would write."""
    order = find_order(points.tree.runs, lambda: repository)
    return detect(points, order.history, detection_settings(settings))
