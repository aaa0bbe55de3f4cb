"""Fields that come from several sources, to one set."""

from collections.abc import Iterable

from windtunnel.model.field import Field, Fields


def merge_fields(sources: Iterable[Fields]) -> Fields:
    """Return every field; where sources differ, the greater text, which says nothing but is the same in any order."""
    merged: dict[str, Field] = {}
    for fields in sources:
        for field in fields:
            merged[field.name] = max(field, merged.get(field.name, field))
    return tuple(sorted(merged.values()))


def differences(one: Fields, other: Fields) -> tuple[str, ...]:
    """Return the names of the fields that both have with different values."""
    known = {field.name: field.json for field in one}
    return tuple(field.name for field in other if known.get(field.name, field.json) != field.json)
