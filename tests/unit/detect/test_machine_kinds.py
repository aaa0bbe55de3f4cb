"""Machines of one kind: which they are, and how their series become one."""

import numpy as np
import pytest
from builders.histories import a_history, a_history_tree, detect, histories
from builders.trees import a_tree

from windtunnel.detect.report import headline
from windtunnel.errors import ConfigurationError
from windtunnel.model.settings import Settings, parse_settings
from windtunnel.results.columns import join_machines, kind_of, propose_kinds, values_of

HOSTED = {"hosted": r"^fv-az\d+"}


def on_many_machines(points=40):
    """A case that becomes 40 % slower half-way, each run on a hosted runner of its own."""
    times = 0.1 * np.exp(histories(61, count=1, points=points)[0])
    times[points // 2 :] *= 1.4
    trees = [
        a_history_tree({"m.time_it": [value]}, machine=f"fv-az{100 + number}-7", commits=[number])
        for number, value in enumerate(times)
    ]
    return a_tree(*(run for tree in trees for run in tree.runs), benchmarks=trees[0].benchmarks)


@pytest.mark.parametrize(
    "name",
    ["fv-az665-510", "fv-az12", "runnervmf4ws1", "Mac-1716000000000.local", "runner-ab12-project-34-concurrent-0"],
)
def test_host_names_of_hosted_runners_are_known(name):
    """Two of a kind are proposed as one."""
    assert len(propose_kinds([name, name])) == 1
    assert propose_kinds(["desk", "laptop", "bench-server-3"]) == []


def test_the_first_kind_that_matches_counts():
    """Other machines keep their name."""
    kinds = {"linux": "^fv-az", "any": "."}
    assert [kind_of(name, kinds) for name in ("fv-az1-2", "desk")] == ["linux", "any"]
    assert kind_of("desk", HOSTED) == "desk"


def test_series_that_are_too_short_are_reported_first_with_what_helps():
    """No change was found because nothing was examined."""
    found = detect(on_many_machines(), a_history(40))
    assert (found.series, found.too_short, found.changes) == (40, 40, ())
    assert headline(found).startswith("Not examined: all 40 series, because they have too few values. No change")
    assert "40 machines have results, half of them for at most 1 commit." in found.advice
    assert r"hosted = '^fv-az\d+(-\d+)?$'" in found.advice


def test_joined_machines_share_their_series():
    """The change of level is found."""
    found = detect(on_many_machines(), a_history(40), Settings(machines=HOSTED))
    (change,) = found.changes
    assert (change.machine, found.too_short, found.advice) == ("hosted", 0, "")


def test_joining_keeps_every_run_and_its_values():
    """Their order is that of a tree."""
    values = values_of(on_many_machines(4))
    joined = join_machines(values, HOSTED)
    assert [run.machine for run in joined.tree.runs] == ["hosted"] * 4
    assert [run.commit for run in joined.tree.runs] == sorted(run.commit for run in values.tree.runs)
    before, after = (
        {each.tree.runs[block.runs[row["run"]]].commit: row["value"] for block in each.blocks for row in block.read()}
        for each in (values, joined)
    )
    assert after == before


def test_the_table_of_kinds_is_read_and_checked():
    """A pattern that is none is named."""
    settings = parse_settings("[tool.windtunnel.machines]\nhosted = '^fv-az'\n", "pyproject.toml")
    assert settings.machines == {"hosted": "^fv-az"}
    with pytest.raises(ConfigurationError, match=r"machines\.hosted is '\(', not a regular expression"):
        parse_settings("[tool.windtunnel.machines]\nhosted = '('\n", "pyproject.toml")
