"""A report states the verdict and the action first, and is safe for any name."""

import re
from html.parser import HTMLParser

import pytest
from builders.samples import a_context, exact_samples, paired_samples
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import (
    Budget,
    CommonChange,
    ComparedEnvironment,
    ComparedMachine,
    EnvironmentFailure,
    FalseAlarms,
    NotCompared,
    SelfCheck,
)
from windtunnel.compare.report_markdown import MarkdownOptions, render_markdown
from windtunnel.compare.report_text import render_terminal
from windtunnel.compare.samples_format import SuiteChange
from windtunnel.compare.summary import headline, recommended_action
from windtunnel.model.schedule import ComparedCommit, Stage
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, escape_log, plain, preformatted, visible
from windtunnel.text.numbers import share

COMMON = CommonChange(relative_change=0.3, cases=20)

HOSTILE = (
    "time|it",
    "`code` ``more`` `",
    "<img src=x onerror=alert(1)>",
    "</summary></details><h1>all fine",
    "<!-- windtunnel:comment -->",
    "@everyone and @org/team, #1, GH-1, owner/repo#2, www.evil.example, https://evil.example, a@b.example",
    "[link](https://evil.example) ![image](https://evil.example/x.png)",
    "**bold** _em_ ~~gone~~ $x$ :tada:",
    "line\nbreak\r\n::set-output name=x::y\n::add-mask::z",
    "::error::first",
    "before ##[add-mask]x",
    "\x1b[31mred\x1b]0;title\x07\x9b2J",
    "\u202egnirts\u202c \u200b\u2066",
    "\ud800 lone surrogate",
    "&lt;b&gt; &amp; &#60;",
    "ends with \\",
    "",
    "   ",
    "x" * 5000,
    "| a | b |\n|---|---|\n| c | d |",
    "---",
    "```\nfence",
)

TAGS = {"h2", "p", "strong", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li"}
TAGS |= {"sub", "br", "blockquote"}


class Reader(HTMLParser):
    """What a browser would make of a page: its tags, and its text outside and inside code."""

    def __init__(self):
        super().__init__()
        self.tags, self.words, self.in_code, self.comments = set(), [], 0, []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style", "open"}, attrs  # the table's alignment, what is unfolded
        self.in_code += tag == "code"

    def handle_endtag(self, tag):
        self.in_code -= tag == "code"

    def handle_data(self, data):
        if not self.in_code:
            self.words.append(data)

    def handle_comment(self, data):
        self.comments.append(data)


def read(text):
    """Render *text* as GitHub would, links included, and read it."""
    reader = Reader()
    reader.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))
    return reader


def everywhere(foreign):
    """A report with *foreign* in every place that foreign text can reach."""
    missing = (NotCompared(benchmark=foreign, params=(foreign,), environment=foreign, reason=foreign),)
    samples = [
        replace(paired, params=(foreign,), environment=foreign)
        for paired in (
            paired_samples(f"{foreign}1", 1.3, fresh=1.3, unit=foreign),
            paired_samples(f"{foreign}2", 0.7, fresh=0.7),
            paired_samples(f"{foreign}3", spread=0.1),
            paired_samples(f"{foreign}4", 1.02, fresh=1.02, spread=0.001),
            paired_samples(foreign),
            exact_samples(f"{foreign}5", 0, 3),
        )
    ]
    found = decide(
        a_context(
            base=foreign,
            head=foreign,
            notes=(foreign,),
            machines=(ComparedMachine(name=foreign, description=foreign),),
            environments=(ComparedEnvironment(name=foreign, differences=(foreign,)),),
            environment_failures=(EnvironmentFailure(name=foreign, reason=foreign),),
            **dict.fromkeys(("failed", "added", "removed", "skipped", "incomparable", "unaffected"), missing),
        ),
        [*samples, paired_samples("other", environment="elsewhere")],
    )
    return replace(found, comparisons=tuple(replace(one, notes=(foreign,)) for one in found.comparisons))


def holds_no_harm(text):
    """Check the properties of Markdown that hold for any name."""
    page = read(text)
    assert page.tags <= TAGS, page.tags - TAGS
    assert not page.comments
    words = "".join(page.words)
    assert not re.search(r"(?<!\w)@\w|#\d|\bGH-\d|https?://|www\.", words)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= {4, 5}
    assert "<!--" not in text
    assert "##[" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize("foreign", HOSTILE)
