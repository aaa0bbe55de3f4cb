"""Every page of a published site, in Chromium."""

import json
import re
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from builders.published import a_hostile_site
from playwright.sync_api import expect

SCAN, RUN = "parser.Tokens.time_scan", "sleep.Sleep.time_run"
PAGES = {
    "overview": "",
    "scenarios": "?page=scenarios",
    "benchmarks": "?page=benchmarks",
    "benchmark": f"?page=benchmark&name={SCAN}",
    "sweep": f"?page=benchmark&name={SCAN}&axis=p0",
    "changes": "?page=changes",
    "compare": "?page=compare",
    "about": "?page=about",
}

BROKEN = [("{", "is broken"), ('{"schema":"windtunnel.site/99"}', "has the form"), (None, "is missing")]


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_clean_and_accessible_everywhere(visit, site, name):
    """Nothing in the console, no other host, nothing against the policy, no fault for axe, no scroll sideways."""
    seen = visit(site, PAGES[name])
    seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for width, scheme in ((1280, "light"), (1280, "dark"), (375, "dark"), (375, "light")):
        seen.page.set_viewport_size({"width": width, "height": 900})
        seen.page.emulate_media(color_scheme=scheme)
        seen.settled()
        seen.keep(f"{name}-{width}-{scheme}")
        assert seen.sideways() <= 0, width
        violations = Axe().run(seen.page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:200]) for each in violations] == [], (width, scheme)
    assert seen.complaints == []
    assert not re.search(r"\bnull\b|undefined|NaN|\[object", seen.texts("main")[0])


def test_the_overview_comes_in_few_requests(visit, site):
    """Eight, everything included."""
    asked = []
    seen = visit(site, "?page=about")
    seen.page.on("request", lambda request: asked.append(request.url))
    seen.open("")
    assert len(asked) <= 8, asked


def test_the_overview_tells_the_change(visit, site):
    """Which benchmark, how far, since which commit; and leads to its history."""
    seen = visit(site)
    (row,) = [each for each in seen.texts("table.recent tbody tr") if SCAN in each][:1]
    assert "+40" in row
    assert "change 20 of the parser" in row
    seen.page.locator("table.recent a", has_text="time_scan").first.click()
    expect(seen.page.locator("h1")).to_have_text(SCAN)
    seen.settled()
    assert seen.complaints == []


def test_the_whole_site_is_walked_by_keyboard_alone(visit, site):
    """Skip link first, every page by Tab and Enter; what has the focus shows it; a new page's heading gets it."""
    seen = visit(site)
    keys = seen.page.keyboard
    keys.press("Tab")
    assert seen.texts(":focus") == ["Skip to the content"]
    for title in ("Scenarios", "Benchmarks", "Changes", "Compare", "About these figures"):
        seen.open("")
        for _ in range(9):
            keys.press("Tab")
            assert seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            if seen.texts(":focus")[0] == title.split(maxsplit=1)[0]:
                break
        keys.press("Enter")
        expect(seen.page.locator("h1")).to_have_text(title)
        expect(seen.page.locator("h1")).to_be_focused()
    assert seen.complaints == []


def test_a_history_is_walked_by_keyboard(visit, site):
    """Arrows go from commit to commit and say it all; plus zooms; Enter keeps two points to compare."""
    seen = visit(site, PAGES["benchmark"])
    chart = seen.page.get_by_role("slider")
    chart.focus()
    assert "change 39 of the parser" in chart.get_attribute("aria-valuetext")
    seen.page.keyboard.press("Home")
    words = chart.get_attribute("aria-valuetext")
    assert "change 0 of the parser" in words
    assert "2023-11-14" in words
    assert "Somebody" in seen.texts(".point")[0]
    seen.page.keyboard.press("Enter")
    seen.page.keyboard.press("End")
    seen.page.keyboard.press("Enter")
    assert "1.4" in seen.texts(".kept")[0]
    seen.page.keyboard.press("+")
    seen.page.wait_for_url("**zoom=*")
    seen.page.keyboard.press("Escape")
    expect(seen.page).not_to_have_url(re.compile("zoom="))
    assert seen.complaints == []


def test_the_chart_has_a_table_twin(visit, site):
    """Every figure with its interval; a run that failed is a gap in words."""
    seen = visit(site, PAGES["benchmark"])
    seen.page.locator("details.twin summary").click()
    expect(seen.page.locator("table.history-table tbody tr")).to_have_count(40)  # made when it is opened
    rows = seen.texts("table.history-table tbody tr")
    assert "no value" in rows[34]
    assert "14.0" in rows[0]


def test_the_address_is_the_state(visit, site):
    """A link shows what its sender saw, controls change it, back leads back, and the focus stays where it was."""
    seen = visit(site, f"{PAGES['benchmark']}&python=3.13&scale=log")
    expect(seen.page.locator("[name=python]")).to_have_value("3.13")
    expect(seen.page.locator("[name=log]")).to_be_checked()
    seen.page.locator("[name=p0]").select_option("100")
    seen.page.wait_for_url("**p0=100*")
    expect(seen.page.locator("[name=p0]")).to_have_value("100")
    expect(seen.page.locator(".legend li")).to_have_count(1)
    seen.page.go_back()
    expect(seen.page.locator("[name=p0]")).to_have_value("*")
    expect(seen.page.locator(".legend li")).to_have_count(3)


