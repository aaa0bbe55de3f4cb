"""The types that several features share: cases, commits, environments, machines, runs, rows."""
