"""The grammar of comment commands: parse ``/benchmark …`` into a command, or into what is wrong with it.

Each value becomes one argument of a command, in the environment of a workflow step; none may hold a line break.
"""

import re
import shlex
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher

from msgspec import Struct

from windtunnel.text.escaping import code, plain

WORD = "/benchmark"
MAX_COMMAND_LENGTH = 500
"""Characters."""
MIN_DIGITS_OF_COMMIT = 10
"""Digits that must be given of the hash of a commit."""
MIN_SIMILARITY = 0.8
"""From here on a word counts as a misspelling of the name of a command."""

PYTHON = re.compile(r"[A-Za-z]*[0-9][0-9.]*t?")
REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./~^-]{0,99}")
SUITE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")
COMMIT = re.compile(rf"[0-9a-f]{{{MIN_DIGITS_OF_COMMIT},64}}")
SHORT_COMMIT = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,9}")
ALERT_ID = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{6,12}|[a-f]{12}")
"""The id of an alert, or a beginning of it that no English word is."""
MISSPELT_WORD = re.compile(rf"{WORD}[a-z]{{1,4}}")

USAGE = (
    "/benchmark [COMMIT] [REGEX] [--python SPEC]",
    "/benchmark [COMMIT] bisect BENCHMARK GOOD BAD",
    "/benchmark ack REASON",
    "/benchmark ack ID REASON",
    "/benchmark mute ID UNTIL REASON",
    "/benchmark expect ID REASON",
    "/benchmark help",
)
"""Every form of a command; ``--suite NAME`` may follow the word, the name of the command, or a measurement."""
VERBS = ("bisect", "ack", "mute", "expect", "help")


class CompareCommand(Struct, frozen=True, kw_only=True):
    """Measure the pull request now."""

    bench: str = ""
    """A regular expression; empty for all cases."""
    python: str = ""
    """A Python version; empty for the default."""
    commit: str = ""
    """The head that may run, or the beginning of its hash; empty for the current one."""
    suite: str = ""
    """The name of one of several suites; empty for all."""

    @property
    def is_whole(self) -> bool:
        """Whether all cases are measured, on the Python that a pull request is measured on."""
        return not (self.bench or self.python)


class BisectCommand(Struct, frozen=True, kw_only=True):
    """Find the commit that changed a benchmark."""

    benchmark: str
    """The name of the benchmark."""
    good: str
    """A revision before the change."""
    bad: str
    """A revision after the change."""
    commit: str = ""
    """The head that may run, or the beginning of its hash; empty for the current one."""
    suite: str = ""
    """The name of one of several suites; empty for all."""


class RespondCommand(Struct, frozen=True, kw_only=True):
    """Acknowledge, mute or accept; an alert, or with ``ack`` the regression of a pull request."""

    response: str
    """ack, mute or expect."""
    why: str
    """The reason."""
    alert: str = ""
    """The alert's id; empty for what the comment is on."""
    until: str = ""
    """The first day on which a muted alert is active again."""
    suite: str = ""
    """The name of one of several suites; empty for all."""


class HelpCommand(Struct, frozen=True, kw_only=True):
    """List the commands."""

    suite: str = ""
    """The name of one of several suites; empty for all."""


class InvalidCommand(Struct, frozen=True, kw_only=True):
    """A comment that starts with ``/benchmark`` and is not a valid command."""

    why: str
    """What is wrong, and how to write it, in Markdown; text of the comment in it is escaped."""
    suite: str = ""
    """The name of one of several suites; empty for all."""


CommentCommand = CompareCommand | BisectCommand | RespondCommand | HelpCommand | InvalidCommand


@dataclass(frozen=True, slots=True)
class _InvalidCommandError(Exception):
    """A command is wrong."""

    why: str


def parse(body: str) -> CommentCommand | None:
    """Return the command in the first line of *body*, None where it does not start with ``/benchmark``.

    GitHub's startsWith, with which the workflow chooses comments, ignores case.
    """
    first = body.lstrip("\ufeff").partition("\n")[0].replace("\t", " ").strip()
    word, rest = [*first.split(maxsplit=1), "", ""][:2]
    word = word.lower()
    if word != WORD:
        return InvalidCommand(why=f"did you mean `{WORD}`?") if MISSPELT_WORD.fullmatch(word) else None
    if len(first) > MAX_COMMAND_LENGTH or not first.isprintable():
        return InvalidCommand(
            why=f"the command has more than {MAX_COMMAND_LENGTH} characters or unprintable characters"
        )
    suite = ""
    try:
        suite, rest = _take_suite(rest)
        commit, rest = _take_commit(rest)
        verb, _, arguments = rest.strip().partition(" ")
        if verb in {"ack", "mute", "expect"}:
            suite, arguments = _take_suite(arguments, suite)
            return _response(verb, arguments, commit, suite)
        suite, words = _find_suite(_split(rest), suite)
        return _measurement(words, commit, suite)
    except _InvalidCommandError as error:
        return InvalidCommand(why=error.why, suite=suite)


