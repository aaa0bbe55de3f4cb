"""Trees as asv publishes them, held against each other."""

import math

import pytest


def require_equal_graphs(drawn, expected):
    """Graph for graph, by path.

    Summaries are products of many factors, which asv multiplies in the order in which files lie: the last digit may
    differ.
    """
    assert drawn.keys() == expected.keys()
    for path, graph in expected.items():
        if path.startswith("graphs/summary/"):
            assert _flat(drawn[path]) == pytest.approx(_flat(graph), rel=1e-12, nan_ok=True), path
        else:
            assert drawn[path] == graph, path


def _flat(graph):
    """Revisions and values in one row; a gap is NaN."""
    return [math.nan if value is None else value for point in graph for value in point]
