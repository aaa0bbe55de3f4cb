"""Where the histories lie, and how they are unpacked."""

import os
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
HISTORIES = Path(os.environ.get("WINDTUNNEL_HISTORIES", ROOT.parent / "shared" / "histories"))
ARCHIVES = sorted(HISTORIES.glob("*/results.tar.xz"))
REASON = f"no histories in {HISTORIES}; WINDTUNNEL_HISTORIES names a place"


def unpacked(archive, folder):
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder


def trees(folder):
    """Every results tree in *folder*."""
    found = sorted({path.parent.parent for path in folder.rglob("machine.json")})
    assert found
    return found
