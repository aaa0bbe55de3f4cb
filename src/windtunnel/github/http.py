"""An answer as a value, and what it means: a reply, a refusal, or a failure that may pass."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from gidgethub import sansio

from windtunnel.errors import RefusedError, RemoteBusyError, RemoteError
from windtunnel.github.request import Method, Request, T
from windtunnel.text.escaping import visible

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
