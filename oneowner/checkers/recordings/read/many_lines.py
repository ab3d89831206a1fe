"""
Many lines of a channel dump are parsed at once, as columns.

Plain lines, which are nearly all, are read by C (``plain_lines``) if there is a compiler and more than a little to
read; other lines are decoded by one call. Lines that are unusual even then yield None: they are read one by one
(``dump``), which also words the errors. Every line accepted here is accepted there, as the same event.
"""

import re
from contextlib import suppress
from typing import Any, Final

import msgspec
import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.dump import (
    DumpLine,
    DumpPayload,
    Unreadable,
    check_key,
    check_state,
    is_blank,
    payload_of,
    position_of,
    told,
)
from oneowner.checkers.recordings.read.event_columns import CODES, PLAIN, TABLE, Columns, Extra
from oneowner.checkers.recordings.read.plain_lines import PlainReader, library
from oneowner.model.channel.record import NOBODY, NOTHING, ServiceUnitState

MANY_BYTES: Final = 2**19
"""The least bytes of lines that justify a search for the compiled reader, or its compilation (0.4 s, once)."""


_decode_lines = msgspec.json.Decoder(DumpLine).decode_lines
_TOMBSTONE: Final = DumpPayload("", 0, timestamp=-1)  # type: ignore[arg-type]  # no line is decoded to it

_NUMBER = "(?:0|[1-9][0-9]{0,17})"
_SMALL = "(?:0|-?[1-9][0-9]{0,8})"
_PLAIN_IDS: Final = {
    parts: re.compile(rf"(?:{_NUMBER}:{_NUMBER}{f':{_SMALL}' * (parts - 2)}\n)+") for parts in (2, 3, 4)
}
"""Message ids of one form, in canonical notation: their text can be restored from their numbers."""


class _Keys(Codes):
    def __missing__(self, name: str) -> int:
        check_key(name)
        return super().__missing__(name)


class _Brokers(Codes):
    def __missing__(self, name: str | None) -> int:
        if is_blank(name):
            self[name] = 0
            return 0
        return super().__missing__(name)


class _Values(Codes):
    """Numbers for the content of a record except its version; the rows of ``fields`` have it in parts."""

    def __init__(self) -> None:
        super().__init__()
        self.brokers = _Brokers(NOBODY)
        self.fields = np.zeros((1_024, 4), np.int32)

    def __missing__(self, value: tuple[str, str | None, str | None, bool | None]) -> int:
        state, destination, source, force = value
        to, by = self.brokers[destination], self.brokers[source]
        if state:
            check_state(state, bool(to or by))
        code = super().__missing__(value)
        if code == len(self.fields):
            self.fields = np.concatenate([self.fields, np.zeros_like(self.fields)])
        self.fields[code] = CODES[ServiceUnitState(state or NOTHING)], to, by, force or False
        return code


