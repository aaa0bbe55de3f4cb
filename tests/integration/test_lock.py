"""Only one command writes into a results folder at a time."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from builders.commands import run_command
from builders.locks import held
from builders.results import a_results_folder, a_shard, contents

from windtunnel.errors import DataError, ExitCode
from windtunnel.files import locked


def test_a_second_writer_is_refused_in_plain_words(tmp_path):
    """A killed process releases the lock."""
    with held(tmp_path) as holder:
        with (
            pytest.raises(DataError, match=r"another Windtunnel is writing into .*run the same command again"),
            locked(tmp_path, timeout=0),
        ):
            pass
        holder.kill()
        with locked(tmp_path):
            pass


def test_a_second_writer_waits(tmp_path):
    """The second writer gets the lock when the first one ends."""
    with held(tmp_path) as holder:
        holder.stdin.close()
        with locked(tmp_path):
            assert holder.wait() == 0


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_is_named(tmp_path, place):
    """The test uses a file in place of the folder, because root ignores permissions."""
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"cannot be written: .*name another folder"), locked(tmp_path / place):
        pass


def test_a_command_writes_only_after_it_gets_the_lock(tmp_path):
    """While another process writes into the results, the command waits; then it does its work."""
    into = a_results_folder(tmp_path / "all", a_shard(1))
    more = a_results_folder(tmp_path / "more", a_shard(2))
    before = contents(into)
    with held(into) as holder, ThreadPoolExecutor() as threads:
        running = threads.submit(run_command, ["merge", more, "--into", into], {})
        with pytest.raises(TimeoutError):
            running.result(timeout=1)
        assert contents(into) == before
        holder.stdin.close()
        assert running.result()[0] == ExitCode.FINE
    assert contents(into) != before
