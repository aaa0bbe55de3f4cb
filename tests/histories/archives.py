"""Where the histories lie, and how they are unpacked."""

import os
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
HISTORIES = Path(os.environ.get("WINDTUNNEL_HISTORIES", ROOT.parent / "shared" / "histories"))
ARCHIVES = sorted(HISTORIES.glob("*/results.tar.xz"))
FULL = os.environ.get("WINDTUNNEL_PRESSURE") == "full"
REASON = f"no histories in {HISTORIES}; WINDTUNNEL_HISTORIES names a place"


def unpacked(archive, folder):
    """Unpack the results of one commit in five, of all times, or all under full pressure; return the folder."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter=tarfile.data_filter if FULL else some)
    return folder


def some(member, folder):
    """Return *member*, or nothing for the file of a commit whose hash begins with none of three digits."""
    commit, _, environment = member.name.rpartition("/")[2].partition("-")
    return None if environment and commit[0] not in "05a" else tarfile.data_filter(member, folder)


def trees(folder):
    """Every results tree in *folder*."""
    found = sorted({path.parent.parent for path in folder.rglob("machine.json")})
    assert found
    return found
