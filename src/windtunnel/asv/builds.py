"""Builds that jobs hand on: saves what asv's build cache holds, checks it, and puts it into the cache elsewhere."""

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from asv import util
from asv.repo import get_repo

from windtunnel import files
from windtunnel.errors import DataError
from windtunnel.model.identity import CommitHash
from windtunnel.model.run_format import BUILD_FORMAT, BuildFile, BuildRecord, error_line

MANIFEST = "build.json"
FILES = "files"
"""Folder of the files, beside the manifest in ``ENVIRONMENT/COMMIT``."""

SAVED = ".saved"
"""Suffix of the file that marks a commit in asv's cache whose build another job has saved."""

MAX_BUILD_FILES = 1000
MAX_BUILD_BYTES = 2 * 1024**3
"""Larger builds are not handed on."""

MAX_SHOWN_PATH = 100
MAX_PROBLEMS = 10
"""Wrong files of a build that are reported."""

COMPILER_VARIABLES = ("CC", "CXX", "FC", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "FFLAGS", "LDFLAGS")

PYTHON_SCRIPT = """
import platform, sys, sysconfig
print([sys.version, sysconfig.get_config_var("EXT_SUFFIX"), sysconfig.get_platform(), platform.libc_ver()])
"""

Refuse = Callable[[str], None]
"""Receives the reason why a build of another job is not used."""


def install(env: Any, conf: Any, commit: str, folder: str, refuse: Refuse) -> float | None:
    """Install *commit* from its build in *folder*, or build it when there is none that fits.

    Returns the seconds that the build took elsewhere; None when it was built here. Raises UserError when the build
    failed elsewhere, so that it does not fail again here.
    """
    forget_saved_build(env, commit)
    needed = env.can_install_project() and env.installed_commit_hash != commit and not _cache_of(env, commit)
    record = _restore(env, Path(folder), commit, refuse) if folder and needed else None
    repo = get_repo(conf)
    try:
        env.install_project(conf, repo, commit)
    except (util.ProcessError, util.UserError) as error:
        if record is None:
            raise
        refuse(f"it cannot be installed here: {error_line(getattr(error, 'stderr', '') or str(error))}")
        forget_saved_build(env, commit)
        env.install_project(conf, repo, commit)
        return None
    return record.seconds if record else None


def forget_saved_build(env: Any, commit: str) -> None:
    """Make asv build and install *commit* again if a saved build of it was used: only ``--builds`` trusts it."""
    cache = getattr(env, "_cache", None)
    # The mark lies beside the commit's folder, which asv may remove while the commit stays installed.
    mark = Path(cache._path, commit).with_suffix(SAVED) if cache else None  # noqa: SLF001 - asv has no public way
    if mark and mark.exists():
        env._set_installed_commit_hash(None)  # noqa: SLF001
        env._cache._remove_cache_dir(commit)  # noqa: SLF001
        mark.unlink()


def build_key(env: Any) -> str:
    """Return a digest of what determines the builds of *env*; wheels of another key may not work here."""
    content = [
        metadata.version("asv"),
        env._build_command,  # noqa: SLF001 - asv has no public way
        env._repo_subdir,  # noqa: SLF001
        sorted(env.requirements.items()),
        sorted(env._base_requirements.items()),  # noqa: SLF001
        sorted(env.build_env_vars.items()),
        env.run(["-c", PYTHON_SCRIPT], dots=False),
    ]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()


def toolchain() -> str:
    """Return the compiler of this machine and the variables that it reads: code of another one may differ in speed."""
    compiler = shutil.which((os.environ.get("CC") or "cc").split()[0])
    try:
        version = util.check_output([compiler, "--version"], dots=False).partition("\n")[0] if compiler else ""
    except (util.ProcessError, OSError):
        version = ""
    variables = [f"{name}={os.environ[name]}" for name in COMPILER_VARIABLES if os.environ.get(name)]
    return "; ".join([version, *variables])


