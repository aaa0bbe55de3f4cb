"""asv's own pages open the data that ``--asv-compatible`` leaves, as they open asv's.

They load libraries from other hosts; those come from npm here, of the versions that asv's page names
(stupidtable apart, whose 1.0.1 npm does not have). Only scripts that npm has in another form lose their hash.
"""

import os
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from builders.published import a_full_site

HERE = Path(__file__).parent / "asv_front_end"
PLACES = {
    "jquery-3.3.1.min.js": "jquery/dist/jquery.min.js",
    "jquery.flot.min.js": "flot/jquery.flot.js",
    "jquery.flot.time.min.js": "flot/jquery.flot.time.js",
    "jquery.flot.selection.min.js": "flot/jquery.flot.selection.js",
    "jquery.flot.categories.min.js": "flot/jquery.flot.categories.js",
    "jquery.flot.orderBars.js": "flot-orderbars/js/jquery.flot.orderBars.js",
    "stupidtable.min.js": "stupid-table-plugin/stupidtable.min.js",
    "md5.min.js": "blueimp-md5/js/md5.min.js",
    "bootstrap.min.js": "bootstrap/dist/js/bootstrap.min.js",
    "bootstrap.min.css": "bootstrap/dist/css/bootstrap.min.css",
}
"""Where npm has what asv's page asks for, by the last part of the address."""
REBUILT = re.compile(r'(/(?:flot/0\.8\.3|stupidtable/1\.0\.1)/[^"]+") integrity="[^"]+"')


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """The folder of the libraries, as the lock file pins them."""
    where = tmp_path_factory.mktemp("libraries")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, where)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
        failure = done.stderr[-300:] if done.returncode else ""
    except FileNotFoundError:
        failure = "npm is not installed"
    if failure and os.environ.get("CI"):
        pytest.fail(failure)
    if failure:
        pytest.skip(f"asv's libraries cannot be had here: {failure}")
    return where / "node_modules"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """asv's tree, and the pages of the installed asv in place of ours."""
    site = a_full_site(tmp_path_factory.mktemp("asv"), runs=32, more=("--asv-compatible",))
    shutil.copytree(str(files("asv") / "www"), site, dirs_exist_ok=True)
    page = site / "index.html"
    page.write_text(REBUILT.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
    return site


@pytest.fixture
def opened(browser, serve, published, libraries):
    """A page of asv's that has its libraries, and the list of what it complained of."""
    page, complaints = browser.new_page(), []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    address = serve(published)
    home = urlsplit(address).netloc

    def answer(route):
        url = urlsplit(route.request.url)
        found = PLACES.get(url.path.rpartition("/")[2])
        if url.netloc == home:
            route.continue_()
        elif found:
            route.fulfill(path=libraries / found, headers={"Access-Control-Allow-Origin": "*"})
        else:
            route.abort()

    page.route("**/*", answer)
    yield lambda view="": (page.goto(address + view), page)[1], complaints
    page.close()


VIEWS = {
    "": "#summarygrid-display .benchmark-container",
    "#summarylist": "#summarylist-display table tbody tr",
    "#regressions": "#regressions-display table tbody tr",
    "#parser.Tokens.time_scan": "#graph-display canvas.flot-base",
    "#sleep.Sleep.time_run?x-axis=variant": "#graph-display canvas.flot-base",
}
"""What asv's pages show, and what is there once they show it."""


@pytest.mark.parametrize(("view", "sign"), VIEWS.items())
def test_asvs_pages_show_our_data_and_complain_of_nothing(opened, view, sign):
    """The grid, the list, the regressions, a history, and variants side by side."""
    go, complaints = opened
    page = go(view)
    page.wait_for_selector(sign)
    page.wait_for_load_state("networkidle")
    assert page.locator("#project-name").inner_text() == "toy"
    assert complaints == []
