"""What an environment of asv's holds: the packages, and what the project was built to."""

import hashlib
import os
import zipfile
from pathlib import Path
from typing import Any


def installed_packages(env: Any) -> tuple[str, ...]:
    """Return what is installed in *env*, ``name==version``, in order."""
    listing = "import importlib.metadata as m; print(*{f'{d.name}=={d.version}' for d in m.distributions()}, sep='\\n')"
    out: str = env.run(["-c", listing], dots=False, env={**os.environ, "ASV_PYTHONPATH": ""})
    return tuple(sorted(line.strip() for line in out.splitlines() if "==" in line))


def artifact_digest(env: Any, commit: str) -> str:
    """Return a digest of what was built, "" where asv has kept nothing; wheels count by content, not by dates."""
    folder = env._cache.get_cache_dir(commit)  # noqa: SLF001 - asv has no public way
    if not folder:
        return ""
    digest = hashlib.sha256()
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                for member in sorted(wheel.infolist(), key=lambda one: one.filename):
                    digest.update(f"{member.filename}\0{member.CRC}\0{member.file_size}\0".encode())
        else:
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()
