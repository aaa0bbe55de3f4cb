"""Our own page: the sources of the site and the file of data that they draw."""

import shutil
from pathlib import Path

from windtunnel import formats
from windtunnel.errors import DataError
from windtunnel.publish.format.scenarios import OverviewData
from windtunnel.publish.site_folder import DATA_FILE

PACKAGED = Path(__file__).parents[1] / "_site"
CHECKOUT = Path(__file__).parents[3] / "site" / "page"


def write_page(data: OverviewData, folder: Path) -> None:
    """Put the page into *folder*, which exists."""
    source = PACKAGED if PACKAGED.is_dir() else CHECKOUT
    if not (source / "index.html").is_file():
        raise DataError(f"the sources of the site are not in {source}; install windtunnel again")
    shutil.copytree(source, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    (folder / DATA_FILE).write_bytes(formats.encode(data))
