"""Requests and answers of GitHub's REST interface as values: addresses, errors, limits, waiting times."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Self, TypeVar
from urllib.parse import urljoin, urlsplit

import msgspec
from gidgethub import sansio

from windtunnel import formats
from windtunnel.errors import RefusedError, RemoteBusyError, RemoteError, UsageError
from windtunnel.text.escaping import visible

T = TypeVar("T")

MOST_A_PAGE = 100
"""Entries; GitHub gives 30 unless asked, and never more (docs.github.com, Using pagination in the REST API)."""

SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""What the names of owners and repositories are made of."""


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
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return what ``owner/name`` names; raises UsageError."""
        owner, slash, name = text.partition("/")
        if not (slash and SEGMENT.fullmatch(owner) and SEGMENT.fullmatch(name)) or {owner, name} & {".", ".."}:
            raise UsageError(f"{text[:100]!r} is no repository; write owner/name, as in $GITHUB_REPOSITORY")
        return cls(owner=owner, name=name)

    def __str__(self) -> str:
        """Return ``owner/name``."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[T]):
    """One request; *path* is an RFC 6570 template below the interface's root, filled with *values*.

    *repeatable*: sent twice it leaves what it leaves when sent once, so a lost answer is no reason to stop.
    """

    method: Method
    path: str
    reply: type[T]
    values: tuple[tuple[str, str | int], ...] = ()
    body: bytes = b""
    repeatable: bool = True


def get(path: str, reply: type[T], **values: str | int) -> Request[T]:
    """Return a request to read."""
    return Request(method=Method.GET, path=path, reply=reply, values=tuple(values.items()))


def create(path: str, reply: type[T], body: object, **values: str | int) -> Request[T]:
    """Return a request that makes a new thing each time it is carried out."""
    return Request(
        method=Method.POST,
        path=path,
        reply=reply,
        values=tuple(values.items()),
        body=formats.encode(body),
        repeatable=False,
    )


def change(path: str, reply: type[T], body: object, **values: str | int) -> Request[T]:
    """Return a request that sets what is there to a state."""
    return Request(method=Method.PATCH, path=path, reply=reply, values=tuple(values.items()), body=formats.encode(body))


def delete(path: str, **values: str | int) -> Request[None]:
    """Return a request to remove a thing."""
    return Request(method=Method.DELETE, path=path, reply=type(None), values=tuple(values.items()))


FINE = frozenset({200, 201, 202, 204})
LIMITED = frozenset({403, 429})
"""Statuses of a rate limit; 403 also is a refusal (docs.github.com, Rate limits for the REST API)."""

