"""Results in memory, merging, the results branch, and the cache of columns."""
