"""The claims file is read strictly, and every error names file, claim and key."""

from contextlib import suppress
from pathlib import Path

import pytest
from builders.claim_blocks import HEAD, THIRD, a_claims_file
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import ConfigurationError
from windtunnel_claims.claim import Band, Scope, Statistic
from windtunnel_claims.claims_file import parse_claims
from windtunnel_claims.format import Setting
from windtunnel_claims.samples_format import ProcessMode

ORDER = """
[[claim]]
id = "Z18"
source = "Z"
sentence = "Two workers lie between."
benchmark = "files.Files.time_run"
statistic = "mean"
given = { load = "article", n = 100 }
baseline = { variant = "plain" }
below = 1
scope = { python = "3[.].*", gil = true, cores = 2 }
[[claim.test]]
contender = { variant = "two" }
[[claim.test]]
contender = { variant = "many" }
baseline = { variant = "two" }
contender-benchmark = "files_five.FilesFive.time_run"
between = [0.1, 0.9]
published = 0.6
"""


def test_a_claim_is_read():
    """Values are stored as asv stores them."""
    (claim,) = a_claims_file().claims
    (test,) = claim.tests
    assert (claim.id, claim.source, claim.statistic, claim.scope) == ("Z1", "Z", Statistic.MEDIAN, Scope())
    assert claim.settings == (Setting(name="load", value="'standard'"),)
    assert test.cases[0].settings == (Setting(name="variant", value="'gather'"),)
    assert test.band == Band(low=0.3233, high=0.3433)
    assert test.published == 0.333


def test_a_test_inherits_keys_that_it_does_not_set():
    """Benchmark, baseline and band come from the claim."""
    (claim,) = a_claims_file(ORDER).claims
    first, second = claim.tests
    assert claim.scope == Scope(python="3[.].*", gil=True, cores=2)
    assert claim.given["n"] == 100
    assert first.band == Band(high=1.0)
    assert first.cases[1].settings[0].value == "'plain'"
    assert (first.cases[0].benchmark, second.cases[0].benchmark) == (
        "files.Files.time_run",
        "files_five.FilesFive.time_run",
    )
    assert (second.band, second.published) == (Band(low=0.1, high=0.9), 0.6)


