"""Writes and reads flat Parquet files: tables that DuckDB, pandas and others read too.

The writer uses what packed results need: one row group; doubles, integers and texts with a dictionary; nulls; gzip. The
reader reads what the writer wrote and refuses everything else (https://parquet.apache.org/docs/file-format/, structures
in Apache Thrift's compact protocol). A library for Parquet has 50 MB and more, and each job would install it.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from windtunnel.errors import DataError
from windtunnel.results.columns import Floats, Indices

MAGIC = b"PAR1"
INT64, DOUBLE, BYTE_ARRAY = 2, 5, 6
REQUIRED, OPTIONAL = 0, 1
PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
UTF8, GZIP = 0, 2
DATA_PAGE, DICTIONARY_PAGE = 0, 2
"""Numbers of the format."""
LEVEL = 6
MAX_ROWS = 4_000_000
MAX_PAGE = 256 * 2**20
"""Bytes of an unpacked page."""
MAX_DEPTH = 8
"""Structures within structures of a footer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """A column of texts as indices into a list; -1 is null."""

    index: Indices
    values: tuple[str, ...]

    @classmethod
    def of(cls, texts: list[str | None]) -> "Texts":
        """Return the column of *texts*."""
        order: dict[str | None, int] = {None: -1}
        index = [order.setdefault(text, len(order) - 1) for text in texts]
        return cls(index=np.array(index, np.int32), values=tuple(cast("str", text) for text in list(order)[1:]))

    def to_list(self) -> list[str | None]:
        """Return the texts."""
        values = (*self.values, None)
        return [values[each] for each in self.index.tolist()]


Column = Floats | NDArray[np.int64] | Texts
"""Doubles (NaN is null), integers (never null) or texts."""


class _Int64(int):
    """An integer of 64 bits; others have 32."""


def write_table(columns: Mapping[str, Column], key: str, describe: Callable[[int], bytes]) -> bytes:
    """Return the Parquet file with *columns*, which have equal lengths.

    Its metadata has under *key* what *describe* returns for the checksum of everything before the metadata.
    """
    body, chunks, rows = bytearray(MAGIC), [], 0
    schema: list[Any] = [{4: b"schema", 5: len(columns)}]
    for name, column in columns.items():
        kind, mask, dictionary, content = _physical(column)
        rows, start = len(mask), len(body)
        levels = b"" if kind == INT64 else _sized(_bit_packed(mask.astype(np.uint32), 1))
        encoding = PLAIN if dictionary is None else RLE_DICTIONARY
        if dictionary is not None:
            count = len(cast("Texts", column).values)
            body += _page(DICTIONARY_PAGE, {7: {1: count, 2: PLAIN}}, dictionary)
        data_start = len(body)
        header = {5: {1: rows, 2: encoding, 3: RLE, 4: RLE}}
        body += _page(DATA_PAGE, header, levels + content)
        element: dict[int, Any] = {1: kind, 3: REQUIRED if kind == INT64 else OPTIONAL, 4: name.encode()}
        schema.append(element | ({6: UTF8} if kind == BYTE_ARRAY else {}))
        size = _Int64(len(body) - start)
        meta = {1: kind, 2: [PLAIN, RLE, encoding], 3: [name.encode()], 4: GZIP, 5: _Int64(rows), 6: size, 7: size}
        meta |= {9: _Int64(data_start)} | ({} if dictionary is None else {11: _Int64(start)})
        chunks.append({2: _Int64(start), 3: meta})
    group = {1: chunks, 2: _Int64(len(body)), 3: _Int64(rows)}
    described = {1: key.encode(), 2: describe(zlib.crc32(body))}
    footer = _struct({1: 1, 2: schema, 3: _Int64(rows), 4: [group], 5: [described], 6: b"windtunnel"})
    return bytes(body) + footer + len(footer).to_bytes(4, "little") + MAGIC


