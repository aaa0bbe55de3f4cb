"""The shell that measures: a supervised child process drives asv, one task at a time."""
