"""The claims file: strict, and every error names file, claim and key."""

from contextlib import suppress

import pytest
from builders.claim_books import HEAD, THIRD, a_book
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.claims import claims_file
from windtunnel.claims.claim import Band, Scope, Statistic
from windtunnel.errors import ConfigurationError

ORDER = """
[[claim]]
id = "Z18"
source = "Z"
sentence = "Two workers lie between."
benchmark = "files.Files.time_run"
statistic = "minimum"
given = { load = "article", n = [100, 10] }
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
article = 0.6
"""


def test_a_claim_is_read_as_it_stands():
    """Values are kept as asv keeps them; a tolerance is a share of the ratio, to both sides."""
    (claim,) = a_book().claims
    (test,) = claim.tests
    assert (claim.id, claim.source, claim.statistic, claim.scope) == ("Z1", "Z", Statistic.MEDIAN, Scope())
    assert (claim.given[0].name, claim.given[0].values) == ("load", ("'article'", "'standard'"))
    assert (test.contender.settings[0].name, test.contender.settings[0].value) == ("variant", "'gather'")
    assert (test.band.low, test.band.high) == pytest.approx((0.3333 * 0.97, 0.3333 * 1.03))
    assert test.article == 0.333


def test_a_test_inherits_what_it_does_not_say():
    """Benchmark, baseline and band of the claim, each unless the test has its own."""
    (claim,) = a_book(ORDER).claims
    first, second = claim.tests
    assert claim.scope == Scope(python="3[.].*", gil=True, cores=2)
    assert claim.given[1].values == ("100", "10")
    assert first.band == Band(high=1.0)
    assert first.baseline.settings[0].value == "'plain'"
    assert (first.contender.benchmark, second.contender.benchmark) == (
        "files.Files.time_run",
        "files_five.FilesFive.time_run",
    )
    assert (second.band, second.article) == (Band(low=0.1, high=0.9), 0.6)


@pytest.mark.parametrize(
    ("words", "band"),
    [
        ("above = 1.5", Band(low=1.5)),
        ("above = 1\nbelow = 2", Band(low=1.0, high=2.0)),
        ("between = [0.8, 1.25]", Band(low=0.8, high=1.25)),
        ("above-per-core = 0.7", Band(low=0.7, per_core=True)),
        ("above-per-core = 0.7\nmost-cores = 15", Band(low=0.7, per_core=True, most_cores=15)),
    ],
)
def test_a_band_has_one_of_four_forms(words, band):
    """Besides ratio and tolerance."""
    claim = THIRD.replace("ratio = 0.3333\ntolerance = 0.03", words)
    assert a_book(claim).claims[0].tests[0].band == band


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('id = "Z1"\n', "", "claim 1: 'id' is missing"),
        ('id = "Z1"', 'id = " "', "claim 1: 'id' is ' '"),
        ('"Gathering takes a third."', "3", "claim 'Z1': 'sentence' is 3; write a text"),
        ('source = "Z"', 'source = "X"', "'source' is 'X'; write a key of [sources]"),
        ("tolerance = 0.03", "tolerence = 0.03", "there is no key 'tolerence'; the keys are"),
        ("tolerance = 0.03", "", "'tolerance' is missing"),
        ("tolerance = 0.03", "tolerance = 1", "'tolerance' is 1; write a share"),
        ("ratio = 0.3333\n", "", "a tolerance needs the ratio"),
        ("ratio = 0.3333", "ratio = true", "'ratio' is True; write a number above zero"),
        ("ratio = 0.3333", "ratio = nan", "write a number above zero"),
        ("ratio = 0.3333", f"ratio = 1{'0' * 400}", "write a number above zero"),
        ("ratio = 0.3333\ntolerance = 0.03", "", "no band"),
        ("tolerance = 0.03", "tolerance = 0.03\nbelow = 1", "2 bands"),
        ("ratio = 0.3333\ntolerance = 0.03", "between = [2, 1]", "the smaller number first"),
        ("ratio = 0.3333\ntolerance = 0.03", "between = 1", "write two numbers"),
        ("ratio = 0.3333\ntolerance = 0.03", "above = 2\nbelow = 1", "nothing lies above it"),
        ("ratio = 0.3333\ntolerance = 0.03", "most-cores = 2", "most-cores needs the share"),
        ("article = 0.333", "article = -1", "'article' is -1; write a number above zero"),
        ("article = 0.333", 'statistic = "mode"', "'statistic' is 'mode'; write one of median"),
        ("article = 0.333", 'scope = { pythons = "3" }', "there is no key 'pythons'"),
        ("article = 0.333", 'scope = { python = "(" }', "no regular expression"),
        ("article = 0.333", 'scope = { gil = "no" }', "write true or false"),
        ("article = 0.333", "scope = { cores = 0 }", "write a whole number"),
        ("article = 0.333", "scope = 2", "'scope' is 2; write a table"),
        ("article = 0.333", "test = 2", "write [[test]] tables"),
        ("article = 0.333", "test = [{ contender = 1 }]", "test 1: 'contender' is 1; write a table"),
        ("article = 0.333", "test = [{ id = 'a' }]", "test 1: there is no key 'id'"),
        ('benchmark = "sleep.Sleep.time_run"', "", "'benchmark' is missing"),
        ('given = { load = ["article", "standard"] }', "given = { load = [] }", "'load' is []; write a text"),
        ('given = { load = ["article", "standard"] }', "given = { load = 1979-05-27 }", "write a text, a number"),
        ('contender = { variant = "gather" }', 'contender = { variant = "sync" }', "it is the baseline"),
        ('contender = { variant = "gather" }', 'contender = { variant = ["a", "b"] }', "under 'given'"),
    ],
)
def test_a_mistake_is_named_with_its_place(old, new, words):
    """ConfigurationError: the file, the claim, the key, and what to write."""
    assert old in THIRD
    with pytest.raises(ConfigurationError, match=r"^claims\.toml") as refused:
        a_book(THIRD.replace(old, new))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[", "is not TOML"),
        ("a = " + "1" * 5000, "is not TOML"),
        ("claims = 1", "there is no key 'claims'; the keys are canary, claim, never, sources"),
        ("claim = 1", "write [[claim]] tables"),
        ("claim = [1]", "write [[claim]] tables"),
        ("sources = 1", "write a table"),
        ("[sources]\nZ = 1", "'Z' is 1; write a text"),
        (HEAD + THIRD + THIRD, "two claims have the id 'Z1'"),
    ],
)
def test_a_broken_file_is_refused(content, words):
    """Before any claim is looked at."""
    with pytest.raises(ConfigurationError, match=r"^claims\.toml") as refused:
        claims_file.read(content, "claims.toml")
    assert words in str(refused.value)


@pytest.mark.parametrize("where", ['given = { load = ["article", "quick"] }', 'given = { load = "quick" }'])
def test_a_claim_is_never_judged_on_what_the_file_forbids(where):
    """A load that is too light to judge anything by cannot slip into a claim."""
    claim = THIRD.replace('given = { load = ["article", "standard"] }', where)
    with pytest.raises(ConfigurationError, match="load 'quick' is under 'never'"):
        claims_file.read('never = { load = ["quick"] }\n' + HEAD + claim, "claims.toml")


def test_an_empty_file_claims_nothing():
    """No claims are no error."""
    assert claims_file.read("", "claims.toml").claims == ()


@given(st.text())
def test_no_text_breaks_the_reader(content):
    """A book or a ConfigurationError, nothing else."""
    with suppress(ConfigurationError):
        claims_file.read(content, "claims.toml")
