"""The events of events.toml: what is refused, and at which commit charts show them."""

import pytest
from builders.records import a_build, a_record, a_task
from builders.trees import a_hash
from msgspec.structs import replace

from windtunnel.errors import ConfigurationError
from windtunnel.publish.annotations import MAX_SIZE, parse_annotations, place_annotations
from windtunnel.publish.format.site import Release
from windtunnel.publish.site_index import SiteCommit

COMMITS = [SiteCommit(hash=a_hash(at), commit=None, date=86_400.0 * at, revision=at) for at in range(10)]


def marks_of(text, *records):
    annotations = parse_annotations(text.encode(), "events.toml")
    marks, notes = place_annotations(annotations, COMMITS, [Release(name="v2", commit=7)], records)
    return [(each.commit, each.label) for each in marks], notes


@pytest.mark.parametrize(
    ("where", "at"),
    [("date = 1970-01-04", 3), (f'commit = "{a_hash(5)}"', 5), ('version = "2"', 7), ('version = "v2"', 7)],
)
def test_an_event_is_at_its_day_its_commit_or_its_release(where, at):
    """A day is at the first commit of that day or later."""
    assert marks_of(f'[[event]]\n{where}\ntext = "It moved."') == (
        [(at, "2: It moved." if where == 'version = "2"' else "v2: It moved." if "v2" in where else "It moved.")],
        (),
    )


def test_a_version_of_a_library_is_at_the_first_run_that_has_it():
    """Names are normalised, and the order of records does not matter."""
    tasks = [replace(a_task(commit=at), build=a_build(packages=("Spam_Eggs==2",))) for at in (6, 4)]
    text = '[[event]]\nlibrary = "spam-eggs"\nversion = "2"\ntext = "It moved."'
    assert marks_of(text, a_record(*tasks)) == ([(4, "spam-eggs 2: It moved.")], ())


def test_an_event_outside_of_the_history_is_a_note():
    """It does not move to another commit."""
    assert marks_of('[[event]]\ndate = 2030-01-01\ntext = "Later."') == (
        [],
        ("An event has no place in this history: Later.",),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[event]", "not TOML"),
        ('[[event]]\ntext = "x"', "needs one of"),
        ('[[event]]\ndate = 2030-01-01\nversion = "1"\ntext = "x"', "needs one of"),
        ('[[event]]\ncommit = "--all--"\ntext = "x"', "not seven digits"),
        ('[[event]]\nversion = "1"\ntext = "x"\nlink = "javascript:alert(1)"', "not a web address"),
        (f'[[event]]\nversion = "1"\ntext = "{"x" * 161}"', "text"),
        ('[[event]]\nversion = "1"\ntext = "x"\nwhen = 1', "when"),
        ("#" * (MAX_SIZE + 1), "more than"),
        ('[[event]]\nversion = "1"\ntext = "x"\n' * 501, "event"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_the_key(text, said):
    """Before a site is built."""
    with pytest.raises(ConfigurationError) as refused:
        parse_annotations(text.encode(), "events.toml")
    assert "events.toml" in str(refused.value)
    assert said in str(refused.value)


def test_control_characters_do_not_reach_a_label():
    """The file may come from a pull request."""
    ((_, label),), _ = marks_of('[[event]]\ncommit = "' + a_hash(1) + '"\ntext = "a\\u001b[31m\\u202eb"')
    assert "\x1b" not in label
    assert "\u202e" not in label