class LinesReader:
    """Reads many lines of one chunk at a time; names keep their codes throughout."""

    def __init__(self, piece: int, chunk: int, many: int = MANY_BYTES) -> None:
        self._piece, self._chunk, self._many = piece, chunk, many
        self._keys, self._producers, self._values = _Keys(), Codes(""), _Values()
        self._producers[None] = 0
        self._plain: PlainReader | None = None

    def columns(self, text: bytes, line: int) -> Columns | None:
        """
        Return the events of whole lines, the first of which is number *line*.

        None if anything about any of them is unusual.
        """
        if self._plain is None and len(text) >= self._many and (by := library()) is not None:
            names = self._keys, self._values.brokers, self._producers
            self._plain = PlainReader(by, self._piece, self._chunk, *names)
        return self._decoded(text, line) if self._plain is None else self._with_plain(self._plain, text, line)

    def _with_plain(self, reader: PlainReader, text: bytes, line: int) -> Columns | None:
        """Return the events of whole lines, of which only those that are odd are decoded here."""
        table, odd = reader.read(text, line)
        extras = [PLAIN]
        if len(odd):
            rows, starts, ends = (odd[name] for name in ("row", "start", "end"))
            lines = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
            decoded = self._decoded(b"".join(lines), line)
            if decoded is None:
                return None
            table[rows], extras = decoded.table, decoded.extras
            table["line"][rows] = line + rows
        return Columns(table, self._keys.names, self._values.brokers.names, self._producers.names, extras)

    def _decoded(self, text: bytes, line: int) -> Columns | None:
        count = _objects(text)
        if count is None:
            return None
        try:
            if not text.isascii():
                text.decode("utf-8")  # the decoder does not look into what it skips
            messages = _decode_lines(text)
            if len(messages) != count:
                return None
            return self._columns(messages, line)
        except (UnicodeDecodeError, msgspec.DecodeError, RecursionError, Unreadable):
            return None

    def _columns(self, messages: list[DumpLine], line: int) -> Columns:
        values: list[Any] = [message.value or _TOMBSTONE for message in messages]
        if str in set(map(type, values)):  # the JSON strings that they were on the wire
            values = [payload_of(v) or _TOMBSTONE if isinstance(v, str) else v for v in values]
        table = np.zeros(len(messages), TABLE)
        extras = _fill_places(table, [message.messageId for message in messages])
        table["piece"], table["chunk"] = self._piece, self._chunk
        table["line"] = np.arange(line, line + len(messages))
        table["time"] = [message.publishTime for message in messages]
        table["version"] = [value.versionId for value in values]
        table["sequence"] = _told([message.sequenceId for message in messages])
        table["made"] = _told([value.timestamp for value in values])
        table["key"] = self._keys.of([message.key for message in messages])
        table["producer"] = self._producers.of([message.producer for message in messages])
        said = self._values.of([(v.state, v.dstBroker, v.sourceBroker, v.force) for v in values])
        fields = self._values.fields[said]
        for column, name in enumerate(("state", "destination", "source", "force")):
            table[name] = fields[:, column]
        for number, value in enumerate(values):
            if value.splitServiceUnitToDestBroker is not None:
                text = extras[table["extra"][number]][0]
                table["extra"][number] = len(extras)
                extras.append((text, tuple(value.splitServiceUnitToDestBroker), ""))
        return Columns(table, self._keys.names, self._values.brokers.names, self._producers.names, extras)


def _told(numbers: list[Any]) -> Array:
    """Return numbers of any type as 64-bit integers; -1 for any other value."""
    if set(map(type, numbers)) == {int}:
        with suppress(OverflowError):
            return np.maximum(np.array(numbers, np.int64), -1)
    return np.array([*map(told, numbers)], np.int64)


def _objects(text: bytes) -> int | None:
    """
    Return the number of lines if each begins with { and ends with }; else None.

    In an object there is never a newline between } and {, so as many objects as lines are one object in each line.
    """
    letters = np.frombuffer(text.removesuffix(b"\n"), np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    if not text.startswith(b"{") or letters[-1] != ord("}"):
        return None
    if not ((letters[ends - 1] == ord("}")).all() and (letters[ends + 1] == ord("{")).all()):
        return None
    return len(ends) + 1


def _fill_places(table: Array, ids: list[str]) -> list[Extra]:
    """Set the places in the topic; return the parts of the ids that must be kept."""
    text, parts = "\n".join(ids), ids[0].count(":") + 1
    table["batch"] = -1
    if parts in _PLAIN_IDS and _PLAIN_IDS[parts].fullmatch(f"{text}\n"):
        numbers = np.fromstring(text.replace("\n", ":"), np.int64, sep=":").reshape(len(ids), parts)
        for column, name in enumerate(("ledger", "entry", "partition", "batch")[:parts]):
            table[name] = numbers[:, column]
        table["parts"] = parts
        return [PLAIN]
    places = np.array([position_of(one) for one in ids], np.int64)
    for column, name in enumerate(("ledger", "entry", "batch")):
        table[name] = places[:, column]
    table["extra"] = np.arange(1, len(ids) + 1)
    return [PLAIN, *((one, None, "") for one in ids)]
