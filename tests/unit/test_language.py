"""The project's plain English: words that readers had to look up do not return."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

WORDS = re.compile(
    r"\b(mend(s|ed|ing)?|whoever|nobody|somebody|hears?|heard|tells?|told|as (if )?by lot)\b"
    r"|(?<![Tt]here )\b(is|are) no (?!longer\b|(faster|slower|worse|better)\b)[a-z]",
    re.IGNORECASE,
)
"""Words with a standard replacement: fix, report, show, anyone, "is not a"."""

QUOTED = ("CHANGELOG.md", "docs/measurements/", "benchmarks/claims.toml")
"""Files that quote old names or published sentences."""


def texts():
    """Every text file of the code, the site, the workflows and the docs."""
    patterns = ("src", "benchmarks", "site/page", "docs", ".github", "*.md", "Makefile")
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if name.endswith((".py", ".js", ".md", ".yml", ".toml", "Makefile")) and "/vendor/" not in name:
            yield name


def test_texts_use_the_standard_words():
    """Code, messages and pages use the words of CONTRIBUTING.md."""
    names = [name for name in texts() if not name.startswith(QUOTED)]
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in names
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if WORDS.search(line)
    ]
    assert len(names) > 100
    assert not found, "\n".join(found)
