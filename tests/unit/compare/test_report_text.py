"""A report states the verdict and the action first, and is safe for any name."""

import re
from html.parser import HTMLParser

import pytest
from builders.samples import a_cause, a_context, changed, exact_samples, paired_samples, uncounted
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from windtunnel.compare.decide import decide
from windtunnel.compare.format import ComparedEnvironment, ComparedMachine, EnvironmentFailure, NotCompared
from windtunnel.compare.kinds import CommentContext
from windtunnel.compare.report_markdown import render_markdown
from windtunnel.compare.report_text import render_annotations, render_terminal
from windtunnel.model.schedule import COMPARED_COMMITS
from windtunnel.text.escaping import MAX_COMMENT_LENGTH, code, escape_log, plain, preformatted, shorten, visible
from windtunnel.text.numbers import share

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
            changed(f"{foreign}1", unit=foreign, work=uncounted(foreign), cause=a_cause(foreign, head_file=foreign)),
            changed(f"{foreign}2", 0.7),
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


def test_a_suite_that_cannot_be_imported_is_told_from_a_build():
    """The project is built, so its build is nothing to fix."""
    failure = EnvironmentFailure(
        name="py3.13", on="head", reason="discovery of head failed: jobs: No module named 'spam'"
    )
    text = render_terminal(decide(a_context(environment_failures=(failure,)), []))
    assert text.startswith("Nothing was measured: the suite cannot be imported\n")
    assert "No module named 'spam'" in text
    built = replace(failure, reason="install of head failed: no compiler")
    assert "head cannot be built" in render_terminal(decide(a_context(environment_failures=(failure, built)), []))


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
def test_names_do_not_inject_annotations(foreign):
    """Each line is one command of ours, at most as many as GitHub shows; it decodes %0A."""
    lines = render_annotations(everywhere(foreign)).splitlines()
    assert 0 < len(lines) <= 10
    for line in lines:
        assert re.match("::(error|warning|notice) title=Windtunnel::", line)
        assert "%" not in line.replace("%25", "")


def test_a_verdict_that_fails_nothing_is_a_notice():
    """Errors name the cases that fail the check."""
    (line,) = render_annotations(decide(a_context(), [paired_samples("quiet")])).splitlines()
    assert line.startswith("::notice title=Windtunnel::No ")
    (line,) = render_annotations(decide(a_context(), [changed(ratio=1.3)])).splitlines()
    assert line.startswith("::error title=Windtunnel::")
    assert "slower" in line


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


SAME_ENDS = [f"algorithms.UndirectedAlgorithmBenchmarks.time_{one}('Erdos Renyi (100, 0.1)')" for one in ("ab", "c")]
LONG_MIDDLES = [f"a.{'x' * 90}{one}{'y' * 90}" for one in ("1" * 80, "2" * 80)]
AS_CUT = [f"{'x' * 90}{one}" for one in ("1" * 90, "1" * 45 + "2" * 45)]


@pytest.mark.parametrize(
    "names", [SAME_ENDS, LONG_MIDDLES, AS_CUT, ["x" * 100, "x" * 200], ["a", "b"], SAME_ENDS * 2, [f"{'x' * 99}1", "y"]]
)
def test_names_are_shortened_where_they_agree(names):
    """Names that differ stay different, and none is longer than asked for."""
    shown = shorten(names, 60)
    assert set(shown) == {*names}
    assert len({*shown.values()}) == len(shown)
    assert max(map(len, shown.values())) <= 60


def test_what_differs_between_names_is_shown():
    """A cut in the middle would have hidden it."""
    assert [one.count("time_ab(") + one.count("time_c(") for one in shorten(SAME_ENDS, 60).values()] == [1, 1]
    text = render_terminal(decide(a_context(), [changed(name) for name in SAME_ENDS]))
    assert text.count("time_ab(") == 1 + text.splitlines()[0].count("time_ab(")


def test_one_cause_is_one_line():
    """Cases without a verdict that have one reason share a line; a case with another reason has its own."""
    cases = [
        NotCompared(benchmark=f"algorithms.time_{name}", params=("'Drug net'",), on=COMPARED_COMMITS, reason="offline")
        for name in ("clustering", "ranking", "colouring")
    ]
    other = NotCompared(benchmark="algorithms.time_paths", on=COMPARED_COMMITS, reason="too slow")
    found = decide(a_context(skipped=(*cases, other)), [paired_samples()])
    said = "algorithms.time_*('Drug net'): 3 cases on both commits: offline"
    for line in (said, "algorithms.time_paths: on both commits: too slow"):
        assert line in render_terminal(found)
    markdown = render_markdown(found)
    assert "<summary>4 not measured</summary>" in markdown
    assert markdown.count("offline") == 1


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


@pytest.mark.parametrize(
    "name", ["suite.time_it", "😀|" * 50, "東" * 200, "x" * 5000], ids=["plain", "wide", "bytes", "long"]
)
def test_a_report_always_fits_into_a_comment(name):
    """Rows that do not fit are counted."""
    paired = changed()
    (one,) = decide(a_context(), [paired]).comparisons
    whole = decide(a_context(notes=(name,) * 50), [paired])
    many = tuple(replace(one, benchmark=f"{name}{index}", notes=(name,) * 9) for index in range(1000))
    failed = tuple(NotCompared(benchmark=f"{name}{index}", reason=name) for index in range(1000))
    text = render_markdown(replace(whole, comparisons=many, failed=failed, machines=(ComparedMachine(name=name),) * 20))
    assert len(text.encode()) <= MAX_COMMENT_LENGTH, "the summary of a check is limited in bytes"
    assert "more: see verdict.json" in text
    assert text.count("<details") == text.count("</details>")
    assert len(render_terminal(replace(whole, comparisons=many, failed=failed))) < MAX_COMMENT_LENGTH


def test_changed_cases_link_to_their_history():
    """A hostile name changes neither the address nor the row."""
    hostile = "time](javascript:x) [@all|"
    found = decide(a_context(), [changed("a.time_x"), changed(hostile, 1.4)])
    text = render_markdown(found, context=CommentContext(site_url="https://site.example/project"))
    assert "[`a.time_x`](https://site.example/project/?page=benchmark&name=a.time_x)" in text
    assert "name=time%5D%28javascript%3Ax%29%20%5B%40all%7C)" in text
    assert "?page=benchmark" not in render_markdown(found)
    assert "?page=benchmark" not in render_markdown(
        found, context=CommentContext(site_url="https://site.example/?other=site")
    )
    assert "?page=benchmark" not in render_markdown(
        decide(a_context(), [changed("x" * 400)]), context=CommentContext(site_url="https://site.example")
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.05, "5 %"), (0.012345, "1.23 %"), (0.99999, "above 99.9 %"), (1.0, "100 %"), (12.5, "1250 %"), (0.0, "0 %")],
)
def test_shares_are_plain_numbers(value, shown):
    """There are no exponents, and only the whole is 100 %."""
    assert share(value) == shown