@pytest.mark.parametrize(
    ("words", "band"),
    [
        ("above = 1.5", Band(low=1.5)),
        ("above = 1\nbelow = 2", Band(low=1.0, high=2.0)),
        ("between = [0.8, 1.25]", Band(low=0.8, high=1.25)),
    ],
)
def test_a_band_has_one_end_or_two(words, band):
    """Both ends can be written together."""
    claim = THIRD.replace("between = [0.3233, 0.3433]", words)
    assert a_claims_file(claim).claims[0].tests[0].band == band


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "Z1"\n', "", "claim[0]: the key 'id' is missing"),
        ('id = "Z1"', 'id = ""', "claim[0].id is ''; expected a string of length >= 1"),
        ('"Gathering takes a third."', "3", "claim 'Z1'.sentence is 3; expected a string, got an integer"),
        ('source = "Z"', 'source = "X"', "source is 'X'; write a key of [sources]"),
        ("between = [", "betwen = [", "there is no key 'betwen'; the keys are"),
        ("[0.3233, 0.3433]", "[true, 1]", "between[0] is [True, 1]; expected a number, got true or false"),
        ("[0.3233, 0.3433]", "[nan, 1]", "expected a number > 0"),
        ("[0.3233, 0.3433]", f"[1, 1{'0' * 400}]", "number out of range"),
        ("between = [0.3233, 0.3433]", "", "a test has exactly one band"),
        ("[0.3233, 0.3433]", "[0.3233, 0.3433]\nbelow = 1", "a test has exactly one band"),
        ("between = [0.3233, 0.3433]", "between = [2, 1]", "the smaller number first"),
        ("between = [0.3233, 0.3433]", "between = 1", "between is 1; expected an array"),
        ("between = [0.3233, 0.3433]", "above = 2\nbelow = 1", "the band from 2 to 1 is empty"),
        ("published = 0.333", "published = -1", "published is -1; expected a number > 0"),
        ("published = 0.333", 'statistic = "mode"', "statistic is 'mode'; write 'median' or 'mean'"),
        ("published = 0.333", 'scope = { pythons = "3" }', "there is no key 'pythons'"),
        ("published = 0.333", 'scope = { python = "(" }', "not a regular expression"),
        ("published = 0.333", 'scope = { gil = "no" }', "scope.gil is 'no'; expected true or false"),
        ("published = 0.333", "scope = { cores = 0 }", "scope.cores is 0; expected an integer >= 1"),
        ("published = 0.333", 'processes = "own"', "processes is 'own'; write 'shared' or 'separate'"),
        ("published = 0.333", "zone = 0.04", "lies within its zone of 0.04"),
        ("published = 0.333", "zone = -1", "zone is -1; expected a number >= 0"),
        ("published = 0.333", "scope = 2", "scope is 2; expected a table"),
        ("published = 0.333", "test = 2", "test is 2; expected an array"),
        ("published = 0.333", "test = [{ contender = 1 }]", "test[0].contender is 1; expected a table"),
        ("published = 0.333", "test = [{ id = 'a' }]", "test[0]: there is no key 'id'"),
        ('benchmark = "sleep.Sleep.time_run"', "", "the key 'benchmark' is missing"),
        ('given = { load = "standard" }', "given = { load = [] }", "expected"),
        ('given = { load = "standard" }', "given = { load = 1979-05-27 }", "expected"),
        ('contender = { variant = "gather" }', 'contender = { variant = "sync" }', "the contender is the baseline"),
        ('contender = { variant = "gather" }', 'contender = { variant = ["a", "b"] }', "got an array"),
    ],
)
def test_errors_name_the_claim_and_the_key(old, new, message):
    """The message also says what to write."""
    assert old in THIRD
    with pytest.raises(ConfigurationError, match=r"^claims\.toml") as refused:
        a_claims_file(THIRD.replace(old, new))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "is not TOML"),
        ("a = " + "1" * 5000, "is not TOML"),
        ("claims = 1", "there is no key 'claims'; the keys are claim, control, finding, measuring, sources"),
        ("claim = 1", "claim is 1; expected an array"),
        ("claim = [1]", "claim[0] is 1; expected a table"),
        ("sources = 1", "sources is 1; expected a table"),
        ("[sources]\nZ = 1", "expected a table, got an integer"),
        (HEAD + THIRD + THIRD, "two claims or controls have the id 'Z1'"),
        ("measuring = { analyses = [4, 4] }", "'analyses' is [4, 4]; write ascending numbers of blocks"),
        ("measuring = { analyses = [2, 4] }", "measuring.analyses[0] is 2; expected an integer >= 3"),
        ("measuring = { error = 0.02 }", "5 analyses with an error of 0.02 each miss in more than 5% of cases"),
        ("measuring = { looks = 3 }", "there is no key 'looks'"),
    ],
)
def test_an_invalid_file_is_refused(content, message):
    """The message starts with the name of the file."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml") as refused:
        parse_claims(content, "claims.toml")
    assert message in str(refused.value)


def test_an_empty_file_has_no_claims():
    """That is not an error."""
    assert parse_claims("", "claims.toml").claims == ()


@given(st.text())
def test_no_text_breaks_the_reader(content):
    """The result is a claims file or a ConfigurationError."""
    with suppress(ConfigurationError):
        parse_claims(content, "claims.toml")


def test_measuring_has_defaults_and_is_read():
    """The number of blocks is fixed beforehand, in the file."""
    plain, changed = a_claims_file(), parse_claims("[measuring]\nanalyses = [5, 10]\nerror = 0.02\n", "claims.toml")
    assert (plain.measuring.analyses, plain.measuring.error) == ((4, 6, 10, 16, 24), 0.01)
    assert (changed.measuring.analyses, changed.measuring.error) == ((5, 10), 0.02)


def test_zone_and_processes_come_from_the_claim_or_the_test():
    """A test inherits the zone of its claim; the claim says whether its cases share a process."""
    (claim,) = a_claims_file(
        ORDER.replace("below = 1\n", 'below = 1\nzone = 0.02\nprocesses = "separate"\n') + "zone = 0.05\n"
    ).claims
    assert claim.processes is ProcessMode.SEPARATE
    assert [test.zone for test in claim.tests] == [0.02, 0.05]


FINDING = """
[[finding]]
id = "wait"
question = "I wait for many things"
claim = "Z1"
holds = "Gathering takes {ratio} of the time."
fails = "Gathering takes {percent} less, {contender} instead of {baseline}."
caveat = "Sleeps only."
"""


def test_a_finding_is_read():
    """It names the test by its number, from 1."""
    (finding,) = a_claims_file(THIRD, FINDING).findings
    assert (finding.id, finding.claim, finding.more, finding.caveat) == ("wait", "Z1", (), "Sleeps only.")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('claim = "Z1"', 'claim = "Z2"', "finding 'wait': there is no claim 'Z2'; write ids of claims"),
        ('claim = "Z1"', 'claim = "Z1"\nmore = ["Z3"]', "finding 'wait': there is no claim 'Z3'; write ids of claims"),
        ("{ratio}", "{ration}", "'holds' has the placeholder {ration}; write one of {ratio}, {inverse}"),
        ("{ratio}", "{ratio:99}", "'holds' has the placeholder {ratio:}"),
        ("{ratio}", "{ratio.__class__}", "'holds' has the placeholder {ratio.__class__}"),
        ("{ratio}", "{ratio", "'holds' has a brace without its partner"),
        ("caveat", "x = 1\ncaveat", "there is no key 'x'"),
        ('id = "wait"\n', "", "the key 'id' is missing"),
    ],
)
def test_an_invalid_finding_is_refused(old, new, message):
    """Only the listed placeholders can be used, without formats of their own."""
    assert old in FINDING
    with pytest.raises(ConfigurationError, match=r"^claims\.toml") as refused:
        a_claims_file(THIRD, FINDING.replace(old, new))
    assert message in str(refused.value)


def test_two_findings_cannot_have_one_id():
    """The site links to findings by their ids."""
    with pytest.raises(ConfigurationError, match="two findings have the id 'wait'"):
        a_claims_file(THIRD, FINDING, FINDING)


def test_a_control_cannot_have_the_id_of_a_claim():
    """Blocks name claims and controls by their ids."""
    control = THIRD.replace("[[claim]]", "[[control]]").replace('source = "Z"\n', "")
    control = control.replace('sentence = "Gathering takes a third."\n', "")
    with pytest.raises(ConfigurationError, match="two claims or controls have the id 'Z1'"):
        a_claims_file(THIRD, control)
    assert a_claims_file(THIRD, control.replace('"Z1"', '"waiting"')).controls[0].id == "waiting"


def test_the_examples_in_the_documentation_are_a_claims_file():
    """docs/how-to/claims.md shows a claim and a finding about it, and a series."""
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "claims.md").read_text(encoding="utf-8")
    examples = [part.partition("```")[0] for part in page.split("```toml\n")[1:]]
    found = parse_claims("".join(examples), "claims.toml")
    assert ([each.claim for each in found.findings], [each.id for each in found.claims]) == (["Z1"], ["Z1", "S90"])
    assert (found.claims[1].points[0], found.claims[1].claimed_places) == ("1 ms", (-1, 2))
