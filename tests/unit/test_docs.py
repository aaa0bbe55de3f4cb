"""The links of the Markdown files."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')


def dead_links(page):
    """Returns the relative links of a page whose file or heading does not exist."""
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not re.match(r"[a-z]+:", link)]
    return [link for link in links if not leads_somewhere(page, link)]


def leads_somewhere(page, link):
    """Whether the file of a link exists and, in Markdown, has the heading that the link names."""
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target.read_text(encoding="utf-8"))


def anchors(text):
    """Returns the anchors of a page: those that GitHub gives to the headings, and those that it names itself."""
    found, counts = set(ANCHOR.findall(text)), {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
        count = counts[anchor] = counts.get(anchor, -1) + 1
        found.add(f"{anchor}-{count}" if count else anchor)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_links_between_documents_lead_somewhere(page):
    """Each relative link names a file that exists, and a heading of it."""
    assert dead_links(ROOT / page) == []


def test_every_schema_is_listed():
    """docs/reference/formats.md has a line for each file format."""
    listed = (ROOT / "docs/reference/formats.md").read_text(encoding="utf-8")
    schemas = [path.name for path in (ROOT / "docs").glob("*.schema.json")]
    assert schemas
    assert [name for name in schemas if f"(../{name})" not in listed] == []


NAMED = ("ARCHITECTURE.md", *sorted(page for page in PAGES if page.startswith("docs/explanation/")))
"""Pages about the code."""


@pytest.mark.parametrize("page", NAMED)
def test_modules_that_a_page_names_exist(page):
    """As a file (`compare/decide.py`), or as a module of a package (`windtunnel.compare.{decide,significance}`)."""
    text = (ROOT / page).read_text(encoding="utf-8")
    files = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text)
    modules = [
        f"{package}.{name}".replace(".", "/") + ".py"
        for package, names in re.findall(r"`(windtunnel\w*(?:\.[a-z_]+)*)\.\{([a-z_,]+)\}`", text)
        for name in names.split(",")
    ]
    places = (ROOT, ROOT / "src", ROOT / "src" / "windtunnel")
    assert [file for file in (*files, *modules) if not any((place / file).exists() for place in places)] == []


def test_a_dead_link_is_found(tmp_path):
    """A missing file, a missing heading and a heading inside a code block are dead links."""
    (tmp_path / "other.md").write_text("# The `first` heading\n\n## Twice\n\n## Twice\n\n```\n# code\n```\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Here\n[1](#here) [2](other.md) [3](other.md#the-first-heading) [4](other.md#twice-1) [5](https://a.example)\n"
        '[6](missing.md) [7](#there) [8](other.md#code) [9](other.md#twice-2)\n[10](#named) <a id="named"></a>\n'
    )
    assert dead_links(page) == ["missing.md", "#there", "other.md#code", "other.md#twice-2"]
