"""Parts of the documents that a study writes: what stands between two marks, and nothing else."""

import sys
from pathlib import Path

BEGIN, END = "<!-- written by studies.{} -->", "<!-- end of what studies.{} wrote -->"


def put(path, study, text):
    """Replace what *study* wrote into the document *path* before."""
    content = Path(path).read_text(encoding="utf-8")
    begin, end = BEGIN.format(study), END.format(study)
    if content.count(begin) != 1 or content.count(end) != 1 or content.index(begin) > content.index(end):
        sys.exit(f"{path} needs one line {begin!r} and below it one line {end!r}; write them where the text shall go")
    before, after = content.split(begin)[0], content.split(end)[1]
    Path(path).write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def put_or_print(path, study, text):
    """Write into a document where one is named, to standard output otherwise."""
    if path:
        put(path, study, text)
    else:
        sys.stdout.write(f"{text.strip()}\n")
