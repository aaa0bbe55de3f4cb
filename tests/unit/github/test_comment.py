"""The hidden line of Windtunnel's comment."""

import pytest

from windtunnel.errors import UsageError
from windtunnel.github.comment import MAX_EARLIER, MAX_EARLIER_LENGTH, CommentMetadata, PostedVerdict
from windtunnel.text.numbers import duration

HEAD = "a" * 40


def a_body(metadata, *, headline="1 of 1 became slower", earlier=()):
    listed = "\n".join(("<!-- windtunnel:earlier -->", *earlier, "<!-- windtunnel:earlier-end -->"))
    return f"## {headline}\n\n**What to do:** x\n\n{listed}\n{metadata}\n"


def test_a_comment_is_read_back():
    """The hidden line, the headline and the earlier verdicts are read."""
    metadata = CommentMetadata(key="asv-suite", head=HEAD, run=17, attempt=2)
    marked = PostedVerdict.read(a_body(metadata, earlier=("- `bbbbbbbbbb`: fine",)), "asv-suite")
    assert marked == PostedVerdict(
        metadata=metadata, headline="1 of 1 became slower", earlier=("- `bbbbbbbbbb`: fine",)
    )


def test_line_ends_of_the_web_form_do_not_matter():
    """Editing a comment in a browser changes line ends to CR LF."""
    metadata = CommentMetadata(key="k", head=HEAD)
    body = a_body(metadata, earlier=("- `bbbbbbbbbb`: fine",)).replace("\n", "\r\n")
    assert PostedVerdict.read(body, "k") == PostedVerdict.read(a_body(metadata, earlier=("- `bbbbbbbbbb`: fine",)), "k")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "a comment",
        f"{CommentMetadata(key='other', head=HEAD)}",
        f"{CommentMetadata(key='k', head=HEAD)}\nquoted by somebody",
        f"> {CommentMetadata(key='k', head=HEAD)}",
        "<!-- windtunnel:verdict key=k head=xyz run=1.1 -->",
        "<!-- windtunnel:verdict key=k head=aaaaaaa run=99999999999999999999.1 -->",
    ],
)
def test_only_a_last_line_of_ours_is_a_marker(body):
    """A quotation, another suite's line and a malformed line do not count."""
    assert PostedVerdict.read(body, "k") is None


def test_the_history_is_short_and_has_each_commit_once():
    """A commit that is measured again replaces its line; the oldest lines are dropped."""
    earlier = tuple(f"- `{number:010x}`: {'x' * 300}" for number in range(30))
    marked = PostedVerdict(metadata=CommentMetadata(key="k", head=HEAD), headline="slower", earlier=earlier)
    history = marked.history("b" * 40)
    assert history[0] == f"- `{HEAD[:10]}`: slower"
    assert len(history) <= MAX_EARLIER
    assert sum(map(len, history)) <= MAX_EARLIER_LENGTH
    assert all(HEAD[:10] not in line for line in marked.history(HEAD))


@pytest.mark.parametrize("key", ["", "a b", "x" * 61, "-->", "ä"])
def test_a_key_that_would_not_be_found_again_is_refused(key):
    """A key must be readable and must not end the hidden line."""
    with pytest.raises(UsageError, match="--key"):
        CommentMetadata(key=key, head=HEAD)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (89, "89 s"), (90, "1.5 min"), (3600, "60.0 min"), (7200, "2.0 h")]
)
def test_durations_are_in_words(seconds, words):
    """Durations have no fraction of a second and no four-digit number of minutes."""
    assert duration(seconds) == words
