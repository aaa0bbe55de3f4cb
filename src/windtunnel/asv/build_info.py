"""What is installed in an environment of asv: the Python, the packages, and the built project."""

import hashlib
import os
import zipfile
from pathlib import Path
from typing import Any

from windtunnel import formats
from windtunnel.model.run_format import PythonBuild

BUILD_INFO_SCRIPT = """
import importlib.metadata, json, os, platform, shlex, sys, sysconfig
variable = sysconfig.get_config_var
options = " ".join(each for each in shlex.split(variable("CONFIG_ARGS") or "") if "/" not in each)
jit = getattr(sys, "_jit", None)
free_threaded = bool(variable("Py_GIL_DISABLED"))
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": platform.python_version(),
    "compiler": platform.python_compiler(),
    "options": options,
    "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
    "jit": jit.is_enabled() if jit else sys.implementation.name == "pypy" or "--enable-experimental-jit" in options,
    "allocator": os.environ.get("PYTHONMALLOC")
    or ("mimalloc" if free_threaded else "pymalloc" if variable("WITH_PYMALLOC") else "malloc"),
    "switch_interval": sys.getswitchinterval(),
    "packages": sorted({f"{one.name}=={one.version}" for one in importlib.metadata.distributions()}),
}))
"""


def python_build(env: Any) -> PythonBuild:
    """Return how the Python in *env* was built, and the packages that are installed there."""
    variables = {**os.environ, **env.env_vars, "ASV_PYTHONPATH": ""}
    out: str = env.run(["-c", BUILD_INFO_SCRIPT], dots=False, env=variables)
    return formats.decode(out.strip().splitlines()[-1].encode(), PythonBuild, f"build information of {env.name}")


def artifact_digest(env: Any, commit: str) -> str:
    """Return a digest of the build (empty when asv has kept none); of wheels, only the content counts, not dates."""
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
