"""Cut GitHub's own description of its interface down to the operations that Windtunnel uses.

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
    python tests/forge/trim.py package/generated/api.github.com.json tests/forge/api.github.com.json

The package is under the MIT licence, Copyright (c) 2020 Octokit contributors. Kept are parameters, bodies and the
replies of success with every schema that they refer to; examples and prose go.
"""

import json
import sys
from pathlib import Path

OPERATIONS = {
    "/repos/{owner}/{repo}": ("get",),
    "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}": ("get",),
    "/repos/{owner}/{repo}/actions/runs/{run_id}": ("get",),
    "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts": ("get",),
    "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs": ("get",),
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs": ("get",),
    "/repos/{owner}/{repo}/check-runs": ("post",),
    "/repos/{owner}/{repo}/check-runs/{check_run_id}": ("patch",),
    "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations": ("get",),
    "/repos/{owner}/{repo}/commits/{commit_sha}/pulls": ("get",),
    "/repos/{owner}/{repo}/commits/{ref}/check-runs": ("get",),
    "/repos/{owner}/{repo}/contents/{path}": ("get",),
    "/repos/{owner}/{repo}/issues": ("get", "post"),
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": ("get", "patch", "delete"),
    "/repos/{owner}/{repo}/issues/{issue_number}": ("get", "patch"),
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ("get", "post"),
    "/repos/{owner}/{repo}/issues/{issue_number}/events": ("get",),
    "/repos/{owner}/{repo}/pages": ("get",),
    "/repos/{owner}/{repo}/pulls": ("get",),
    "/repos/{owner}/{repo}/pulls/{pull_number}": ("get",),
    "/user": ("get",),
}
PROSE = {"description", "example", "examples", "externalDocs", "summary", "x-github", "deprecated", "title", "tags"}


def without_prose(node, *, names=False):
    """Drop what no validator reads; *names*: the keys are names of fields, not keywords."""
    if isinstance(node, dict):
        return {
            key: without_prose(value, names=key in {"properties", "schemas", "parameters"} and not names)
            for key, value in node.items()
            if names or key not in PROSE
        }
    return [without_prose(value) for value in node] if isinstance(node, list) else node


def references(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def trimmed(full):
    """Return the description with OPERATIONS only."""
    paths = {}
    for path, methods in OPERATIONS.items():
        kept = {method: without_prose(full["paths"][path][method]) for method in methods}
        for operation in kept.values():
            replies = operation["responses"]
            operation["responses"] = {
                status: {"description": "", "content": reply.get("content", {})} if "$ref" not in reply else reply
                for status, reply in replies.items()
                if status[0] in "23"
            }
            for reply in operation["responses"].values():
                reply.pop("headers", None)
        paths[path] = kept
    components, wanted = {}, list(references(paths))
    while wanted:
        _, _, kind, name = wanted.pop().split("/")
        if name not in components.setdefault(kind, {}):
            part = without_prose(full["components"][kind][name])
            if kind == "responses":
                part["description"] = ""
            if kind in {"headers", "examples"}:
                continue
            components[kind][name] = part
            wanted.extend(references(part))
    created = components["parameters"]["created"]["schema"]
    del created["format"]  # it says "date-time", but its prose documents ranges such as ">=2026-01-01T00:00:00Z"
    info = {"title": "api.github.com, trimmed", "version": full["info"]["version"], "license": full["info"]["license"]}
    return {
        "openapi": full["openapi"],
        "info": info,
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": components,
    }


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    Path(target).write_text(
        json.dumps(trimmed(json.loads(source.read_text())), separators=(",", ":"), sort_keys=True) + "\n"
    )
