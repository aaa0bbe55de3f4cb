"""The feeds of a site: whoever follows a project is told what changed."""

from pathlib import Path

from windtunnel.detect.feeds import FeedSource, build_feeds
from windtunnel.files import write_atomically
from windtunnel.publish.site_files import SiteContent


def write_feeds(content: SiteContent, folder: Path) -> None:
    """Write Atom and JSON feeds and asv's regressions.xml into *folder*."""
    found = content.findings
    publisher = FeedSource(project=content.project.name, asv_pages="")
    for path, feed in build_feeds(found.changes, found.alerts, publisher).items():
        write_atomically(folder / path, feed)
