"""
Nodes of the registry and of the election are kept with each time that one was there, and the gaps between.

A broker's node is ``/loadbalance/brokers/<id>``, the leader's ``/loadbalance/extension/leader`` with its ``brokerId``;
both vanish with the session that made them, and setData does not change whose they are (run.G10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.read.zookeeper import CREATES


class Held(NamedTuple):
    """One time that a node was there; ``until`` is None while the history ends in it."""

    broker: str
    session: str
    """Who made it; empty where only logs tell."""
    since: int
    until: int | None
    made: NodeWrite | LogEvent
    ended: NodeWrite | LogEvent | None

    @property
    def is_given_up(self) -> bool:
        """Whether the broker removed it by itself, as one does that stops."""
        return isinstance(self.ended, NodeWrite) and self.ended.op == "delete" and self.ended.session == self.session


class Gap(NamedTuple):
    """A time without a node, between two that were there."""

    since: int
    until: int
    before: Held | None
    after: Held | None

    @property
    def lasted(self) -> int:
        return self.until - self.since


@dataclass(slots=True)
class Nodes:
    """Ephemeral nodes of one kind, by path, each with the times that it was there, in order."""

    held: dict[str, list[Held]] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    """What no ZooKeeper would have let happen: the history has holes."""


def nodes(writes: Iterable[NodeWrite], has: Callable[[str], bool], holder: Callable[[NodeWrite], str]) -> Nodes:
    """Return the nodes whose path *has* accepts; *holder* names the broker that a creation is for."""
    found = Nodes()
    there: dict[str, NodeWrite] = {}

    def end(path: str, write: NodeWrite | None) -> None:
        made = there.pop(path)
        until = None if write is None else write.time
        found.held.setdefault(path, []).append(Held(holder(made), made.session, made.time, until, made, write))

    for write in writes:
        if write.op == "closeSession":
            for path in [path for path, made in there.items() if made.session == write.session]:
                end(path, write)
        elif write.op in (*CREATES, "delete") and has(write.path):
            if write.path in there:
                if write.op != "delete":
                    found.contradictions.append(f"zxid {write.zxid} creates {write.path}, which is there")
                end(write.path, write)
            if write.op in CREATES:
                there[write.path] = write
    for path in list(there):
        end(path, None)
    return found


@dataclass(slots=True)
class Registry:
    """All nodes of the registry and of the election, in the order in which they were made."""

    registrations: list[Held] = field(default_factory=list)
    leaders: list[Held] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    """What no ZooKeeper would have let happen to registrations: the history has holes."""
    disputed: list[str] = field(default_factory=list)
    """The same of elections."""

    def of(self, broker: str) -> list[Held]:
        """Return the registrations of one broker."""
        return [held for held in self.registrations if held.broker == broker]


def gaps(times: Iterable[Held], since: int, until: int) -> Iterator[Gap]:
    """Yield the times within [since, until] at which none of *times* was there."""
    at, before = since, None
    for held in sorted(times, key=lambda held: held.since):
        if held.since > until:
            break
        if held.since > at:
            yield Gap(at, held.since, before, held)
        end = until if held.until is None else held.until
        if end >= at:
            at, before = end, held
    if at < until:
        yield Gap(at, until, before, None)
