"""Results trees to one, without loss: any number, any order, any grouping gives the same bytes.

Everything here is the least upper bound of its parts in some order (a join-semilattice), which makes merging
associative, commutative and idempotent: Shapiro et al., "Conflict-free replicated data types", 2011,
doi:10.1007/978-3-642-24550-3_29.
"""

from windtunnel.merge.benchmarks import merge_benchmarks
from windtunnel.merge.conflicts import Conflict
from windtunnel.merge.runs import MergedRun, merge_runs
from windtunnel.merge.trees import Merged, merge_trees, stamped

__all__ = ["Conflict", "Merged", "MergedRun", "merge_benchmarks", "merge_runs", "merge_trees", "stamped"]
