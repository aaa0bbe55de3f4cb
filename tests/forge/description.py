"""GitHub's own description of its API, and the errors of a request."""

import json
from functools import cache
from pathlib import Path

BASE = "/api/v3"
"""The path of the API on Enterprise Server; a GITHUB_API_URL with a path is the harder case."""


@cache
def content():
    """The description, its operations below BASE."""
    text = Path(__file__).with_name("api.github.com.json").read_text(encoding="utf-8")
    return json.loads(text) | {"servers": [{"url": BASE}]}


@cache
def openapi():
    """What validates requests; that the description itself is valid has a test (test_replies)."""
    from openapi_core import Config, OpenAPI  # only the tests that start a server wait for it

    return OpenAPI.from_dict(content(), config=Config(spec_validator_cls=None))


_FOUND = {}
"""The errors of the requests so far: tests repeat them thousands of times, and a check takes milliseconds."""


def complaints(request, body):
    """The errors of *request* by the description, unknown query parameters and fields included."""
    key = request.method, request.raw_path, request.content_type, body
    if key not in _FOUND:
        _FOUND[key] = _complaints(request, body)
    return _FOUND[key]


def _complaints(request, body):
    from openapi_core.contrib.aiohttp import AIOHTTPOpenAPIWebRequest
    from openapi_core.exceptions import OpenAPIError

    class Seen(AIOHTTPOpenAPIWebRequest):
        path = request.rel_url.raw_path  # a parameter may have encoded slashes

    seen = Seen(request, body=body)
    try:
        openapi().validate_request(seen)
    except OpenAPIError as error:
        return [f"{request.method} {request.path}: {error!r} {getattr(error.__cause__, 'schema_errors', '')}"]
    operation = content()["paths"][_template(request)][request.method.lower()]
    known = {_resolved(one)["name"] for one in operation.get("parameters", ()) if _resolved(one)["in"] == "query"}
    found = [f"unknown query parameter {name}" for name in request.query if name not in known]
    if body:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        fields = set(schema.get("properties", {}))
        found += [f"unknown field {name}" for name in json.loads(body) if fields and name not in fields]
    return [f"{request.method} {request.path}: {one}" for one in found]


def _template(request):
    return _matching(request.rel_url.raw_path.removeprefix(BASE))


def _matching(path):
    """The path of the description that *path* is an instance of."""
    parts = path.split("/")
    for template in content()["paths"]:
        pieces = template.split("/")
        if len(pieces) == len(parts) and all(p == q or p.startswith("{") for p, q in zip(pieces, parts, strict=True)):
            return template
    raise AssertionError(path)


def _resolved(node):
    return content()["components"]["parameters"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
