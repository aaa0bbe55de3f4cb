"""Stand-ins for the actions that upload, download and deploy artifacts; no kinder than GitHub's own.

Each rule names where GitHub's action states it. An artifact of the first attempt of a run is the folder
``$STUB_ARTIFACTS/<run>/<name>``; one of attempt 2 is in ``.attempt-2`` there.
"""

import os
import re
import shutil
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

INVALID_NAME = re.compile(r'[":<>|*?\r\n\\/]')
"""actions/toolkit, packages/artifact/src/internal/upload/path-and-artifact-name-validation.ts."""


class RefusedError(Exception):
    """GitHub's action fails; the message begins as its own does."""


def _run_folder(env, attempt):
    folder = Path(env["STUB_ARTIFACTS"]) / env["GITHUB_RUN_ID"]
    return folder if attempt == 1 else folder / f".attempt-{attempt}"


def _attempt(env):
    return int(env.get("GITHUB_RUN_ATTEMPT") or 1)


def list_artifacts(env):
    """All artifacts of the run as (name, attempt, folder), oldest first; a new attempt deletes none of an earlier one.

    https://github.com/actions/deploy-pages/issues/372 and https://github.com/zcash/zips/issues/1328: "Artifacts are
    scoped to the workflow run, not the attempt, and persist across attempts."
    """
    for attempt in range(1, _attempt(env) + 1):
        folder = _run_folder(env, attempt)
        names = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
        yield from ((name, attempt, folder / name) for name in names if not name.startswith(".attempt-"))


def _files(path, *, hidden):
    """What an upload of *path* finds, as (file, name in the artifact).

    upload-artifact v7, src/shared/search.ts lines 14-21: hidden files are left out, links are followed; lines 99-123:
    folders are left out, also empty ones; lines 143-157: a single file has the name of the file alone. The glob leaves
    out every hidden item, also the path itself (actions/toolkit, packages/glob/src/internal-globber.ts).
    """
    if not hidden and path.resolve().name.startswith("."):
        return
    if path.is_file():
        yield path, path.name
    for folder, folders, names in os.walk(path, followlinks=True):
        folders[:] = [name for name in folders if hidden or not name.startswith(".")]
        for one in (Path(folder) / name for name in names if hidden or not name.startswith(".")):
            if one.is_file():  # a broken link is left out
                yield one, one.relative_to(path).as_posix()


def upload(env):
    """actions/upload-artifact v7."""
    name, path = env["NAME"], env["WHAT"]
    hidden, missing = env.get("HIDDEN") == "true", env.get("IF_NO_FILES") or "warn"
    if INVALID_NAME.search(name):
        raise RefusedError(f"The artifact name is not valid: {name}")
    if "*" in path or "\n" in path:
        raise NotImplementedError("this stand-in takes one path without a pattern")
    found = list(_files(Path(path), hidden=hidden))
    if not found:  # src/upload/upload-artifact.ts lines 31-52; action.yml: the default is a warning
        if missing == "error":
            raise RefusedError(f"No files were found with the provided path: {path}. No artifacts will be uploaded.")
        print(f"No files were found with the provided path: {path}. No artifacts will be uploaded.")  # noqa: T201
        return
    target = _run_folder(env, _attempt(env)) / name
    if target.exists():
        if env.get("OVERWRITE") != "true":
            # README, "Breaking Changes", 2: one name, one upload; the service answers 409.
            raise RefusedError(f"(409) Conflict: an artifact with this name already exists on the workflow run: {name}")
        shutil.rmtree(target)
    for source, inner in found:
        to = target / inner
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, to)
        to.chmod(0o644)  # README, "Permission Loss": "all files will have 644"
    if output := env.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(f"artifact-id={_identify(env, target, new=True)}\n")


def _identify(env, folder, *, new=False):
    """Return the id of the artifact in *folder*; one that replaces another is *new* (README, "Overwriting")."""
    shelf = Path(env["STUB_ARTIFACTS"])
    note = shelf / ".ids" / folder.relative_to(shelf)
    if new:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(str(time.time_ns()), encoding="utf-8")
    return note.read_text(encoding="utf-8") if note.exists() else ""


def download(env):
    """actions/download-artifact v8, src/download-artifact.ts."""
    name, pattern, number = env.get("NAME", ""), env.get("PATTERN", ""), env.get("ID", "")
    into = Path(env.get("INTO") or env["GITHUB_WORKSPACE"])  # lines 45-47
    # Lines 149-152: `latest` is the highest id of a name; ids do not grow with attempts (Systemorph/MeshWeaver 4303).
    newest = {one: folder for one, _, folder in reversed(list(list_artifacts(env)))}
    if name:
        if name not in newest:  # lines 93-95
            raise RefusedError(f"Artifact '{name}' not found")
        chosen = {name: newest[name]}
    elif number:  # of the newest of each name, those with this id
        chosen = {one: folder for one, folder in newest.items() if _identify(env, folder) == number}
        if not chosen:
            raise RefusedError(f"None of the provided artifact IDs were found: {number}")
    else:  # lines 157-164; no match is no error, and then no folder is created (lines 176-198)
        chosen = {one: folder for one, folder in newest.items() if not pattern or fnmatchcase(one, pattern)}
    for one, folder in chosen.items():
        flat = bool(name) or env.get("MERGE") == "true" or len(chosen) == 1  # lines 189-194
        shutil.copytree(folder, into if flat else into / one, dirs_exist_ok=True)


def upload_pages(env):
    """actions/upload-pages-artifact v5, action.yml lines 33-40 and 82-89: without hidden files, .git and .github."""
    upload(env | {"HIDDEN": "false", "IF_NO_FILES": "error", "NAME": env.get("NAME") or "github-pages"})


def deploy(env):
    """actions/deploy-pages v5; the served site is ``$STUB_PAGES/site``."""
    name, pages = env.get("NAME") or "github-pages", Path(env["STUB_PAGES"])
    found = [folder for one, _, folder in list_artifacts(env) if one == name]
    if not found:  # src/internal/api-client.js lines 84-87
        raise RefusedError(f'No artifacts named "{name}" were found for this workflow run.')
    if len(found) > 1:  # lines 88-92; there is no `latest` in line 71
        raise RefusedError(
            f'Multiple artifacts named "{name}" were unexpectedly found for this workflow run. '
            f"Artifact count is {len(found)}."
        )
    # What is deployed last is what is served: https://github.com/actions/deploy-pages/issues/338.
    shutil.rmtree(pages / "site", ignore_errors=True)
    shutil.copytree(found[0], pages / "site")


ACTIONS = {"upload": upload, "download": download, "upload-pages": upload_pages, "deploy": deploy}


def main(action, env):
    """Carry out *action*; the exit code."""
    try:
        ACTIONS[action](env)
    except RefusedError as error:
        print(f"::error::{error}")  # noqa: T201 - how an action fails
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], dict(os.environ)))
