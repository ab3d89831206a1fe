"""
One line of a channel dump: what it must look like, and the event that it becomes.

Fields are those of pulsar-channel.md 2.1 (``ServiceUnitStateData`` as Jackson writes it); unknown ones are
ignored. Whatever the contract calls unreadable raises ``Unreadable`` with one line of explanation: a lost
record could fake a version gap, so nothing is guessed.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec

from checkers.audit.events import Event, Origin, Position
from model.record import FREE, MAX_VERSION, MIN_VERSION, NOBODY, NOTHING, TOMBSTONE, Record, ServiceUnitState

_KEY = re.compile(r"(?s).+/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")
_ID = re.compile(r"-?[0-9]{1,18}:-?[0-9]{1,18}(:-?[0-9]{1,18}){0,2}")


class Unreadable(Exception):
    """A line that is no message; the text says why."""


class Payload(msgspec.Struct, gc=False):
    """The value of a message: ``ServiceUnitStateData``."""

    state: ServiceUnitState
    versionId: Annotated[int, msgspec.Meta(ge=MIN_VERSION, le=MAX_VERSION)]
    dstBroker: str | None = None
    sourceBroker: str | None = None
    force: bool = False
    splitServiceUnitToDestBroker: dict[str, Any] | None = None


class Line(msgspec.Struct, gc=False):
    """One message of the topic."""

    messageId: str
    publishTime: int
    key: str
    value: Payload | str | None
    producer: Any = None


_decode_line = msgspec.json.Decoder(Line).decode
_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_payload = msgspec.json.Decoder(Payload).decode


class DumpReader:
    """Reads lines of one chunk; equal strings become one object, which keeps blocks small."""

    def __init__(self) -> None:
        self._shared: dict[str, str] = {}
        self._keys: set[str] = set()

    def event(self, raw: bytes, origin: Origin) -> Event:
        """Return the event of one line; raise Unreadable if it is none."""
        try:
            if not raw.isascii():
                raw.decode("utf-8")
            line = _decode_line(raw)
        except UnicodeDecodeError:
            raise Unreadable("not UTF-8") from None
        except (msgspec.DecodeError, RecursionError) as error:
            raise Unreadable(in_words(error)) from None
        if line.key not in self._keys:
            check_key(line.key)
            self._keys.add(line.key)
        value = line.value
        if isinstance(value, str) and value:
            value = payload_of(value)
        record, children = TOMBSTONE, None
        if isinstance(value, Payload):
            record, children = self.record(value)
        return Event(
            position_of(line.messageId),
            origin,
            line.messageId,
            line.publishTime,
            self._share(line.key),
            record,
            children,
            self._share(line.producer) if isinstance(line.producer, str) else "",
        )

    def record(self, value: Payload) -> tuple[Record, tuple[str, ...] | None]:
        """Return the record of a payload, and the child ranges that it names."""
        if value.state == NOTHING:
            raise Unreadable(f"unknown state: {NOTHING}")
        destination, source = self._broker(value.dstBroker), self._broker(value.sourceBroker)
        if destination == NOBODY and source == NOBODY and value.state != FREE:
            raise Unreadable(f"both brokers are blank in state {value.state}; only Free allows that")
        split = value.splitServiceUnitToDestBroker
        children = None if split is None else tuple(split)
        return Record(value.state, destination, source, value.force, value.versionId), children

    def _broker(self, name: str | None) -> Any:
        if name is None or not name.strip():  # "blank" upstream: null, empty or white space
            return NOBODY
        return self._share(name)

    def _share(self, text: str) -> str:
        return self._shared.setdefault(text, text)


def payload_of(text: str) -> Payload:
    """Read a payload that comes as the raw JSON string that it was on the wire."""
    try:
        return _decode_payload(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(f"value: {in_words(error)}") from None


def position_of(message_id: str) -> Position:
    """
    Return the place in topic order of a message id ``ledger:entry[:partition[:batch]]``.

    >>> position_of("0:24"), position_of("36:0:-1:2")
    ((0, 24, -1), (36, 0, 2))
    """
    if not _ID.fullmatch(message_id):
        raise Unreadable(f"messageId refused: {message_id!r}; it has the form ledger:entry[:partition[:batch]]")
    parts = message_id.split(":")
    return int(parts[0]), int(parts[1]), int(parts[3]) if len(parts) == 4 else -1


def check_key(key: str) -> None:
    """Raise Unreadable unless *key* ends in a bundle range."""
    if not _KEY.fullmatch(key):
        raise Unreadable(f"key refused: {key!r}; it must end in /0xLOW_0xHIGH, eight hex digits each")


def check_object(raw: bytes) -> None:
    """Raise Unreadable unless *raw* is one JSON object, of whatever shape."""
    try:
        _decode_object(raw)
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(in_words(error)) from None


def in_words(error: Exception) -> str:
    """Return the decoder's complaint on one line."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return " ".join(str(error).split())
