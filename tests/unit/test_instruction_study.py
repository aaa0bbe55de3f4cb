"""The study of instruction counts: its changes fit the source, and its tables count what was found."""

from studies.instruction_counts.changes import EDITS, JOBS, PLAIN, UNUSED, variants
from studies.instruction_counts.equal_code import AGAIN
from studies.instruction_counts.table import changes_found, equal_code


def test_every_change_fits_the_source_of_the_jobs():
    """Else a change would be counted that is not there."""
    made = variants(JOBS[:2])
    for source, jobs in made.values():
        compile(source, "jobs.py", "exec")
        assert set(jobs) <= set(JOBS)
    assert len({source for source, _ in made.values()}) == len(made)
    assert {job for job, _, _ in EDITS.values()} <= set(made[PLAIN][1])


def a_record(suite, side, case, *per_call, reason=""):
    """Counts of a case as the study keeps them."""
    one = {"suite": suite, "side": side, "case": case, "per_call": per_call, "reason": reason}
    return {**one, "calls": 8, "other": False}


def test_equal_code_beyond_the_limit_has_a_row():
    """The share of cases within it is the answer; the others are named."""
    records = [
        a_record("own", "first", "near", 1000.0, 1000.0),
        a_record("own", "second", "near", 1000.5, 1000.5),
        a_record("own", "first", "far", 1000.0, 1000.0),
        a_record("own", "second", "far", 1002.0, 1002.0),
        a_record("own", AGAIN, "far", 1000.1, 1000.1),
        a_record("own", "first", "skipped", reason="no such disk"),
    ]
    table = equal_code({"own": records})
    assert "| own | 3 | the same, as in a comparison | 1 | 1 (100%) |" in table
    assert "| own | 3 | others | 2 | 1 (50%) |" in table
    assert "| own | `far` | 1,000 | 0.010% | 0.200% |" in table
    assert "`near`" not in table
    assert "| own | no such disk | 1 |" in table


def test_the_gate_decides_equal_code_both_ways():
    """A case whose counts differ by 0.2 % fails at 0.1 % with one side as base, and at 0.5 % with none."""
    sides = {"first": 1e6, AGAIN: 1.002e6}
    records = [a_record("own", side, "far", *[count] * 5) for side, count in sides.items()]
    table = equal_code({"own": records})
    assert "| own | 0.1% | 2 | 1 | 1 | 1 | 1 | 0 | 0 |" in table
    assert "| own | 0.5% | 2 | 0 | 0 | 1 | 1 | 0 | 0 |" in table


def test_changes_are_decided_as_in_a_comparison():
    """One per cent more is found; twenty unused functions are not."""
    base = [1e6, 1.0001e6, 1e6, 0.9999e6, 1e6]
    records = [
        a_record("changes", PLAIN, "cpu_add", *base),
        a_record("changes", "1 % more turns", "cpu_add", *(1.01 * each for each in base)),
        a_record("changes", UNUSED, "cpu_add", *base),
    ]
    table = changes_found(records)
    assert "| 1 % more turns | 1 | 1 | 0 | 0 | 0 | +1.00% |" in table
    assert f"| {UNUSED} | 1 | 0 | 0 | 1 | 0 | +0.00% |" in table
