"""A results file to a run."""

from dataclasses import replace

import msgspec

from windtunnel.asv.results_format.file_parts import Parts, split
from windtunnel.asv.results_format.format1 import durations_of_format_1
from windtunnel.asv.results_format.header import fields, run_of, version_of
from windtunnel.asv.results_format.known_rows import Shapes
from windtunnel.asv.results_format.notes import FIELD, Notes
from windtunnel.asv.results_format.problems import Decoded, Problems, decoded
from windtunnel.asv.results_format.row_reading import RowReader
from windtunnel.model.run import Run


class RunDecoder:
    """Reads the results files of one history, the quicker the more alike they are."""

    def __init__(self) -> None:
        """Know nothing of the history yet."""
        self._shapes = Shapes()

    def decode(self, content: bytes, source: str) -> Decoded[Run]:
        """Return the run that a results file holds, of format 1 or 2; *source* is what messages call the file."""
        return decoded(source, lambda problems: self._run(split(content), source, problems))

    def _run(self, parts: Parts, source: str, problems: Problems) -> Run:
        version = version_of(parts.header, newest=2)
        run = run_of(parts.header, source)
        if version == 1:
            run = replace(run, durations=fields({"duration": durations_of_format_1(parts.header)}, "duration"))
        notes = _notes(parts, problems)
        reader = RowReader(parts.header, version, problems)
        rows = reader.rows(parts, notes.rows, self._shapes)
        superseded = [reader.superseded(entry) for entry in notes.superseded]
        return replace(run, rows=rows, superseded=tuple(row for row in superseded if row is not None))


def decode_run(content: bytes, source: str) -> Decoded[Run]:
    """Return the run that a single results file holds, as ``RunDecoder`` does."""
    return RunDecoder().decode(content, source)


def _notes(parts: Parts, problems: Problems) -> Notes:
    value = parts.header.get(FIELD)
    try:
        return Notes() if value is None else msgspec.convert(value, Notes)
    except (msgspec.ValidationError, RecursionError) as error:
        problems.add(FIELD, f"is not as Windtunnel writes it: {error}")
        return Notes()
