"""The studied project: 24 jobs, an asv suite that times them, and commits that make some of them slower."""

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

from builders.repositories import git
from builders.suites import CONFIGURATION, change

JOBS_SOURCE = Path(__file__).with_name("work.py")
JOBS = tuple(
    name
    for name in re.findall(r"^def (\w+)\(\)", JOBS_SOURCE.read_text(), re.MULTILINE)
    if name.partition("_")[0] in {"cpu", "allocate", "sleep", "coroutine", "file"}
)
FACTORS = (1.05, 1.10, 1.20)
EACH = 2
"""How many jobs a commit makes slower by each factor; the other jobs stay as they are."""

PYPROJECT = """\
[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"
[project]
name = "studied"
version = "1"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One pair of commits and the truth about it; *injected* is empty where nothing timed has changed."""

    name: str
    base: str
    head: str
    injected: dict[str, float]


def a_studied_project(folder, *, python, alike, injected, seed):
    """The repository in *folder* and its trials: *alike* heads without a change, *injected* heads with."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    base = git(change(folder, files(python), "the studied project"), "rev-parse", "HEAD")
    rng = random.Random(seed)
    trials = []
    for number in range(alike + injected):
        slower = {} if number < alike else draw(rng)
        git(folder, "checkout", "--quiet", base)
        name = f"alike-{number}" if number < alike else f"injected-{number - alike}"
        change(folder, {"studied/injected.py": source(slower, name)}, name)
        git(folder, "tag", name)
        head = git(folder, "rev-parse", "HEAD")
        trials.append(Trial(name=name, base=base, head=head, injected=slower))
    git(folder, "checkout", "--quiet", "main")
    return tuple(trials)


def draw(rng):
    """Which jobs become slower by how much."""
    chosen = rng.sample(JOBS, EACH * len(FACTORS))
    return {job: FACTORS[place // EACH] for place, job in enumerate(chosen)}


def source(slower, name):
    """Every head is another wheel, or nothing would be measured."""
    return f'"""{name}."""\n\nFACTORS = {json.dumps(slower)}\n'


def files(python):
    """The first commit."""
    suite = "".join(f'def time_{job}():\n    work.{job}()\ntime_{job}.version = "1"\n' for job in JOBS)
    return {
        ".gitignore": ".asv/\n.windtunnel/\n__pycache__/\n",
        "pyproject.toml": PYPROJECT,
        "studied/__init__.py": "",
        "studied/injected.py": '"""Base."""\n\nFACTORS = {}\n',
        "studied/work.py": JOBS_SOURCE.read_text(),
        "suite/__init__.py": "",
        "suite/jobs.py": f"from studied import work\n{suite}",
        "asv.conf.json": json.dumps({**CONFIGURATION, "project": "studied", "pythons": [python]}, indent=1),
    }
