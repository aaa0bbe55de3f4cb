"""Compares cases that have two levels within each level.

The processes of such a case run at one of two speeds by chance, for example by their memory layout. The levels are
found in the processes of both commits together, and the difference of a round is corrected for the levels of its two
processes: the analysis of covariance, Cochran, W. G. (1957), doi:10.2307/2527916.

Without a change, base and head are exchangeable within a round, and the levels do not depend on which process is whose.
So the mean of the corrected differences is as likely to lie above zero as below, also where a case was taken for one
with two levels by mistake: covariates that random assignment does not affect leave the test valid (Freedman, D. A.
(2008), doi:10.1016/j.aam.2006.12.003). What does affect the level is a change of the share of slow processes. It shows
in the mean difference, which is therefore tested as well.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel.stats.paired_differences import Estimates, adjust_for
from windtunnel.stats.special import Floats
from windtunnel.stats.two_levels import split_levels

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChanges:
    """How the levels of cases with two levels changed; arrays have one entry per case."""

    found: Flags
    """Whether the case has two levels. Without, the other fields mean nothing."""
    estimates: Estimates
    """The mean differences within a level."""
    distance: Floats
    """How far the levels are apart, on the scale of the case."""
    on_upper: Floats
    """The number of processes of each arm on the upper level, shape (cases, 2)."""


def find_level_changes(before: Floats, after: Floats, thresholds: Floats, floor: Floats | float) -> LevelChanges:
    """Return the changes within levels of *before* and *after*, shape (cases, rounds), NaN where there is none.

    Levels closer than the threshold are not distinguished: they hide no change that matters. Each commit has to show
    both levels: if one of them lies on the lower level and the other on the upper one, that is a change.
    """
    paired = np.isfinite(before) & np.isfinite(after)
    first, second = np.where(paired, before, np.nan), np.where(paired, after, np.nan)
    splits = split_levels(np.concatenate([first, second], axis=1), floor)
    rounds = first.shape[1]
    upper = [splits.is_upper[:, :rounds], splits.is_upper[:, rounds:]]
    crossings = np.where(paired, upper[1].astype(float) - upper[0], np.nan)
    both_levels = np.all([[one.any(axis=1), (paired & ~one).any(axis=1)] for one in upper], axis=(0, 1))
    found = splits.found & (splits.distance >= thresholds) & both_levels
    estimates = adjust_for(second - first, crossings, floor)
    return LevelChanges(
        found=found & np.isfinite(estimates.error),
        estimates=estimates,
        distance=splits.distance,
        on_upper=np.stack([one.sum(axis=1) for one in upper], axis=1),
    )
