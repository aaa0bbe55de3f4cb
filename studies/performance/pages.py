"""How much the pages of a site ask for, and how fast they answer, in Chromium on this machine.

    make study ARGS="studies.performance.pages"                  the figures below
    make study ARGS="studies.performance.pages --lighthouse"     and Lighthouse's scores (npm fetches it)
    make study ARGS="studies.performance.pages --site SITE"      Lighthouse's scores alone, of a published site;
                                                                 with --runs 3, medians of three visits

Publishes three sites of synthetic results: 500 benchmarks, 5,000 benchmarks, and one benchmark of 10 cases on 2,000
commits. Prints what the first view of the overview transfers, from a server that does not compress; how long a key
stroke in the search takes until its rows are laid out; and how long after the start of the navigation the chart of
20,000 points is drawn, and then follows the mouse. Medians and maxima; beside them the processor time that the page's
thread took, which holds on a busy machine too. Nothing is judged.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from urllib.parse import quote

from browser.conftest import FLAGS, need, served
from builders.published import a_history, publish
from builders.trees import a_benchmark, a_row, a_run, a_tree
from playwright.sync_api import sync_playwright

from windtunnel.model.run import Measured

TYPING = """
text => {
  const input = document.querySelector("[name=find]");
  const took = [];
  for (let length = 1; length <= text.length; length += 1) {
    input.value = text.slice(0, length);
    const start = performance.now();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    took.push(performance.now() - start);
  }
  return took;
}"""
DRAWN = """
new MutationObserver((_, observer) => {
  if (document.querySelector(".history svg")) {
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.drawnAt = performance.now())));
  }
}).observe(document, { childList: true, subtree: true });"""
MOUSE = """
() => {
  const box = document.querySelector(".history").getBoundingClientRect();
  const took = [];
  for (let step = 1; step < 20; step += 1) {
    const start = performance.now();
    const clientX = box.left + (box.width * step) / 20;
    const moved = new PointerEvent("pointermove", { clientX, clientY: box.top + 50, bubbles: true });
    document.querySelector(".history").dispatchEvent(moved);
    document.body.getBoundingClientRect();
    took.push(performance.now() - start);
  }
  return took;
}"""


FIGURES = {
    "largest-contentful-paint": ("LCP", 1, 0, " ms"),
    "total-blocking-time": ("TBT", 1, 0, " ms"),
    "cumulative-layout-shift": ("CLS", 1, 3, ""),
    "total-byte-weight": ("transferred", 1000, 0, " kB"),
}
"""What Lighthouse measures: its name, our name, the size of the unit, digits, the unit."""


def say(text):
    """Write a line."""
    sys.stdout.write(f"{text}\n")


def a_site(folder, benchmarks, commits, cases=1):
    """A published site of so many benchmarks with so many cases on so many commits."""
    repo, hashes = a_history(folder / "repo", [f"change {index}" for index in range(commits)])
    made = [
        a_benchmark(f"module{n % 20}.Suite{n % 7}.time_work_{n}", n=[str(k) for k in range(cases)])
        for n in range(benchmarks)
    ]

    def rows(index):
        values = (0.1 * (1 + 0.01 * ((index * 31) % 7)) * (case + 1) for case in range(cases))
        results = tuple(
            Measured(value=value, samples=(value * 0.99, value, value, value, value, value * 1.01)) for value in values
        )
        return [a_row(benchmark, *results) for benchmark in made]

    runs = [
        replace(a_run(*rows(index), date=1_700_000_000_000 + index * 1000), commit=commit)
        for index, commit in enumerate(hashes)
    ]
    return publish(repo, a_tree(*runs, benchmarks=made), detect=False)


def processor(page):
    """A function that tells how many milliseconds of a processor the page's thread has taken so far."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def taken():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration") * 1000

    return taken


def first_view(browser, site):
    """Requests and bytes of the overview, with an empty cache."""
    with served(site) as address:
        page = browser.new_context().new_page()
        answers = []
        page.on("requestfinished", lambda request: answers.append(request))  # noqa: PLW0108 - Playwright marks it
        page.goto(address, wait_until="networkidle")
        sizes = [each.sizes() for each in answers]
        body, heads = (sum(each[key] for each in sizes) for key in ("responseBodySize", "responseHeadersSize"))
        say(f"first view of the overview, 500 benchmarks: {len(sizes)} requests, {(body + heads) / 1000:.1f} kB")


