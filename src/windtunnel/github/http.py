"""Requests and responses of GitHub's REST API as values: URLs, errors, redirects, rate limits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Self, TypeVar
from urllib.parse import SplitResult, quote, urlencode, urljoin, urlsplit

import msgspec

from windtunnel import formats
from windtunnel.errors import RefusedError, RemoteBusyError, RemoteError, UsageError
from windtunnel.text.escaping import visible

T = TypeVar("T")

MAX_PER_PAGE = 100
"""Entries; GitHub returns 30 by default (docs.github.com, Using pagination in the REST API)."""

NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""The names of owners and repositories."""


class Method(StrEnum):
    """The HTTP methods in use."""

    GET = "GET"
    POST = "POST"
    PATCH = "PATCH"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryName:
    """A repository on the forge."""

    owner: str
    """The user or organisation."""
    name: str
    """The name below the owner."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``owner/name``; raises UsageError."""
        owner, slash, name = text.partition("/")
        if not (slash and NAME.fullmatch(owner) and NAME.fullmatch(name)) or {owner, name} & {".", ".."}:
            raise UsageError(f"{text[:100]!r} is not a repository; write owner/name, as in $GITHUB_REPOSITORY")
        return cls(owner=owner, name=name)

    def __str__(self) -> str:
        """Return ``owner/name``."""
        return f"{self.owner}/{self.name}"

    def path(self, *segments: str | int) -> str:
        """Return the API path of *segments* below this repository, each percent-encoded."""
        return "/".join(("/repos", self.owner, self.name, *(quote(str(segment), safe="") for segment in segments)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """One request."""

    method: Method
    """The HTTP method."""
    path: str
    """The path below the API's root, percent-encoded."""
    reply: type[T]
    """The type of the response's JSON."""
    query: tuple[tuple[str, str | int], ...] = ()
    """Query parameters."""
    body: bytes = b""
    """JSON; empty for none."""
    repeatable: bool = True
    """Whether sending it twice has the same effect as sending it once."""

    def __str__(self) -> str:
        """Return the request for messages."""
        return f"GitHub {self.method} {visible(self.path, 200)}"


def get(path: str, reply: type[T], **query: str | int) -> Request[T]:
    """Return a request that reads."""
    return Request(method=Method.GET, path=path, reply=reply, query=tuple(query.items()))


def create(path: str, reply: type[T], body: object) -> Request[T]:
    """Return a request that creates something each time it is sent."""
    return Request(method=Method.POST, path=path, reply=reply, body=formats.encode(body), repeatable=False)


def change(path: str, reply: type[T], body: object) -> Request[T]:
    """Return a request that sets the state of something."""
    return Request(method=Method.PATCH, path=path, reply=reply, body=formats.encode(body))


def delete(path: str) -> Request[None]:
    """Return a request that removes something."""
    return Request(method=Method.DELETE, path=path, reply=type(None))


SUCCESS = frozenset({200, 201, 202, 204})
RATE_LIMIT_STATUSES = frozenset({403, 429})
"""Statuses of a rate limit; 403 is also a refusal (docs.github.com, Rate limits for the REST API)."""

HINTS: Mapping[int, str] = {
    401: "check that GITHUB_TOKEN holds a valid token",
    403: "check the permissions of the job; each thing it writes needs one, and the token of a fork cannot write",
    404: "check the name, and that the token may read it; GitHub also answers 404 for what it hides",
    422: "what was sent does not match the current state",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The response to one request."""

    status: int
    """The HTTP status."""
    headers: Mapping[str, str]
    """The headers; keys are in lower case."""
    body: bytes
    """The content, decompressed."""
    next_url: str | None = None
    """The URL of the next page."""

    @property
    def is_rate_limited(self) -> bool:
        """Return whether a primary or secondary rate limit refused the request."""
        if self.status not in RATE_LIMIT_STATUSES:
            return False
        asked_to_wait = "retry-after" in self.headers or self.headers.get("x-ratelimit-remaining") == "0"
        return asked_to_wait or self.status == 429 or "rate limit" in error_message(self).lower()

    @property
    def is_transient(self) -> bool:
        """Return whether the same request may succeed later."""
        return self.status >= 500 or self.status == 408 or self.is_rate_limited


class TransientError(RemoteBusyError):
    """A request failed and may succeed when it is sent again."""

    def __init__(self, message: str, *, response: Response | None = None, without_effect: bool = False) -> None:
        """Keep the *response*, if one came, and whether the request certainly changed nothing."""
        super().__init__(message)
        self.response = response
        self.without_effect = without_effect


def parse(response: Response, request: Request[T]) -> T:
    """Return the value of *response*.

    Raises RefusedError, TransientError where another attempt may succeed, and RemoteError for an undocumented reply.
    """
    check_status(response, request)
    if response.status == 204 and not response.body:
        return msgspec.convert(None, request.reply)
    try:
        return msgspec.convert(msgspec.json.decode(response.body), request.reply)
    except msgspec.ValidationError as error:
        raise RemoteError(f"{request}: the response is not what GitHub documents: {visible(str(error), 300)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise TransientError(f"{request}: the response is truncated or not JSON; try again") from None


def check_status(response: Response, request: Request[T]) -> None:
    """Raise RefusedError or TransientError where *response* reports an error."""
    if response.status in SUCCESS:
        return
    message = visible(error_message(response), 300)
    if response.is_transient:
        raise TransientError(
            f"{request}: {response.status} {message}; try again later",
            response=response,
            without_effect=response.is_rate_limited,
        )
    hint = HINTS.get(response.status, "see GitHub's message")
    raise RefusedError(f"{request}: {response.status} {message}; {hint}", status=response.status)


def error_message(response: Response) -> str:
    """Return the message of an error response; the text is not trusted."""
    try:
        content = msgspec.json.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    if not isinstance(content, dict):
        return ""
    errors = content.get("errors")
    tables = [one for one in errors if isinstance(one, dict)][:5] if isinstance(errors, list) else []
    details = [content.get("message"), *(one.get("message") or one.get("code") for one in tables)]
    return ": ".join(str(one) for one in details if one)


REDIRECTS = frozenset({301, 302, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """The root of the API."""

    base: str
    """Such as ``https://api.github.com`` or ``https://forge.example/api/v3``."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the URL *text*; raises UsageError."""
        try:
            parts = urlsplit(text)
            valid = (
                parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.query and not parts.username
            )
            _ = parts.port
        except ValueError:
            valid = False
        if not valid:
            raise UsageError(f"GITHUB_API_URL is {text[:200]!r}; write a URL such as https://api.github.com")
        return cls(base=text.rstrip("/"))

    def url(self, request: Request[T]) -> str:
        """Return the URL of *request*."""
        return f"{self.base}{request.path}{'?' if request.query else ''}{urlencode(request.query)}"

    def is_own(self, url: str) -> bool:
        """Return whether *url* has the API's origin; the token is sent nowhere else.

        Raises RemoteError for what is not a URL.
        """
        return _origin(url) == _origin(self.base)

    def check_own(self, url: str) -> str:
        """Return *url*; raises RemoteError where it has another origin than the API."""
        if not self.is_own(url):
            raise RemoteError(f"GitHub's next page is on another host, {_split(url).hostname!r}; it is not requested")
        return url


def redirect_target(response: Response, method: Method, url: str) -> str | None:
    """Return the URL that *response* to *url* redirects to, None where it is final.

    Browsers turn a POST that gets 301 or 302 into a GET, so these two are followed for GET only.
    """
    target = response.headers.get("location")
    if response.status not in REDIRECTS or not target or (method is not Method.GET and response.status in {301, 302}):
        return None
    try:
        target = urljoin(url, target)
    except ValueError:
        raise _not_a_url(target) from None
    if _split(target).scheme not in {"https", _split(url).scheme}:
        raise RemoteError(f"GitHub redirects to {_split(target).scheme}://, which is not followed")
    return target


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = _split(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _split(url: str) -> SplitResult:
    """Return the parts of *url*, which a response named; raises RemoteError where it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise _not_a_url(url) from None
    return parts


def _not_a_url(text: str) -> RemoteError:
    return RemoteError(f"GitHub names {visible(text, 200)}, which is not a URL; it is not requested")


MIN_PAUSE, MAX_PAUSE = 1.0, 60.0
"""Seconds: upper bounds of the first pause after a failure, and of any."""

SECONDARY_LIMIT_PAUSE = 60.0
"""Seconds: the least pause after a secondary limit that names none (docs.github.com, Best practices for REST)."""

CLOCK_MARGIN = 1.0
"""Seconds; GitHub gives the end of a limit in whole seconds."""

MAX_FAILURES = 5
"""Failed attempts in a row; rate limits do not count."""


def pause(response: Response | None, failures: int, now: float, jitter: float) -> float | None:
    """Return the seconds to wait after the *failures*-th failure in a row, None to give up.

    *response* is None when none came; *now* is Unix time; *jitter* in [0, 1) spreads concurrent clients (M. Brooker,
    Exponential Backoff and Jitter, AWS Architecture Blog, 2015).
    """
    retry_after = None if response is None else _seconds(response.headers.get("retry-after"))
    if response is not None and response.is_rate_limited:
        return _rate_limit_pause(response, retry_after, failures, now)
    if failures >= MAX_FAILURES:
        return None
    backoff = (0.5 + jitter / 2) * min(MAX_PAUSE, MIN_PAUSE * 2 ** (failures - 1))
    return backoff if retry_after is None else retry_after


def _rate_limit_pause(response: Response, retry_after: float | None, failures: int, now: float) -> float:
    """Return the time that GitHub names, else a minute that doubles with each failure."""
    if retry_after is not None:
        return retry_after + CLOCK_MARGIN
    reset = _seconds(response.headers.get("x-ratelimit-reset"))
    if response.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(0.0, reset - now) + CLOCK_MARGIN
    return SECONDARY_LIMIT_PAUSE * 2.0 ** min(failures - 1, 10)


def _seconds(text: str | None) -> float | None:
    """Parse whole seconds; a date, which HTTP allows and GitHub does not send, is ignored."""
    return float(text) if text and text.isascii() and text.isdecimal() and len(text) < 12 else None