def test_search_finds_while_typing(visit, site):
    """The address follows without filling the history of the browser."""
    seen = visit(site, PAGES["benchmarks"])
    rows = seen.page.locator("table.listing-table tbody tr")
    expect(rows).to_have_count(3)
    seen.page.get_by_label("Find").fill("parser time")
    expect(rows).to_have_count(1)
    expect(seen.page).to_have_url(re.compile("find=parser"))


def test_two_commits_are_compared_case_by_case(visit, site):
    """The largest difference first, with an interval; filters and sides are in the address."""
    first, last = (json.loads((site / "data/commits/0.json").read_text())["hash"][index] for index in (0, -1))
    seen = visit(site, f"?page=compare&base={first}&head={last}&on=3.12")
    rows = seen.texts("table.comparison tbody tr")
    assert SCAN in rows[0]
    assert re.search(r"1\.4\d*×", rows[0])
    assert "needs more" not in rows[0]
    seen.page.locator("[name=show]").select_option("clear")
    rows = seen.page.locator("table.comparison tbody tr")
    expect(rows).to_have_count(4)  # three scans, and memory, which does not scatter


def test_variants_are_compared(visit, site):
    """gather against sync on one commit, load by load."""
    seen = visit(site, "?page=compare&from='sync'&to='gather'")
    rows = seen.texts("table.comparison tbody tr")
    assert len(rows) == 2
    assert all(re.search(r"0\.33\d*×", row) for row in rows)


def test_the_scenarios_say_which_to_use(visit, site):
    """One sentence with its interval, from the data."""
    seen = visit(site, PAGES["scenarios"])
    (sentence,) = seen.texts(".use")
    assert re.search(r"Of these, gather, at 0\.3\d* – 0\.3\d* times the time of sync", sentence)
    assert seen.page.locator(".dotplot .whisker").count() > 0


@pytest.mark.parametrize("file", ["site.json", "data/benchmarks.json"])
@pytest.mark.parametrize(("content", "words"), BROKEN)
def test_a_broken_file_is_named(browser, visit, site, tmp_path, file, content, words):
    """The file, what is wrong with it, and what to do."""
    copy = shutil.copytree(site, tmp_path / "site")
    (copy / file).unlink()
    if content is not None:
        (copy / file).write_text(content)
    seen = visit(copy, PAGES["benchmarks"])
    assert re.search(rf"{file} {words}.*Publish the site again", seen.texts("#status")[0])


def test_a_page_that_is_not_there_says_so(visit, site):
    """Also one that is named like what every object has."""
    for name in ("nothing", "constructor", "__proto__"):
        seen = visit(site, f"?page={name}")
        assert f"There is no page “{name}”" in seen.texts("#status")[0]


def test_the_site_works_below_any_path(browser, site, tmp_path, visit):
    """As on pages of a forge, where a project is a folder."""
    shutil.copytree(site, tmp_path / "deep" / "er")
    seen = visit(tmp_path, "deep/er/?page=benchmarks")
    seen.page.locator("table.listing-table a").first.click()
    seen.settled()
    assert "/deep/er/?page=benchmark" in seen.page.url
    assert seen.complaints == []


def test_paper_gets_the_figures_and_not_the_navigation(visit, site):
    """Print is a medium."""
    seen = visit(site, PAGES["benchmark"])
    seen.page.emulate_media(media="print")
    assert not seen.page.locator("nav").is_visible()
    assert seen.page.locator(".history canvas").is_visible()


def test_opened_as_a_file_the_page_says_how_to_open_it(browser, site):
    """Browsers load no modules from files."""
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    assert "serve the folder" in page.locator("#status").inner_text()
    page.close()


def test_names_of_others_are_shown_and_not_obeyed(visit, tmp_path):
    """In benchmarks, parameters, variants, units, commit messages and places, on every page."""
    site = a_hostile_site(tmp_path)
    for page in ("", "?page=scenarios", "?page=benchmarks", "?page=changes", "?page=compare", "?page=about"):
        seen = visit(site, page, width=375)
        assert seen.complaints == [], page
        assert seen.page.locator("main img, main script, main b, a[href^='javascript']").count() == 0
        assert seen.sideways() <= 0, page
    seen = visit(site, "?page=benchmarks")
    seen.page.locator("table.listing-table a").first.click()
    seen.settled()
    assert "<img src=x" in seen.texts("main")[0]
    assert seen.complaints == []


def test_the_claim_board_has_the_articles_figure_against_todays(visit, site):
    """With the decision at each place, and why there is none."""
    seen = visit(site, PAGES["scenarios"])
    holds, undecided, fails = seen.texts("table.claims tbody tr")
    assert re.search(r"0\.333×\s+0\.333×\s+0\.3\d* – 0\.3\d*\s+holds", holds)
    assert "too few processes" in undecided
    assert "fails" in fails


@pytest.mark.parametrize("page", ["changes", "benchmark"])
def test_an_alert_stands_with_what_people_answered(visit, site, page):
    """Its state, who said what, and where it lies."""
    (row,) = visit(site, PAGES[page]).texts("table.alerts tbody tr")
    assert all(word in row for word in (SCAN, "5d0c6f1f3a9e", "acknowledged", "being profiled", "Somebody"))
