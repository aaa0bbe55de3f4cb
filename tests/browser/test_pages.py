"""Every page of a published site, in Chromium."""

import gzip
import json
import re
import shutil

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from builders.published import EVIL, a_history_of_nothing_special, a_hostile_site


def expect(target):
    """Wait for what a page shows."""
    from playwright import sync_api  # only the tests that need a browser wait for it

    return sync_api.expect(target)


SCAN, RUN, WEB = "parser.Tokens.time_scan", "sleep.Sleep.time_run", "web.Web.time_run"
LATENCY, MEMORY = "web.WebLatency.latency_request", "web.WebMemory.peak_profile"
PAGES = {
    "overview": "",
    "claims": "?page=claims",
    "benchmarks": "?page=benchmarks",
    "benchmark": f"?page=benchmark&name={SCAN}",
    "sweep": f"?page=benchmark&name={SCAN}&axis=p0",
    "changes": "?page=changes",
    "compare": "?page=compare",
    "group": "?page=group&name=parser.Tokens",
    "about": "?page=about",
}

SITES = dict.fromkeys(PAGES, "site") | dict.fromkeys(("job", "job overview", "instructions", "years"), "job")
PAGES |= {"job": f"?page=benchmark&name={LATENCY}", "job overview": "", "instructions": f"?page=benchmark&name={WEB}"}
PAGES |= {"years": "?page=years"}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
LOOKS = (  # what axe asks of a page; the scheme changes its colours alone, whatever the width
    (1280, "light", None),
    (1280, "dark", COLOURS),
    (375, "dark", None),
)
MOVED = """
new Promise(done => {
  let moved = 0;
  new PerformanceObserver(list => list.getEntries().forEach(each => (moved += each.value)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(moved), 50);
})"""
TWO_OF_A_KIND = """
document.querySelectorAll("tbody").forEach(body => {
  const kinds = {};
  for (const row of [...body.rows]) {
    const parts = [row, ...row.querySelectorAll("*")];
    const kind = parts.map(each => [each.tagName, each.className, each.getAttribute("style")]).join();
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (kinds[kind] > 2) row.remove();
  }
})"""
"""Removes rows that differ from two others in their words alone: axe takes a millisecond for each cell."""
BROKEN = [("{", "is broken"), ('{"schema":"windtunnel.site/99"}', "has the form"), (None, "is missing")]


