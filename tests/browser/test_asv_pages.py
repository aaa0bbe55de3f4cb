"""asv's own pages, as our page links to them."""

import pytest
from builders.repositories import ENV, a_repository, git
from builders.results_folders import a_results_folder

from tests.browser.conftest import Visit, served
from windtunnel import cli

CONFIG = '{"version": 1, "project": "toy", "repo": ".", "branches": ["main"]}'


@pytest.fixture
def site(tmp_path):
    """A site of one commit, published as at a desk."""
    repo = a_repository(tmp_path / "repo", "one")
    (repo / "asv.conf.json").write_text(CONFIG, encoding="utf-8")
    results = a_results_folder(tmp_path / "results", [git(repo, "rev-parse", "main")])
    argv = ["publish", str(results), "--out", str(tmp_path / "site"), "--config", str(repo / "asv.conf.json")]
    with (tmp_path / "log").open("w") as log:
        assert cli.main(argv, log, log, ENV) == 0
    return tmp_path / "site"


def test_our_page_leads_to_the_history_of_a_benchmark(browser, site):
    """Our page asks nobody else; asv's loads its libraries from other hosts, which here may not be reached."""
    with served(site) as address:
        seen = Visit(browser, address).open()
        assert seen.complaints == []
        link = seen.page.locator("table.plain a").first.get_attribute("href")
        assert link == "asv/#b.time"
        page = seen.page.request.get(address + link)
        assert page.ok
        assert "airspeed velocity" in page.text()
        (graph,) = (each for each in (site / "asv" / "graphs").rglob("b.time.json") if "summary" not in each.parts)
        assert seen.page.request.get(address + graph.relative_to(site).as_posix()).json() == [[0, 0.1]]
        seen.page.close()
