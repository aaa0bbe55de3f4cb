"""Run records are kept beside the results, each once, and one that is broken does not hide the others."""

import json
from dataclasses import replace

from builders.records import a_build, a_record, a_task

from windtunnel import formats
from windtunnel.model.run_format import RunRecord, State
from windtunnel.results.tree import RECORDS, keep_record, read_records


def keep(record, tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(formats.encode_pretty(record))
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


def test_a_record_of_before_something_was_kept_is_read():
    """What older versions did not write down is not known, and no error."""
    told = json.loads(formats.encode(a_record(replace(a_task(case="b.f", background_load=(0.1,)), build=a_build()))))
    del told["machine"]["smt"], told["tasks"][0]["build"], told["tasks"][0]["cases"][0]["background_load"]
    assert formats.decode(json.dumps(told).encode(), RunRecord, "old") == a_record(a_task(case="b.f"))


def test_cases_that_were_timed_beside_other_work_are_told_once_a_python():
    """Which was worst, and by how much; what was quiet or is not known is not mentioned."""
    tasks = [
        a_task(case=name, state=State.MEASURED, background_load=background_load)
        for name, background_load in (
            ("a.quiet", (0.1, 0.2)),
            ("a.busy", (0.1, 0.9)),
            ("a.worst", (1.4,)),
            ("a.unknown", ()),
        )
    ]
    (told,) = a_record(*tasks).problems()
    assert told.startswith("Python 3.12: 2 of 3 cases were timed while others kept more than 0.2 processors busy")
    assert "1.4 (a.worst)" in told
