"""Take the pictures of docs/comment.md: comments as GitHub shows them.

``make study ARGS="studies.comment_pictures"`` writes docs/images/comment-*.png, and with them what they show.
"""

import hashlib
import json
import shutil
from pathlib import Path

from builders.comment_examples import EXAMPLES
from markdown_it import MarkdownIt

from windtunnel.compare.kinds import VerdictKind

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
SHOWN = IMAGES / "comments.json"
"""The digest of the Markdown that each picture shows, by which a test finds old pictures."""

PICTURES = {
    VerdictKind.SLOWER: "regressed",
    VerdictKind.FAILED: "failed",
    VerdictKind.UNMEASURED: "unbuilt-head",
    VerdictKind.INCOMPLETE: "partial",
    VerdictKind.ACCEPTED: "accepted",
    VerdictKind.RESOLVED: "resolved",
    VerdictKind.NO_SLOWDOWN: "undecided",
    VerdictKind.FASTER: "improved",
}
"""The example of each kind of verdict that has a picture."""

WIDTH = 860
"""Pixels of a page on a desktop."""

STYLE = """
body { margin: 0; padding: 16px; background: #fff; color: #1f2328; font: 14px/1.5 -apple-system, "Segoe UI",
  "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; }
.by { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; border-radius: 6px 6px 0 0;
  color: #59636e; }
.by b { color: #1f2328; }
.body { padding: 16px; overflow-wrap: break-word; }
h2 { font-size: 1.5em; line-height: 1.25; margin: 0 0 16px; padding-bottom: .3em; border-bottom: 1px solid #d1d9e0b3; }
p, blockquote, table, details, ul { margin: 0 0 16px; }
blockquote { padding: 0 1em; color: #59636e; border-left: .25em solid #d1d9e0; }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }
th, td { padding: 6px 13px; border: 1px solid #d1d9e0; }
tr:nth-child(2n) { background: #f6f8fa; }
code { padding: .2em .4em; font: 85% ui-monospace, "DejaVu Sans Mono", monospace; background: #818b981f;
  border-radius: 6px; white-space: break-spaces; }
a { color: #0969da; } sub { font-size: 75%; line-height: 0; position: relative; vertical-align: baseline;
  bottom: -.25em; }
summary { cursor: pointer; }
"""
"""The rules of GitHub's stylesheet github-markdown-css, as far as comments need them."""


def digest(markdown):
    """What identifies the content of a picture."""
    return hashlib.sha256(markdown.encode()).hexdigest()


def page(markdown):
    """The page that shows a comment."""
    body = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)
    by = '<div class="by"><b>github-actions</b> bot commented</div>'
    head = f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>'
    return f'{head}<div class="comment">{by}<div class="body">{body}</div></div>'


def main():
    """Write the pictures and their digests."""
    from playwright.sync_api import sync_playwright  # a test of the digests does without it

    chosen = {name: EXAMPLES[name] for name in PICTURES.values()}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, markdown in chosen.items():
            shown = chromium.new_page(viewport={"width": WIDTH, "height": 300}, device_scale_factor=1)
            shown.set_content(page(markdown))
            shown.screenshot(path=IMAGES / f"comment-{name}.png", full_page=True)
        chromium.close()
    SHOWN.write_text(json.dumps({name: digest(text) for name, text in chosen.items()}, indent=2) + "\n")


if __name__ == "__main__":
    main()
