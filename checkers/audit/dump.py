"""
One line of a channel dump: what it must look like, and the event that it becomes.

Fields are those of channel.2 (``ServiceUnitStateData`` as Jackson writes it); unknown ones are
ignored. Whatever the contract calls unreadable raises ``Unreadable`` with one line of explanation: a lost
record could fake a version gap, so nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import msgspec

from checkers.audit.events import Children, Position, Row
from checkers.documents import shown
from model.record import FREE, MAX_VERSION, MIN_VERSION, NOBODY, NOTHING, ServiceUnitState

_KEY = re.compile(r"(?s).*/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")
_ID = re.compile(r"[0-9]{1,19}:[0-9]{1,19}(:-?[0-9]{1,9}){0,2}")


_NOT_BLANK = "\x85\xa0\u2007\u202f"
"""White space for Python that is none for Java."""


class Unreadable(Exception):
    """A line that is no message; the text says why."""


Long = Annotated[int, msgspec.Meta(ge=MIN_VERSION, le=MAX_VERSION)]
"""A 64-bit integer, as Java has it."""


class Payload(msgspec.Struct, gc=False):
    """The value of a message: ``ServiceUnitStateData``."""

    state: ServiceUnitState
    versionId: Long
    dstBroker: str | None = None
    sourceBroker: str | None = None
    force: bool | None = False
    splitServiceUnitToDestBroker: dict[str, Any] | None = None


class Line(msgspec.Struct, gc=False):
    """One message of the topic."""

    messageId: str
    publishTime: Long
    key: str
    value: Payload | str | None
    producer: str | None = None


_decode_line = msgspec.json.Decoder(Line).decode
_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_payload = msgspec.json.Decoder(Payload | None).decode


class DumpReader:
    """Reads the messages of one chunk; equal strings become one object, which keeps blocks small."""

    def __init__(self, piece: int, chunk: int) -> None:
        self._piece, self._chunk = piece, chunk
        self._keys: dict[str, str] = {}
        self._producers: dict[Any, str] = {}
        self._brokers: dict[str | None, Any] = {None: NOBODY}

    def rows(self, text: bytes, line: int) -> list[Row] | None:
        """
        Return the events of many lines, the first of which is number *line*.

        None if anything about any of them is unusual: then they have to be read one by one.
        """
        try:
            if not text.isascii():
                text.decode("utf-8")  # the decoder does not look into what it skips
            return self._rows([_decode_line(raw) for raw in text.removesuffix(b"\n").split(b"\n")], line)
        except (UnicodeDecodeError, msgspec.DecodeError, RecursionError, Unreadable):
            return None

    def row(self, raw: bytes, line: int) -> Row:
        """Return the event of one line; raise Unreadable if it is none."""
        return self._rows([decoded(_decode_line, raw)], line)[0]

    def _rows(self, messages: list[Line], first: int) -> list[Row]:
        piece, chunk, fields, keys, producers = self._piece, self._chunk, self.fields, self._keys, self._producers
        rows: list[Row] = []
        for line, message in enumerate(messages, first):
            message_id, key, producer = message.messageId, message.key, message.producer
            ledger, _, entry = message_id.partition(":")
            if entry.isdecimal() and ledger.isdecimal() and len(message_id) < 20 and message_id.isascii():
                place = int(ledger), int(entry), -1
            else:
                place = position_of(message_id)
            key = keys.get(key) or self._new_key(key)
            producer = producers.get(producer) or self._new_producer(producer)
            state, destination, source, force, version, children = fields(message.value)
            rows.append(
                (
                    place[0], place[1], place[2], piece, chunk, line, message_id, message.publishTime, key,
                    state, destination, source, force, version, children, producer, "",
                )
            )  # fmt: skip
        return rows

    def fields(self, value: Payload | str | None) -> tuple[ServiceUnitState, Any, Any, bool, int, Children]:
        """Return state, destination, source, force, version and child ranges of a message's value."""
        if not value:
            return NOTHING, NOBODY, NOBODY, False, 0, None
        if isinstance(value, str):
            payload = payload_of(value)
            if payload is None:
                return NOTHING, NOBODY, NOBODY, False, 0, None
            value = payload
        state = value.state
        destination = self._brokers.get(value.dstBroker)
        if destination is None:
            destination = self._new_broker(value.dstBroker)
        source = self._brokers.get(value.sourceBroker)
        if source is None:
            source = self._new_broker(value.sourceBroker)
        if destination == NOBODY and source == NOBODY and state != FREE:
            raise Unreadable(f"both brokers are blank in state {state}; only Free allows that")
        if state == NOTHING:
            raise Unreadable(f"unknown state: {NOTHING}")
        split = value.splitServiceUnitToDestBroker
        children = None if split is None else tuple(split)
        return state, destination, source, value.force or False, value.versionId, children

    def _new_broker(self, name: str | None) -> Any:
        blank = name is None or all(c.isspace() and c not in _NOT_BLANK for c in name)  # StringUtils.isBlank
        return self._brokers.setdefault(name, NOBODY if blank else name)

    def _new_producer(self, name: str | None) -> str:
        return self._producers.setdefault(name, name or "")

    def _new_key(self, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise Unreadable(f"key refused: {shown(key)!r}; it must end in /0xLOW_0xHIGH, eight hex digits each")
        return self._keys.setdefault(key, key)


T = TypeVar("T")


def decoded(decode: Callable[[bytes], T], raw: bytes) -> T:
    """Decode one line; raise Unreadable with the decoder's complaint on one line."""
    try:
        if not raw.isascii():
            raw.decode("utf-8")
        return decode(raw)
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(in_words(error)) from None


def payload_of(text: str) -> Payload | None:
    """Read a payload that comes as the raw JSON string that it was on the wire; None is a tombstone."""
    try:
        payload: Payload | None = _decode_payload(text)
        return payload
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(f"value: {in_words(error)}") from None


def position_of(message_id: str) -> Position:
    """
    Return the place in topic order of a message id ``ledger:entry[:partition[:batch]]``.

    >>> position_of("0:24"), position_of("36:0:-1:2")
    ((0, 24, -1), (36, 0, 2))
    """
    parts = message_id.split(":")
    if not _ID.fullmatch(message_id) or max(int(parts[0]), int(parts[1])) > MAX_VERSION:
        raise Unreadable(f"messageId refused: {shown(message_id)!r}; it has the form ledger:entry[:partition[:batch]]")
    return int(parts[0]), int(parts[1]), int(parts[3]) if len(parts) == 4 else -1


def check_object(raw: bytes) -> None:
    """Raise Unreadable unless *raw* is one JSON object, of whatever shape."""
    decoded(_decode_object, raw)


def in_words(error: Exception) -> str:
    """Return the decoder's complaint on one line."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return shown(str(error), 200)
