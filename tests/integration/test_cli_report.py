"""``windtunnel report``: a file in, words out."""

import pytest
from builders.commands import run_command
from builders.samples import a_context, paired_samples

from windtunnel.compare.decide import decide
from windtunnel.compare.format import VERDICT_FORMAT


def run(*argv, code=None):
    return run_command(["report", *argv], {}, code=code)


@pytest.fixture
def verdict(tmp_path):
    path = tmp_path / "verdict.json"
    path.write_bytes(VERDICT_FORMAT.encode(decide(a_context(), [paired_samples("a.time", 1.3, fresh=1.3)])))
    return path


def test_a_regression_is_told_and_not_judged(verdict):
    """Exit code 0: the gate is compare's."""
    code, out, err = run(verdict)
    assert (code, err) == (0, "")
    assert out.startswith("1 of 1 benchmark case became slower: ")


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00" * 100, b'{"schema": "windtunnel.changes/2"}'])
def test_what_is_no_verdict_is_broken_data(tmp_path, content):
    """Exit code 3, and the file is named."""
    path = tmp_path / "verdict.json"
    path.write_bytes(content)
    code, out, err = run(path)
    assert (code, out) == (3, "")
    assert str(path) in err


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_what_cannot_be_read_is_named(tmp_path, name):
    """No file, or a folder."""
    assert "cannot be read" in run(tmp_path / name, code=3).stderr
