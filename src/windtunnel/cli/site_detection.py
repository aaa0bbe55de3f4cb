"""The functions of change detection that building a site needs."""

from windtunnel.asv.configuration import Configuration
from windtunnel.detect.feeds import FeedSource, build_feeds
from windtunnel.detect.format import DetectedChanges
from windtunnel.detect.health import count_retracted
from windtunnel.git.history import find_order
from windtunnel.git.repository import Repository
from windtunnel.publish.publisher import Detection
from windtunnel.results.columns import ResultsValues


def site_detection(
    configuration: Configuration, repository: Repository, changes: DetectedChanges | None = None
) -> Detection:
    """Return these functions for a project; without *changes* they are detected in the results."""

    def find_changes(values: ResultsValues) -> DetectedChanges:
        return _detect(values, configuration, repository) if changes is None else changes

    source = FeedSource(project=configuration.asv.project, asv_pages="")
    return Detection(
        find_changes=find_changes,
        count_retracted=count_retracted,
        build_feeds=lambda found, alerts: build_feeds(found, alerts, source),
    )


def _detect(values: ResultsValues, configuration: Configuration, repository: Repository) -> DetectedChanges:
    # Importing scipy takes a third of a second.
    from windtunnel.detect.detection import detect, detection_settings  # noqa: PLC0415

    order = find_order(values.tree.runs, lambda: repository)
    return detect(values, order.history, detection_settings(configuration.settings))
