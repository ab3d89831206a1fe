"""
Single steps that Pulsar takes and the model lacks: each is named where nothing else explains a record.

It leaves out no more than that step: the search must get past the record with it, and with all else as modelled. Most
are two steps of Pulsar that the model takes in one, so that something may come between them. A record that was computed
from an older entry than the model would take is too late by then, and lost: where it is refused, and where all others
are explained without it.
"""

from collections.abc import Iterator
from dataclasses import replace

from oneowner.checkers.recordings.explain.ages import LATE
from oneowner.checkers.recordings.explain.recording import NO_WAITS, Recording, RegistryStep
from oneowner.checkers.recordings.explain.state_set_search import explain
from oneowner.checkers.recordings.explain.unit_groups import Append, Observed, UnitGroup
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
    is_absent,
    is_active,
    is_in_flight,
    next_version,
    owner,
)
from oneowner.model.channel.recovery import former_owner, overriding
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage

FLUSH = 5_000
"""Milliseconds that a clean-up, which has asked for health, waits at most for the channel before it overrides."""

START = 120_000
"""Milliseconds that a start took at most, from the registration until the channel was read (zk-restart: 115 s)."""

CLOCKS = 100
"""Milliseconds by which the clocks of a broker and of ZooKeeper may differ."""


def step_left_out(recording: Recording, group: UnitGroup, place: int, bounds: Bounds) -> str:
    """Return the step, not modelled, that explains the record at *place*; empty if there is none."""
    seen = group.timeline[place]
    if not isinstance(seen, Append):
        return ""
    left_out = LeftOut(recording, group, place, seen, bounds)
    return next((words for words in left_out.steps() if words), "")


