"""Shards have equal lengths, keep every piece, and are deterministic."""

from builders.plans import a_piece, cases_of
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.bench.sharding import distribute, shared_builds, split
from windtunnel.model.settings import MAX_MATRIX_JOBS

FREE = {"environment_seconds": 0.0, "commit_seconds": 0.0}


pieces = st.lists(
    st.builds(
        lambda number, commit, environment, seconds, cases: a_piece(
            f"b{number}", commit=commit, environment=environment, seconds=seconds, cases=cases
        ),
        st.integers(0, 10_000),
        st.sampled_from(["c1", "c2", "c3"]),
        st.sampled_from(["e1", "e2"]),
        st.floats(0.01, 100),
        st.integers(1, 6),
    ),
    max_size=40,
    unique_by=lambda piece: (piece.commit, piece.environment, piece.selections[0].benchmark),
)


@given(pieces, st.integers(1, 16))
def test_every_case_is_timed_exactly_once(some, count):
    """The shards hold the cases of the pieces, each once."""
    expected = sorted(
        (piece.commit, piece.environment, case.name) for piece in some for case in piece.selections[0].cases
    )
    assert cases_of(distribute(some, count)) == expected


@given(pieces, st.integers(1, 16))
def test_the_shards_are_deterministic(some, count):
    """The same pieces make the same shards, with consecutive numbers."""
    shards = distribute(some, count)
    assert shards == distribute(list(some), count)
    assert [shard.index for shard in shards] == list(range(len(shards)))


@given(pieces, st.integers(1, 16))
def test_the_longest_shard_keeps_grahams_bound(some, count):
    """Without overhead, the longest shard is at most the mean plus the longest piece that stayed whole."""
    shards = distribute(some, count, **FREE)
    total = sum(piece.seconds for piece in some)
    whole = [part.seconds for piece in some for part in split(piece, total / count)]
    if shards:
        assert max(shard.seconds for shard in shards) <= total / count + max(whole) + 1e-6


def test_many_pieces_balance_within_15_percent():
    """With pieces as uneven as real suites, the longest shard is within 1.15 of the mean."""
    some = [a_piece(f"b{index}", seconds=0.5 * 1.02**index) for index in range(350)]
    for count in (4, 8, 16):
        seconds = [shard.seconds for shard in distribute(some, count)]
        assert max(seconds) <= 1.15 * sum(seconds) / count


def test_a_benchmark_stays_whole():
    """One job times all variants of a benchmark, because they are compared with each other."""
    shards = distribute([a_piece("one", seconds=8, cases=4), a_piece("two", seconds=8, cases=4)], 2, **FREE)
    assert [len(shard.tasks[0].selections) for shard in shards] == [1, 1]
    assert [len(shard.tasks[0].selections[0].cases) for shard in shards] == [4, 4]


def test_a_benchmark_above_its_fair_share_is_divided():
    """Otherwise it alone would decide the length of the longest shard."""
    shards = distribute([a_piece("long", seconds=90, cases=9), a_piece("short", seconds=10)], 4, **FREE)
    assert max(shard.seconds for shard in shards) <= 30


def test_pieces_of_one_commit_stay_together():
    """An install takes time, so equal pieces of two commits are not mixed."""
    some = [a_piece(f"b{index}", commit=f"c{index % 2}") for index in range(8)]
    assert [len(shard.tasks) for shard in distribute(some, 2)] == [1, 1]


def test_tasks_keep_the_order_of_the_pieces():
    """The most important commit comes first in every shard."""
    some = [a_piece(f"b{index}", commit=commit) for commit in ("new", "old") for index in range(4)]
    for shard in distribute(some, 1):
        assert [task.commit for task in shard.tasks] == ["new", "old"]


def test_an_empty_plan_has_no_shards():
    """It starts no job."""
    assert distribute([], 4) == ()


def two_shards(commits=1):
    """Two shards that need each of the *commits*, and a third one with a commit of its own."""
    shared = [a_piece(f"b{number}", commit=f"c{commit}") for number in range(2) for commit in range(commits)]
    first, second = distribute(shared[:commits], 1), distribute(shared[commits:], 1)
    return (*first, *second, *distribute([a_piece(commit="own")], 1))


def test_a_build_that_two_shards_need_gets_a_job():
    """A commit that one shard needs is built there; without earlier runs, a build counts as long."""
    (build,) = shared_builds(two_shards(), {})
    assert (build.commit, build.python, build.environment) == ("c0", "3.12", "e1")


def test_a_build_that_is_known_to_be_short_gets_no_job():
    """Starting a runner takes longer than building in each shard."""
    assert shared_builds(two_shards(), {"e1": 59.0}) == ()
    assert len(shared_builds(two_shards(), {"e1": 60.0})) == 1
    assert len(shared_builds(two_shards(), {"e2": 1.0})) == 1


def test_builds_fit_into_a_matrix():
    """Shards build what is left."""
    assert len(shared_builds(two_shards(MAX_MATRIX_JOBS + 1), {})) == MAX_MATRIX_JOBS
