"""Statistics: arrays in, numbers out; thin over numpy and scipy, each file naming its source."""