class LeftOut:
    """The steps that may explain one record."""

    def __init__(self, recording: Recording, group: UnitGroup, place: int, seen: Append, bounds: Bounds) -> None:
        self.recording, self.group, self.place, self.seen, self.bounds = recording, group, place, seen, bounds
        self.record, self.actor, self.time = seen.written.record, seen.written.broker, seen.written.time
        before = group.timeline[:place]
        self.steps_before = [one for one in before if isinstance(one, RegistryStep)]
        self.own = [one for one in before if isinstance(one, Append) and one.unit == seen.unit]

    def steps(self) -> Iterator[str]:
        """Yield words for each kind of step, empty if it does not explain the record."""
        if self.record.force:
            yield self.health_was_asked()
            yield self.nobody_was_found()
        yield self.was_computed_before()
        yield self.sooner_than_set()
        yield self.clocks_differ()
        yield from self.read_at_start()

    def gets_past(self, timeline: tuple[Observed, ...], place: int) -> bool:
        """Return whether the search explains *timeline* beyond *place*."""
        done = explain(replace(self.group, timeline=timeline), self.bounds, wide=True).done
        return done > place or done == len(timeline)

    def health_was_asked(self) -> str:
        """
        An override does not take account of the return of a broker.

        A clean-up asks for health once, flushes, and overrides (``doCleanup``); the model does all in one step.
        """
        timeline = self.group.timeline
        for index, back in enumerate(timeline[: self.place]):
            if not isinstance(back, RegistryStep) or back.action not in ("register", "restart"):
                continue
            if 0 <= self.time - back.time <= FLUSH:
                between = timeline[index + 1 : self.place + 1]
                moved = (*timeline[:index], *between, back, *timeline[self.place + 1 :])
                if self.gets_past(moved, self.place - 1):
                    ago = f"{self.time - back.time} ms after {back.action}(broker={back.broker})"
                    return f"override {ago}: health was asked before"
        return ""

    def nobody_was_found(self) -> str:
        """
        The end of a hand-over that took too long finds no broker, and frees the unit by force (``overrideOwnership``).

        The model has it of a broker that is gone, or shuts down, alone (``free_orphan``, ``free_own``).
        """
        if self.record.state != FREE:
            return ""
        for one in self.bases():
            base = one.written.record
            if not is_active(base) or former_owner(base) != self.record.source:
                continue
            is_old = self.time - one.written.time >= self.recording.waits.in_flight - LATE
            if self.has_led() and is_in_flight(base) and is_old:
                return f"end_flight(broker={self.actor}) finds no broker to give the unit to"
        return ""

    def sooner_than_set(self) -> str:
        """The monitor goes by other settings than the manifest's, or by another clock."""
        group = replace(self.group, waits=NO_WAITS)
        if self.group.waits == NO_WAITS or explain(group, self.bounds, wide=True).done <= self.place:
            return ""
        name = "tombstone" if is_absent(self.record) else "end_flight"
        waited = self.group.waits.tombstone if is_absent(self.record) else self.group.waits.in_flight
        return f"{name}(broker={self.actor}) before the entry is {waited} ms old, for which it waits by the settings"

    def was_computed_before(self) -> str:
        """
        A record was computed from an older entry than its publisher's view, or names an older owner, and is lost.

        On the topic alone: in the metadata store such a record is not written.
        """
        if self.bounds.storage == Storage.METADATA_STORE:
            return ""
        held = TOMBSTONE
        for one in self.own:
            if refusal(held, one.written.record, self.bounds.storage, rules=self.bounds.rules) is None:
                held = one.written.record
        name = self.command()
        if not name or refusal(held, self.record, self.bounds.storage, rules=self.bounds.rules) is None:
            return ""
        timeline = self.group.timeline
        if not self.gets_past((*timeline[: self.place], *timeline[self.place + 1 :]), self.place):
            return ""
        if name == "split":
            return f"split(broker={self.actor}) asked before the unit was given up, and published after it"
        return f"{name}(broker={self.actor}) asked before the channel held {held}, and published after it"

    def command(self) -> str:
        """Return the command that computes such a record from an earlier entry; empty if there is none."""
        record = self.record
        bases = [*(one.written.record for one in self.bases()), *([TOMBSTONE] if record.version == 1 else [])]
        if record.force and not (record.state == RELEASING and record.destination == NOBODY):
            return "override" if self.has_led() and any(self.is_override_of(base) for base in bases) else ""
        if record.state == ASSIGNING and record.source == NOBODY:
            return "assign" if bases else ""
        owned = [one.version for one in (seen.written.record for seen in self.own) if self.names_owner(one)]
        if not owned or min(owned) >= record.version or not bases:
            return ""
        if record.state == SPLITTING and record.source == self.actor:
            return "split" if max(owned) < record.version else ""
        if record.state == RELEASING and record.destination != record.source:
            return "remove" if record.force else "transfer" if record.destination else "unload"
        return ""

    def names_owner(self, held: Record) -> bool:
        """Return whether a lookup answers with the record's source while *held* is held (``getOwnerAsync``)."""
        if self.record.state == SPLITTING:
            return held.state == OWNED and held.destination == self.record.source
        return self.record.source in (owner(held), held.destination) if is_active(held) else False

    def is_override_of(self, base: Record) -> bool:
        """Return whether a clean-up of a broker that was gone computes the record from *base*."""
        parties = {base.destination, base.source}
        is_gone = any(one.action in ("expire", "unregister") and one.broker in parties for one in self.steps_before)
        destination = self.record.source if base.state == SPLITTING else self.record.destination
        return is_gone and is_active(base) and self.record == overriding(base, destination)

    def bases(self) -> list[Append]:
        """Return the unit's records from which one of this version follows."""
        return [one for one in self.own if next_version(one.written.record) == self.record.version]

    def has_led(self) -> bool:
        return self.actor == 1 or any(one.action == "elect" and one.broker == self.actor for one in self.steps_before)

    def clocks_differ(self) -> str:
        """A step of the registry came before the record, although it is later by ZooKeeper's clock."""
        timeline = self.group.timeline
        for index, step in enumerate(timeline[self.place + 1 :], self.place + 1):
            if isinstance(step, RegistryStep) and step.time - self.time <= CLOCKS:
                earlier = (*timeline[: self.place], step, *timeline[self.place : index], *timeline[index + 1 :])
                if self.gets_past(earlier, self.place + 1):
                    words = (
                        f"{step.action}(broker={step.broker}), {step.time - self.time} ms later by ZooKeeper's clock"
                    )
                    return f"the clocks of two machines: {words}"
        return ""

    def read_at_start(self) -> Iterator[str]:
        """
        The publisher registered, and read the channel later: it did not handle the entries found there.

        ``BrokerRegistryImpl.start`` comes before ``ServiceUnitStateChannelImpl.start``; replayed, both are one step.
        The same holds where it went on behind a compaction that it had not read.
        """
        timeline, actor = self.group.timeline, self.actor
        since, name = self.recording.joined[actor - 1] if self.recording.joined else 0, "its first start"
        for index, seen in enumerate(timeline[: self.place]):
            if isinstance(seen, RegistryStep):
                if seen.broker == actor and seen.action in ("restart", "register", "crash"):
                    since, name = seen.time, f"{seen.action}(broker={actor})"
            elif isinstance(seen, Append) and name and _is_told(seen.written.record, actor):
                after = seen.written.time - since
                if name.startswith("crash") or after > START:
                    continue
                read = RegistryStep(seen.written.place, seen.written.time, "read", actor)
                moved = (*timeline[: index + 1], read, *timeline[index + 1 :])
                if self.gets_past(moved, self.place + 1):
                    found = seen.written.record
                    yield f"broker {actor} reads the channel more than {after} ms after {name}, and finds {found}"


def _is_told(record: Record, broker: int) -> bool:
    """Return whether the record is for *broker* to answer."""
    if record.state == ASSIGNING:
        return record.destination == broker
    return record.source == broker and (
        record.state in (RELEASING, SPLITTING) or (record.state == FREE and record.force)
    )
