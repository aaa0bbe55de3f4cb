"""The types of replies match GitHub's description, field by field."""

import types
import typing

import msgspec
import pytest
from forge.description import content

from windtunnel.github import api_issues, check, pull_requests, runs

SCHEMAS = {
    "simple-user": api_issues.Account,
    "issue-comment": api_issues.Comment,
    "labeled-issue-event": api_issues.IssueEvent,
    "check-run": check.CheckRun,
    "pull-request": pull_requests.PullRequest,
    "minimal-repository": pull_requests.BranchRepository,
    "pull-request-simple": pull_requests.PullRequest,
    "workflow-run": runs.WorkflowRun,
    "job": runs.WorkflowJob,
    "artifact": runs.Artifact,
    "issue": api_issues.Issue,
}
JSON_TYPES = {str: "string", int: "integer", bool: "boolean"}


def schema(name):
    return content()["components"]["schemas"][name]


def expected(hint):
    """The JSON types that a field's type takes; None for what is described elsewhere."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kinds = {JSON_TYPES[part] for part in parts if part in JSON_TYPES}
    return kinds | ({"null"} if type(None) in parts else set()) if kinds else None


def test_the_description_is_a_valid_one():
    """What it says of requests is read as meant."""
    from openapi_core import OpenAPI  # takes half a second, which every worker would spend

    OpenAPI.from_dict(content())


@pytest.mark.parametrize(("name", "cls"), SCHEMAS.items(), ids=SCHEMAS)
def test_the_types_of_replies_match_githubs_description(name, cls):
    """A field of another name or type would fail on GitHub only."""
    described, hints = schema(name), typing.get_type_hints(cls)
    for field in msgspec.structs.fields(cls):
        assert field.name in described["properties"], field.name
        if field.required:
            assert field.name in described["required"], f"{field.name} may be missing"
        wanted, said = expected(hints[field.name]), described["properties"][field.name]
        if wanted and "type" in said:
            kinds = set(said["type"] if isinstance(said["type"], list) else [said["type"]])
            assert kinds - {"null"} == wanted - {"null"}, field.name
            nullable = said.get("nullable", False) or "null" in kinds
            assert not nullable or "null" in wanted, f"{field.name} may be null"
