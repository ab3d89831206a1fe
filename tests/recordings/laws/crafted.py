"""Small scenes for tests: a channel, log lines and companions written out by hand; times in milliseconds from 0."""

from collections.abc import Mapping, Sequence
from typing import Any

from oneowner.checkers.recordings.read.events import END, Origin
from oneowner.checkers.recordings.read.observations import (
    Call,
    LogEvent,
    Lookup,
    NodeWrite,
    Poll,
    Printed,
    Send,
    Source,
)
from oneowner.checkers.recordings.scene.channel_fold import fold
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.message_columns import Message, MessageColumns
from oneowner.checkers.recordings.scene.scene import Life, Limits, Scene
from oneowner.model.channel.record import NOBODY, Record, ServiceUnitState
from oneowner.model.channel.rules import Storage

UNIT = "t/n/0x00000000_0x80000000"
OTHER = "t/n/0x80000000_0xffffffff"
B1, B2, B3 = "b1:8080", "b2:8080", "b3:8080"
EVERYTHING = frozenset(Source)


def printed(
    state: str, version: int, destination: str = "", source: str = "", force: bool = False, timestamp: int = 0
) -> Printed:
    """A record with its time of making."""
    record = Record(ServiceUnitState(state), destination or NOBODY, source or NOBODY, force, version)  # type: ignore[arg-type]
    return Printed(record, timestamp, None)


def message(
    number: int, time: int, record: Printed | None, unit: str = UNIT, producer: str = "p", sequence: int | None = None
) -> Message:
    """The message 0:*number* of the channel, on line *number* + 1 of piece 0; None is a tombstone."""
    place = (0, number, -1)
    return Message(place, Origin(0, 0, number + 1), f"0:{number}", time, unit, record, producer, sequence)


def channel(*messages: Message, storage: Storage = Storage.SYSTEM_TOPIC) -> Channel:
    """The folded channel of *messages*."""
    columns = MessageColumns(storage)
    for one in sorted(messages, key=lambda one: (one.position, one.origin)):
        columns.append(one)
    return fold(columns, is_history=False)


def said(
    number: int, time: int, event: str, unit: str | None = None, broker: str = B1, text: str = "", **values: Any
) -> LogEvent:
    """Line *number* of the log of *broker*, which is the piece of its number."""
    piece = {B1: 1, B2: 2, B3: 3}[broker]
    return LogEvent(Origin(piece, 0, number), time, broker, event, "thread", unit, values, text or f"{event} {values}")


def session_event(number: int, time: int, event: str, broker: str = B1) -> LogEvent:
    """A line of that log about the broker's session of ZooKeeper; *event* as Pulsar calls it, such as SessionLost."""
    text = f"Received metadata session event:{event} at timestamp:{time}"
    return said(number, time, "session-event", None, broker, text)._replace(values={"event": event, "at": time})


def logs(*lines: LogEvent) -> dict[str, list[LogEvent]]:
    """Logs by broker, lines in the order given."""
    found: dict[str, list[LogEvent]] = {}
    for line in lines:
        found.setdefault(line.broker, []).append(line)
    return found


def one_life(lines: Mapping[str, Sequence[LogEvent]], is_debug: bool = True) -> dict[str, list[Life]]:
    """Every log as that of one process."""
    return {
        broker: [Life(broker, 0, log[0].time, log[-1].time, 0, len(log), log[0].time if is_debug else None)]
        for broker, log in lines.items()
    }


def lookup(
    number: int, start: int, end: int, asked: str, answer: str | None = None, topic: str = "persistent://t/n/topic",
    status: int | None = 200, error: str = "",
) -> Lookup:  # fmt: skip
    """Line *number* of lookups.jsonl."""
    return Lookup(Origin(4, 0, number), start, end, asked, topic, status, answer, None, error)


def moved_on(start: int, topic: str, broker: str = "b4:8080") -> tuple[Lookup, Lookup]:
    """Two brokers name one that the channel does not mention: its dump is older than that."""
    return lookup(91, start, start + 1, B1, broker, topic), lookup(92, start, start + 1, B3, broker, topic)


def poll(number: int, start: int, end: int, broker: str, *claims: str, leader: str | None = B1) -> Poll:
    """Line *number* of owned.jsonl."""
    return Poll(Origin(5, 0, number), start, end, broker, 200, claims, leader)


def call(
    number: int, start: int, end: int, action: str, unit: str | None = UNIT, status: int | None = 204,
    result: str = "", asked: str = B1, hops: tuple[str, ...] = (), **parameters: Any,
) -> Call:  # fmt: skip
    """Line *number* of actions.jsonl."""
    return Call(Origin(6, 0, number), start, end, action, asked, hops, status, result, unit, parameters)


def send(number: int, time: int, acknowledged: int | None, topic: str = "persistent://t/n/topic") -> Send:
    """Line *number* of clients.jsonl."""
    end, result = (END, "TimeOut") if acknowledged is None else (acknowledged, "Ok")
    return Send(Origin(7, 0, number), time, end, topic, result)


def scene(**fields: Any) -> Scene:
    """A scene in which every source is present, unless *fields* override it."""
    fields = {"limits": Limits(), "brokers": (B1, B2, B3), "present": EVERYTHING, **fields}
    found = Scene("crafted", Storage.SYSTEM_TOPIC, **fields)
    if found.said and not found.lives:
        found.lives = one_life(found.said)
    return found


def write(
    number: int, time: int, op: str, path: str = "", session: str = "0x1", data: str = "", ephemeral: bool = False,
    version: int | None = None,
) -> NodeWrite:  # fmt: skip
    """Line *number* of zookeeper.jsonl, with that zxid."""
    return NodeWrite(Origin(8, 0, number), number, time, session, op, path, data, version, ephemeral)
