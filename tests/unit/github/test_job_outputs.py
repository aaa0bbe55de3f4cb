"""Files in the outputs of a job: what goes in comes out, and what was forged does not reach a disk."""

import base64
import lzma
import tracemalloc
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import DataError
from windtunnel.github.job_outputs import MAX_PART, MAX_UNPACKED, PARTS, pack_files, unpack_files

NAMES = st.text("abcäß-_ 0.", min_size=1, max_size=20).filter(lambda name: not name.startswith("."))
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def forged(content):
    """A pack whose content is not what windtunnel writes."""
    text = base64.b64encode(lzma.compress(content)).decode()
    return [text[start : start + MAX_PART] for start in range(0, PARTS * MAX_PART, MAX_PART)]


@given(st.dictionaries(PATHS, st.binary(max_size=200), max_size=5))
def test_files_come_out_as_they_went_in(files):
    """In as many parts as there are outputs, some of them empty."""
    parts = pack_files(files)
    assert len(parts) == PARTS
    assert unpack_files(parts) == files


def test_a_pack_fits_the_outputs_of_a_job_and_a_variable():
    """GitHub: 1 MB a job, in UTF-16 (Workflow syntax, ``jobs.<job_id>.outputs``); Linux: 128 KiB (execve(2))."""
    assert PARTS * MAX_PART * 2 <= 1_000_000
    assert MAX_PART + len("PART0=") < 128 * 1024
    noise = bytes((number * number) % 251 for number in range(300_000))
    parts = pack_files({"a.json": Random(1).randbytes(300_000), "b.json": noise})
    assert sum(map(len, parts)) > 3 * MAX_PART
    assert max(map(len, parts)) == MAX_PART


def test_results_that_are_too_large_are_refused_with_advice():
    """Before GitHub drops the output without a word."""
    with pytest.raises(DataError, match="outputs of a job hold 360000; measure fewer Pythons"):
        pack_files({"a.json": Random(1).randbytes(400_000)})


@pytest.mark.parametrize(
    "path",
    [
        "../x.json", "/etc/x.json", "a/../../x.json", "", "a//b.json", ".git/config", "a/.hidden.json", "a\\b.json",
        "C:/x.json", "a\x00b", "a\nb.json", "x" * 300, "/".join("abcdefghij"),
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_folder_or_hides_is_refused(path):
    """The job that measured ran code of others."""
    with pytest.raises(DataError, match="refused"):
        unpack_files(forged(msgspec.msgpack.encode({"files": {path: b"x"}})))


@pytest.mark.parametrize(
    "parts",
    [
        ["not base64!"],
        ["AAAA"],
        [""],
        ["ä" * 8],
        [base64.b64encode(lzma.compress(b"no message")).decode()],
        [base64.b64encode(lzma.compress(msgspec.msgpack.encode({"files": {"a": "text"}}))).decode()],
        [base64.b64encode(lzma.compress(msgspec.msgpack.encode({"files": {}, "more": 1}))).decode()],
        [pack_files({"a.json": b"x" * 1000})[0][:-40]],
        ["A" * (MAX_PART + 1)],
        ["A"] * (PARTS + 1),
    ],
)
def test_what_is_not_a_pack_is_an_error_of_the_data(parts):
    """Never a traceback."""
    with pytest.raises(DataError):
        unpack_files(parts)


def test_a_pack_that_grows_without_limit_is_refused():
    """A hundred kilobytes can hold gigabytes of zeros."""
    compressor = lzma.LZMACompressor(preset=0)
    packed = b"".join(compressor.compress(bytes(2**20)) for _ in range(MAX_UNPACKED // 2**20 + 2)) + compressor.flush()
    text = base64.b64encode(packed).decode()
    with pytest.raises(DataError, match="unpack to more than"):
        unpack_files([text[start : start + MAX_PART] for start in range(0, PARTS * MAX_PART, MAX_PART)])


def test_a_pack_of_millions_of_files_is_refused_before_they_are_read():
    """They compress to 7 kB and took 13 s and 400 MB."""
    count = 300_000
    names = b"".join(b"\xa5%05x\xc4\x00" % number for number in range(count))
    content = b"\x81\xa5files\xdf" + count.to_bytes(4, "big") + names
    assert len(msgspec.msgpack.decode(content)["files"]) == count
    parts = forged(content)
    tracemalloc.start()
    with pytest.raises(DataError):
        unpack_files(parts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * len(content)
