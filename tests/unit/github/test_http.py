"""Requests, responses, redirects and pauses of the GitHub client, without a network."""

import pytest

from windtunnel.errors import RemoteError
from windtunnel.github.http import (
    MAX_FAILURES,
    MAX_PAUSE,
    Method,
    RepositoryName,
    Response,
    Root,
    get,
    pause,
    redirect_target,
)

REPO = RepositoryName(owner="org", name="project")
ROOT = Root.parse("https://forge.example/api/v3/")


def a_response(status=200, body=b"", **headers):
    return Response(
        status=status, headers={name.replace("_", "-"): value for name, value in headers.items()}, body=body
    )


def test_a_url_holds_the_encoded_path_and_query():
    """Names from outside cannot add segments or parameters."""
    request = get(REPO.path("collaborators", "a/../b?c[bot]", "permission"), list, name="x&y=z", per_page=100)
    expected = "https://forge.example/api/v3/repos/org/project/collaborators/a%2F..%2Fb%3Fc%5Bbot%5D/permission"
    assert ROOT.url(request) == f"{expected}?name=x%26y%3Dz&per_page=100"


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("https://forge.example/other", True),
        ("https://forge.example:443/x", True),
        ("http://forge.example/api/v3", False),
        ("https://forge.example:8443/x", False),
        ("https://forge.example.evil.example/x", False),
        ("https://evil.example/?https://forge.example", False),
    ],
)
def test_the_token_belongs_to_the_origin_of_the_api(url, own):
    """Scheme, host and port must match."""
    assert ROOT.is_own(url) is own


def test_redirects_are_relative_to_the_request():
    """A relative location has the origin of the request."""
    moved = a_response(302, location="/blobs/1")
    assert redirect_target(moved, Method.GET, "https://forge.example/a/b") == "https://forge.example/blobs/1"


@pytest.mark.parametrize("status", [301, 302])
def test_a_redirect_does_not_turn_writing_into_reading(status):
    """A POST with one of these statuses is not followed."""
    assert redirect_target(a_response(status, location="/x"), Method.POST, "https://forge.example/a") is None


@pytest.mark.parametrize("location", ["http://forge.example/x", "file:///etc/passwd", "ftp://x"])
def test_a_redirect_does_not_leave_https(location):
    """Another scheme would send the request without encryption, or read a file."""
    with pytest.raises(RemoteError, match="which is not followed"):
        redirect_target(a_response(302, location=location), Method.GET, "https://forge.example/a")


@pytest.mark.parametrize("url", ["https://forge.example:99999/x", "https://forge.example:x/", "https://[::1", "//[x"])
def test_a_response_that_names_no_url_is_an_error_of_the_remote(url):
    """A broken port or address in a header is never a bug of ours, with a traceback."""
    with pytest.raises(RemoteError, match="not a URL"):
        ROOT.check_own(url)
    with pytest.raises(RemoteError, match="not a URL"):
        redirect_target(a_response(302, location=url), Method.GET, "https://forge.example/a")


@pytest.mark.parametrize(
    "url",
    ["https://forge.example\\@evil.example/", "https://forge.example;@evil.example/", "https://forge.example%2eevil.example/",
     "https://forge.example\t.evil.example/", "//evil.example/x", "https://\uff46orge.example/x"],
)  # fmt: skip
def test_a_next_page_that_only_looks_like_the_forge_is_not_requested(url):
    """User names, escapes and characters that look alike move the host."""
    with pytest.raises(RemoteError, match="another host"):
        ROOT.check_own(url)


def test_pauses_grow_to_a_limit_and_end():
    """Jitter moves a pause within the upper half of its bound."""
    assert [pause(None, failures, 0.0, 0.0) for failures in (1, 2, 3, 4)] == [0.5, 1, 2, 4]
    assert pause(a_response(503), 4, 0.0, 1.0) == 8
    assert pause(None, MAX_FAILURES, 0.0, 0.0) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "17"}, 18),
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1090"}, 91),
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "900"}, 1),
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "soon"}, 60),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"}, 60),
    ],
)
def test_a_rate_limit_states_how_long_to_wait(headers, seconds):
    """Retry-After comes first, then the end of the limit, then a minute; a date is ignored."""
    assert pause(a_response(429, **headers), 1, 1000.0, 0.0) == seconds


def test_rate_limits_do_not_count_as_failures():
    """A limit without a time is waited for longer each time, beyond the limit of other pauses."""
    assert pause(a_response(429), MAX_FAILURES + 1, 0.0, 0.0) > MAX_PAUSE


@pytest.mark.parametrize(
    ("response", "limited"),
    [
        (a_response(403, b'{"message": "Resource not accessible by integration"}'), False),
        (a_response(403, b'{"message": "You have exceeded a secondary rate limit."}'), True),
        (a_response(403, b"", x_ratelimit_remaining="0"), True),
        (a_response(403, b"", x_ratelimit_remaining="5"), False),
        (a_response(429), True),
        (a_response(404, b'{"message": "rate limit"}'), False),
    ],
)
def test_a_rate_limit_is_not_a_refusal(response, limited):
    """403 means either; the headers and the message decide."""
    assert response.is_rate_limited is limited
