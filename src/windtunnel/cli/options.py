"""Options from types: the parser, the help, the checks and the docs of a command come from its options type.

A command is a function; the type of its first parameter, ``options``, is its options type. An options type is a frozen
Struct. Its docstring is the description of the command and ends with an example. Each field is an option; the string
below it is the help. ``bool`` makes a switch, ``bool | None`` a switch with ``--no-``, ``tuple[T, ...]`` an option that
may be repeated. Limits and details of the command line stand in ``Annotated`` (``Meta`` and ``Arg``). A field that is a
Struct itself is a group of options that several commands share.
"""

import argparse
import enum
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NoReturn, TextIO, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from windtunnel.cli.console import NORMAL, QUIET, VERBOSE, Console
from windtunnel.errors import UsageError
from windtunnel.formats import field_docs, type_doc
from windtunnel.model.settings import URL


class CommonOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of every command."""

    quiet: bool = False
    """Print only the result, warnings and errors."""
    verbose: bool = False
    """Print more details."""

    def __post_init__(self) -> None:
        """Refuse options that contradict each other; raises UsageError."""
        if self.quiet and self.verbose:
            raise UsageError("--quiet and --verbose exclude each other")

    def console(self, out: TextIO, err: TextIO) -> Console:
        """Return the console of the command: the result to *out*, as much of the rest as was asked for to *err*."""
        return Console(out=out, err=err, level=QUIET if self.quiet else VERBOSE if self.verbose else NORMAL)


Options = TypeVar("Options", bound=CommonOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arg:
    """How a field appears on the command line, where its type does not say it."""

    metavar: str = ""
    """The name of the value in the help; by default it follows from the type."""
    positional: bool = False
    """An argument without ``--name``."""
    many: bool = False
    """Whether several values follow the option at once."""
    parse: Callable[[str], object] | None = None
    """Converts the text; raises ValueError with the requirement, such as ``must be a URL``."""
    default: str = ""
    """The default in words, where the value does not say it."""


Run = Callable[[Any, Console, Mapping[str, str]], int]
"""A command: takes its options, the console and the environment variables; returns the exit code."""


def options_type(run: Run) -> type[CommonOptions]:
    """Return the type of the options that a command takes."""
    hints: dict[str, type[CommonOptions]] = get_type_hints(run)
    return hints["options"]


EXAMPLE = "\n\nexample:\n"
"""Stands in the docstring of an options type before the lines that a user can copy; the help ends with them."""


PositiveInt = Annotated[int, Meta(ge=1, lt=10**9)]
Count = Annotated[int, Meta(ge=0, lt=10**9)]
Minutes = Annotated[int, Meta(ge=1, lt=10**9), Arg(metavar="MIN")]
File = Annotated[Path, Arg(metavar="FILE")]
Folder = Annotated[Path, Arg(metavar="DIR")]
Name = Annotated[str, Arg(metavar="NAME")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a command, as the parser, the help and the docs need it."""

    path: tuple[str, ...]
    """The names of the fields that lead to the value: of groups, then its own."""
    type: Any
    """The type of one value, without None and without annotations."""
    meta: Meta | None
    arg: Arg
    optional: bool
    """None is a value."""
    repeated: bool
    default: Any
    """msgspec.NODEFAULT where the option is required."""
    doc: str

    @property
    def flag(self) -> str:
        """The option as a user writes it; the metavar of a positional argument."""
        name = self.path[-1].replace("_", "-")
        return self.metavar if self.arg.positional else f"-{name}" if len(name) == 1 else f"--{name}"

    @property
    def required(self) -> bool:
        """Whether the command cannot do without it."""
        return self.default is msgspec.NODEFAULT

    @property
    def switch(self) -> bool:
        """Whether it takes no value."""
        return self.type is bool

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it can have, where they are listed."""
        if get_origin(self.type) is Literal:
            return get_args(self.type)
        if isinstance(self.type, type) and issubclass(self.type, enum.Enum):
            return tuple(str(member.value) for member in self.type)
        return ()

    @property
    def metavar(self) -> str:
        """The name of the value in the help."""
        usual = {int: "N", float: "X", Path: "PATH"}.get(self.type, "TEXT")
        if self.arg.positional:
            usual = self.path[-1].upper()
        named = (self.meta.extra or {}).get("metavar", "") if self.meta else ""
        return self.arg.metavar or named or (f"{{{','.join(self.choices)}}}" if self.choices else usual)

    @property
    def help(self) -> str:
        """The doc of the field, with the default where it is a value that the doc cannot know."""
        shown = self.arg.default
        if not (shown or self.required or self.switch or self.repeated) and self.default not in {None, "", 0}:
            shown = str(self.default)
        return f"{self.doc.removesuffix('.')} (default: {shown})." if shown else self.doc

    def convert(self, text: str) -> Any:
        """Return the value that *text* stands for; raises UsageError that names the option and the requirement."""
        try:
            return self.arg.parse(text) if self.arg.parse else self._typed(text)
        except msgspec.ValidationError:
            raise UsageError(f"{self.flag} {text[:80]!r} {self.requirement}") from None
        except ValueError as error:
            raise UsageError(f"{self.flag} {text[:80]!r} {error}") from None

    def _typed(self, text: str) -> Any:
        if self.type is Path:
            return Path(text)
        value = msgspec.convert(text, Annotated[self.type, self.meta] if self.meta else self.type, strict=False)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(self.requirement)
        return value

    @property
    def requirement(self) -> str:
        """What the value must be."""
        low, high = (self.meta.ge, self.meta.le) if self.meta else (None, None)
        if self.choices:
            return f"must be one of {', '.join(self.choices)}"
        if self.type is int:
            return "must be a positive integer" if low == 1 else "must be an integer" + _range(low, high)
        return "must be a number" + _range(low, high)


def _range(low: float | None, high: float | None) -> str:
    match low, high:
        case None, None:
            return ""
        case _, None:
            return f" of at least {low:g}"
        case None, _:
            return f" of at most {high:g}"
        case _:
            return f" from {low:g} to {high:g}"


def options_of(cls: type[msgspec.Struct], above: tuple[str, ...] = ()) -> Iterator[Option]:
    """Yield the options of the type *cls*: its own fields in order, and those of its groups where they stand."""
    docs, hints = field_docs(cls), get_type_hints(cls, include_extras=True)
    for field in msgspec.structs.fields(cls):
        hint = hints[field.name]
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            yield from options_of(hint, (*above, field.name))
            continue
        value, notes = _without_notes(hint)
        optional = get_origin(value) in {Union, UnionType} and type(None) in get_args(value)
        if optional:
            (value,) = (each for each in get_args(value) if each is not type(None))
            value, more = _without_notes(value)
            notes += more
        arg = next((note for note in notes if isinstance(note, Arg)), Arg())
        repeated = get_origin(value) is tuple and arg.parse is None
        if repeated:
            value, more = _without_notes(get_args(value)[0])
            notes += more
        yield Option(
            path=(*above, field.name),
            type=value,
            meta=next((note for note in notes if isinstance(note, Meta)), None),
            arg=next((note for note in notes if isinstance(note, Arg)), Arg()),
            optional=optional,
            repeated=repeated,
            default=field.default,
            doc=" ".join(docs.get(field.name, "").split()),
        )


def _without_notes(hint: Any) -> tuple[Any, tuple[object, ...]]:
    """Return the type that *hint* annotates, and its annotations."""
    if get_origin(hint) is Annotated:
        value, *notes = get_args(hint)
        return value, tuple(notes)
    return hint, ()


class _Parser(argparse.ArgumentParser):
    """argparse with errors as UsageError, and the help on the stream of results."""

    def __init__(self, name: str, options: type[CommonOptions], out: TextIO) -> None:
        description, _, example = type_doc(options).partition(EXAMPLE)
        super().__init__(
            prog=f"windtunnel {name}",
            description=description,
            epilog=f"example:\n{example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            argument_default=argparse.SUPPRESS,
        )
        self._out = out
        for option in sorted(options_of(options), key=lambda one: one.path[-1] in {"quiet", "verbose"}):
            _add(self, option)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def print_help(self, file: object = None) -> None:  # noqa: ARG002 - argparse's signature
        """Print the help to where results go."""
        self._out.write(self.format_help())


def _add(parser: argparse.ArgumentParser, option: Option) -> None:
    """Add *option* to argparse, which only splits the command line; values stay text."""
    settings: dict[str, Any] = {"help": option.help.replace("%", "%%")}
    if option.switch:
        settings["action"] = argparse.BooleanOptionalAction if option.optional else "store_true"
    else:
        settings["metavar"] = option.metavar
        if option.arg.many:
            settings["nargs"] = "*" if option.arg.positional and not option.required else "+"
        elif option.repeated and not option.arg.positional:
            settings["action"] = "append"
        elif option.arg.positional and not option.required:
            settings["nargs"] = "?"
    if option.arg.positional:
        parser.add_argument("/".join(option.path), **settings)
    else:
        parser.add_argument(option.flag, dest="/".join(option.path), required=option.required, **settings)


def parse(name: str, options: type[Options], argv: Sequence[str], out: TextIO) -> Options | None:
    """Return the *options* of the command *name* in *argv*, None if the help was printed; raises UsageError."""
    parser = _Parser(name, options, out)
    try:
        given = vars(parser.parse_args(list(argv)))
    except SystemExit:
        return None
    values: dict[str, Any] = {}
    try:
        for option in options_of(options):
            path = "/".join(option.path)
            if path in given:
                _put(values, option, given[path])
        return _build(options, values)
    except UsageError as error:
        parser.error(str(error))


def _put(values: dict[str, Any], option: Option, given: Any) -> None:
    """Put the converted value of *option* into the nested *values*."""
    for group in option.path[:-1]:
        values = values.setdefault(group, {})
    if option.switch:
        values[option.path[-1]] = given
    elif option.repeated:
        values[option.path[-1]] = tuple(map(option.convert, given))
    else:
        values[option.path[-1]] = option.convert(given)


S = TypeVar("S", bound=msgspec.Struct)


def _build(cls: type[S], values: Mapping[str, Any]) -> S:
    """Return the *cls* with *values*; groups are built from theirs."""
    hints = get_type_hints(cls)
    groups = {
        name: _build(hint, values.get(name, {}))
        for name, hint in hints.items()
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct)
    }
    return cls(**{**values, **groups})


def parse_url(text: str) -> str:
    """Return the URL *text*; raises ValueError."""
    if text and not URL.fullmatch(text):
        raise ValueError("must be a URL that begins with http:// or https://")
    return text