def test_names_do_not_inject_markdown(foreign):
    """A name adds no markup, mention, reference, link, metadata or workflow command."""
    holds_no_harm(render_markdown(everywhere(foreign)))


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("|`<>@#:[]()*_\n&;\\")), max_size=60))
def test_any_text_is_safe_in_markdown(foreign):
    """The property holds for arbitrary text."""
    for text in (f"x {code(foreign)} y", f"x {plain(foreign)} y"):
        page = read(text)
        assert page.tags <= {"p", "code"}
        assert "\n" not in text
        assert not re.search(r"(?<!\w)@\w|#\d", "".join(page.words))


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("|`<>@#:[]()*_\n&;\\/pre")), max_size=60))
def test_any_text_is_safe_in_preformatted_blocks(foreign):
    """Blank lines and closing tags in subjects of commits do not end the block."""
    page = read(f"{preformatted(escape_log(foreign))}\n\nafter")
    assert page.tags == {"pre", "p"}
    assert escape_log(foreign) in "".join(page.words) or not foreign.isprintable() or "\r" in foreign


def test_a_long_preformatted_block_fits_into_the_summary_of_a_step():
    """GitHub drops a summary of more than 1 MiB (docs.github.com, Workflow commands, Job summaries)."""
    block = preformatted("".join(f"{number} \N{SNOWMAN} skipped\n" for number in range(200_000)))
    assert len(block.encode()) < 1024 * 1024
    assert block.startswith("<pre>0 ")
    assert re.search(r"\n\.\.\. and 19\d[ ,]?\d{3} lines more\n</pre>\n$", block)


@pytest.mark.parametrize("foreign", HOSTILE)
def test_names_are_safe_in_a_log(foreign):
    """Every line is escaped; line breaks of the log stay."""
    lines = escape_log(f"before\n{foreign}\nafter {foreign}").split("\n")
    assert len(lines) == 3 + 2 * foreign.count("\n")
    assert all(line.isprintable() and "##[" not in line and not line.lstrip().startswith("::") for line in lines)


@pytest.mark.parametrize("foreign", HOSTILE)
def test_names_are_safe_on_a_terminal(foreign):
    """Nothing moves the cursor or reaches the workflow runner as a command."""
    text = render_terminal(everywhere(foreign))
    assert all(char.isprintable() or char == "\n" for char in text)
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert "##[" not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", "a\\nb"), ("\x1b", "\\x1b"), ("::x", ": :x"), ("  ::x", "  : :x"), ("ab" * 9, "ababab…abab")],
)
def test_unprintable_characters_are_visible(text, shown):
    """A reader sees that there is a character."""
    assert visible(text, 11) == shown


def test_code_shows_the_text_itself():
    """Readable source where that is possible, the same reading where it is not."""
    assert code("suite.time_it(1, 'x')") == "`suite.time_it(1, 'x')`"
    assert code("a|b") == "<code>a&#124;b</code>"


@pytest.mark.parametrize("name", ["suite.time_it", "😀|" * 50, "x" * 5000], ids=["plain", "wide", "long"])
def test_a_report_always_fits_into_a_comment(name):
    """Rows that do not fit are counted."""
    paired = paired_samples(ratio=1.3, fresh=1.3)
    (one,) = decide(a_context(), [paired]).comparisons
    whole = decide(a_context(notes=(name,) * 50), [paired])
    many = tuple(replace(one, benchmark=f"{name}{index}", notes=(name,) * 9) for index in range(3000))
    failed = tuple(NotCompared(benchmark=f"{name}{index}", reason=name) for index in range(3000))
    text = render_markdown(replace(whole, comparisons=many, failed=failed, machines=(ComparedMachine(name=name),) * 20))
    assert len(text.encode("utf-16-le")) // 2 <= MAX_COMMENT_LENGTH
    assert "more: see verdict.json" in text
    assert text.count("<details>") == text.count("</details>")
    assert len(render_terminal(replace(whole, comparisons=many, failed=failed))) < MAX_COMMENT_LENGTH


def test_the_headline_comes_first_and_the_action_second():
    """The verdict is the first line, and the recommended action the next."""
    lines = render_markdown(
        decide(a_context(), [paired_samples("a.time", 1.3, fresh=1.3), paired_samples("b.time")])
    ).splitlines()
    assert re.fullmatch(r"## 1 of 2 benchmark cases became slower: `a\.time` \(\+\d\d %\)", lines[0])
    assert lines[2].startswith("**What to do:** Fix the regression, or explain the trade-off and merge (on GitHub:")
    assert lines[4].startswith("| change | benchmark case | before | after |")


