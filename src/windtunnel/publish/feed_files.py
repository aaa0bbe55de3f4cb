"""The feeds of a site: whoever follows a project is told what changed."""

from pathlib import Path

from windtunnel import alerts_json, codec
from windtunnel.files import write_atomically
from windtunnel.publish.site_files import SiteContent
from windtunnel.report.feeds import Publisher, feeds


def write_feeds(content: SiteContent, folder: Path) -> None:
    """Write Atom and JSON feeds and asv's regressions.xml into *folder*."""
    found = content.findings
    alerts = None if found.alerts is None else alerts_json.decode(codec.encode(found.alerts), "alerts.json")
    publisher = Publisher(project=content.project.name, asv_pages="")
    for path, feed in feeds(found.changes, alerts, publisher).items():
        write_atomically(folder / path, feed)
