"""The statistics that asv stores beside the samples of a case; the rest of the tool imports asv_runner through here."""

from asv_runner.statistics import compute_stats

__all__ = ["compute_stats"]