def test_only_changes_are_visible():
    """Everything else is folded and counted."""
    text = render_markdown(
        decide(
            a_context(), [paired_samples("a.time", 1.3, fresh=1.3), paired_samples("b.time"), paired_samples("c.time")]
        )
    )
    shown, _, folded = text.partition("<details>")
    assert "a.time" in shown
    assert "b.time" not in shown
    assert "<summary>2 unchanged</summary>" in folded


@pytest.mark.parametrize(
    ("samples", "context", "lead"),
    [
        ([paired_samples(ratio=0.7, fresh=0.7)], {}, "1 of 1 benchmark case became faster: suite.time_it ("),
        ([exact_samples(contender=150.0)], {}, "1 of 1 benchmark case became worse: suite.track_count (+50 %)"),
        (
            [exact_samples(baseline=0, contender=150.0)],
            {},
            "1 of 1 benchmark case became worse: suite.track_count (from",
        ),
        ([paired_samples()], {}, "No relevant change in 1 benchmark case"),
        ([paired_samples(ratio=1.02, fresh=1.02, spread=0.001)], {}, "No relevant change in 1 benchmark case"),
        ([paired_samples(spread=0.1)], {}, "Inconclusive: too much noise in 1 of 1 benchmark case"),
        ([], {}, "Nothing was measured"),
        ([], {"same_artifact": True}, "Nothing was measured: both commits build the same package"),
    ],
)
def test_each_result_has_its_headline(samples, context, lead):
    """The words fit the measure."""
    assert str(headline(decide(a_context(**context), samples))).startswith(lead)


def test_failures_are_in_the_headline_and_in_the_action():
    """They are not hidden behind the other verdicts."""
    found = decide(a_context(failed=(NotCompared(benchmark="b", reason="timeout"),)), [paired_samples()])
    assert str(headline(found)) == "1 of 2 benchmark cases failed: b; no relevant change in the other 1"
    assert recommended_action(found).startswith("Fix the failed benchmarks; the errors are below. A change of ")
    assert "`b`: timeout" in render_markdown(found)


def test_failures_on_base_are_not_in_the_headline():
    """They are listed, but need no action."""
    old = NotCompared(benchmark="b", reason="timeout", on=(ComparedCommit.BASE, ComparedCommit.HEAD))
    mended = NotCompared(benchmark="c", on=(ComparedCommit.BASE,))
    found = decide(a_context(failed=(old, mended)), [paired_samples()])
    assert "failed" not in str(headline(found))
    assert recommended_action(found).startswith("Nothing. A change of ")
    assert "2 failing on base already" in render_markdown(found)
    assert "`b`: on base and head&#58; timeout" in render_markdown(found)
    assert "  fails on base  c: on base only" in render_terminal(found)


def test_inconclusive_cases_state_the_rounds_needed():
    """The report states them for each case and for most cases."""
    found = decide(a_context(), [paired_samples(spread=0.1)])
    needed = found.comparisons[0].rounds_needed
    assert f"about {needed} more" in recommended_action(found)
    limit = found.comparisons[0].samples().rounds(Stage.SCREENING) + needed
    assert f"`windtunnel compare --rounds {limit}`" in recommended_action(found)
    assert f"| {needed} more |" in render_markdown(found)
    assert f"needs {needed} more rounds" in render_terminal(found)


def test_a_common_change_is_stated_once():
    """Cases that follow it are folded."""
    found = decide(a_context(), [paired_samples(f"t{index}", 1.3, seed=index, fresh=1.3) for index in range(20)])
    text = render_markdown(replace(found, common_change=COMMON))
    shown, _, folded = text.partition("<details>")
    assert shown.startswith("## 20 of 20 benchmark cases became slower, nearly all by about +30 %\n")
    assert "20 of 20 cases changed by about +30 %" in shown
    assert "20 changed like nearly all others" in folded
    assert "Look for one cause first" in recommended_action(replace(found, common_change=COMMON))


def test_the_report_states_how_it_was_measured():
    """It has the machine, the cost, the false alarms and the different dependencies."""
    text = render_markdown(
        decide(
            a_context(
                machines=(ComparedMachine(name="ci-1", description="4 cores"),),
                environments=(ComparedEnvironment(name="py3.12", differences=("numpy 2.1 -> 2.2",)),),
                budget=Budget(seconds=90.0, processes=120),
                aa=FalseAlarms(comparisons=20, alarms=1),
            ),
            [paired_samples()],
        )
    )
    for said in (
        "`ci-1` 4 cores",
        "120 processes",
        "1.5 min",
        "A/A comparison: base was also compared with itself in 20 cases, with 1 false alarm.",
        "`py3.12`",
        "numpy 2.1 -&#62; 2.2",
    ):
        assert said in text
    assert "`bbbbbbbbbb` against `aaaaaaaaaa`" in text


