"""
Observations beside the channel: a tuple per log line, lookup, poll, call, send and ZooKeeper write.

Times are epoch milliseconds of the machine that wrote them. ``origin`` is where a line was read, so that every
finding can show its lines.
"""

import pickle
import zlib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from oneowner.checkers.recordings.read.events import END, Origin
from oneowner.model.channel.record import Record


class Source(StrEnum):
    """A source that a law may need; its value names it if it is missing."""

    CHANNEL = "channel*.jsonl[.gz]"
    LOGS = "broker logs (*.log[.gz])"
    DEBUG = "broker logs with loadBalancerDebugModeEnabled"
    LOOKUPS = "lookups*.jsonl[.gz]"
    POLLS = "owned*.jsonl[.gz]"
    CALLS = "actions*.jsonl[.gz]"
    SENDS = "clients*.jsonl[.gz]"
    ZOOKEEPER = "zookeeper*.jsonl[.gz]"
    LOCKS = "nodes /namespace/** in zookeeper*.jsonl[.gz]"
    BUNDLES = "bundles.json"


class Printed(NamedTuple):
    """A record as ``ServiceUnitStateData.toString`` prints it (channel.2.2), with its timestamp."""

    record: Record
    timestamp: int
    children: tuple[str, ...] | None
    """Ranges of a split; None: no map."""


class Words:
    """The text of neighbouring lines of one file, packed: of millions of lines few are ever shown."""

    __slots__ = ("_packed", "_texts")

    def __init__(self) -> None:
        self._texts: dict[tuple[int, ...], str] = {}
        """By chunk and line: plain tuples, which are packed at a tenth of the cost."""
        self._packed = b""

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, origin: Origin, text: str) -> None:
        """Add the words of the line that was read there."""
        self._texts[origin[1:]] = text

    def pack(self) -> None:
        """Pack the added lines, which are all."""
        self._packed = zlib.compress(pickle.dumps(self._texts, 5), 1)
        self._texts = {}

    def of(self, origin: Origin) -> str:
        """Return the words of the line that was read there."""
        return _unpacked(self)[origin[1:]]


@lru_cache(maxsize=64)  # callers usually read neighbouring lines next
def _unpacked(words: Words) -> Mapping[tuple[int, ...], str]:
    texts: Mapping[tuple[int, ...], str] = pickle.loads(zlib.decompress(words._packed))
    return texts


class LogEvent(NamedTuple):
    """One line of a broker's log that matches the table of patterns (``log_patterns.yaml``)."""

    origin: Origin
    time: int
    broker: str
    """The broker that wrote the log, by id (host:port); empty while it is unknown."""
    event: str
    """The pattern's id, such as ``handle-request``."""
    thread: str
    unit: str | None
    """Tenant/namespace/0xLOW_0xHIGH, if the line names one."""
    values: dict[str, Any]
    """The pattern's named groups: int, str, None for a printed null, Printed for a printed record."""
    words: str | Words
    """The message, by itself or among those of other lines."""

    @property
    def text(self) -> str:
        """The message, without time, thread and logger."""
        return self.words if isinstance(self.words, str) else self.words.of(self.origin)


class Lookup(NamedTuple):
    """One lookup by HTTP of a topic's broker."""

    origin: Origin
    start: int
    end: int
    asked: str
    topic: str
    status: int | None
    """None if there was no answer at all."""
    answer: str | None
    """The broker that the answer names (200), by id."""
    redirect: str | None
    """The broker that the caller was sent to (307), by id."""
    error: str


class Poll(NamedTuple):
    """One poll of a broker's own list of namespaces, and of the leader by its view."""

    origin: Origin
    start: int
    end: int
    asked: str
    status: int | None
    claims: tuple[str, ...]
    """Bundles that the broker lists as its own, without heartbeat and SLA namespaces."""
    leader: str | None
    heartbeats: tuple[str, ...] = ()
    """Brokers whose heartbeat namespaces are in the list: every broker lists its own alone."""


class Call(NamedTuple):
    """One admin call."""

    origin: Origin
    start: int
    end: int
    action: str
    asked: str
    hops: tuple[str, ...]
    """Brokers that it was redirected to, in order."""
    status: int | None
    result: str
    unit: str | None
    parameters: dict[str, Any]


class Send(NamedTuple):
    """One message that a client sent; no line shows the broker."""

    origin: Origin
    start: int
    end: int
    """The time of a broker's confirmation; END if there was none."""
    topic: str
    result: str


Request = Lookup | Poll | Call
"""An operation that names the asked broker, and has the status of its answer."""
Operation = Request | Send
"""A request and its answer, as in a history of porcupine: it takes effect at some moment from ``start`` to ``end``."""


def moments_of(operations: Iterable[Operation]) -> list[int]:
    """Return the times at which *operations* begin and end; one that is never answered only begins."""
    return [time for one in operations for time in (one.start, one.end) if time != END]


class NodeWrite(NamedTuple):
    """One transaction of ZooKeeper, in zxid order."""

    origin: Origin
    zxid: int
    time: int
    session: str
    op: str
    path: str
    data: str
    version: int | None
    ephemeral: bool
