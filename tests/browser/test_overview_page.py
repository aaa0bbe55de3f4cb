"""The overview page, in Chromium."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from builders.records import a_record, a_task
from builders.sites import a_full_tree, site_data
from builders.trees import a_benchmark, a_row, a_run, a_scenario, a_tree, a_value
from playwright.sync_api import expect

from windtunnel.measurement import Measured
from windtunnel.publish.page import write_page
from windtunnel.report.numbers import quantity, ratio
from windtunnel.report.site_data import Measured as Value

EVIL = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>&lt;b&gt; ${alert(3)} __proto__"
NOTES = ("1 of 9 commits with results is on no branch shown here (main).",)


def full():
    record = a_record(a_task(case="files.Files.time_run('aiofiles_gather', 'quick')", reason="OSError: too many files"))
    return site_data(a_full_tree(), records=[record], notes=NOTES, url="https://example.org/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_the_page_is_clean_and_accessible_everywhere(visit, width, scheme):
    """Nothing in the console, no other host, nothing against the policy, no fault for axe, no scroll sideways."""
    seen = visit(full(), width=width, scheme=scheme)
    seen.keep(f"overview-{width}-{scheme}")
    assert seen.sideways() <= 0
    seen.page.locator("details").first.evaluate("each => each.open = true")
    assert Axe().run(seen.page).response["violations"] == []
    assert seen.complaints == []


@pytest.mark.parametrize("width", [1280, 375])
def test_every_figure_of_the_data_is_in_the_tables(visit, width):
    """With its interval, its ratio and the interval of that, whatever the layout."""
    data = full()
    seen = visit(data, width=width)
    for scenario, section in zip(data.scenarios, seen.texts("section.scenario"), strict=True):
        for case in scenario.cases:
            if scenario.loads[case.load].name == "quick" and isinstance(case.result, Value):
                words = [quantity(case.result.value, case.result.interval, scenario.unit)]
                words += [ratio(case.ratio.value, case.ratio.interval)] if case.ratio else []
                for each in words:
                    assert each.value in section
                    assert (each.interval or "interval unknown") in section
    listed = seen.texts("table.plain tbody td.figure .value")
    expected = [quantity(case.result.value, case.result.interval, "bytes").value for case in data.benchmarks[0].cases]
    assert listed == expected


def test_every_figure_is_in_the_plots_with_its_interval(visit):
    """A mark a figure, a whisker an interval, a word a gap."""
    data = full()
    seen = visit(data, "?show=time")
    cases = [case for each in data.scenarios for case in each.cases if each.loads[case.load].name == "quick"]
    figures = [case.result for case in cases if isinstance(case.result, Value)]
    assert seen.page.locator(".dotplot .dot").count() == len(figures)
    assert seen.page.locator(".dotplot .whisker").count() == len([each for each in figures if each.interval])
    assert seen.page.locator(".dotplot .gap").all_text_contents() == ["3.11: failed", "3.12: failed", "3.13: failed"]


def test_tables_say_what_they_are(visit):
    """A caption each, and heads that name their columns and rows."""
    seen = visit(full())
    assert seen.page.locator("table").count() == seen.page.locator("table > caption").count() > 3
    assert seen.page.locator("th:not([scope])").count() == 0
    assert "aiofiles_gather" in seen.texts("table.figures th[scope=row]")


def test_the_short_answer_names_who_is_fastest(visit):
    """And by how much, over all Pythons at once."""
    seen = visit(full())
    (sleep,) = seen.texts("table.answers tbody")  # of files there is only one variant: no contest
    assert "gather" in sleep
    assert "everywhere" in sleep
    assert "0.329 – 0.338×" in sleep


def test_names_of_others_are_shown_and_not_obeyed(visit):
    """In benchmarks, parameters, variants, machines, commits, projects, reasons and notes."""
    scenario = a_scenario(f"{EVIL}.time_run", variants=("sync", EVIL), loads=(EVIL,))
    plain = a_benchmark(f"x.{EVIL}", unit=EVIL, **{EVIL: [EVIL, "constructor"]})
    run = a_run(a_row(scenario), a_row(plain), python=EVIL, machine=EVIL, environment="e")
    record = a_record(a_task(case=EVIL, reason=EVIL), machine=EVIL)
    tree = a_tree(run, benchmarks=[scenario, plain])
    around = {"subject": EVIL, "project": EVIL, "notes": (EVIL,), "url": "javascript:alert(4)"}
    seen = visit(site_data(tree, records=[record], **around), width=375)
    seen.page.keyboard.press("Tab")
    assert seen.complaints == []
    assert seen.page.locator("main img, main script, a[href^='javascript']").count() == 0
    for selector in ("h1", "table.figures", "table.plain", "table.coverage", ".notes", "#latest"):
        assert "<img src=x onerror=alert(1)>" in "".join(seen.texts(selector)), selector
    assert seen.sideways() <= 0


def test_the_keyboard_reaches_and_works_everything(visit):
    """First the way past the head, then links and controls in the page's order; each shows that it has the focus."""
    seen = visit(full())
    reached = []
    for _ in range(12):
        seen.page.keyboard.press("Tab")
        reached.append(seen.page.evaluate("document.activeElement.textContent || document.activeElement.name"))
        outline = seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", reached
    assert reached[0] == "Skip to the results"
    assert "How to read this" in reached
    seen.page.locator("[name=python]").focus()
    seen.page.keyboard.press("End")
    seen.page.wait_for_url("**/?python=3.13")
    expect(seen.page.locator("table.figures tr.group")).to_have_text(["Python 3.13"] * 2)


