"""The search for changes, apart: what it needs takes long to import, and most sites are handed what was found."""

from windtunnel.analysis.detection import detect
from windtunnel.analysis.points import ResultsPoints
from windtunnel.configuration import Settings
from windtunnel.detection_settings import detection_settings
from windtunnel.git import Repository
from windtunnel.measurement.changes import Changes
from windtunnel.past import order_of


def detected(points: ResultsPoints, repository: Repository, settings: Settings) -> Changes:
    """Return what ``windtunnel detect`` would write."""
    order = order_of(points.tree.runs, lambda: repository)
    return detect(points, order.history, detection_settings(settings))
