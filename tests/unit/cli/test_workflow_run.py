"""Outputs of a workflow step."""

import pytest

from windtunnel.cli.workflow_run import write_github_output
from windtunnel.errors import DataError


def test_outputs_that_github_would_refuse_are_an_error(tmp_path):
    """A job's outputs take at most 1 MB in UTF-16 (docs.github.com, Workflow syntax, jobs.<job_id>.outputs)."""
    file = tmp_path / "output"
    env = {"GITHUB_OUTPUT": str(file)}
    write_github_output(env, {"parts": "x" * 500_000})
    before = file.read_bytes()
    with pytest.raises(DataError, match="select less"):
        write_github_output(env, {"parts": "x" * 300_000, "base": "x" * 300_000})
    assert file.read_bytes() == before
