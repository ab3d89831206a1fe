"""
Nodes of the registry and of the election are kept with each time that one was there, and the gaps between.

A broker's node is ``/loadbalance/brokers/<id>``, the leader's ``/loadbalance/extension/leader`` with its ``brokerId``;
both vanish with the session that made them, and setData does not change their session (run.G10).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.read.zookeeper import CREATES
from oneowner.checkers.recordings.scene.timeline import END, Timeline


class Held(NamedTuple):
    """One time that a node was there; ``until`` is END if it was still there at the end of the history."""

    broker: str
    session: str
    """The session that made it; empty where only logs show it."""
    since: int
    until: int
    made: NodeWrite | LogEvent
    ended: NodeWrite | LogEvent | None

    @property
    def evidence(self) -> tuple[NodeWrite | LogEvent, ...]:
        """The write or line that made it, and the one that ended it."""
        return (self.made,) if self.ended is None else (self.made, self.ended)

    @property
    def is_given_up(self) -> bool:
        """Return whether the broker removed it itself, as it does when it stops."""
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

    @property
    def first_evidence(self) -> tuple[NodeWrite | LogEvent, ...]:
        """The evidence of the node before it."""
        return () if self.before is None else self.before.evidence

    @property
    def last_evidence(self) -> tuple[NodeWrite | LogEvent, ...]:
        """The beginning of the node after it."""
        return () if self.after is None else (self.after.made,)


@dataclass(slots=True)
class Nodes:
    """Ephemeral nodes of one kind, by path, each with the times that it was there, in order."""

    held: dict[str, list[Held]] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    """Writes that ZooKeeper would have refused: the history has holes."""


def nodes(writes: Iterable[NodeWrite], has: Callable[[str], bool], holder: Callable[[NodeWrite], str]) -> Nodes:
    """Return the nodes whose path *has* accepts; *holder* names the broker that a creation is for."""
    found = Nodes()
    there: dict[str, NodeWrite] = {}

    def end(path: str, write: NodeWrite | None) -> None:
        made = there.pop(path)
        until = END if write is None else write.time
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
    """Writes of registrations that ZooKeeper would have refused: the history has holes."""
    disputed: list[str] = field(default_factory=list)
    """The same of elections."""

    def of(self, broker: str) -> list[Held]:
        """Return the registrations of one broker."""
        return [held for held in self.registrations if held.broker == broker]


def gaps(times: Iterable[Held], since: int, until: int) -> Iterator[Gap]:
    """Yield the times within [since, until) at which none of *times* was there."""
    nodes = sorted(times, key=lambda held: held.since)
    for begin, end in Timeline([(since, until)]) - Timeline.of(nodes):
        before = next((held for held in reversed(nodes) if held.until == begin), None)
        yield Gap(begin, end, before, next((held for held in nodes if held.since == end), None))