HINTS: Mapping[int, str] = {
    401: "see that the token is in GITHUB_TOKEN and still valid",
    403: "see the permissions of the job: what it writes must be listed there, and a fork's token cannot write",
    404: "see the name, and that the token may read it: GitHub says 404 for what it hides",
    422: "what was sent does not fit what is there",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; the keys of *headers* are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def limited(self) -> bool:
        """Tell whether a rate limit, primary or secondary, is what refused the request."""
        if self.status not in LIMITED:
            return False
        asked_to_wait = "retry-after" in self.headers or self.headers.get("x-ratelimit-remaining") == "0"
        return asked_to_wait or self.status == 429 or "rate limit" in message(self).lower()

    @property
    def busy(self) -> bool:
        """Tell whether the same request may be answered later."""
        return self.status >= 500 or self.status == 408 or self.limited


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The value of an answer, and where the next page of it is."""

    value: object
    next: str | None


def read(answer: Answer, asked: str) -> Page:
    """Return what *answer* holds; *asked* is the request in words.

    Raises RefusedError, or RemoteBusyError where another try may succeed.
    """
    if answer.status in FINE:
        try:
            value, _, following = sansio.decipher_response(answer.status, answer.headers, answer.body)
        except (ValueError, LookupError):
            raise RemoteBusyError(f"{asked}: the answer is cut short or no JSON; try again") from None
        return Page(value=value, next=following)
    said = visible(message(answer), 300)
    if answer.busy:
        raise RemoteBusyError(f"{asked}: {answer.status} {said}; try again later")
    hint = HINTS.get(answer.status, "see what GitHub says of it")
    raise RefusedError(f"{asked}: {answer.status} {said}; {hint}", status=answer.status)


def reply(page: Page, request: Request[T], asked: str) -> T:
    """Return the value of *page* as the type that *request* expects."""
    try:
        return msgspec.convert(page.value, request.reply)
    except msgspec.ValidationError as error:
        raise RemoteError(f"{asked}: the answer is not what GitHub documents: {visible(str(error), 300)}") from None


def message(answer: Answer) -> str:
    """Return what an error answer says, as foreign as it came."""
    try:
        content = json.loads(answer.body)
    except ValueError:
        return ""
    said = content.get("message") if isinstance(content, dict) else None
    errors = content.get("errors") if isinstance(content, dict) else None
    details = [said, *(one.get("message") or one.get("code") for one in _tables(errors))]
    return ": ".join(str(one) for one in details if one)


def worded(method: Method, path: str) -> str:
    """Return a request in words, for messages."""
    return f"GitHub {method} {visible(path, 200)}"


def _tables(errors: object) -> list[dict[str, object]]:
    return [one for one in errors if isinstance(one, dict)][:5] if isinstance(errors, list) else []


FOLLOWED = frozenset({301, 302, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """The interface's root, such as ``https://api.github.com`` or ``https://forge.example/api/v3``."""

    base: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the root at URL *text*; raises UsageError."""
        try:
            parts = urlsplit(text)
            fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and not parts.query and not parts.username
            _ = parts.port
        except ValueError:
            fine = False
        if not fine:
            raise UsageError(f"GITHUB_API_URL is {text[:200]!r}; write a URL such as https://api.github.com")
        return cls(base=text.rstrip("/"))

    def url(self, request: Request[T]) -> str:
        """Return the URL of *request*."""
        return sansio.format_url(request.path, dict(request.values), base_url=self.base)

    def holds(self, url: str) -> bool:
        """Tell whether *url* is on the same host: only there the token is sent."""
        return _origin(url) == _origin(self.base)

    def own(self, url: str) -> str:
        """Return *url*, the next page's; raises RemoteError where it leads elsewhere."""
        if not self.holds(url):
            raise RemoteError(f"GitHub's next page is on another host, {urlsplit(url).hostname!r}; it is not asked")
        return url


def redirect(answer: Answer, method: Method, url: str) -> str | None:
    """Return where *answer* to *url* leads, None where it is the answer itself.

    A redirect that would turn writing into reading (301 and 302, as browsers treat them) is followed by GET only.
    """
    target = answer.headers.get("location")
    if answer.status not in FOLLOWED or not target or (method is not Method.GET and answer.status in {301, 302}):
        return None
    target = urljoin(url, target)
    if urlsplit(target).scheme not in {"https", urlsplit(url).scheme}:
        raise RemoteError(f"GitHub redirects to {urlsplit(target).scheme}://, which is not followed")
    return target


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


FIRST, LONGEST = 1.0, 60.0
"""Seconds: upper bounds of the first pause after a failure, and of any."""

SECONDARY = 60.0
"""Seconds: the least pause after a secondary limit that names none (docs.github.com, Best practices for REST)."""

MARGIN = 1.0
"""Seconds: the limit's end is told in whole seconds."""

MOST_FAILURES = 5
"""Answers of 5xx and broken connections in a row; rate limits are waited for as long as patience lasts."""


def pause(answer: Answer | None, failures: int, now: float, chance: float) -> float | None:
    """Return the seconds to wait after the *failures*-th failure in a row, None to give up.

    *answer* is None when the connection failed; *now* is Unix time; *chance* in [0, 1) spreads those who failed
    together (M. Brooker, Exponential Backoff and Jitter, AWS Architecture Blog, 2015).
    """
    if answer is not None and answer.limited:
        return _limit(answer, failures, now)
    if answer is not None and not answer.busy:
        return None
    if failures >= MOST_FAILURES:
        return None
    asked = None if answer is None else _number(answer.headers.get("retry-after"))
    return asked if asked is not None else (0.5 + chance / 2) * min(LONGEST, FIRST * 2 ** (failures - 1))


def _limit(answer: Answer, failures: int, now: float) -> float:
    """Retry-After first, then the end of the primary limit, else a minute that doubles."""
    asked = _number(answer.headers.get("retry-after"))
    if asked is not None:
        return asked + MARGIN
    reset = _number(answer.headers.get("x-ratelimit-reset"))
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(0.0, reset - now) + MARGIN
    return SECONDARY * 2.0 ** min(failures - 1, 10)


def _number(text: str | None) -> float | None:
    """Return whole seconds; a date, which HTTP allows and GitHub does not send, counts as nothing."""
    return float(text) if text and text.isascii() and text.isdecimal() and len(text) < 12 else None
