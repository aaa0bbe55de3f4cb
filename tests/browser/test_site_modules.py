"""The site's own tests, which run in Node."""

import re
import subprocess
from pathlib import Path

from tests.browser.conftest import need

SITE = Path(__file__).parents[2] / "site"


def test_the_modules_of_the_site_pass_their_tests():
    """node --test, beside the modules."""
    done = subprocess.run([need("nodejs", "node"), "--test"], cwd=SITE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"pass (\d+)", done.stdout)[1]) >= 30


def test_only_the_door_touches_the_document():
    """Nothing on the page can turn text into markup or code: no such call is anywhere."""
    ways = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.on\w+ =|style=")
    found = [f"{path.name}: {line}" for path in SITE.glob("page/**/*.js") for line in path.read_text().splitlines()]
    assert not [line for line in found if ways.search(line)]
    pure = ("format.js", "scale.js", "state.js", "model.js", "data.js")
    assert not [
        name for name in pure if re.search(r"\bwindow\b|\bdocument\.(?!version)", (SITE / "page" / name).read_text())
    ]