def test_changed_cases_link_to_their_history():
    """A hostile name changes neither the address nor the row."""
    hostile = "time](javascript:x) [@all|"
    found = decide(a_context(), [paired_samples("a.time_x", 1.3, fresh=1.3), paired_samples(hostile, 1.4, fresh=1.4)])
    text = render_markdown(found, options=MarkdownOptions(site="https://site.example/project"))
    assert "[`a.time_x`](https://site.example/project/?page=benchmark&name=a.time_x)" in text
    assert "name=time%5D%28javascript%3Ax%29%20%5B%40all%7C)" in text
    assert "](" not in render_markdown(found)
    assert "](" not in render_markdown(found, options=MarkdownOptions(site="https://site.example/?other=site"))
    assert "](" not in render_markdown(
        decide(a_context(), [paired_samples("x" * 400, 1.3, fresh=1.3)]),
        options=MarkdownOptions(site="https://site.example"),
    )


def test_new_and_changed_benchmarks_are_marked_and_explained_once():
    """Both commits ran head's code of them, so their verdicts are valid."""
    samples = [
        paired_samples("suite.time_new", 2.0, fresh=2.0, suite_change=SuiteChange.NEW),
        paired_samples("suite.time_changed", 2.0, fresh=2.0, suite_change=SuiteChange.CHANGED),
        paired_samples("suite.time_old", 2.0, fresh=2.0),
    ]
    explained = "New and changed benchmarks ran with head's code on both commits."
    report = decide(a_context(), samples)
    for text in (render_terminal(report), render_markdown(report)):
        assert text.count(explained) == 1
        for name in ("new", "changed"):
            assert re.search(rf"suite\.time_{name}(`<br><sub>| \(){name} benchmark\b", text), text
        assert not re.search(r"suite\.time_old`?(<br>| \()", text), text
    assert explained not in render_terminal(decide(a_context(), samples[2:]))


def test_several_environments_are_named():
    """The same benchmark on two Pythons has two lines."""
    samples = [paired_samples("a.time", 1.3, fresh=1.3, environment=name) for name in ("py3.12", "py3.13")]
    for report in (render_terminal, render_markdown):
        assert "py3.13" in report(decide(a_context(), samples))
        assert "py3.13" not in report(decide(a_context(), samples[1:]))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.05, "5 %"), (0.012345, "1.23 %"), (0.99999, "above 99.9 %"), (1.0, "100 %"), (12.5, "1250 %"), (0.0, "0 %")],
)
def test_shares_are_plain_numbers(value, shown):
    """There are no exponents, and only the whole is 100 %."""
    assert share(value) == shown


@pytest.mark.parametrize(
    ("context", "title", "action"),
    [
        ({"unmeasured": "irrelevant"}, "no changed file can affect", "Nothing."),
        ({"unaffected": (NotCompared(benchmark="io.read"),)}, "no changed file can affect", "Nothing."),
    ],
)
def test_a_report_without_measurements_states_why(context, title, action):
    """The reader sees whether anything is left to do."""
    found = decide(a_context(**context), [])
    assert title in str(headline(found))
    assert recommended_action(found).startswith(action)


def test_cases_that_were_left_out_are_counted_with_their_reason():
    """They do not count as missing from the comparison."""
    left_out = NotCompared(benchmark="io.read", reason="no change in src/io/")
    found = decide(a_context(unaffected=(left_out,)), [paired_samples()])
    assert "1 case: 1 unchanged; not counted: 1 left out because" in render_terminal(found)
    assert "io.read: no change in src/io/" in render_terminal(found)
    assert "<summary>1 left out because no changed file can affect them</summary>" in render_markdown(found)


@pytest.mark.parametrize(
    ("check", "words"),
    [(SelfCheck(), "2 of 3 comparisons raised a false alarm."), (SelfCheck(slowdown=0.05), "1 of 3 slowdowns found.")],
)
def test_a_self_check_counts_instead_of_asking_for_a_fix(check, words):
    """There is no commit that could have caused a change."""
    cases = [paired_samples("a"), paired_samples("b", 1.3, fresh=1.3), paired_samples("c", 0.7, fresh=0.7)]
    text = render_terminal(decide(a_context(self_check=check), cases))
    assert f"What to do: {words}" in text
    assert "Fix the regression" not in text
