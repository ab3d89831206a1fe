"""
A ZooKeeper history gives the steps of the registry: registrations, ends of sessions, and elections.

These are observed steps of the model. The death of a process is not written anywhere: it is inferred where another
process of the same broker registers later, by the node's ``startTimestamp``; only the time of its end is open.
The manifest's list of faults is not read.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from oneowner.checkers.recordings.read.dump import Unreadable
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.read.zookeeper import BROKERS, CREATES, LEADER
from oneowner.checkers.recordings.scene.registry import Held, Registry, elected, written
from oneowner.checkers.verdict import UnreadableInput


class RegistryEvent(NamedTuple):
    """One observed step of the registry or the election, as an action of the model; a crash is inferred."""

    time: int
    place: str
    action: str
    """
    restart, register, expire, unregister, stop, elect; crash; vacate: its node, of the registry or the election, is
    deleted while its process goes on, which is no step of the model.
    """
    broker: str
    session: str = ""
    """The session of the write; empty if the step is inferred."""


@dataclass(slots=True)
class RegistryHistory:
    """The content of one history."""

    started: int | None = None
    """The time at which the cluster was complete: every broker had registered once, and one was elected."""
    leader: str | None = None
    """The first one."""
    brokers: list[str] = field(default_factory=list)
    events: list[RegistryEvent] = field(default_factory=list)
    joined: dict[str, int] = field(default_factory=dict)
    """The time of each broker's first registration."""
    starts: dict[str, list[int]] = field(default_factory=dict)
    """The times at which processes of a broker started, by their own logs."""
    sessions: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Of a session that registered a broker: the broker, and the number of its process, from 0."""


def history_of(writes: Sequence[NodeWrite], place: Callable[[Origin], str]) -> RegistryHistory:
    """
    Read the steps of processes, sessions and the election, as far as they are written; *place* names a file and a line.

    Raise UnreadableInput for data that is torn, and for a broker with steps that no line registers.
    """
    reading = _RegistryReader(written(writes))
    for write in writes:
        try:
            reading.take(write)
        except Unreadable as error:
            raise UnreadableInput(f"{place(write.origin)}: {error}") from None
    for broker, origin in reading.named.items():
        if broker not in reading.history.brokers:
            raise UnreadableInput(f"{place(origin)}: broker refused: {broker}; no line of the history registers it")
    return reading.history


class _RegistryReader:
    """The progress of reading one history: the holder of each node, and the write that ended it."""

    def __init__(self, registry: Registry) -> None:
        self.history = RegistryHistory()
        self.named: dict[str, Origin] = {}  # the origin of each broker's first step
        self._leaving: dict[str, str] = {}  # session that unregistered by itself: broker
        self._ended: dict[Origin, list[str]] = defaultdict(list)  # registered brokers by the write that ended them
        self._deposed: dict[Origin, Held] = {}  # leaders by the write that ended them
        for held in registry.registrations:
            if held.ended is not None:
                self._ended[held.ended.origin].append(held.broker)
        for held in registry.leaders:
            if held.ended is not None:
                self._deposed[held.ended.origin] = held

    def take(self, write: NodeWrite) -> None:
        session = write.session
        if write.path.startswith(BROKERS):
            broker = write.path.removeprefix(BROKERS)
            if write.op == "delete":
                self._deleted(write, broker)
            elif write.op in (*CREATES, "setData"):
                self._registered(write, broker)
        elif write.path == LEADER and write.op in CREATES:
            self._was_elected(write)
        elif write.path == LEADER and write.op == "delete":
            self._was_vacated(write)
        elif write.op == "closeSession":
            for broker in dict.fromkeys(self._of_session(write)):
                self._say(write, "expire", broker)
            if session in self._leaving:
                self._say(write, "stop", self._leaving.pop(session))

    def _of_session(self, closed: NodeWrite) -> Iterator[str]:
        """Yield the brokers whose nodes vanished with a session; a leader that unregistered by itself stops."""
        yield from self._ended[closed.origin]
        if closed.origin in self._deposed and closed.session not in self._leaving:
            yield self._deposed[closed.origin].broker

    def _registered(self, write: NodeWrite, broker: str) -> None:
        found = self.history
        start = _fields(write).get("startTimestamp")
        if not isinstance(start, int):
            raise Unreadable(f"data of {write.path} refused: a broker's node says when it started (startTimestamp)")
        starts = found.starts.setdefault(broker, [])
        if not starts or starts[-1] != start:
            starts.append(start)
            if len(starts) > 1:
                self._say(write, "restart", broker)
            else:
                found.brokers.append(broker)
                found.joined[broker] = write.time
                found.started = write.time
        elif write.op in CREATES:
            self._say(write, "register", broker)
        found.sessions[write.session] = broker, len(starts) - 1

    def _was_elected(self, write: NodeWrite) -> None:
        _fields(write)
        broker = elected(write)
        if not broker:
            raise Unreadable(f"data of {write.path} refused: a leader's node names a broker (brokerId)")
        self.named.setdefault(broker, write.origin)
        if self.history.leader is None:
            self.history.leader = broker
        else:
            self._say(write, "elect", broker)

    def _deleted(self, write: NodeWrite, broker: str) -> None:
        """A broker that shuts down deletes its node; another one, or a hand, does not make it shut down."""
        if broker in self.history.brokers and self.history.sessions.get(write.session, ("", 0))[0] != broker:
            self._say(write, "vacate", broker)
            return
        self._leaving[write.session] = broker
        self._say(write, "unregister", broker)

    def _was_vacated(self, write: NodeWrite) -> None:
        """Record a deletion of the leader's node, except by an unregistering broker or a new process of it."""
        held = self._deposed.get(write.origin)
        if held is None or write.session in self._leaving:
            return
        of_session = self.history.sessions
        one, other = of_session.get(write.session), of_session.get(held.session)
        if one is None or other is None or one[0] != other[0] or one[1] == other[1]:
            self._say(write, "vacate", held.broker)

    def _say(self, write: NodeWrite, action: str, broker: str) -> None:
        self.named.setdefault(broker, write.origin)
        self.history.events.append(RegistryEvent(write.time, f"zxid:{write.zxid}", action, broker, write.session))


def _fields(write: NodeWrite) -> dict[str, Any]:
    """Return the JSON object that a node holds; raise Unreadable for torn data: nothing is guessed."""
    try:
        found = json.loads(write.data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Unreadable(f"data of {write.path} refused: not a JSON object")
    return found


def with_crashes(history: RegistryHistory, last_sent: Mapping[tuple[str, int], int]) -> Iterator[RegistryEvent]:
    """
    Put the end of a process before the first step that shows it.

    A restart that follows no stop ends the process before it: that one died before its session expired, unless it
    published later than that (*last_sent*, by broker and process); or, where its session outlived it (run.G10), before
    the restart.
    """
    process = dict.fromkeys(history.brokers, 0)
    is_dead = dict.fromkeys(history.brokers, False)
    for number, event in enumerate(history.events):
        broker = event.broker
        if event.action == "expire":
            following = [e.action for e in history.events[number + 1 :] if e.broker == broker and e.action != "elect"]
            is_last = following[:1] == ["restart"] and last_sent.get((broker, process[broker]), 0) <= event.time
            if is_last and not is_dead[broker]:
                yield RegistryEvent(event.time, event.place, "crash", broker)
                is_dead[broker] = True
        elif event.action == "restart":
            if not is_dead[broker]:
                yield RegistryEvent(event.time, event.place, "crash", broker)
            is_dead[broker] = False
            process[broker] += 1
        elif event.action == "stop":
            is_dead[broker] = True
        yield event
