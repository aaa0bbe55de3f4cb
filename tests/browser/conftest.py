"""A real Chromium, a server on loopback, and pages that keep account of what they did."""

import functools
import http.server
import os
import shutil
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ARTIFACTS = Path(__file__).parents[2] / "test-artifacts" / "browser"


def need(*commands):
    """The path of the first of *commands* that is here; without any a skip, and in CI a failure."""
    found = next((path for command in commands if (path := shutil.which(command))), None)
    if found is None:
        message = f"{' or '.join(commands)} is not installed (Debian: apt install {commands[0]})"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return found


@pytest.fixture(scope="module")
def browser():
    """One Chromium a module: while it runs, its driver keeps an event loop running in this thread."""
    executable = need("chromium", "chromium-browser", "google-chrome")
    from playwright.sync_api import sync_playwright  # only the tests that need a browser wait for it

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield chromium
        chromium.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def served(folder):
    """Serve *folder* on loopback; yield the address."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


class Visit:
    """A page in the browser, with everything that a clean page must not do."""

    def __init__(self, page, address):
        """Listen to *page*, which is empty."""
        self.address = address
        self.page = page
        self.complaints = []
        self.listeners = {
            "console": lambda message: self.complaints.append(f"{message.type}: {message.text}"),
            "pageerror": lambda error: self.complaints.append(f"error: {error}"),
            "dialog": self._dismiss,
            "request": self._note,
        }
        for event, listener in self.listeners.items():
            self.page.on(event, listener)

    def leave(self, *, clean):
        """Leave the page as an empty one for the next visit; a *clean* one has no complaint."""
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.unroute_all()
        self.page.mouse.move(0, 0)
        self.page.evaluate("sessionStorage.clear()")
        self.page.goto("about:blank")
        assert self.complaints == [] or not clean

    def answer(self, file, content):
        """Say *content* where *file* is asked for; None: it is not there."""
        missing = {"status": 404}
        self.page.route(
            f"**/{file}", lambda route: route.fulfill(**(missing if content is None else {"body": content}))
        )

    def look(self, width, scheme):
        """See the page in a window of that width, in light or dark."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(media="null", color_scheme=scheme)

    def open(self, query=""):
        """Go to the page and wait until it has drawn."""
        self.page.goto(self.address + query)
        return self.settled()

    def settled(self):
        """Wait until the page has drawn: it has a heading, and what is loaded later is there."""
        self.page.wait_for_selector("main:not([aria-busy]) h1")
        self.page.wait_for_selector(".articles:empty, [open] > .inside > .event-charts:empty", state="detached")
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self

    def keep(self, name):
        """Keep a picture of the whole page among the test's artifacts, if WINDTUNNEL_PICTURES asks for them."""
        if not os.environ.get("WINDTUNNEL_PICTURES"):
            return
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{name}.png", full_page=True)

    def sideways(self):
        """How many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")

    def texts(self, selector):
        """What people read in every element that *selector* finds; no difference between kinds of spaces."""
        return [text.replace("\N{NO-BREAK SPACE}", " ") for text in self.page.locator(selector).all_inner_texts()]

    def _note(self, request):
        host = urlsplit(self.address).netloc
        if urlsplit(request.url).netloc != host:
            self.complaints.append(f"request to {request.url}")

    def _dismiss(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture(scope="session")
def serve():
    """A function that serves a folder until the end of the session, and says where."""
    with ExitStack() as stack:
        yield functools.cache(lambda folder: stack.enter_context(served(folder)))


@pytest.fixture(scope="module")
def context(browser):
    """What pages of a module share: what one of them has fetched, the others need not fetch."""
    made = browser.new_context()
    made.add_init_script(
        "addEventListener('securitypolicyviolation', event => console.error('CSP ' + event.violatedDirective))"
    )
    return made


@pytest.fixture(scope="module")
def empty_pages():
    """Pages that no test visits now; visits use them again, as each page takes a quarter of a second of CPU."""
    return []


@pytest.fixture
def visit(context, serve, empty_pages):
    """A function that visits a published site, without a complaint; *broken* are files that answer otherwise."""
    with ExitStack() as stack:

        def go(site, query="", *, width=1280, scheme="light", broken=None, clean=True):
            page = empty_pages.pop() if empty_pages else context.new_page()
            page.bring_to_front()  # Chromium draws pages that others hide once a second
            made = Visit(page, serve(site))
            stack.callback(empty_pages.append, page)
            stack.callback(made.leave, clean=clean)
            made.look(width, scheme)
            for file, content in (broken or {}).items():
                made.answer(file, content)
            return made.open(query)

        yield go
