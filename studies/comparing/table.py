"""What the trials say, as Markdown."""

from collections import defaultdict
from statistics import median

from .project import FACTORS


def table(records):
    """A row a contestant."""
    answers = defaultdict(list)
    for record in records:
        answers[record["by"]].append(record)
    lines = [
        "| | comparisons without a change | with an alarm | false alarms a case | "
        + " | ".join(f"+{factor - 1:.0%} found" for factor in FACTORS)
        + " | false alarms beside injected | undecided a comparison | median seconds |",
        "|---" * (6 + len(FACTORS) + 1) + "|",
    ]
    return "\n".join(lines + [row(by, of) for by, of in sorted(answers.items(), reverse=True)])


def row(by, records):
    """Counts, not percentages: they say how much they are worth."""
    alike = [record for record in records if not record["injected"]]
    injected = [record for record in records if record["injected"]]
    cells = [
        by,
        str(len(alike)),
        str(sum(bool(alarms(record)) for record in alike)),
        f"{sum(len(alarms(record)) for record in alike)} of {sum(record['jobs'] for record in alike)}",
        *(found(injected, factor) for factor in FACTORS),
        f"{sum(len(alarms(record)) for record in injected)} of {sum(untouched(record) for record in injected)}",
        f"{median(len(record['undecided']) for record in records):g}",
        f"{median(record['seconds'] for record in records):.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def alarms(record):
    """Jobs called slower or faster that no commit touched."""
    return (set(record["slower"]) | set(record["faster"])) - set(record["injected"])


def untouched(record):
    """How many jobs are as they were."""
    return record["jobs"] - len(record["injected"])


def found(records, factor):
    """How many of the jobs made slower by *factor* were called slower."""
    asked = [(job, record) for record in records for job, by in record["injected"].items() if by == factor]
    return f"{sum(job in record['slower'] for job, record in asked)} of {len(asked)}"
