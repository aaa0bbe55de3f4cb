"""The client against a stand-in for GitHub that checks each request against GitHub's own description."""

import json

import pytest

from windtunnel.errors import RefusedError, RemoteBusyError, RemoteError, UsageError
from windtunnel.github.api_issues import Account, Comment
from windtunnel.github.client import Clock, RepositoryName, Request, connect, create, get, pages

REPO = RepositoryName(owner="org", name="project")
COMMENTS = pages(REPO.path("issues", 7, "comments"), "", Comment)
NEW = create(REPO.path("issues", 7, "comments"), Comment, {"body": "text"})
ACCOUNT = get("/user", Account)


class Time:
    """A clock that advances only while sleeping."""

    def __init__(self, now=1_000_000.0):
        self.time, self.pauses = now, []

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.time += seconds

    def clock(self):
        return Clock(now=lambda: self.time, sleep=self.sleep, random=lambda: 1.0)


def ask(forge, request, time=None, **env):
    """Send *request* and return the reply."""
    with connect(forge.env(**env), (time or Time()).clock()) as client:
        return client.send(request)


def ask_all(forge, request, time=None):
    """Return all pages of *request*."""
    with connect(forge.env(), (time or Time()).clock()) as client:
        return list(client.entries(request))


def fetch(forge, artifact, max_bytes):
    with connect(forge.env(), Time().clock()) as client:
        return client.download(get(REPO.path("actions", "artifacts", artifact, "zip"), bytes), max_bytes)


def test_every_page_is_read(forge):
    """A comment on the last page counts."""
    forge.most_a_page = 2
    made = [forge.comment(7, f"text {number}")["id"] for number in range(5)]
    assert [one.id for one in ask_all(forge, COMMENTS)] == made


@pytest.mark.parametrize(
    "url",
    ["{0}\\@evil.example/", "{0}@evil.example/", "{0}%2eevil.example/", "//evil.example/x", "{0}.evil.example/x",
     "https:{1}/x", "http://\uff46orge.example/x", "http://127.0.0.1:99999/x", "http://[::1", "http://127.0.0.1:1/x"],
)  # fmt: skip
def test_a_next_page_that_only_looks_like_the_forge_is_not_requested(forge, url):
    """User names, escapes, ports, schemes and characters that look alike move the host."""
    origin = forge.url.removesuffix("/api/v3")
    link = url.format(origin, origin.partition(":")[2])
    forge.fault(method="GET", status=200, headers={"link": f'<{link}>; rel="next"'}, body="[]")
    with pytest.raises(RemoteError, match="it is not requested"):
        ask_all(forge, COMMENTS)
    assert len(forge.seen) == 1


@pytest.mark.parametrize("fault", [{"status": 502}, {"status": 503, "headers": {"retry-after": "3"}}, {"kind": "drop"},
                                   {"kind": "cut"}, {"status": 200, "body": '[{"id": 1'}])  # fmt: skip
def test_a_read_that_fails_or_ends_early_is_repeated(forge, fault):
    """Three failed attempts in a row do not end it."""
    forge.comment(7, "text")
    forge.fault(times=3, **fault)
    assert [one.body for one in ask(forge, COMMENTS)] == ["text"]


def test_pauses_double_and_the_last_error_is_raised(forge):
    """The client does not flood a forge that is down, and its message states what to do."""
    time = Time()
    forge.fault(times=99)
    with pytest.raises(RemoteBusyError, match=r"GitHub GET .*comments.*502.*try again"):
        ask(forge, COMMENTS, time)
    assert time.pauses == [1, 2, 4, 8]


def test_a_request_that_may_have_had_an_effect_is_not_repeated(forge):
    """A 502 may arrive after the comment was created."""
    forge.fault(method="POST", kind="after", status=502)
    with pytest.raises(RemoteBusyError):
        ask(forge, NEW)
    assert len(forge.comments) == 1


def test_the_client_waits_for_the_end_of_a_primary_limit(forge):
    """x-ratelimit-reset states when it ends."""
    time = Time()
    limit = {"x-ratelimit-limit": "1000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000090"}
    forge.fault(status=403, headers=limit, body='{"message": "API rate limit exceeded"}')
    assert ask(forge, COMMENTS, time) == ()
    assert time.pauses == [91]


@pytest.mark.parametrize("status", [403, 429])
def test_the_client_waits_for_a_secondary_limit(forge, status):
    """Retry-After counts for creating too: a limited request had no effect."""
    time = Time()
    forge.fault(status=status, headers={"retry-after": "17"}, body='{"message": "You have exceeded a secondary"}')
    assert ask(forge, NEW, time).body == "text"
    assert time.pauses == [18]
    assert len(forge.comments) == 1


@pytest.mark.parametrize("headers", [{}, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}])
def test_a_secondary_limit_without_a_time_means_minutes(forge, headers):
    """GitHub asks for at least one minute, then longer; a date is ignored."""
    time = Time()
    forge.fault(status=403, times=2, headers=headers, body='{"message": "You have exceeded a secondary rate limit."}')
    assert ask(forge, COMMENTS, time) == ()
    assert time.pauses == [60, 120]


def test_no_request_waits_longer_than_its_timeout(forge):
    """A limit that ends in two hours ends the call now."""
    time = Time()
    forge.fault(status=429, times=9, headers={"retry-after": "7200"}, body='{"message": "rate limit"}')
    with pytest.raises(RemoteBusyError, match="try again later"):
        ask(forge, COMMENTS, time)
    assert time.pauses == []


def test_a_forks_token_is_refused_at_once(forge):
    """403 without a rate limit is final; the message names the missing permission."""
    forge.writes = False
    with pytest.raises(RefusedError, match=r"not accessible by integration.*permissions of the job") as refused:
        ask(forge, NEW)
    assert refused.value.status == 403
    assert len(forge.seen) == 1


