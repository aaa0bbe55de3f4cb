"""Statistics: arrays in, numbers out, on numpy; each module cites its sources."""
