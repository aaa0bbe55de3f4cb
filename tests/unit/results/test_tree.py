"""Run records are stored beside the results, each once; a broken record does not hide the others."""

import json

from builders.records import a_build, a_record, a_task
from msgspec.structs import replace

from windtunnel import formats
from windtunnel.model.run_format import RunRecord
from windtunnel.results.tree import RECORDS, keep_record, read_records


def keep(record, tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(formats.encode_pretty(record))
    keep_record(path, tmp_path / "results")


def test_records_are_read_oldest_first(tmp_path):
    """Records are sorted by the start of the run."""
    late, early = replace(a_record(), started=9.0), replace(a_record(), started=1.0)
    keep(late, tmp_path)
    keep(early, tmp_path)
    assert read_records(tmp_path / "results") == ((early, late), ())


def test_the_same_record_is_kept_once(tmp_path):
    """Merging the same shard twice changes nothing."""
    keep(a_record(), tmp_path)
    keep(a_record(), tmp_path)
    assert len(list((tmp_path / "results" / RECORDS).iterdir())) == 1


def test_a_broken_record_is_reported_and_the_others_are_read(tmp_path):
    """The problem names the truncated file."""
    keep(a_record(), tmp_path)
    (tmp_path / "results" / RECORDS / "broken.record").write_text('{"schema": 1')
    records, problems = read_records(tmp_path / "results")
    assert records == (a_record(),)
    assert "broken.record" in problems[0]


def test_a_folder_without_records_is_read(tmp_path):
    """A results folder that asv wrote has no records."""
    assert read_records(tmp_path) == ((), ())


def test_a_record_without_later_fields_is_read():
    """Fields that older versions did not write have their defaults."""
    data = json.loads(formats.encode(a_record(replace(a_task(case="b.f", background_load=(0.1,)), build=a_build()))))
    del data["machine"]["smt"], data["tasks"][0]["build"], data["tasks"][0]["cases"][0]["background_load"]
    assert formats.decode(json.dumps(data).encode(), RunRecord, "old") == a_record(a_task(case="b.f"))


def test_background_load_is_reported_once_for_each_python():
    """The problem counts the cases with background load and names the worst."""
    tasks = [
        a_task(case=name, state="measured", background_load=background_load)
        for name, background_load in (
            ("a.quiet", (0.1, 0.2)),
            ("a.busy", (0.1, 0.9)),
            ("a.worst", (1.4,)),
            ("a.unknown", ()),
        )
    ]
    (problem,) = a_record(*tasks).problems()
    assert problem.startswith("Python 3.12: other processes used more than 0.2 processors during 2 of 3 cases")
    assert "1.4 (a.worst)" in problem
