"""Where requests go: below the interface's root, wherever a forge has it, and never elsewhere with the token."""

from dataclasses import dataclass
from typing import Self
from urllib.parse import urljoin, urlsplit

from gidgethub import sansio

from windtunnel.errors import RemoteError, UsageError
from windtunnel.github.http import Answer
from windtunnel.github.request import Method, Request, T

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
