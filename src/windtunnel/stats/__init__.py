"""Statistics: arrays in, numbers out, on numpy and scipy; each module cites its sources."""
