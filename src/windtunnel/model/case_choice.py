"""The cases that a user asks for: ``--bench`` as asv matches it, ``-k`` and ``-m`` as pytest does."""

import ast
import re
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.errors import UsageError

MARKERS = "windtunnel_markers"
"""Key of an entry of benchmarks.json: the markers of each case, in asv's order; one list if all have the same."""

NAME = re.compile(r"[\w:+\-.\[\]\\/]+")
"""A name or an operator of pytest's expressions."""

OPERATORS = frozenset(("and", "or", "not"))

MAX_EXPRESSION = 1000
"""Characters of an expression that are read."""


class CaseChoice(Struct, frozen=True, kw_only=True):
    """Which cases to measure; each field is an option of a command."""

    bench: Annotated[tuple[str, ...], Meta(extra={"metavar": "REGEX"})] = ()
    """Measure only the cases that match; may be repeated."""
    k: Annotated[str, Meta(extra={"metavar": "EXPR"})] = ""
    """Of these, only the cases whose names match this expression of pytest, such as 'parse and not slow'."""
    m: Annotated[str, Meta(extra={"metavar": "EXPR"})] = ""
    """Of these, only the cases of pytest with the markers that this expression says, such as 'not slow'."""

    @property
    def asked(self) -> str:
        """What was asked for, for a message; empty for all cases."""
        wanted = " or ".join(self.bench), self.k and f"-k {self.k!r}", self.m and f"-m {self.m!r}"
        return " with ".join(filter(None, wanted))


def matches(option: str, expression: str, has: Callable[[str], bool]) -> bool:
    """Return whether *expression*, of names, ``and``, ``or``, ``not`` and parentheses, is true where *has* decides.

    Raises UsageError, which names the *option*, if it is not such an expression.
    """
    values = NAME.sub(lambda word: word[0] if word[0] in OPERATORS else str(has(word[0])), expression[:MAX_EXPRESSION])
    try:
        return _value(ast.parse(values.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(
            f"{option} {expression[:80]!r} is not an expression of names, 'and', 'or', 'not' and parentheses; write "
            "one such as 'parse and not slow'"
        ) from None


def _value(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=bool(value)):
            return value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(map(_value, values))
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(_value, values))
        case _:
            raise ValueError(type(node).__name__)