def artifact_digest(env: Any, commit: str) -> str:
    """Return a digest of the build (empty when asv has kept none); of wheels, only the content counts, not dates."""
    folder = _cache_of(env, commit)
    if not folder:
        return ""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                for member in sorted(wheel.infolist(), key=lambda one: one.filename):
                    digest.update(f"{member.filename}\0{member.CRC}\0{member.file_size}\0".encode())
        else:
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def wheel_names(env: Any, commit: str) -> tuple[str, ...]:
    """Return the names of the distributions that the build of *commit* consists of; empty if it has no wheels."""
    folder = _cache_of(env, commit)
    return tuple(sorted({path.name.partition("-")[0] for path in folder.rglob("*.whl")})) if folder else ()


def prepare(env: Any, commit: str) -> None:
    """Let asv keep the next build of *commit*, also where the suite sets ``build_cache_size`` to 0."""
    if not env.can_install_project():
        return
    env._cache._cache_size = max(env._cache._cache_size, 1)  # noqa: SLF001 - asv has no public way
    if not _cache_of(env, commit):
        env._set_installed_commit_hash(None)  # noqa: SLF001 - else asv skips the build


def new_record(env: Any, commit: str) -> BuildRecord:
    """Return the record of a build of *commit* in *env* that is not made yet."""
    return BuildRecord(
        commit=CommitHash(commit),
        environment=env.name,
        key=build_key(env),
        toolchain=toolchain(),
        state="not cacheable",
        seconds=0.0,
    )


def save(env: Any, out: Path, record: BuildRecord) -> BuildRecord:
    """Write *record* and the files that asv's cache has for its commit below *out*; return the complete record."""
    place = out / env.dir_name / record.commit
    shutil.rmtree(place, ignore_errors=True)
    cache = _cache_of(env, record.commit)
    if record.state != "failed":
        content = tuple(_copied(cache, place / FILES)) if cache and _fits(cache) else ()
        state = "built" if content else "not cacheable"
        record = msgspec.structs.replace(record, state=state, files=content)
    files.write_atomically(place / MANIFEST, BUILD_FORMAT.encode(record))
    return record


def reuse(env: Any, folder: Path, out: Path, record: BuildRecord, refuse: Refuse) -> BuildRecord | None:
    """Save the build in *folder* below *out* if it is equal to *record* in commit, key and toolchain.

    Returns its record, or None when the commit must be built.
    """
    found = _find(env, folder, record.commit, refuse)
    if found is None:
        return None
    place, earlier = found
    if earlier.state == "failed":
        return None
    if (earlier.key, earlier.toolchain) != (record.key, record.toolchain):
        refuse("it was built by another build command, Python or compiler")
        return None
    if earlier.state == "built" and not _copy_to_cache(env, place, earlier, refuse):
        return None
    return save(env, out, msgspec.structs.replace(earlier, environment=record.environment, files=()))


def _restore(env: Any, folder: Path, commit: str, refuse: Refuse) -> BuildRecord | None:
    """Put the build of *commit* in *folder* into asv's cache; return its record, or None when it must be built."""
    found = _find(env, folder, commit, refuse)
    if found is None:
        return None
    place, record = found
    if record.state == "not cacheable":
        return None
    if record.key != build_key(env):
        refuse("it was built for another build command, Python or platform")
        return None
    if record.state == "failed":
        reason = error_line(record.failure)
        raise util.UserError(f"the build saved in {place} failed: {reason}; leave out --builds to build here")
    return record if _copy_to_cache(env, place, record, refuse) else None


