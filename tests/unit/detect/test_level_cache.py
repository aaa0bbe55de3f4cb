"""The cache of levels."""

import numpy as np
import pytest
from builders.histories import a_history, a_history_tree, histories

from windtunnel.detect.detection import detect
from windtunnel.detect.level_cache import CACHE_FILE, load_levels, save_levels
from windtunnel.model.settings import Settings
from windtunnel.results.columns import values_of
from windtunnel.stats import level_shifts


@pytest.fixture
def searched(monkeypatch):
    """How many series each search was given."""
    found = []
    search = level_shifts.find_shifts
    monkeypatch.setattr(level_shifts, "find_shifts", lambda batch: found.append(len(batch)) or search(batch))
    return found


def columns(points, count=8):
    """Quiet series, series with a step, and one that flips between two levels; the first *points* values of each."""
    times = 0.1 * np.exp(histories(1, count=count, points=70))
    times[1, 40:] *= 1.3
    times[2, 20:] *= 0.5
    times[3] *= 1 + 0.5 * (np.random.default_rng(1).random(70) < 0.5)
    return {f"m.time_{number}": row[:points] for number, row in enumerate(times)}


def detected(folder, tree):
    """What is detected in *tree* with the cache in *folder*, which is updated."""
    known = load_levels(folder)
    result = detect(values_of(tree), a_history(70), Settings(), known)
    save_levels(folder, known)
    return result


def without_cache(tree):
    return detect(values_of(tree), a_history(70), Settings())


def test_a_second_call_searches_nothing_and_finds_the_same(tmp_path, searched):
    """Levels, flips and shares come back from the file as they were."""
    tree = a_history_tree(columns(70))
    first = detected(tmp_path, tree)
    assert sum(searched) > 0
    searched.clear()
    again = detected(tmp_path, tree)
    assert sum(searched) == 0
    assert again == first == without_cache(tree)
    assert first.changes


def test_only_series_with_a_new_value_are_searched_again(tmp_path, searched):
    """One of eight has another commit."""
    before = columns(69)
    detected(tmp_path, a_history_tree({name: np.append(row, np.nan) for name, row in before.items()}))
    searched.clear()
    after = {name: np.append(row, row[-1] if name == "m.time_1" else np.nan) for name, row in before.items()}
    result = detected(tmp_path, a_history_tree(after))
    assert sum(searched) == 1
    assert result == without_cache(a_history_tree(after))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
        lambda content: content.replace(b"windtunnel levels ", b"windtunnel levels 0", 1),
        lambda content: b"\x00" * len(content),
    ],
    ids=["empty", "cut", "one bit", "another version", "zeros"],
)
def test_a_damaged_cache_or_one_of_another_version_is_ignored(tmp_path, damage):
    """The result is that of a call without a cache."""
    tree = a_history_tree(columns(70))
    detected(tmp_path, tree)
    file = tmp_path / CACHE_FILE
    file.write_bytes(damage(file.read_bytes()))
    assert load_levels(tmp_path).known == {}
    assert detected(tmp_path, tree) == without_cache(tree)
    assert load_levels(tmp_path).known


def test_series_that_are_gone_leave_the_cache(tmp_path):
    """It does not grow without end."""
    detected(tmp_path, a_history_tree(columns(70)))
    size = len(load_levels(tmp_path).known)
    detected(tmp_path, a_history_tree(columns(70, count=4)))
    assert len(load_levels(tmp_path).known) < size
