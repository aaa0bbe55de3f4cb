"""How a case went around a change: few enough of its values to be drawn wherever the change is told."""

import numpy as np
from numpy.typing import NDArray

from windtunnel.detect.candidate_change import CandidateChange
from windtunnel.detect.format import ChangeKind, MeasuredCase, PlotWindow

MOST = 20
"""Values on either side of a change."""
DIGITS = 4
"""Significant ones of a value: more than a plot shows."""


def course_of(draft: CandidateChange, case: MeasuredCase) -> PlotWindow:
    """Return how *case*, whose change *draft* is, went; a creep is thinned out evenly."""
    series = draft.found.series
    at = int(np.searchsorted(series.positions, draft.position))
    if draft.kind is ChangeKind.CREEP:
        start = int(np.searchsorted(series.positions, draft.previous))
        chosen = np.unique(np.linspace(max(0, start - MOST // 2), at, 2 * MOST).round().astype(int))
        split = int(np.count_nonzero(chosen <= start))
    else:
        chosen = np.arange(max(0, at - MOST), min(len(series.values), at + MOST))
        split = at - int(chosen[0])
    scale = draft.found.scale
    return PlotWindow(
        case=case,
        kind=draft.kind,
        unit=series.unit,
        values=rounded(series.values[chosen]),
        split=split,
        before=scale.back(draft.before),
        after=scale.back(draft.after),
    )


def rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Return *values* with as many digits as a plot needs."""
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)
