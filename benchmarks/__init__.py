"""The suites: what is timed, never how."""
