"""The adapter to the network: carries requests out over aiohttp.

aiohttp because it streams (replies are cut off at a size) and is the most used adapter of gidgethub, whose pure half
builds URLs and headers and reads pages here. Its own adapters neither try again nor mind where a redirect leads.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from gidgethub import sansio

from windtunnel.errors import RemoteBusyError, RemoteError, UsageError
from windtunnel.github.http import Answer, Page, Request, Root, T, pause, read, redirect, reply, worded

AGENT = "windtunnel"
VERSION = "2022-11-28"
"""Of the REST interface; sent as X-GitHub-Api-Version."""

PATIENCE = 600.0
"""Seconds that one request may take with all its pauses; a primary limit can last an hour: no job waits so long."""

LARGEST_REPLY = 32 * 1024 * 1024
"""Bytes, after decompression; a page of a hundred full comments takes 20 MB at most."""

MOST_PAGES = 1000
MOST_REDIRECTS = 4
TIMEOUT = aiohttp.ClientTimeout(total=120, sock_connect=15, sock_read=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Time and chance as they are; tests hand in others."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Sends requests to the interface at *root*, again where that may help."""

    session: aiohttp.ClientSession
    root: Root
    token: str = field(repr=False)
    clock: Clock = Clock()
    patience: float = PATIENCE

    async def send(self, request: Request[T]) -> T:
        """Return the reply; raises RefusedError, and RemoteBusyError where a later call may succeed."""
        page = await self._page(request, self.root.url(request))
        return reply(page, request, worded(request.method, request.path))

    async def pages(self, request: Request[T]) -> AsyncIterator[T]:
        """Yield the reply page by page, to the end."""
        url: str | None = self.root.url(request)
        for _ in range(MOST_PAGES):
            if url is None:
                return
            page = await self._page(request, url)
            yield reply(page, request, worded(request.method, request.path))
            url = None if page.next is None else self.root.own(page.next)
        raise RemoteError(
            f"{worded(request.method, request.path)}: more than {MOST_PAGES} pages; something turns round"
        )

    async def download(self, request: Request[bytes], most: int) -> bytes:
        """Return the bytes that *request* leads to, at most *most* of them; raises RemoteError where there are more."""
        answer = await self._answer(request, self.root.url(request), most)
        if answer.status == 200:
            return answer.body
        asked = worded(request.method, request.path)
        read(answer, asked)
        raise RemoteError(f"{asked}: answered {answer.status} without content")

    async def _page(self, request: Request[T], url: str) -> Page:
        """Return a page; one that was cut short is asked for again, where that is safe."""
        asked = worded(request.method, request.path)
        for failures in range(1, 4):
            answer = await self._answer(request, url, LARGEST_REPLY)
            try:
                return read(answer, asked)
            except RemoteBusyError:
                if not request.repeatable or answer.busy:
                    raise
                await self.clock.sleep(pause(None, failures, self.clock.now(), self.clock.chance()) or 0.0)
        return read(answer, asked)

    async def _answer(self, request: Request[T], url: str, most: int) -> Answer:
        """Return the first answer that is final, or the last one when patience ends."""
        asked, failures, began = worded(request.method, request.path), 0, self.clock.now()
        while True:
            answer: Answer | None = None
            failure = ""
            try:
                answer = await self._follow(request, url, most)
                if not answer.busy:
                    return answer
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                failure = type(error).__name__
                if not request.repeatable and not isinstance(error, aiohttp.ClientConnectorError):
                    raise RemoteBusyError(f"{asked}: the connection broke ({failure}) before an answer came") from None
            failures += 1
            wait = self._wait(request, answer, failures)
            if wait is None or self.clock.now() + wait - began > self.patience:
                if answer is not None:
                    return answer
                raise RemoteBusyError(f"{asked}: cannot be reached ({failure}); see the network and try again")
            await self.clock.sleep(wait)

    def _wait(self, request: Request[T], answer: Answer | None, failures: int) -> float | None:
        if answer is not None and not answer.limited and not request.repeatable:
            return None  # a 5xx may have carried it out: whoever asked looks first
        return pause(answer, failures, self.clock.now(), self.clock.chance())

    async def _follow(self, request: Request[T], url: str, most: int) -> Answer:
        """Send the request and go where redirects lead; the token goes to the interface itself only."""
        for _ in range(MOST_REDIRECTS):
            answer = await self._exchange(request, url, most)
            target = redirect(answer, request.method, url)
            if target is None:
                return answer
            url = target
        raise RemoteError(f"{worded(request.method, request.path)}: more than {MOST_REDIRECTS} redirects")

    async def _exchange(self, request: Request[T], url: str, most: int) -> Answer:
        headers = {"user-agent": AGENT}
        if self.root.holds(url):
            headers = sansio.create_headers(AGENT, oauth_token=self.token or None)
            headers |= {"x-github-api-version": VERSION}
        if request.body:
            headers["content-type"] = "application/json"
        sent = self.session.request(
            request.method, url, headers=headers, data=request.body or None, allow_redirects=False
        )
        async with sent as response:
            body = await _limited(response, most, worded(request.method, request.path))
            lower = {key.lower(): value for key, value in response.headers.items()}
            return Answer(status=response.status, headers=lower, body=self._scrubbed(body, response.status))

    def _scrubbed(self, body: bytes, status: int) -> bytes:
        """Return *body*; an error that repeats the token loses it, for errors are shown."""
        secret = self.token.encode()
        return body.replace(secret, b"***") if secret and status >= 300 else body


async def _limited(response: aiohttp.ClientResponse, most: int, asked: str) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > most:
            raise RemoteError(f"{asked}: the answer has more than {most} bytes; nothing of it is used")
    return bytes(content)


@asynccontextmanager
async def connect(env: Mapping[str, str], clock: Clock | None = None) -> AsyncIterator[Client]:
    """Lend a client for the interface at $GITHUB_API_URL, with the token in $GITHUB_TOKEN (or $GH_TOKEN)."""
    token = (env.get("GITHUB_TOKEN") or env.get("GH_TOKEN") or "").strip()
    if not token:
        raise UsageError("there is no token; set GITHUB_TOKEN in the environment (env: in a workflow step)")
    root = Root.parse(env.get("GITHUB_API_URL") or "https://api.github.com")
    async with aiohttp.ClientSession(timeout=TIMEOUT, trust_env=True) as session:
        yield Client(session=session, root=root, token=token, clock=clock or Clock())
