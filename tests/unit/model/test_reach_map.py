"""Reach maps as results keep them: nothing is lost on the way, and what others wrote is checked."""

import json

import pytest
from builders.reached import a_kept_map
from builders.records import a_build

from windtunnel.errors import DataError
from windtunnel.model.reach_map import KEPT_FORMAT, MappedCase, join_maps, unpack

ONE, OTHER = "1" * 40, "2" * 40
F, G = {"a.py": ("f",)}, {"a.py": ("f", "g"), "b.py": ("B.h",)}


def test_a_map_comes_back_as_it_was():
    """Functions and sets of functions are written once, whatever number of cases run them."""
    cases = {f"suite.time_it({number})": G for number in range(50)} | {"suite.time_f": F, "suite.time_nothing": {}}
    kept = a_kept_map(ONE, cases, imports=F)
    assert len(kept.sets) == 3
    content = KEPT_FORMAT.encode(kept)
    assert content.count(b"B.h") == 1
    found = unpack(KEPT_FORMAT.decode(content, "map"))
    assert found.cases == {name: MappedCase(module="suite", functions=each) for name, each in cases.items()}
    assert found.imports == {"suite": F}
    assert found.build == kept.build


def joined(one, other):
    """What is kept of two maps, in either order."""
    found = join_maps(one, other)
    assert join_maps(other, one) == found
    return found


def test_maps_of_one_commit_are_put_together():
    """Each shard has some of the cases; an entry that says all takes the place of one that does not."""
    broken = MappedCase(module="suite", reason="OSError")
    one = a_kept_map(ONE, {"suite.a": F, "suite.b": broken}, total=3)
    found = unpack(joined(one, a_kept_map(ONE, {"suite.b": G, "suite.c": broken}, total=3, imports=G)))
    assert found.cases.keys() == {"suite.a", "suite.b", "suite.c"}
    assert (found.cases["suite.b"].functions, found.cases["suite.c"].reason) == (G, "OSError")
    assert found.imports == {"suite": {**G, "suite.py": ("<module>",)}}
    assert joined(one, one) == one


def test_maps_of_another_suite_or_other_packages_are_not_mixed():
    """The same commit may be measured again later: the larger map is kept."""
    small, large = a_kept_map(ONE, {"suite.a": F}), {"suite.b": F, "suite.c": F}
    upgraded = a_kept_map(ONE, large, build=a_build(packages=("numpy==2",)))
    assert joined(small, upgraded) == upgraded
    assert joined(small, a_kept_map(ONE, large, suite="other")).cases.keys() == large.keys()
    assert joined(small, a_kept_map(OTHER, large)).cases.keys() == large.keys()


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ({"sets": [[0, 99]]}, "a function that is not listed"),
        ({"sets": [[-1]]}, ">= 0"),
        ({"sets": []}, "a set is not listed"),
        ({"imports": {"suite": 7}}, "a set is not listed"),
        ({"commit": "--output=x"}, "not the hash of a commit"),
        ({"commit": f"{ONE}\n"}, "not the hash of a commit"),
        ({"cases": {"a": {"module": "suite", "runs": -1}}}, ">= 0"),
        ({"cases": []}, "Expected `object`"),
        ({"schema": 2}, "schema"),
    ],
)
def test_a_map_that_contradicts_itself_is_refused(damage, problem):
    """It lies on a branch that others may write, and its commit is given to git."""
    content = json.loads(KEPT_FORMAT.encode(a_kept_map(ONE)))
    with pytest.raises(DataError, match=problem):
        KEPT_FORMAT.decode(json.dumps({**content, **damage}).encode(), "map")
