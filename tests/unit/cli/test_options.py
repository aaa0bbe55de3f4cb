"""An options type is the parser, the help and the checks of a command."""

import io
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from windtunnel.cli.options import Arg, CommonOptions, PositiveInt, parse, parse_url
from windtunnel.errors import UsageError


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Options that several commands share."""

    python: tuple[str, ...] = ()
    """Measure on this Python; may be repeated."""


class Options(CommonOptions, frozen=True, kw_only=True):
    """Measure something, 5 % of it.

    A second paragraph.

    example:
      windtunnel measure results
    """

    results: Annotated[tuple[Path, ...], Arg(positional=True, metavar="DIR", many=True)]
    """Folders of results."""
    out: Path = Path("out.json")
    """Write here."""
    count: PositiveInt | None = None
    """How many."""
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    """The share of cases, such as 10 %."""
    kind: Literal["history", "dots"] = "history"
    """What to draw."""
    pages: bool | None = None
    """Deploy the pages."""
    dry_run: bool = False
    """Change nothing."""
    site: Annotated[str, Arg(metavar="URL", parse=parse_url)] = ""
    """The address of the site."""
    group: Group


def parsed(*argv):
    return parse("measure", Options, argv, io.StringIO())


def help_text():
    out = io.StringIO()
    assert parse("measure", Options, ["--help"], out) is None
    return out.getvalue()


def test_defaults_are_those_of_the_type():
    """An option that is not given has the default of its field."""
    assert parsed("a") == Options(results=(Path("a"),), group=Group())


def test_values_have_the_type_of_the_field():
    """Text becomes numbers, paths, tuples and groups."""
    options = parsed("a", "b", "--count", "3", "--share", "0.25", "--kind", "dots", "--python", "3.12", "--python", "x")
    assert options.results == (Path("a"), Path("b"))
    assert (options.count, options.share, options.kind) == (3, 0.25, "dots")
    assert options.group.python == ("3.12", "x")


@pytest.mark.parametrize(("argv", "value"), [((), None), (("--pages",), True), (("--no-pages",), False)])
def test_a_switch_that_may_be_none_has_three_states(argv, value):
    """It is given, negated, or absent."""
    assert parsed("a", *argv).pages is value


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--count", "0"), "--count '0' must be a positive integer"),
        (("--count", "x"), "--count 'x' must be a positive integer"),
        (("--count", "1.5"), "--count '1.5' must be a positive integer"),
        (("--share", "2"), "--share '2' must be a number from 0 to 1"),
        (("--share", "nan"), "--share 'nan' must be a number from 0 to 1"),
        (("--kind", "pie"), "--kind 'pie' must be one of history, dots"),
        (("--site", "ftp://x"), "--site 'ftp://x' must be a URL"),
        (("--quiet", "--verbose"), "--quiet and --verbose exclude each other"),
        (("--dry",), "unrecognized arguments: --dry"),
    ],
)
def test_a_value_that_does_not_fit_is_a_usage_error(argv, message):
    """The message names the option, the value, the requirement, and the help."""
    with pytest.raises(UsageError) as caught:
        parsed("a", *argv)
    assert message in str(caught.value)
    assert str(caught.value).endswith("see windtunnel measure --help")


def test_a_missing_argument_is_a_usage_error():
    """Its metavar names it."""
    with pytest.raises(UsageError, match="DIR"):
        parsed()


def test_the_help_comes_from_the_type():
    """It has the docstring, the doc and the default of every field, and the example."""
    text = " ".join(help_text().split())
    assert "Measure something, 5 % of it. A second paragraph." in text
    assert "--share X The share of cases, such as 10 % (default: 0.5)." in text
    assert "--out PATH Write here (default: out.json)." in text
    assert "--count N How many." in text
    assert "--pages, --no-pages" in text
    assert "--python TEXT Measure on this Python; may be repeated." in text
    assert text.endswith("example: windtunnel measure results")
