"""GitHub's REST interface: client, comments, checks, issues, and the workflow files that init writes."""
