"""Jobs of milliseconds, before and after changes of known size."""

import re
from pathlib import Path

from .counting import count, discover, environment_of

SEEDS = (1, 2, 3, 4, 5)
SOURCE = Path(__file__).parents[1] / "comparing" / "work.py"
JOBS = tuple(
    name
    for name in re.findall(r"^def (\w+)\(\)", SOURCE.read_text(), re.MULTILINE)
    if re.match(r"cpu_|allocate_|coroutine_(await|switch|gather|queue)|file_", name)
)
LOOP = "math.ceil(usual * FACTORS.get(name, 1.0))"
SHORT_LOOP = "math.ceil(usual // (4 if usual >= 4000 else 1) * FACTOR)"
"""Loops that are long enough are shorter here than in studies/comparing: counts need no long jobs."""

PLAIN = "base"
FACTORS = {"0.3 % more turns": 1.003, "1 % more turns": 1.01}
"""Changes of all jobs."""

UNUSED = "unused functions"
"""A change that makes no job do more."""

EDITS = {
    "an extra call in each turn": ("cpu_add", "total += number & 7", "total += same(number) & 7"),
    "one more allocation in each turn": ("allocate_lists", "[[number] for", "[[[number]] for"),
    "an attribute more on each object": (
        "allocate_objects",
        "self.number = number",
        "self.number = self.other = number",
    ),
    "a slower C call in each turn": ("cpu_hash", "hashlib.sha256(", "hashlib.sha3_256("),
    "a function of the module instead of a compiled pattern": ("cpu_match", "pattern.match(", "re.match(pattern, "),
}
"""Changes of one job each: the job, what stands there, and what replaces it."""

HELPERS = "\n\ndef same(number):\n    return number\n"


def count_changes(asked, known, note):
    """Count the jobs before and after each change; all are in one suite, a module for each change."""
    folder = asked.folder.absolute() / "changes"
    env = environment_of(folder, asked.python)
    there = {(record["side"], record["case"]) for record in known if record["suite"] == "changes"}
    made = variants(JOBS[:: asked.every])
    labels = {f"change_{number}": label for number, label in enumerate(made)}
    suite = folder / "suite"
    suite.mkdir(parents=True, exist_ok=True)
    (suite / "__init__.py").touch()
    for module, label in labels.items():
        (suite / f"{module}.py").write_text(made[label][0])

    def noted(one, counts):
        module, _, job = one[0].partition(".time_")
        note(
            {
                "suite": "changes",
                "side": labels[module],
                "case": job,
                "per_call": counts.per_call,
                "calls": counts.calls,
                "other": counts.other_threads,
                "reason": counts.reason,
            }
        )

    wanted = [(module, label, job) for module, label in labels.items() for job in made[label][1]]
    left = [(f"{module}.time_{job}", 0) for module, label, job in wanted if (label, job) not in there]
    if left:
        count(env, suite, discover(env, suite), sorted(left, key=lambda one: one[0].partition(".")[2]), SEEDS, noted)


def variants(jobs):
    """Return the source of a module and the jobs to count, by label; *jobs* are for the first ones."""
    made = {PLAIN: (suite(1.0), tuple(dict.fromkeys((*jobs, *(job for job, _, _ in EDITS.values())))))}
    made |= {label: (suite(factor), jobs) for label, factor in FACTORS.items()}
    unused = "".join(HELPERS.replace("same", f"unused_{number}") for number in range(20))
    made[UNUSED] = (suite(1.0, before=unused), jobs)
    for label, (job, old, new) in EDITS.items():
        source = suite(1.0)
        assert source.count(old) == 1, label
        made[label] = (source.replace(old, new), (job,))
    return made


def suite(factor, before=""):
    """Return the source of the jobs and of an asv suite that times them."""
    source = SOURCE.read_text()
    assert LOOP in source
    source = source.replace(LOOP, SHORT_LOOP)
    source = source.replace("from studied.injected import FACTORS\n", f"FACTOR = {factor}\n{before}{HELPERS}\n")
    timed = "".join(f"\n\ndef time_{job}():\n    {job}()\n" for job in JOBS)
    return source + timed
