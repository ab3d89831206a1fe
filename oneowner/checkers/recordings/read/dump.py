"""
A line of a channel dump becomes an event, or an error with the reason.

Fields are those of channel.2 (``ServiceUnitStateData`` as Jackson writes it); unknown ones are ignored. Whatever cannot
be a message of the channel raises ``Unreadable`` with one line of explanation: a lost record could fake a version gap,
so nothing is guessed.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec

from oneowner.checkers.documents import shown
from oneowner.checkers.recordings.read.events import Children, Position, Row
from oneowner.model.channel.record import FREE, MAX_VERSION, MIN_VERSION, NOBODY, NOTHING, ServiceUnitState

_KEY = re.compile(r"(?s).*/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")
_ID = re.compile(r"[0-9]{1,19}:[0-9]{1,19}(:-?[0-9]{1,9}){0,2}")


_NOT_BLANK = "\x85\xa0\u2007\u202f"
"""Characters that are white space in Python and not in Java."""


class Unreadable(Exception):
    """A line that is no message; the text gives the reason."""


Long = Annotated[int, msgspec.Meta(ge=MIN_VERSION, le=MAX_VERSION)]
"""A 64-bit integer, as in Java."""


class DumpPayload(msgspec.Struct, gc=False):
    """The value of a message: ``ServiceUnitStateData``."""

    state: Literal["nothing", "Init", "Free", "Owned", "Assigning", "Releasing", "Splitting", "Deleted"]
    """A plain text, which is looked up at a third of an enum's cost."""
    versionId: Long
    dstBroker: str | None = None
    sourceBroker: str | None = None
    force: bool | None = False
    splitServiceUnitToDestBroker: dict[str, Any] | None = None
    timestamp: Any = None
    """Of any type: no event depends on it."""


class DumpLine(msgspec.Struct, gc=False):
    """One message of the topic."""

    messageId: str
    publishTime: Long
    key: str
    value: DumpPayload | str | None
    producer: str | None = None
    sequenceId: Any = None
    """Of any type: no event depends on it."""


def told(value: Any) -> int:
    """Return the number in a message's field, which may be of any type; -1 if it is no number."""
    return value if type(value) is int and 0 <= value <= MAX_VERSION else -1


_decode_line = msgspec.json.Decoder(DumpLine).decode
_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_payload = msgspec.json.Decoder(DumpPayload | None).decode


class DumpReader:
    """Reads the messages of one chunk, one line at a time; many at once are read by ``many_lines``."""

    def __init__(self, piece: int, chunk: int) -> None:
        self._piece, self._chunk = piece, chunk
        self._keys: dict[str, str] = {}
        self._brokers: dict[str | None, Any] = {None: NOBODY}
        self._sequence = self._made = -1

    def row(self, raw: bytes, line: int) -> Row:
        """Return the event of one line; raise Unreadable if it is none."""
        message = decoded(_decode_line, raw)
        self._sequence = told(message.sequenceId)
        return self.event(message.messageId, message.publishTime, message.key, message.value, message.producer, line)

    @property
    def numbers(self) -> tuple[int, int]:
        """The sequence id of the last message, and the time of its record; -1 if missing."""
        return self._sequence, self._made

    def event(
        self, message_id: str, time: int, key: str, value: DumpPayload | str | None, producer: str | None, line: int
    ) -> Row:
        """Return the event of a message that is decoded already; raise Unreadable if it is none."""
        check_key(key)
        return (
            *position_of(message_id), self._piece, self._chunk, line, message_id, time,
            self._keys.setdefault(key, key), *self.fields(value), producer or "", "",
        )  # fmt: skip

    def fields(self, value: DumpPayload | str | None) -> tuple[ServiceUnitState, Any, Any, bool, int, Children]:
        """Return state, destination, source, force, version and child ranges of a message's value."""
        self._made = -1
        if not value:
            return NOTHING, NOBODY, NOBODY, False, 0, None
        if isinstance(value, str):
            payload = payload_of(value)
            if payload is None:
                return NOTHING, NOBODY, NOBODY, False, 0, None
            value = payload
        state = ServiceUnitState(value.state)
        destination = self._brokers.get(value.dstBroker)
        if destination is None:
            destination = self._new_broker(value.dstBroker)
        source = self._brokers.get(value.sourceBroker)
        if source is None:
            source = self._new_broker(value.sourceBroker)
        check_state(state, destination != NOBODY or source != NOBODY)
        split = value.splitServiceUnitToDestBroker
        children = None if split is None else tuple(split)
        self._made = told(value.timestamp)
        return state, destination, source, value.force or False, value.versionId, children

    def _new_broker(self, name: str | None) -> Any:
        return self._brokers.setdefault(name, NOBODY if is_blank(name) else name)


def is_blank(broker: str | None) -> bool:
    """Return whether a broker's name is none (``StringUtils.isBlank``)."""
    return broker is None or all(c.isspace() and c not in _NOT_BLANK for c in broker)


def check_state(state: str, is_any_named: bool) -> None:
    """Raise Unreadable for a record that Pulsar cannot build: only Free may name no broker."""
    if not is_any_named and state != FREE:
        raise Unreadable(f"both brokers are blank in state {state}; only Free allows that")
    if state == NOTHING:
        raise Unreadable(f"unknown state: {NOTHING}")


@lru_cache(maxsize=100_000)  # every chunk has its keys anew
def check_key(key: str) -> None:
    """Raise Unreadable unless *key* is one of a service unit."""
    if not _KEY.fullmatch(key):
        raise Unreadable(f"key refused: {shown(key)!r}; it must end in /0xLOW_0xHIGH, eight hex digits each")


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


def payload_of(text: str) -> DumpPayload | None:
    """Read a payload from its raw JSON string on the wire; None is a tombstone."""
    try:
        payload: DumpPayload | None = _decode_payload(text)
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
    """Raise Unreadable unless *raw* is one JSON object, of any shape."""
    decoded(_decode_object, raw)


def in_words(error: Exception) -> str:
    """Return the decoder's complaint on one line."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    found = _WRONG_TYPE.fullmatch(str(error))
    if str(error) == _TRUNCATED:
        return "the JSON breaks off"
    if found is None:
        return shown(str(error), 200)
    wanted, had = (" or ".join(_TYPES.get(one, one) for one in found[side].split(" | ")) for side in ("wanted", "had"))
    at = (found["at"] or "$").removeprefix("$").removeprefix(".")
    return f"{at or 'the line'} refused: {had}; it is {wanted}"


_TRUNCATED: Final = "Input data was truncated"
_WRONG_TYPE: Final = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<had>[^`]+)`(?: - at `(?P<at>[^`]+)`)?")
_TYPES: Final = {
    "object": "an object", "array": "a list", "str": "a text", "int": "a whole number", "float": "a number",
    "bool": "true or false", "null": "null",
}  # fmt: skip
"""The decoder's types, as JSON has them."""