def _physical(column: Column) -> tuple[int, NDArray[np.bool_], bytes | None, bytes]:
    """Return the type of *column*, which values are not null, the dictionary if it has one, and the values."""
    if isinstance(column, Texts):
        known = column.index >= 0
        width = max(1, (len(column.values) - 1).bit_length())
        encoded = [text.encode() for text in column.values]
        dictionary = b"".join(len(each).to_bytes(4, "little") + each for each in encoded)
        return BYTE_ARRAY, known, dictionary, bytes([width]) + _bit_packed(column.index[known].astype(np.uint32), width)
    if column.dtype == np.int64:
        return INT64, np.ones(len(column), bool), None, column.tobytes()
    known = ~np.isnan(column)
    return DOUBLE, known, None, column[known].astype("<f8").tobytes()


def _page(kind: int, header: dict[int, Any], content: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    packed = packer.compress(content) + packer.flush()
    return _struct({1: kind, 2: len(content), 3: len(packed)} | header) + packed


def _sized(content: bytes) -> bytes:
    return len(content).to_bytes(4, "little") + content


def _bit_packed(numbers: NDArray[np.uint32], width: int) -> bytes:
    """Return one bit-packed run of *numbers*."""
    groups = -(-len(numbers) // 8)
    bits = (np.pad(numbers, (0, groups * 8 - len(numbers)))[:, None] >> np.arange(width, dtype=np.uint32)) & 1
    return _varint(groups << 1 | 1) + np.packbits(bits.astype(np.uint8), bitorder="little").tobytes()


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def _struct(fields: dict[int, Any]) -> bytes:
    """Return a structure in the compact protocol; *fields* by their numbers, ascending."""
    found, last = bytearray(), 0
    for number, value in sorted(fields.items()):
        found.append((number - last) << 4 | _kind(value))
        found += _value(value)
        last = number
    return bytes(found) + b"\0"


def _kind(value: Any) -> int:
    kinds = {_Int64: 6, int: 5, bytes: 8, list: 9, dict: 12}
    return kinds[type(value)]


def _value(value: Any) -> bytes:
    if isinstance(value, int):
        return _varint(value << 1)  # zigzag; none is negative
    if isinstance(value, bytes):
        return _varint(len(value)) + value
    if isinstance(value, dict):
        return _struct(value)
    head = bytes([len(value) << 4 | _kind(value[0])]) if len(value) < 15 else bytes([0xF0 | _kind(value[0])])
    return head + (b"" if len(value) < 15 else _varint(len(value))) + b"".join(map(_value, value))


class ParquetTable:
    """The columns of a file of `write_table`, unpacked on demand."""

    def __init__(self, content: bytes, source: str) -> None:
        """Read the metadata; raises DataError, which names *source*, where they are not of such a file."""
        self._content, self.source = content, source
        try:
            size = int.from_bytes(content[-8:-4], "little")
            _require(
                content[:4] == content[-4:] == MAGIC and size <= len(content) - 12, "it does not begin and end as one"
            )
            start = len(content) - 8 - size
            footer = _CompactReader(content, start).struct()
            self.checksum = zlib.crc32(memoryview(content)[:start])
            self.described: dict[str, bytes] = {each[1].decode(): each[2] for each in footer[5]}
            (group,) = footer[4]
            self.rows: int = footer[3]
            _require(0 <= self.rows <= MAX_ROWS, f"it has {self.rows} rows, at most {MAX_ROWS} are read")
            self._chunks = {chunk[3][3][0].decode(): chunk[3] for chunk in group[1]}
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise self._refused(error) from None

    def _refused(self, error: Exception) -> DataError:
        reason = error.args[0] if isinstance(error, ValueError) and error.args else "its structure is not known"
        return DataError(f"{self.source} is not a table of packed results: {reason}")

    def floats(self, name: str) -> Floats:
        """Return a column of doubles; null is NaN."""
        return cast("Floats", self._column(name, DOUBLE))

    def integers(self, name: str) -> NDArray[np.int64]:
        """Return a column of integers."""
        return cast("NDArray[np.int64]", self._column(name, INT64))

    def texts(self, name: str) -> Texts:
        """Return a column of texts."""
        return cast("Texts", self._column(name, BYTE_ARRAY))

    def _column(self, name: str, kind: int) -> Column:
        try:
            chunk = self._chunks[name]
            _require((chunk[1], chunk[4]) == (kind, GZIP), f"column {name} has another type")
            return self._decode(chunk, kind)
        except (ValueError, KeyError, IndexError, TypeError, zlib.error, OverflowError) as error:
            raise self._refused(error) from None

    def _decode(self, chunk: dict[int, Any], kind: int) -> Column:
        values: tuple[str, ...] = ()
        if kind == BYTE_ARRAY:
            header, content = self._page(chunk[11])
            values = tuple(_texts(content, header[7][1]))
        header, content = self._page(chunk[9])
        if header[5][1] != self.rows:
            raise ValueError("a column has another number of rows")
        if kind == INT64:
            return np.frombuffer(content, "<i8", self.rows).astype(np.int64)
        length = int.from_bytes(content[:4], "little")
        known = _unpacked(content[4 : 4 + length], self.rows, 1).astype(bool)
        rest, count = content[4 + length :], int(known.sum())
        if kind == DOUBLE:
            floats = np.full(self.rows, np.nan)
            floats[known] = np.frombuffer(rest, "<f8", count)
            return floats
        index = np.full(self.rows, -1, np.int32)
        index[known] = _unpacked(rest[1:], count, rest[0]).astype(np.int32)
        if self.rows and int(index.max(initial=-1)) >= len(values):
            raise ValueError("an index is beyond its dictionary")
        return Texts(index=index, values=values)

    def _page(self, start: int) -> tuple[dict[int, Any], bytes]:
        reader = _CompactReader(self._content, start)
        header = reader.struct()
        if not 0 <= header[2] <= MAX_PAGE:
            raise ValueError(f"a page has {header[2]} bytes, at most {MAX_PAGE} are read")
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        content = unpacker.decompress(self._content[reader.position : reader.position + header[3]], header[2] + 1)
        if len(content) != header[2] or not unpacker.eof:  # the end holds gzip's checksum
            raise ValueError("a page is damaged")
        return header, content


def _require(holds: bool, reason: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        raise ValueError(reason)


def _texts(content: bytes, count: int) -> Iterator[str]:
    position = 0
    for _ in range(count):
        length = int.from_bytes(content[position : position + 4], "little")
        position += 4 + length
        if position > len(content):
            raise ValueError("a dictionary ends early")
        yield content[position - length : position].decode()


def _unpacked(content: bytes, count: int, width: int) -> NDArray[np.int64]:
    """Return *count* numbers of a bit-packed run."""
    reader = _CompactReader(content, 0)
    groups = reader.varint() >> 1
    if groups * 8 < count or not 1 <= width <= 32:
        raise ValueError("a column ends early")
    packed = np.frombuffer(content, np.uint8, groups * width, reader.position)
    bits = np.unpackbits(packed, count=count * width, bitorder="little").reshape(count, width)
    return bits @ (np.int64(1) << np.arange(width, dtype=np.int64))


class _CompactReader:
    """Reads structures of the compact protocol."""

    def __init__(self, content: bytes, position: int) -> None:
        self._content, self.position = content, position

    def varint(self) -> int:
        """Read an unsigned number."""
        found = 0
        for shift in range(0, 64, 7):
            byte = self._content[self.position]
            self.position += 1
            found |= (byte & 127) << shift
            if byte < 128:
                return found
        raise ValueError("a number is too long")

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a structure: its fields by number."""
        fields, number = dict[int, Any](), 0
        while head := self._content[self.position]:
            self.position += 1
            number += head >> 4
            fields[number] = self._value(head & 15, depth)
        self.position += 1
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in {5, 6}:
            number = self.varint()
            return number >> 1 ^ -(number & 1)
        if kind == 8:
            size = self.varint()
            self.position += size
            if self.position > len(self._content):
                raise ValueError("a text ends early")
            return self._content[self.position - size : self.position]
        if depth == MAX_DEPTH or kind not in {9, 12}:
            raise ValueError("its structure is not known")
        if kind == 12:
            return self.struct(depth + 1)
        head = self._content[self.position]
        self.position += 1
        size = self.varint() if head >> 4 == 15 else head >> 4
        if size > len(self._content):
            raise ValueError("a list ends early")
        return [self._value(head & 15, depth + 1) for _ in range(size)]
