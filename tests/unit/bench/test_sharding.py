"""Shards take equally long, keep every piece, and are the same for the same pieces."""

from builders.plans import a_piece
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.bench.sharding import Overhead, distribute, split

FREE = Overhead(environment=0.0, commit=0.0)


def timed(shards):
    """Every (commit, environment, case) that the shards time, with repetitions."""
    return sorted(
        (task.commit, task.environment, case.name)
        for shard in shards
        for task in shard.tasks
        for selection in task.selections
        for case in selection.cases
    )


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
    unique_by=lambda piece: (piece.commit, piece.environment, piece.selection.benchmark),
)


@given(pieces, st.integers(1, 16))
def test_every_case_is_timed_exactly_once(some, count):
    """Whatever the shards, they hold the cases of the pieces, no more and no fewer."""
    expected = sorted((piece.commit, piece.environment, case.name) for piece in some for case in piece.selection.cases)
    assert timed(distribute(some, count)) == expected


@given(pieces, st.integers(1, 16))
def test_shards_do_not_depend_on_chance(some, count):
    """The same pieces make the same shards, whose numbers have no gaps."""
    shards = distribute(some, count)
    assert shards == distribute(list(some), count)
    assert [shard.index for shard in shards] == list(range(len(shards)))


@given(pieces, st.integers(1, 16))
def test_longest_shard_keeps_grahams_bound(some, count):
    """Without overheads the longest shard is at most the mean and the longest piece that remained whole."""
    shards = distribute(some, count, FREE)
    total = sum(piece.seconds for piece in some)
    whole = [part.seconds for piece in some for part in split(piece, total / count)]
    if shards:
        assert max(shard.seconds for shard in shards) <= total / count + max(whole) + 1e-6


def test_many_pieces_balance_within_15_percent():
    """With pieces as uneven as real suites (a thousandfold) the longest shard stays within 1.15 of the mean."""
    some = [a_piece(f"b{index}", seconds=0.5 * 1.02**index) for index in range(350)]
    for count in (4, 8, 16):
        seconds = [shard.seconds for shard in distribute(some, count)]
        assert max(seconds) <= 1.15 * sum(seconds) / count


def test_benchmark_stays_whole():
    """Variants of one benchmark are compared with each other, so one job times all of them."""
    shards = distribute([a_piece("one", seconds=8, cases=4), a_piece("two", seconds=8, cases=4)], 2, FREE)
    assert [len(shard.tasks[0].selections) for shard in shards] == [1, 1]
    assert [len(shard.tasks[0].selections[0].cases) for shard in shards] == [4, 4]


def test_benchmark_that_exceeds_its_fair_share_is_cut():
    """A benchmark longer than a whole shard's share is cut by its cases, else it alone would set the length."""
    shards = distribute([a_piece("long", seconds=90, cases=9), a_piece("short", seconds=10)], 4, FREE)
    assert max(shard.seconds for shard in shards) <= 30


def test_pieces_of_one_commit_stay_together():
    """Installing a commit costs, so equal pieces of two commits do not mix."""
    some = [a_piece(f"b{index}", commit=f"c{index % 2}") for index in range(8)]
    assert [len(shard.tasks) for shard in distribute(some, 2)] == [1, 1]


def test_tasks_keep_the_order_asked_for():
    """The most wanted commit comes first in every shard."""
    some = [a_piece(f"b{index}", commit=commit) for commit in ("new", "old") for index in range(4)]
    for shard in distribute(some, 1):
        assert [task.commit for task in shard.tasks] == ["new", "old"]


def test_nothing_to_do_makes_no_shard():
    """An empty plan starts no job."""
    assert distribute([], 4) == ()