def faults(page, rules):
    """What axe-core, which the page has, finds wrong: the rule and the first place."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    found = page.evaluate("async options => (await axe.run(document, options)).violations", options)
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in found]


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_clean_and_accessible(visit, request, name):
    """No console message, no other host, no policy violation, no finding of axe, no horizontal scrolling."""
    seen = visit(request.getfixturevalue(SITES[name]), PAGES[name])
    seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for width, scheme, _ in LOOKS:
        seen.look(width, scheme)
        seen.settled()
        seen.keep(f"{name.replace(' ', '-')}-{width}-{scheme}")
        assert seen.sideways() <= 0, width
    assert not re.search(r"\bnull\b|undefined|NaN|\[object", seen.texts("main")[0])
    seen.page.evaluate(AXE_SCRIPT)
    seen.page.evaluate(TWO_OF_A_KIND)
    for width, scheme, rules in LOOKS:
        seen.look(width, scheme)
        seen.settled()
        assert faults(seen.page, rules) == [], (width, scheme)


def test_the_overview_needs_few_requests(visit, site):
    """Fourteen, of less than 130 kB before compression; the articles and the board of claims come after the page."""
    asked = []
    seen = visit(site, "?page=claims")
    seen.page.on("request", lambda request: asked.append(request.url.removeprefix(seen.address)))
    seen.open("")
    later = ("data/claims", "views/articles", "models/claims", "models/choices", "reading.js", "columns.js")
    asked = [each for each in asked if not each.startswith(later)]
    assert len(asked) <= 14, asked
    assert sum((site / (each or "index.html")).stat().st_size for each in asked) < 130_000


def test_the_overview_shows_the_change(visit, site):
    """The size in words, the benchmark, the commit, and a link to the history; the first answer without scrolling."""
    seen = visit(site, broken={"site.json": json.dumps(foreign(site))})
    assert seen.texts("h1") == ["No regression waits for you."]  # its alert is acknowledged
    waiting = foreign(site)
    for event in waiting["recent"]:
        event["alert"] = None
    for width in (1280, 390):
        seen = visit(site, width=width, broken={"site.json": json.dumps(waiting)})
        assert seen.texts("h1") == ["1 open regression"]
        (row,) = seen.texts(".regression")
        module = "parser.Tokens.*" if width > 390 else ""  # a phone has room for the name and the parameters
        assert re.search(rf"40 % slower since [0-9a-f]{{8}}, .*time_scan.*{module}size 10.*→", row, re.DOTALL)
        expect(seen.page.locator(".verdict")).to_be_in_viewport()
        expect(seen.page.locator(".regression .size")).to_be_in_viewport()
    seen.page.locator(".regression a", has_text="time_scan").first.click()
    expect(seen.page.locator("h1")).to_have_text("time_scan")


def test_the_site_works_with_the_keyboard(visit, site):
    """The skip link is first, Tab and Enter reach every page, the focus is visible, and a new heading gets it."""
    seen = visit(site)
    keys = seen.page.keyboard
    keys.press("Tab")
    assert seen.texts(":focus") == ["Skip to the content"]
    for link, title in (("Claims", "claims"), ("Benchmarks", "benchmarks"), ("Changes", "change")):
        seen.open("")
        for _ in range(9):
            keys.press("Tab")
            assert seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            if seen.texts(":focus")[0] == link:
                break
        keys.press("Enter")
        expect(seen.page.locator("h1")).to_contain_text(title)
        expect(seen.page.locator("h1")).to_be_focused()


def test_a_history_works_with_the_keyboard(visit, site):
    """Arrows move from commit to commit, plus zooms, Enter marks two points to compare."""
    seen = visit(site, PAGES["benchmark"])
    chart = seen.page.get_by_role("slider")
    chart.focus()
    assert "change 39 of the parser" in chart.get_attribute("aria-valuetext")
    seen.page.keyboard.press("Home")
    words = chart.get_attribute("aria-valuetext")
    assert "change 0 of the parser" in words
    assert "14 Nov 2023" in words
    assert "Somebody" in seen.texts(".point")[0]
    seen.page.keyboard.press("Enter")
    seen.page.keyboard.press("End")
    seen.page.keyboard.press("Enter")
    assert "1.4" in seen.texts(".kept")[0]
    seen.page.keyboard.press("+")
    seen.page.wait_for_url("**zoom=*")
    expect(chart).to_be_focused()
    seen.page.keyboard.press("Escape")
    expect(seen.page).not_to_have_url(re.compile("zoom="))


def test_the_chart_has_a_table_with_the_same_figures(visit, site):
    """Every figure has its interval, and a failed run is labelled."""
    seen = visit(site, PAGES["benchmark"])
    seen.page.get_by_text("Table of 40 commits").click()
    expect(seen.page.locator("table.history-table tbody tr")).to_have_count(40)  # made when it is opened
    rows = seen.texts("table.history-table tbody tr")
    assert "no value" in rows[34]
    assert "14.0" in rows[0]


def test_instructions_have_a_chart_of_their_own(visit, job):
    """A case without counts has none."""
    seen = visit(job, f"?page=benchmark&name={WEB}&python=3.12")
    assert "Instructions" in seen.texts("main h2")
    expect(seen.page.locator("table.series").last.locator("tbody tr")).to_have_count(2)
    assert "1.52 M instructions" in " ".join(seen.texts("table.series"))


def test_the_address_holds_the_state(visit, site):
    """A link shows the same view, controls change it, back works, and the focus stays."""
    seen = visit(site, f"{PAGES['benchmark']}&python=3.13&scale=linear")
    expect(seen.page.locator("[name=python]")).to_have_value("3.13")
    expect(seen.page.locator("[name=log]")).not_to_be_checked()
    seen.page.locator("[name=p0]").select_option("100")
    seen.page.wait_for_url("**p0=100*")
    expect(seen.page.locator("[name=p0]")).to_have_value("100")
    expect(seen.page.locator("table.series")).to_have_count(0)
    seen.page.go_back()
    expect(seen.page.locator("[name=p0]")).to_have_value("*")
    expect(seen.page.locator("table.series tbody tr")).to_have_count(3)


def test_search_finds_while_typing(visit, site):
    """The address changes without new entries in the history of the browser."""
    seen = visit(site, PAGES["benchmarks"])
    rows = seen.page.locator("table.listing-table tbody tr")
    expect(rows).to_have_count(3)
    seen.page.get_by_label("Find").fill("parser time")
    expect(rows).to_have_count(1)
    expect(seen.page).to_have_url(re.compile("find=parser"))
    assert sorted(seen.texts("mark")) == ["parser", "time"]


def test_a_part_of_the_suite_has_an_address(visit, site):
    """The facets are in the address; the list of its regressions exists."""
    seen = visit(site, f"{PAGES['benchmarks']}&unit=seconds")
    seen.page.get_by_label("Module").select_option("parser")
    seen.page.wait_for_url("**module=parser*")
    expect(seen.page.locator("table.listing-table tbody tr")).to_have_count(1)
    seen.page.get_by_role("link", name="regressions here that still hold").click()
    expect(seen.page.locator("h1")).to_contain_text("change")
    assert "time_scan" in seen.texts("main")[0]


def test_sets_of_runs_are_compared_case_by_case(visit, site):
    """Clear differences come first; single runs have no verdict; filters and sides are in the address."""
    last = json.loads(gzip.decompress((site / "data/commits/0.json.gz").read_bytes()))["hash"][-1]
    seen = visit(site, f"?page=compare&base=2023-11-23&head={last}&on=3.12&runs=10")
    rows = seen.texts("table.comparison tbody tr")
    assert "time_scan" in rows[0]
    assert re.search(r"40 % slower\s+1\.39 – 1\.41×", rows[0])
    assert re.search(r"^3 of \d+ cases are clearly different", seen.texts("h1")[0])
    seen.page.locator("[name=show]").select_option("clear")
    expect(seen.page.locator("table.comparison tbody tr")).to_have_count(3)  # the three scans
    seen.page.locator("[name=runs]").select_option("1")
    expect(seen.page.locator(".verdict")).to_contain_text("have too few runs to say")
    with seen.page.expect_download() as saved:
        seen.page.get_by_role("button", name="Save as CSV").click()
    assert saved.value.suggested_filename.endswith(".csv")
    assert "on=3.12" in seen.page.get_by_role("link", name="Link to exactly").get_attribute("href")


def test_branches_are_compared(visit, site):
    """The last runs of two branches are one click away, and their choices are in the address."""
    front = json.loads((site / "site.json").read_text(encoding="utf-8"))
    commits = json.loads(gzip.decompress((site / "data/commits/0.json.gz").read_bytes()))
    assert (front["branches"], set(commits["branch"])) == ([{"name": "main", "commits": 40, "newest": 39}], {0})
    halves = [{"name": "main", "commits": 20, "newest": 39}, {"name": "2.x", "commits": 20, "newest": 19}]
    listed = commits | {"branch": [1] * 20 + [0] * 20}
    changed = {"site.json": front | {"branches": halves}, "data/commits/0.json.gz": listed}
    seen = visit(site, PAGES["compare"], broken={file: json.dumps(content) for file, content in changed.items()})
    seen.page.get_by_role("link", name="the last 20 runs of main and of 2.x").click()
    expect(seen.page.locator("[name=head-branch]")).to_have_value("2.x")
    expect(seen.page.locator("table.comparison tbody tr").first).to_contain_text("faster")
    assert all("29 % faster" in row for row in seen.texts("table.comparison tbody tr")[:3])  # the three scans
    seen.page.locator("[name=base-branch]").select_option("2.x")
    seen.page.wait_for_url("**base-branch=2.x*")
    seen.open(f"{PAGES['compare']}&head-branch=2.x&head={commits['hash'][30][:8]}&base-branch=3.x")
    assert [re.search("“(.*)”", note)[1] for note in seen.texts(".attention")] == ["3.x", commits["hash"][30][:8]]


def test_variants_are_compared(visit, site):
    """Two variants on one commit, load by load."""
    rows = visit(site, "?page=compare&from='sync'&to='gather'").texts("table.comparison tbody tr")
    assert len(rows) == 2
    assert all("67 % faster" in row for row in rows)


def test_samples_and_profiles_are_shown(visit, job):
    """Percentiles of latencies, and memory over time as charts and as tables."""
    seen = visit(job, f"?page=benchmark&name={LATENCY}")
    (latency,) = seen.texts("table.distribution")
    assert re.search(r"gather\s+Python 3\.12\s+30\.1 ms\s+63\.0 ms.*301 ms\s+200 of 2 processes", latency)
    seen = visit(job, f"?page=benchmark&name={MEMORY}")
    assert "4.01 MiB" in seen.texts("table.profile")[0]
    assert seen.page.locator("path.profile").count() == 2 * 2 * 3  # Pythons, processes, variants


def test_the_false_alarm_rate_is_on_every_first_page(visit, job, site):
    """A site that nothing has checked yet shows what is promised."""
    assert "False alarms: 0.029 %" in visit(job).texts(".about")[0]
    promised = visit(site, broken={"site.json": json.dumps(foreign(site))}).texts(".about")[0]
    assert "False alarms: at most 1 %" in promised
    assert "0.029 % of comparisons without any change raised an alarm" in visit(job, "?page=about").texts(".verdict")[0]
    (text,) = visit(site, "?page=about").texts("main")
    for words in ("At most 1 % of comparisons", "probability of at most 1 %", "The first pull request does"):
        assert words in text


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_about_page_shows_how_often_verdicts_were_wrong(visit, job, width, scheme):
    """False alarms first, then found slowdowns, then both over time with the figures in a table."""
    seen = visit(job, "?page=about", width=width, scheme=scheme)
    text = " ".join(seen.texts("main"))
    for words in (
        "2 of 6,800 comparisons of unchanged code raised an alarm: 0.03 % (0 to 0.17 %).",
        "1 of 34 runs had a false alarm: 2.9 % (0.07 to 15 %); promised at most 1 %.",
        "6,733 of 6,800 slowdowns of 5 % (measured: 5 %) that were built in were found: 99 % (98.7 to 99.2 %).",
        "takes the run as the unit",
    ):
        assert words in " ".join(text.split())
    assert seen.page.get_by_role("link", name="2026-10-19").get_attribute("href").endswith("/actions/runs/1033")
    assert seen.page.locator("table.rates .dots").count() == 16
    may = seen.page.locator("table.rates tbody tr", has_text="May 2026").inner_text()
    assert re.search(r"2 of 800.*1 of 4.*793 of 800", may, re.DOTALL)
    assert seen.sideways() <= 0


def test_a_change_is_a_picture(visit, site):
    """Levels as lines, a dot for each run, and the same figures in a table; also on the page of changes."""
    broken = {"site.json": json.dumps(foreign(site, alert=None))}
    for page, box in (("", ".regression"), (PAGES["changes"], ".event-charts > div")):
        seen = visit(site, page, broken=broken)
        if page:
            assert seen.page.locator(".event-chart").count() == 0  # no chart before it is opened
            seen.page.locator("details.event > summary").first.click()
        card = seen.page.locator(box).first
        expect(card.locator(".event-chart .level")).to_have_count(2)
        expect(card.locator(".event-chart .level.more")).to_have_count(1)
        dots = card.locator(".event-chart circle").count()
        assert dots == 39  # one run failed
        assert card.locator(".event-chart .value").count() == 2  # both levels have their value
        card.get_by_text("Figures").click()
        expect(card.locator("table.event-figures tbody tr")).to_have_count(dots)


def test_changes_are_shown_as_measured_on_request_and_have_feeds(visit, site):
    """The choice is in the address; each feed exists, and the page names it for feed readers."""
    seen = visit(site, PAGES["changes"])
    links = [each.get_attribute("href") for each in seen.page.locator(".feeds a, link[rel=alternate]").all()]
    assert len(set(links)) == 2
    assert all((site / each).is_file() for each in links)
    seen.page.get_by_label("as measured").check()
    expect(seen.page).to_have_url(re.compile("raw=yes"))
    seen.page.locator("details.event > summary").first.click()
    expect(seen.page.locator(".event-chart").first).to_be_visible()


def test_an_address_of_a_scenario_stays(visit, site):
    """The page of scenarios is now the list of benchmarks; a parameter may be named where its position is not known."""
    seen = visit(site, "?page=scenarios&load=standard")
    assert "benchmarks" in seen.texts("h1")[0]
    seen.open(f"?page=benchmark&name={RUN}&.load='standard'")
    expect(seen.page.locator("h1")).to_have_text("sleep")
    expect(seen.page.locator("[name=p1]")).to_have_value("'standard'")


def test_a_scenario_names_the_fastest_variant(visit, site):
    """In the list, and beside the others on its own page."""
    (row,) = [
        each for each in visit(site, PAGES["benchmarks"]).texts("table.listing-table tbody tr") if "sleep" in each
    ]
    assert "gather: a third" in row
    seen = visit(site, f"?page=benchmark&name={RUN}")
    (gather,) = [each for each in seen.texts("table.job tbody tr") if "gather" in each]
    assert re.search(r"10 ms.*0\.33", gather, re.DOTALL)
    assert seen.page.locator(".dots .mark line").count() > 0


@pytest.mark.parametrize("file", ["site.json", "data/benchmarks.json.gz"])
@pytest.mark.parametrize(("content", "words"), BROKEN)
def test_a_broken_file_is_named(visit, site, file, content, words):
    """The message has the file, the problem and the fix."""
    seen = visit(site, PAGES["benchmarks"], broken={file: content}, clean=False)
    assert re.search(rf"{file} {words}.*Publish the site again", seen.texts("main .error")[0])


def test_an_unknown_page_is_an_error_that_moves_nothing(visit, site):
    """Also a page with the name of an object property; CLS counts how far what was on the screen moved."""
    seen = visit(site)
    for name in ("nothing", "constructor", "__proto__"):
        seen.open(f"?page={name}")
        assert f"There is no page “{name}”" in seen.texts("main .error")[0]
    seen = visit(site, "?page=benchmark&name=no.such")
    assert "There is no benchmark" in seen.texts("main .error")[0]
    assert seen.page.evaluate(MOVED) < 0.01


def test_the_site_works_below_any_path(site, tmp_path, visit):
    """A project site of a forge is in a folder."""
    shutil.copytree(site, tmp_path / "deep" / "er")
    seen = visit(tmp_path, "deep/er/?page=benchmarks")
    seen.page.locator("table.listing-table a").first.click()
    seen.settled()
    assert "/deep/er/?page=benchmark" in seen.page.url


def test_the_keyboard_has_a_help_and_a_way_to_the_search(visit, site):
    """On “?” and “/”, but not while someone types, and not when turned off (WCAG 2.1.4)."""
    seen = visit(site, PAGES["benchmarks"])
    dialog, keys = seen.page.get_by_role("dialog"), seen.page.keyboard
    keys.press("/")
    expect(seen.page.get_by_label("Find")).to_be_focused()
    keys.press("?")
    expect(seen.page.get_by_label("Find")).to_have_value("?")
    seen.page.get_by_role("button", name="Keyboard (?)").click()
    expect(dialog).to_contain_text("from commit to commit")
    seen.page.evaluate(AXE_SCRIPT)
    assert faults(seen.page, None) == []
    seen.keep("keyboard")
    dialog.get_by_label("the keys ? and / are on").uncheck()
    keys.press("Escape")
    expect(dialog).to_have_count(0)
    seen.page.locator("h1").focus()
    keys.press("?")
    seen.page.get_by_role("button", name="Keyboard (?)").click()
    expect(dialog).to_have_count(1)
    dialog.get_by_label("the keys ? and / are on").check()


def test_print_shows_the_figures_without_the_navigation(visit, site):
    """The print style sheet hides the navigation."""
    seen = visit(site, PAGES["benchmark"])
    seen.page.emulate_media(media="print")
    assert not seen.page.locator("nav").is_visible()
    assert seen.page.locator(".history svg").first.is_visible()


def test_a_page_opened_as_a_file_explains_how_to_serve_it(browser, site):
    """Browsers load no modules from files."""
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    assert "serve the folder with python -m http.server" in " ".join(page.locator("#status").inner_text().split())
    page.close()


def test_foreign_names_are_never_markup(visit, tmp_path):
    """In benchmarks, parameters, variants, units, commit messages and targets, on every page."""
    seen = visit(a_hostile_site(tmp_path), width=375)
    for page in ("", *(f"?page={each}" for each in ("claims", "changes", "compare", "about", "benchmarks"))):
        seen.open(page)
        seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        seen.settled()
        assert seen.page.locator("main img, main script, main b, a[href^='javascript']").count() == 0
        assert seen.sideways() <= 0, page
    seen.page.locator("table.listing-table a").first.click()
    seen.settled()
    assert "<img src=x" in seen.texts("main")[0]
    seen.open("?page=claims")
    assert "<img src=x" in seen.texts(".claim h3")[0]


def foreign(site, **event):
    """The site.json of *site* without claims, as any other suite has it; *event* is set in each change."""
    front = json.loads((site / "site.json").read_text())
    return front | {"claims": None, "recent": [each | event for each in front["recent"]]}


NEVER = {"commits": 0, "benchmarks": 0, "recent": [], "map": None, "newest": None, "targets": [], "changes": 0}
QUIET = {"recent": [], "map": None, "changes": 0}
STATES = {
    "nothing measured": (NEVER, "Nothing is measured yet.", "measures this suite"),
    "few commits": (QUIET | {"commits": 3}, "3 benchmarks, 3 commits", "from 6 commits on"),
    "nothing open": (QUIET, "Nothing got slower in the last 30 commits.", "No change was found"),
    "acknowledged": ({}, "No regression waits for you.", "1 is acknowledged: show them"),
}


@pytest.mark.parametrize("state", STATES)
def test_the_first_page_is_never_empty(visit, site, state):
    """The heading is the answer, a sentence says what follows, and no heading stands over nothing."""
    more, answer, sentence = STATES[state]
    for width in (1280, 390):
        seen = visit(site, width=width, broken={"site.json": json.dumps(foreign(site) | more)})
        assert seen.texts("h1") == [answer]
        assert sentence in seen.texts(".verdict")[0]
        expect(seen.page.locator(".verdict")).to_be_in_viewport()
        heads = "return [...document.querySelectorAll('main h2')].filter(each => !each.nextElementSibling).length"
        assert seen.page.evaluate(f"() => {{ {heads} }}") == 0


def test_freshness_is_the_time_of_measuring(visit, site):
    """Not the date of a commit; benchmarks without any result are counted."""
    front = foreign(site)
    health = front["health"] | {"newest": 4_000_000_000, "untried": 121}
    about = visit(site, broken={"site.json": json.dumps(front | {"health": health})}).texts(".about")[0]
    assert "Measured 2 Oct 2096" in about
    assert "121 benchmarks have no result" in about
    assert (
        "Nothing was measured since 23 Dec 2023"
        in visit(site, broken={"site.json": json.dumps(front | {"health": health | {"newest": 1_703_300_000}})}).texts(
            ".about"
        )[0]
    )


def test_the_bar_has_what_the_suite_has(visit, site, tmp_path):
    """Answers and claims for a suite with claims, Compare for any other; the name of the project is the way home."""
    assert visit(site).texts("nav a") == ["Answers", "Claims", "Benchmarks", "Changes"]
    assert visit(site).texts(".brand") == ["toy"]
    other = a_history_of_nothing_special(tmp_path)
    for width in (1280, 390):
        seen = visit(other, width=width)
        assert seen.texts("nav a") == ["Overview", "Benchmarks", "Changes", "Compare"]
        tops = seen.page.evaluate("[...document.querySelectorAll('nav a')].map(each => each.offsetTop)")
        assert len(set(tops)) == 1  # one line
        assert seen.texts("h1") == ["1 benchmark, 3 commits"]
        assert "The slowest benchmarks" in seen.texts("h2")
        (slowest,) = seen.texts(".slowest tbody tr")
        assert re.search(r"\w+.* ms", slowest, re.DOTALL)
        assert seen.sideways() <= 0


def test_years_shows_the_releases_that_moved_a_line(visit, job, site):
    """The answer, rings with their names, figures in a table, and steps with what explains them, or nothing."""
    assert visit(job).texts("nav a") == ["Overview", "Years", "Benchmarks", "Changes", "Compare"]
    seen = visit(job, "?page=years")
    assert seen.texts("h1") == ["Instructions for a request: 78 % less with aiohttp since May 2023"]
    assert seen.texts(".verdict") == ["1.0 % more with httpx."]
    assert seen.page.locator(".ring").count() == 2
    assert seen.page.locator(".ring text").all_text_contents() == ["aiohttp 3.9.0"]
    assert seen.page.locator(".end .label").all_text_contents() == ["httpx", "aiohttp"]
    seen.page.get_by_role("slider").press("Home")
    assert seen.texts("main [role=status]") == ["May 2023: aiohttp 5.00 M and httpx 2.00 M"]
    seen.page.get_by_text("Table of 3 dates").click()
    expect(seen.page.locator("table.figures tbody tr").nth(1)).to_contain_text("–")
    seen.open("#/years/HttpInTurn/aiohttp/2024-02")
    (known,) = seen.texts("details.answer[open]")
    words = (EVIL, "one release more at a time: 75 % less", "unchanged", "75 % less on 3.13", "aiohttp 3.8.4 → 3.9.3")
    assert all(each in known for each in words)
    assert "count HttpInTurn aiohttp 2023-05 2024-02 9" in known
    seen.page.get_by_text("1 other package changed").click()
    expect(seen.page.locator("details.answer[open]")).to_contain_text("yarl none → 1.9.4")
    assert seen.page.locator("details.answer[open] a").count() == 1  # what is no web address is no link
    seen.page.locator(".program", has_text="No explanation found").click()
    expect(seen.page.locator("details.answer[open]").nth(1)).to_contain_text("No case without libraries")
    assert "990 k −10 %" in seen.texts("table.figures tbody tr")[-1]
    seen.look(390, "light")
    assert seen.texts(".legend.narrow li") == ["aiohttp −78 %", "httpx +1 %"]
    assert seen.page.locator(".end:visible").count() == 0
    assert len(set(seen.page.evaluate("[...document.querySelectorAll('nav a')].map(each => each.offsetTop)"))) == 1
    assert "75 % less with aiohttp" in visit(job, "?page=years&python=3.13").texts("h1")[0]
    seen.page.get_by_role("link", name="Tasks", exact=True).first.click()
    expect(seen.page.locator("h1")).to_contain_text("a task: about the same with gather since February 2024")
    assert seen.page.locator(".history-chart").count() == 0  # two dates are a table
    assert seen.texts("table.figures tbody th") == ["2024-02-01", "2024-05-01"]
    assert seen.complaints == []
    front = json.loads((site / "site.json").read_text())
    files = {
        "site.json": json.dumps(front | {"files": front["files"] | {"years": "years.json"}}),
        "years.json": (job / "data/years.json.gz").read_bytes(),
    }
    first = visit(site, broken=files)
    assert "Over the years" in first.texts("main h2")
    assert first.page.locator(".history-chart .ring").count() == 2


def test_published_answers_stand_on_the_site_of_a_first_run(visit, site):
    """Marked as measured elsewhere; what was measured here comes first, and loads that are too small give no advice."""
    front = json.loads((site / "site.json").read_text())
    claims = front["claims"]
    published = {key: claims[key] for key in ("answers", "targets", "false_discovery_rate")}
    board = front["board"] | {"never": ["quick", "standard"], "names": {"sleep.Sleep": "Three waits"}}
    first = front | {"board": board, "claims": claims | {"answers": [], "published": published}}
    files = first["files"] | {"published_claims": first["files"]["claims"]}
    seen = visit(site, broken={"site.json": json.dumps(first | {"files": files})})
    assert seen.texts("h1") == ["Three waits: a third of the time with gather"]
    assert "1 job done 3 ways on this machine" in seen.texts(".about")[0]
    assert "These loads are small" in seen.texts(".about")[0]
    heads = seen.texts("main h2")
    assert heads.index("Measured here") < heads.index("Published answers")
    assert "Nothing below comes from this machine." in seen.texts("main")[0]


def test_a_phone_names_four_regressions_on_its_first_screen(visit, site):
    """Each with its size, its name and its commit."""
    front = json.loads((site / "site.json").read_text())
    waiting = [each | {"open": 1, "direction": "regressed", "alert": None} for each in front["recent"][:1]] * 4
    health = front["health"] | {"open_regressions": 4}
    seen = visit(
        site, width=390, broken={"site.json": json.dumps(front | {"claims": None, "recent": waiting, "health": health})}
    )
    seen.page.set_viewport_size({"width": 390, "height": 844})
    expect(seen.page.locator(".regression")).to_have_count(4)
    for part in (".size", "h2", ".since code", ".event-chart"):
        expect(seen.page.locator(f".regression:nth-child(4) {part}")).to_be_in_viewport(ratio=1)
    assert seen.sideways() <= 0


def test_a_long_name_leaves_room_for_the_answer(visit, site):
    """A name of 500 characters is shortened on the first screen; without results nothing is counted."""
    front = json.loads((site / "site.json").read_text()) | {"claims": None}
    name = f"module.{'C' * 500}.time_{'n' * 500}"
    waiting = [front["recent"][0] | {"benchmark": name, "open": 1, "direction": "regressed", "alert": None}]
    for width in (1280, 390):
        seen = visit(site, width=width, broken={"site.json": json.dumps(front | {"recent": waiting})})
        seen.page.set_viewport_size({"width": width, "height": 844})
        assert re.search(r"time_n+…n+ is 40 % slower", seen.texts(".verdict")[0])
        expect(seen.page.locator(".regression")).to_be_in_viewport(ratio=1)
        assert seen.sideways() <= 0
    seen = visit(site, broken={"site.json": json.dumps(front | {"commits": 0, "benchmarks": 0, "recent": []})})
    assert seen.texts("h1") == ["Nothing is measured yet."]
    assert "0 benchmarks" not in seen.texts("main")[0]


def test_without_results_published_answers_are_seen_without_scrolling(visit, site):
    """Where and when they were measured is said once."""
    front = json.loads((site / "site.json").read_text())
    claims = front["claims"]
    published = {key: claims[key] for key in ("answers", "targets", "false_discovery_rate")}
    none = front | {"scenarios": 0, "commits": 0, "claims": claims | {"answers": [], "published": published}}
    seen = visit(site, broken={"site.json": json.dumps(none)})
    for width, height in ((1280, 800), (390, 844)):
        seen.page.set_viewport_size({"width": width, "height": height})
        expect(seen.page.locator(".answer summary").first).to_be_in_viewport(ratio=1)
        assert len(re.findall(r"Measured on \d", seen.texts("main")[0])) == 1
    assert "Published, not measured on this machine." in seen.texts(".about")[0]


def test_a_class_is_one_chart(visit, site):
    """Each benchmark in relation to its first level, the names at the ends of the lines, six in colour."""
    seen = visit(site, PAGES["group"])
    assert re.search(r"1 of 2 benchmarks is slower than in November 2023", seen.texts(".verdict")[0])
    assert seen.page.locator(".history-chart .end").count() >= 2
    seen.page.get_by_label("colour time_scan, size 10, 3.12").uncheck()
    seen.page.wait_for_url("**tick=*")
    expect(seen.page.get_by_label("colour time_scan, size 10, 3.12")).not_to_be_checked()


def test_levels_are_drawn_over_runs_and_labelled(visit, site):
    """A relative, logarithmic scale from two series on."""
    seen = visit(site, PAGES["benchmark"])
    assert seen.texts("h1") == ["time_scan"]
    assert "3 of 3 series" not in seen.texts(".verdict")[0]  # there are two Pythons
    assert re.search(r"6 of 6 series are slower than in November 2023", seen.texts(".verdict")[0])
    expect(seen.page.locator("[name=relative]")).to_have_value("yes")
    expect(seen.page.locator("[name=log]")).to_be_checked()
    assert len(seen.page.locator(".history-chart path.level").all()) == len(seen.page.locator("path.runs").all())
    assert "+40 %" in " ".join(seen.page.locator(".history-chart .end .words").all_text_contents())


def test_a_claim_shows_published_and_current_ratios(visit, site):
    """Each Python with a value has a decision or the reason why not, and each value leads to its history."""
    seen = visit(site, PAGES["claims"])
    assert seen.texts("h1") == ["One article made 2 claims. One holds."]
    assert seen.texts(".claim h3") == [f"Gathering takes a third. {each}" for each in ("Z1", "Z2")]
    (tag, _) = seen.texts(".claim > summary .tag")
    assert tag == "holds"
    assert "article 0.33×" in seen.texts(".claim .fig")[0]
    assert seen.page.locator(".claim .published").count() == 2
    for each in seen.page.locator(".claim > summary").all():
        each.click()
    expect(seen.page.locator("table.claims tbody tr:has(td)")).to_have_count(3)
    holds, undecided, fails = seen.texts("table.claims tbody tr:has(td)")
    (head, _) = seen.texts("table.claims tr.group")
    assert re.search(r"gather against sync\s+claimed: 0\.323 – 0\.343 · published: 0\.333×", head)
    assert re.search(r"0\.333×\s+0\.3\d* – 0\.3\d*\s+holds", holds)
    assert "too few processes" in undecided
    assert "fails" in fails
    assert {"break-even: 310 ms (111 – 633)", "a turn: not measured"} <= {
        each.removeprefix("Python 3.12: ") for each in seen.texts(".claim .notes li")
    }
    seen.page.get_by_role("link", name="600 ms").first.click()
    expect(seen.page.locator("h1")).to_have_text("sleep")
    expect(seen.page.locator("[name=p0]")).to_have_value("'sync'")
    expect(seen.page.locator("[name=python]")).to_have_value("3.12")


def test_claims_are_filtered_and_linked(visit, site):
    """By outcome and by words; a link from elsewhere goes to the claim and opens it."""
    seen = visit(site, f"{PAGES['claims']}&decision=fails")
    assert [each.split()[-1] for each in seen.texts(".claim h3")] == ["Z2"]
    seen.page.get_by_role("link", name="holds 1").click()
    expect(seen.page.locator(".claim h3")).to_have_text(re.compile("Z1$"))
    seen.page.get_by_label("Find").fill("z2")
    expect(seen.page.locator(".claim h3")).to_have_count(0)
    seen.open("#/claims/Z2")
    seen.page.wait_for_url("**?page=claims#claim-Z2")
    expect(seen.page.locator("#claim-Z2 table.claims")).to_be_in_viewport()
    seen.open("#/claims/100%")
    expect(seen.page.locator("h1")).to_contain_text("claims")


def test_the_first_page_answers_questions(visit, site):
    """Program, what to use, a dot with its interval for each Python; opened: sentence, caveat, values and the claim."""
    for width in (390, 1280):
        seen = visit(site, width=width)
        expect(seen.page.locator(".verdict, .about").first).to_be_in_viewport()
        one, other = seen.page.locator("details.answer").all()
        assert "I wait for <b>many</b> things at once" in one.inner_text()
        assert one.locator(".dots .mark").count() == 2  # Pythons
        one.locator("summary").click()
        assert re.search(r"3\.12\s+600 ms\s+200 ms\s+0\.333×", one.inner_text().replace("\N{NO-BREAK SPACE}", " "))
        for words in ("Gather them: a third of the time.", "But: Only while nothing", "Measured on 30 January 2026"):
            assert words in one.inner_text()
        other.locator("summary").click()
        assert re.search(r"Python 3\.12: No\..*Python 3\.13: Yes\.", other.inner_text(), re.DOTALL)
    assert "1 decision changed" in seen.texts(".lately")[0]
    assert "One article, measured again" in seen.texts("main h2")
    assert seen.page.locator(".bars .part").count() >= 2
    seen.page.get_by_role("link", name="Claim Z2: every block and its history").click()
    expect(seen.page.locator("#claim-Z2")).to_be_in_viewport()


@pytest.mark.parametrize("page", ["changes", "benchmark"])
def test_an_alert_is_shown_with_its_state(visit, site, page):
    """The state, who set it, and the commit; in one line how people answer."""
    seen = visit(site, PAGES[page])
    (row,) = seen.texts("table.alerts tbody tr")
    assert "close the issue as not planned" in seen.texts("table.alerts + p")[0]
    assert all(word in row for word in (SCAN, "5d0c6f1f3a9e", "accepted", "Somebody"))
