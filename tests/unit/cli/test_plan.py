"""The outputs of a workflow step fit into what GitHub accepts, or the message says what to change."""

import json

import pytest
from builders.plans import a_piece

from windtunnel.bench.format import PLAN_SCHEMA, Plan
from windtunnel.bench.sharding import distribute, shared_builds
from windtunnel.cli.plan import build_matrix_of, matrix_of
from windtunnel.cli.workflow_run import MAX_OUTPUT_BYTES, write_github_output
from windtunnel.errors import UsageError
from windtunnel.model.settings import MAX_MATRIX_JOBS


def a_plan(shards):
    """A plan with many commits in many environments, for *shards* jobs."""
    pieces = [
        a_piece(f"b{benchmark}", commit=f"{commit:040}", environment=f"e{commit % 20}", seconds=3600.0, cases=2)
        for commit in range(300)
        for benchmark in range(3)
    ]
    cut = distribute(pieces, shards)
    return Plan(
        schema=PLAN_SCHEMA, project="p", config="c", environments=(), shards=cut, excluded=(), benchmarks="{}",
        builds=shared_builds((*cut, *cut), {}),
    )  # fmt: skip


def test_the_largest_plan_fits_into_a_matrix(tmp_path):
    """256 jobs of each kind, and 1 MiB of outputs (docs.github.com, "Actions limits" and "Workflow syntax")."""
    plan = a_plan(MAX_MATRIX_JOBS)
    matrices = [matrix_of(plan, "virtualenv"), build_matrix_of(plan, "virtualenv")]
    assert [len(json.loads(one)["include"]) for one in matrices] == [256, 256]
    env = {"GITHUB_OUTPUT": str(tmp_path / "output")}
    write_github_output(env, {"matrix": matrices[0], "builds": matrices[1], "shards": "256", "cases": "1800"})


def test_outputs_that_github_would_refuse_are_refused_with_a_remedy(tmp_path):
    """A job's outputs take at most 1 MB in UTF-16 (docs.github.com, Workflow syntax, jobs.<job_id>.outputs)."""
    file = tmp_path / "output"
    env = {"GITHUB_OUTPUT": str(file)}
    write_github_output(env, {"m": "x" * (MAX_OUTPUT_BYTES // 2 - 3)})
    before = file.read_bytes()
    with pytest.raises(UsageError, match=rf"1048578 bytes, and GitHub accepts {MAX_OUTPUT_BYTES}; .*fewer shards"):
        write_github_output(env, {"m": "x" * (MAX_OUTPUT_BYTES // 2 - 2)})
    assert file.read_bytes() == before