def test_the_address_is_the_state(visit):
    """A link shows what its sender saw, and back leads back."""
    seen = visit(full(), "?python=3.12&load=standard&show=time")
    figures, load = seen.page.locator("table.figures").last, seen.page.locator("[name=load]")
    expect(figures).to_contain_text("300 ms")
    expect(load).to_have_value("standard")
    load.select_option("quick")
    expect(figures).to_contain_text("30.0 ms")
    seen.page.go_back()
    expect(figures).to_contain_text("300 ms")
    expect(load).to_have_value("standard")


def test_a_jump_inside_the_page_keeps_the_page(visit):
    """The link of the short answer leads to the scenario, which is not drawn anew meanwhile."""
    seen = visit(full())
    seen.page.evaluate("document.querySelector('.scenario').dataset.kept = 'yes'")
    seen.page.locator("table.answers a").last.click()
    seen.page.wait_for_url("**#scenario-*")
    assert seen.page.locator(".scenario[data-kept]").count() == 1


def test_a_suite_without_scenarios_is_a_list_that_can_be_searched(visit):
    """No empty sections; a hundred rows at first, the rest on demand."""
    benches = [a_benchmark(f"suite.time_{index:03}") for index in range(250)]
    tree = a_tree(a_run(*(a_row(bench) for bench in benches)), benchmarks=benches)
    seen = visit(site_data(tree, asv=None))
    assert not seen.page.locator("#answer").is_visible()
    assert not seen.page.locator("#scenarios").is_visible()
    rows = seen.page.locator("table.plain tbody tr")
    expect(rows).to_have_count(100)
    seen.page.get_by_role("button", name="Show 100 more of 150").click()
    expect(rows).to_have_count(200)
    seen.page.get_by_label("Find a benchmark").fill("time_24")
    expect(rows).to_have_count(10)
    expect(seen.page).to_have_url(re.compile(r"\?find=time_24$"))
    assert seen.complaints == []


def test_figures_of_older_commits_say_so(visit):
    """Measured last week is not measured today."""
    one, other = a_benchmark("a.time"), a_benchmark("b.time")
    runs = [a_run(a_row(one), a_row(other), commit=1), a_run(a_row(one), commit=2)]
    seen = visit(site_data(a_tree(*runs, benchmarks=[one, other]), commits=(2, 1)))
    assert [("older: " in text) for text in seen.texts("table.plain tbody tr")] == [False, True]


def test_a_commit_that_git_does_not_know_has_its_hash_and_no_words(visit):
    """And nowhere on the page does anything show itself as null."""
    bench = a_benchmark()
    seen = visit(site_data(a_tree(a_run(a_row(bench), commit=77), benchmarks=[bench])))
    assert seen.texts("#latest") == ["Newest commit with results: 00000000 on 1 Python"]
    assert not re.search(r"null|undefined|NaN|\[object", seen.texts("body")[0])


def test_values_that_no_plot_can_show_do_not_break_it(visit):
    """Zero, negative, infinite, and a number of a thousand digits' worth."""
    bench = a_scenario(variants=("sync", "zero", "minus", "infinite", "huge"))
    values = (a_value(1.0), *(Measured(value=each) for each in (0.0, -1.0, float("inf"), 1e300)))
    tree = a_tree(a_run(a_row(bench, *values)), benchmarks=[bench])
    for show in ("ratio", "time"):
        seen = visit(site_data(tree), f"?show={show}", width=375)
        assert "infinite" in "".join(seen.texts("table.figures"))
        assert (seen.complaints, seen.sideways()) == ([], 0)


def test_an_empty_overview_says_that_nothing_is_there(visit):
    """Not an empty page."""
    seen = visit(site_data(a_tree()))
    assert seen.texts("#latest") == ["No results yet."]
    assert seen.complaints == []


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "overview.json is broken"), ('{"format":"windtunnel/overview","version":99}', "has version 99")],
)
def test_broken_data_is_named(visit, content, words):
    """The file, what is wrong with it, and what to do."""
    seen = visit(site_data(a_tree()), content=content)
    assert words in seen.texts("#status")[0]


def test_paper_gets_the_figures_and_not_the_controls(visit):
    """Print is a medium."""
    seen = visit(full())
    seen.page.emulate_media(media="print")
    assert not seen.page.locator("form.controls").is_visible()
    assert seen.page.locator("table.figures").first.is_visible()


def test_opened_as_a_file_the_page_says_how_to_open_it(browser, tmp_path):
    """Browsers load no modules from files."""
    write_page(site_data(a_tree()), tmp_path)
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    assert "serve the folder" in page.locator("#status").inner_text()
    page.close()
