"""Writes the output of a study into a page, between two marker lines."""

import sys
from pathlib import Path

BEGIN, END = "<!-- written by studies.{} -->", "<!-- end of what studies.{} wrote -->"


def put(path, study, text):
    """Replace the earlier output of *study* in the page *path*; exit with a message if the markers are missing."""
    content = Path(path).read_text(encoding="utf-8")
    begin, end = BEGIN.format(study), END.format(study)
    if content.count(begin) != 1 or content.count(end) != 1 or content.index(begin) > content.index(end):
        sys.exit(f"{path} needs one line {begin!r} and below it one line {end!r}; add them where the text belongs")
    before, after = content.split(begin)[0], content.split(end)[1]
    Path(path).write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
