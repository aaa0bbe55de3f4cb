"""Run records are kept beside the results, each once, and one that is broken does not hide the others."""

from dataclasses import replace

from builders.records import a_record

from windtunnel import codec
from windtunnel.records import RECORDS, keep_record, read_records


def keep(record, tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(codec.encode_pretty(record))
    keep_record(path, tmp_path / "results")


def test_records_come_back_oldest_first(tmp_path):
    """What was kept is read, in the order of time."""
    late, early = replace(a_record(), started=9.0), replace(a_record(), started=1.0)
    keep(late, tmp_path)
    keep(early, tmp_path)
    assert read_records(tmp_path / "results") == ((early, late), ())


def test_the_same_record_is_kept_once(tmp_path):
    """Merging the same shard twice changes nothing."""
    keep(a_record(), tmp_path)
    keep(a_record(), tmp_path)
    assert len(list((tmp_path / "results" / RECORDS).iterdir())) == 1


def test_broken_record_is_named_and_hides_no_other(tmp_path):
    """A truncated file is told; the rest is used."""
    keep(a_record(), tmp_path)
    (tmp_path / "results" / RECORDS / "broken.json").write_text('{"schema": 1')
    records, doubts = read_records(tmp_path / "results")
    assert records == (a_record(),)
    assert "broken.json" in doubts[0]


def test_no_records_are_no_error(tmp_path):
    """A folder that asv wrote has none."""
    assert read_records(tmp_path) == ((), ())
