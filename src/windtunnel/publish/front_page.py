"""The front page: its project and commits, the page sources, and the file of data that they draw."""

import shutil
from pathlib import Path

from windtunnel import formats
from windtunnel.asv.configuration import Configuration, read_raw
from windtunnel.asv.project_repository import BranchHistory, look_up
from windtunnel.errors import DataError
from windtunnel.git.repository import Commit, Repository
from windtunnel.model.identity import CommitHash
from windtunnel.publish.format.scenarios import OverviewData
from windtunnel.publish.format.words import CommitLine, Project
from windtunnel.publish.overview import Overview
from windtunnel.publish.overview_data import Surroundings
from windtunnel.publish.site_folder import DATA_FILE


def page_surroundings(
    configuration: Configuration, repository: Repository, seen: Overview, history: BranchHistory
) -> Surroundings:
    """Return what surrounds *seen*; commits on no branch are looked up in *repository*."""
    raw = read_raw(configuration.path)
    show = web_address(raw.get("show_commit_url"))
    on_branches = {commit.hash for commit in history.commits}
    elsewhere = (commit for each in _used(seen) - on_branches if (commit := look_up(repository, each)))
    return Surroundings(
        project=Project(name=configuration.asv.project, url=web_address(raw.get("project_url"))),
        commits=tuple(_line(commit, show) for commit in (*history.commits, *elsewhere)),
    )


def web_address(value: object) -> str | None:
    """Return *value* where it is an address of the web, None otherwise."""
    return value if isinstance(value, str) and value.startswith(("https://", "http://")) else None


def _used(seen: Overview) -> set[CommitHash]:
    commits = {each.place.commit for each in seen.coverage}
    return commits | {board.commit for scenario in seen.scenarios for board in scenario.boards}


def _line(commit: Commit, show: str | None) -> CommitLine:
    return CommitLine(
        hash=commit.hash,
        subject=commit.subject,
        date=commit.author_date,
        url=None if show is None else show + commit.hash,
    )


PACKAGED = Path(__file__).parents[1] / "_site"
CHECKOUT = Path(__file__).parents[3] / "site" / "page"


def write_page(data: OverviewData, folder: Path) -> None:
    """Put the page into *folder*, which exists."""
    source = PACKAGED if PACKAGED.is_dir() else CHECKOUT
    if not (source / "index.html").is_file():
        raise DataError(f"the sources of the site are not in {source}; install windtunnel again")
    shutil.copytree(source, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    (folder / DATA_FILE).write_bytes(formats.encode(data))
