"""A file of the tool is read by its format: clear errors, and docs from the types."""

from enum import StrEnum

import msgspec
import pytest

from windtunnel import files, formats
from windtunnel.errors import DataError
from windtunnel.formats import Format, field_docs, type_doc


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    """The colour of fire."""


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """What two types share."""

    size: float
    """Metres."""


class Content(Base, frozen=True, kw_only=True):
    """A whole file."""

    schema: str
    names: tuple[str, ...]
    """Unique names."""


def problems(content):
    if len(set(content.names)) < len(content.names):
        yield "a name is listed twice"


FORMAT = Format(name="content.json", type=Content, schema="x/1", remedy="write it again", check=problems)
VALUE = Content(schema="x/1", names=("a",), size=1.0)


def test_a_file_reads_back():
    """What is encoded decodes to the same value."""
    assert FORMAT.decode(FORMAT.encode(VALUE), "file") == VALUE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "file is not a valid content.json: "),
        (b"[" * 100_000, "file is not a valid content.json: "),
        (b'{"schema": "x/2"}', "file has the schema 'x/2', but this version reads 'x/1'; write it again"),
        (b'{"schema": "x/1", "size": 1}', "missing required field `names`; write it again"),
        (b'{"schema": "x/1", "size": "a", "names": []}', "Expected `float`, got `str` - at `$.size`; write it again"),
        (b'{"schema": "x/1", "size": 1, "names": ["a", "a"]}', "a name is listed twice; write it again"),
    ],
)
def test_an_error_names_the_file_the_problem_and_the_remedy(content, message):
    """Every error is a DataError of the same shape."""
    with pytest.raises(DataError, match=r"^file ") as caught:
        FORMAT.decode(content, "file")
    assert message in str(caught.value)


def test_new_fields_are_ignored():
    """A later version may add fields without a new schema."""
    assert FORMAT.decode(b'{"schema": "x/1", "size": 1, "names": ["a"], "new": 1}', "file") == VALUE


def test_a_missing_file_is_named_with_the_remedy(tmp_path):
    """The error is a DataError, not an OSError."""
    with pytest.raises(DataError, match=r"gone\.json cannot be read: .*; write it again"):
        files.read(tmp_path / "gone.json", FORMAT)


def test_a_huge_file_is_refused():
    """More than the limit is not decoded."""
    with pytest.raises(DataError, match="bytes, but at most"):
        formats.decode(b" " * (formats.MAX_BYTES + 1), Content, "file")


def test_docs_of_fields_are_the_literals_below_them():
    """Fields of bases and members of enums have docs as well; a field without a literal has none."""
    assert field_docs(Content) == {"size": "Metres.", "names": "Unique names."}
    assert field_docs(Colour) == {"RED": "The colour of fire."}
    assert type_doc(Colour) == "A colour."