@pytest.mark.parametrize("status", [401, 404, 410, 422, 451])
def test_a_refusal_carries_its_status(forge, status):
    """Callers with an alternative look at it."""
    forge.fault(status=status, body='{"message": "no", "errors": [{"code": "invalid", "field": "x"}, "odd"]}')
    with pytest.raises(RefusedError, match=f"{status} no: invalid") as refused:
        ask(forge, COMMENTS)
    assert refused.value.status == status


@pytest.mark.parametrize("body", ["", "<html>", "[]", '{"message": 5}', '{"errors": "text"}', '{"errors": [null]}'])
def test_a_refusal_may_have_any_body(forge, body):
    """Proxies do not send JSON of GitHub."""
    forge.fault(status=404, body=body)
    with pytest.raises(RefusedError, match="404"):
        ask(forge, COMMENTS)


@pytest.mark.parametrize("body", ['{"id": 1}', '[{"body": "no id"}]', "null", '[{"id": "x"}]'])
def test_an_undocumented_response_is_reported(forge, body):
    """Forges differ; the message states what was expected."""
    forge.fault(status=200, body=body)
    with pytest.raises(RemoteError, match="not what GitHub documents"):
        ask(forge, COMMENTS)


def test_errors_hold_neither_the_token_nor_workflow_commands(forge):
    """A proxy may repeat what it was sent; a message may hold a workflow command."""
    forge.fault(status=404, body=json.dumps({"message": f"token {forge.token}\n::set-output name=x::y"}))
    with pytest.raises(RefusedError) as refused:
        ask(forge, COMMENTS)
    assert forge.token not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_token_is_in_no_repr(forge):
    """A client in a traceback does not show it."""
    with connect(forge.env()) as client:
        assert forge.token not in repr(client)


def test_an_artifact_is_downloaded_from_another_host_without_the_token(forge):
    """GitHub redirects to a signed URL of its storage; the fixture checks for the token."""
    forge.artifact(5, "verdict", b"zip")
    assert fetch(forge, forge.artifacts[0]["id"], 10) == b"zip"


def test_a_download_ends_at_its_limit(forge):
    """The stated size is not trusted."""
    forge.artifact(5, "verdict", b"x" * 1000, size_in_bytes=1)
    with pytest.raises(RemoteError, match="more than 999 bytes"):
        fetch(forge, forge.artifacts[0]["id"], 999)


def test_reads_follow_a_renamed_repository_and_writes_are_not_turned_into_reads(forge):
    """GitHub answers 301 for a repository's old name; a browser would send a GET instead of a POST."""
    forge.comment(7, "text")
    moved = {"location": f"{forge.url}/repos/org/project/issues/7/comments"}
    forge.fault(method="GET", status=301, headers=moved)
    assert len(ask(forge, COMMENTS)) == 1
    forge.fault(method="POST", status=301, headers=moved)
    with pytest.raises(RefusedError, match="301"):
        ask(forge, NEW)
    forge.fault(method="POST", status=307, headers=moved)
    assert ask(forge, NEW).body == "text"


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://x", "https://[::1", "http://127.0.0.1:x/"])
def test_a_redirect_to_what_is_not_http_is_an_error_of_the_remote(forge, location):
    """Another scheme would read a file or send the request without encryption."""
    forge.fault(times=9, status=302, headers={"location": location})
    with pytest.raises(RemoteError):
        ask(forge, ACCOUNT)


def test_cyclic_redirects_end(forge):
    """They raise an error."""
    forge.fault(status=302, times=99, headers={"location": f"{forge.url}/user"})
    with pytest.raises(RemoteError, match="redirects"):
        ask(forge, ACCOUNT)


def test_without_a_token_nothing_is_requested(forge):
    """The message states where to set it."""
    with pytest.raises(UsageError, match="set GITHUB_TOKEN"):
        ask(forge, ACCOUNT, GITHUB_TOKEN=" ")


@pytest.mark.parametrize("url", ["ftp://x", "api.github.com", "https://", "https://u:p@x", "http://[", "https://x:a"])
def test_an_invalid_api_url_is_reported(forge, url):
    """The message names the variable."""
    with pytest.raises(UsageError, match="GITHUB_API_URL"):
        ask(forge, ACCOUNT, GITHUB_API_URL=url)


@pytest.mark.parametrize("text", ["", "a", "a/b/c", "a/", "/b", "../x", "a/..", "a b/c", "a/b?x=1"])
def test_a_repository_has_an_owner_and_a_name(text):
    """Nothing else becomes part of a URL."""
    with pytest.raises(UsageError, match="owner/name"):
        RepositoryName.parse(text)


def test_a_path_holds_encoded_segments_and_parameters():
    """Names from outside cannot add either."""
    request = get(REPO.path("collaborators", "a/../b?c[bot]", "permission"), list, name="x&y=z")
    assert request.path == "/repos/org/project/collaborators/a%2F..%2Fb%3Fc%5Bbot%5D/permission?name=x%26y%3Dz"


def test_the_stand_in_rejects_requests_that_github_does_not_describe(forge):
    """It reports unknown parameters, wrong types and missing fields."""
    for wrong in (
        get(REPO.path("pulls"), list, state="ajar"),
        get(REPO.path("pulls"), list, colour="red"),
        Request(method="POST", path="/repos/org/project/check-runs", reply=dict, body=b'{"head_sha": "a"}'),
        Request(method="POST", path="/repos/org/project/issues", reply=dict, body=b'{"title": "a", "colour": 1}'),
    ):
        with pytest.raises(RefusedError):
            ask(forge, wrong)
    assert len(forge.complaints) == 4
    forge.complaints.clear()