def _take_suite(text: str, suite: str = "") -> tuple[str, str]:
    """Return the value of a leading ``--suite``, and the rest of *text*; *suite* and *text* where there is none."""
    words = text.split(maxsplit=2)
    if words[:1] != ["--suite"]:
        return suite, text
    _, name, rest = (*words, "", "")[:3]
    return _suite(name, suite), rest


def _find_suite(words: list[str], suite: str) -> tuple[str, list[str]]:
    """Return the value of ``--suite`` anywhere in *words*, and the others."""
    if "--suite" not in words:
        return suite, words
    at = words.index("--suite")
    return _suite("".join(words[at + 1 : at + 2]), suite), words[:at] + words[at + 2 :]


def _suite(name: str, before: str) -> str:
    if before or not SUITE.fullmatch(name):
        raise _InvalidCommandError(
            "write `--suite NAME` once, with the name that `windtunnel init --name` gave to the suite, or `default`"
        )
    return name


def _take_commit(text: str) -> tuple[str, str]:
    first, _, rest = text.strip().partition(" ")
    if SHORT_COMMIT.fullmatch(first):
        raise _InvalidCommandError(
            f"{code(first)} is too short for a commit; give its full hash, or at least {MIN_DIGITS_OF_COMMIT} digits"
        )
    return (first, rest) if COMMIT.fullmatch(first) else ("", text)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise _InvalidCommandError(f"{error}; quote as in a shell".lower()) from None


def _response(verb: str, arguments: str, commit: str, suite: str) -> RespondCommand:
    """Parse what follows ack, mute or expect; the reason is taken as it is, so an apostrophe needs no quoting."""
    usage = " or ".join(f"`{one}`" for one in USAGE if f" {verb} " in one)
    if commit:
        raise _InvalidCommandError(f"`{verb}` runs no code and takes no commit; write {usage}")
    first, _, rest = arguments.strip().partition(" ")
    alert, rest = (first, rest.strip()) if ALERT_ID.fullmatch(first) else ("", arguments.strip())
    until = ""
    if verb == "mute":
        until, _, rest = rest.partition(" ")
        if not _is_day(until):
            raise _InvalidCommandError(f"UNTIL must be a date such as 2027-01-31; write {usage}")
    why = _unquoted(rest.strip())
    if not why:
        raise _InvalidCommandError(f"the reason is missing; write {usage}")
    return RespondCommand(response=verb, alert=alert, until=until, why=why, suite=suite)


def _is_day(text: str) -> bool:
    try:
        return len(text) == len("2027-01-31") and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _unquoted(text: str) -> str:
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _measurement(words: list[str], commit: str, suite: str) -> CommentCommand:
    match words:
        case ["help", *_]:
            return HelpCommand(suite=suite)
        case ["bisect", benchmark, good, bad] if _is_range(good, bad) and not benchmark.startswith("-"):
            return BisectCommand(benchmark=benchmark, good=good, bad=bad, commit=commit, suite=suite)
        case ["bisect", *_]:
            raise _InvalidCommandError(f"write `{USAGE[1]}`, with a name in quotes where it holds spaces")
        case _:
            return _comparison(words, commit, suite)


def _is_range(good: str, bad: str) -> bool:
    return bool(REVISION.fullmatch(good) and REVISION.fullmatch(bad))


def _comparison(words: list[str], commit: str, suite: str) -> CompareCommand:
    bench, python = "", ""
    while words:
        match words:
            case ["--python", spec, *others] if PYTHON.fullmatch(spec) and not python:
                python, words = spec, others
            case [regex, *others] if not regex.startswith("-") and not bench:
                bench, words = regex, others
            case _:
                raise _InvalidCommandError(_explain(words[0], bench))
    if (verb := _similar(bench)) and not re.match(f"{verb}[a-z]", bench):
        raise _InvalidCommandError(
            f"did you mean `{WORD} {verb} …`? To measure the cases that match {code(bench)}, "
            f"write {code(f'{WORD} ({bench})')}"
        )
    try:
        re.compile(bench)
    except (re.error, RecursionError, OverflowError) as error:
        raise _InvalidCommandError(f"{code(bench)} is not a regular expression: {plain(str(error))}") from None
    return CompareCommand(bench=bench, python=python, commit=commit, suite=suite)


def _explain(word: str, first: str) -> str:
    """Return what is wrong with *word*, which follows the regular expression *first*."""
    if verb := _similar(first, 0.6):
        return f"did you mean `{WORD} {verb} …`?"
    if word.startswith("-"):
        return f"{code(word)} is not valid here; write `{USAGE[0]}`"
    return f"{code(word)} is one word too many; write `{USAGE[0]}`, with an expression that holds spaces in quotes"


def _similar(word: str, least: float = MIN_SIMILARITY) -> str:
    """Return the name of the command that *word* may be a misspelling of, "" for none."""
    word = word.lower()
    if word.startswith("acknowl"):
        return "ack"
    same_start = [verb for verb in VERBS if word[:1] == verb[0] and word.isalpha()]
    return next((verb for verb in same_start if SequenceMatcher(None, verb, word).ratio() >= least), "")