def search(browser, site):
    """Key strokes in the list of 5,000 benchmarks."""
    with served(site) as address:
        page = browser.new_context().new_page()
        page.goto(f"{address}?page=benchmarks")
        page.wait_for_selector("table.listing-table")
        taken = processor(page)
        before = taken()
        took = [each for text in ("module7", "time_work_4999", "suite3 work_1") for each in page.evaluate(TYPING, text)]
        each_took = (taken() - before) / len(took)
        words = f"median {median(took):.1f} ms, longest {max(took):.1f} ms of {len(took)}; processor {each_took:.1f} ms"
        say(f"a key stroke, 5,000 benchmarks: {words}")


def history(browser, site):
    """The chart of 2,000 points in 10 lines."""
    with served(site) as address:
        took, moved, processed = [], [], []
        for _ in range(5):
            page = browser.new_context().new_page()
            page.add_init_script(DRAWN)
            taken = processor(page)
            page.goto(f"{address}?page=benchmark&name=module0.Suite0.time_work_0")
            page.wait_for_selector(".history svg")
            page.wait_for_timeout(1000)
            took.append(page.evaluate("window.drawnAt"))
            processed.append(taken())
            moved += page.evaluate(MOUSE)
            page.close()
        words = f"median {median(took):.0f} ms, longest {max(took):.0f} ms; processor median {median(processed):.0f} ms"
        say(f"benchmark page, 2,000 commits x 10 lines: drawn after {words}")
        say(f"the mouse moves over it: median {median(moved):.1f} ms, longest {max(moved):.1f} ms")


def lighthouse(site, pages, runs=1):
    """Lighthouse's four scores of some pages, and what the first rests on, by a package in a temporary folder."""
    bin_folder = Path(sys.executable).parent
    env = os.environ | {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "CHROME_PATH": need("chromium", "google-chrome"),
    }
    with tempfile.TemporaryDirectory() as folder, served(site) as address:
        subprocess.run(
            ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--prefix", folder, "lighthouse@13"],
            env=env,
            check=True,
        )
        for page in pages:
            command = [
                f"{folder}/node_modules/.bin/lighthouse",
                f"{address}{page}",
                "--quiet",
                "--output=json",
                f"--chrome-flags=--headless {' '.join(FLAGS)}",
            ]
            reports = [
                json.loads(subprocess.run(command, env=env, check=True, capture_output=True).stdout)
                for _ in range(runs)
            ]
            scores = ", ".join(
                f"{name} {round(100 * median(each['categories'][name]['score'] or 0 for each in reports))}"
                for name in reports[0]["categories"]
            )
            figures = ", ".join(
                f"{words} {median(each['audits'][audit]['numericValue'] for each in reports) / size:.{digits}f}{unit}"
                for audit, (words, size, digits, unit) in FIGURES.items()
            )
            say(f"lighthouse {page or 'overview'}: {scores}; {figures}")
            for audit in reports[0]["audits"].values():
                if audit["score"] is not None and audit["score"] < 0.9 and audit["scoreDisplayMode"] == "binary":
                    say(f"    {audit['id']}: {audit['title']}")


def pages_of(site):
    """The addresses of all pages of *site*, with its first benchmark and module, and of an error."""
    pages = ["", "?page=benchmarks", "?page=changes", "?page=compare", "?page=about", "?page=benchmark&name=no.such"]
    front = json.loads((site / "site.json").read_text(encoding="utf-8"))
    pages += ["?page=claims"] if front["files"]["claims"] else []
    listed = (site / front["files"]["benchmarks"]).read_bytes()
    names = json.loads(gzip.decompress(listed) if listed.startswith(b"\x1f\x8b") else listed)["name"]
    first = [f"?page=benchmark&name={quote(name)}" for name in names[:1]]
    return [*pages, *first, *(f"?page=compare&module={quote(name.split('.')[0])}" for name in names[:1])]


def main():
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lighthouse", action="store_true")
    parser.add_argument("--site", type=Path, help="a folder that windtunnel publish wrote, of any size")
    parser.add_argument("--runs", type=int, default=1, help="Lighthouse's visits of each page")
    options = parser.parse_args()
    if options.site:
        lighthouse(options.site, pages_of(options.site), options.runs)
        return
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=need("chromium", "google-chrome"), args=list(FLAGS))
        overview = a_site(folder / "many", 500, 20)
        first_view(browser, overview)
        search(browser, a_site(folder / "most", 5000, 2))
        history(browser, a_site(folder / "long", 1, 2000, cases=10))
        browser.close()
        if options.lighthouse:
            lighthouse(overview, pages_of(overview), options.runs)


if __name__ == "__main__":
    main()