def _find(env: Any, folder: Path, commit: str, refuse: Refuse) -> tuple[Path, BuildRecord] | None:
    """Return the folder and the record of *commit* below *folder*, or below one of its folders (one per artifact)."""
    tops = (folder, *sorted(path for path in folder.iterdir() if path.is_dir())) if folder.is_dir() else ()
    for top in tops:
        place = top / env.dir_name / commit
        if not place.is_dir():
            continue
        try:
            _refuse_links(place / MANIFEST, folder)
            record = files.read(place / MANIFEST, BUILD_FORMAT)
        except DataError as error:
            refuse(str(error))
            continue
        if record.commit == commit:
            return place, record
        refuse(f"{place / MANIFEST} describes the commit {record.commit[:12]!r}")
    return None


def _copy_to_cache(env: Any, place: Path, record: BuildRecord, refuse: Refuse) -> bool:
    """Copy the files of *record* into asv's cache; copy none, and report each wrong one, unless all are right."""
    problems = tuple(_problems(place / FILES, record))
    if not problems:
        prepare(env, record.commit)
        cache = Path(env._cache.create_cache_dir(record.commit))  # noqa: SLF001 - asv has no public way
        cache.with_suffix(SAVED).touch()
        for file in record.files:
            (cache / file.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(place / FILES / file.path, cache / file.path)
            if _sha256(cache / file.path) != file.sha256:
                problems += (f"{file.path!r} has other content than {MANIFEST} states",)
        if not problems:
            env._cache.finalize_cache_dir(record.commit)  # noqa: SLF001
            return True
        forget_saved_build(env, record.commit)
    for problem in problems[:MAX_PROBLEMS]:
        refuse(problem)
    return False


def _problems(folder: Path, record: BuildRecord) -> Iterator[str]:
    """Yield what is wrong with the files of *record* in *folder*, which may come from an outsider."""
    total = sum(file.size for file in record.files)
    if not record.files or len(record.files) > MAX_BUILD_FILES or total > MAX_BUILD_BYTES:
        yield f"it has {len(record.files)} files and {total} bytes; at most {MAX_BUILD_FILES} and {MAX_BUILD_BYTES}"
        return
    for file in record.files:
        parts = PurePosixPath(file.path).parts
        if not parts or "\0" in file.path or PurePosixPath(file.path).is_absolute() or ".." in parts:
            yield f"{file.path[:MAX_SHOWN_PATH]!r} is not a path inside the build"
            continue
        try:
            _refuse_links(folder / file.path, folder.parent)
            size = (folder / file.path).stat().st_size
        except (DataError, OSError) as error:
            yield str(error)
            continue
        if size != file.size:
            yield f"{file.path!r} has {size} bytes, but {MANIFEST} states {file.size}"


def _refuse_links(path: Path, top: Path) -> None:
    """Raise DataError unless *path* is a regular file that is reached from *top* without symbolic links."""
    steps = [path, *(parent for parent in path.parents if parent.is_relative_to(top) and parent != top)]
    if not path.is_file() or any(step.is_symlink() for step in steps):
        raise DataError(f"{path} is not a regular file")


def _fits(cache: Path) -> bool:
    """Return whether another job can install from *cache*: few plain files, and no links to this machine."""
    paths = [path for path in cache.rglob("*") if not path.is_dir() or path.is_symlink()]
    return (
        len(paths) <= MAX_BUILD_FILES
        and all(path.is_file() and not path.is_symlink() for path in paths)
        and sum(path.stat().st_size for path in paths) <= MAX_BUILD_BYTES
    )


def _copied(cache: Path, target: Path) -> Iterator[BuildFile]:
    """Copy the files below *cache* to *target* and yield their descriptions."""
    for path in sorted(path for path in cache.rglob("*") if path.is_file()):
        name = path.relative_to(cache)
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / name)
        yield BuildFile(path=name.as_posix(), size=path.stat().st_size, sha256=_sha256(path))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cache_of(env: Any, commit: str) -> Path | None:
    cache = getattr(env, "_cache", None)  # asv has no public way; an environment type of a plugin may have none
    folder = cache and cache.get_cache_dir(commit)
    return Path(folder) if folder else None
