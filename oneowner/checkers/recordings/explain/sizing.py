"""Bounds are derived from the observations: they leave room for every record and every step, and no more."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from oneowner.checkers.recordings.explain.recording import Recording, RegistryStep
from oneowner.checkers.recordings.explain.unit_groups import Append, UnitGroup
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.record import ASSIGNING, FREE, NOBODY, OWNED, RELEASING, SPLITTING, Record, is_absent
from oneowner.model.channel.rules import Rules, Storage

PENDING = 8
"""The number of publishes of one broker that may be under way: more than any recording needs."""


class NotCombined(Exception):
    """The observations need bounds that the model does not combine; the message names them and the reason."""


def bounds_of(recording: Recording, group: UnitGroup, rules: Rules, timer: bool = False) -> Bounds:
    """
    Return bounds that leave room for everything seen of *group*; with *timer* hand-overs may take too long.

    Raise NotCombined where the model has no such bounds.
    """
    try:
        return _bounds_of(recording, group, rules, timer)
    except ValueError as refused:
        raise NotCombined(str(refused)) from None


def _bounds_of(recording: Recording, group: UnitGroup, rules: Rules, timer: bool) -> Bounds:
    records = [seen.written.record for seen in group.timeline if isinstance(seen, Append)]
    resent = sum(isinstance(seen, Append) and seen.written.resent for seen in group.timeline)
    steps = Counter(seen.action for seen in group.timeline if isinstance(seen, RegistryStep))
    in_store = recording.storage == Storage.METADATA_STORE
    splits = sum(record.state == SPLITTING for record in records) if len(group.keys) > 1 else 0
    shutdowns = steps["unregister"] + _cut_short(group)
    ends = steps["crash"] + steps["expire"]
    starts_given_up = _starts_given_up(group) if steps["crash"] else 0
    return Bounds(
        brokers=len(recording.brokers),
        units=len(group.keys),
        storage=recording.storage,
        assigns=2 * sum(is_looked_up(record) for record in records),
        unloads=sum(record.state == RELEASING and record.destination == NOBODY for record in records),
        removals=sum(record.state == RELEASING and record.force for record in records),
        transfers=sum(record.state == RELEASING and record.destination != NOBODY for record in records),
        tombstones=sum(is_absent(record) for record in records),
        unplaced=sum(record.state == FREE and record.force for record in records),
        splits=splits,
        resends=resent,
        overtakes=0 if in_store else overtakes(group),
        crashes=steps["crash"],
        restarts=max(9, steps["restart"]),
        slow_starts=0 if in_store else starts_given_up,
        failed_starts=0 if in_store else starts_given_up,
        expiries=steps["expire"],
        shutdowns=shutdowns,
        last_stops=1 if shutdowns and (ends or _all_stop(group, len(recording.brokers))) else 0,
        late_handlers=shutdowns,
        short_flushes=_unflushed(group),
        flight_timer=1 if timer else 0,
        split_time_outs=sum(record.state == SPLITTING and record.force for record in records)
        if timer and splits
        else 0,
        safe_mode=1 if steps["expire"] and (in_store or _cleans_up_late(group)) else 0,
        beliefs=1 if _elects_unregistered(group) else 0,
        rules=rules,
        window=1 if in_store else len(records) + 1,
        pending=PENDING,
        closings=4,
        versions=max((record.version for record in records), default=0) + 2,
    )


def may_overtake(queue: Sequence[Append]) -> bool:
    """Return whether the first two records of one process may have been made in the other order, of the same entry."""
    if len(queue) < 2:
        return False
    one, other = queue[0], queue[1]
    return one.unit == other.unit and one.written.record.version == other.written.record.version


def overtakes(group: UnitGroup) -> int:
    """Count the records that may have overtaken the next one of their process."""
    by_process: dict[tuple[int, int], list[Append]] = {}
    for seen in group.timeline:
        if isinstance(seen, Append):
            by_process.setdefault((seen.written.broker, seen.written.process), []).append(seen)
    return sum(may_overtake(pair) for queue in by_process.values() for pair in pairwise(queue))


def is_looked_up(record: Record) -> bool:
    """Return whether only a lookup publishes such a record (P1)."""
    return record.state == ASSIGNING and record.source == NOBODY and not record.force


def _starts_given_up(group: UnitGroup) -> int:
    """Count the processes that register anew, publish nothing, and unregister: their start may have failed."""
    started: set[int] = set()
    count = 0
    for seen in group.timeline:
        if isinstance(seen, Append):
            started.discard(seen.written.broker)
        elif isinstance(seen, RegistryStep):
            if seen.action == "restart":
                started.add(seen.broker)
            elif seen.action == "unregister" and seen.broker in started:
                started.discard(seen.broker)
                count += 1
    return count


def _all_stop(group: UnitGroup, brokers: int) -> bool:
    """Return whether brokers unregister, one after the other, until none is left, and none comes back between."""
    gone: set[int] = set()
    leaving: set[int] = set()
    for seen in group.timeline:
        if not isinstance(seen, RegistryStep):
            continue
        if seen.action == "unregister":
            leaving.add(seen.broker)
            if len(gone | leaving) == brokers:
                return True
        elif seen.action in ("restart", "register"):
            gone = (gone | leaving) - {seen.broker}
            leaving = set()
    return False


def _cut_short(group: UnitGroup) -> int:
    """Count the processes that give up a unit of their own, as only one does that shuts down, and never unregister."""
    gives: set[tuple[int, int]] = set()
    process: Counter[int] = Counter()
    for seen in group.timeline:
        if isinstance(seen, RegistryStep):
            process[seen.broker] += seen.action == "restart"
            if seen.action in ("unregister", "stop"):
                gives.discard((seen.broker, process[seen.broker]))
        elif isinstance(seen, Append) and gives_up(seen.written.record, seen.written.broker):
            gives.add((seen.written.broker, seen.written.process))
    return len(gives)


def gives_up(record: Record, broker: int) -> bool:
    """Return whether *broker* gives a unit of its own to another one by force."""
    return record.force and record.state == RELEASING and record.destination != NOBODY and record.source == broker


def _unflushed(group: UnitGroup) -> int:
    """Count the shutdowns in which a forced record reaches the channel after its broker has unregistered."""
    left: set[int] = set()
    late: set[int] = set()
    count = 0
    for seen in group.timeline:
        if isinstance(seen, RegistryStep):
            if seen.action == "unregister":
                left.add(seen.broker)
            elif seen.action == "restart":
                left.discard(seen.broker)
                late.discard(seen.broker)
        elif isinstance(seen, Append) and seen.written.record.force and seen.written.broker in left - late:
            late.add(seen.written.broker)
            count += 1
    return count


def _cleans_up_late(group: UnitGroup) -> bool:
    """Return whether a former leader overrides: a clean-up that it scheduled, a matter of ``safe_mode``."""
    leader, led = 1, {1}
    for seen in group.timeline:
        if isinstance(seen, RegistryStep):
            leader = seen.broker if seen.action == "elect" else leader
            led.add(leader)
        elif isinstance(seen, Append) and _overrides(seen.written.record) and seen.written.broker in led - {leader}:
            return True
    return False


def _overrides(record: Record) -> bool:
    """Return whether a clean-up publishes such a record."""
    return record.force and record.state in (OWNED, SPLITTING, FREE)


def _elects_unregistered(group: UnitGroup) -> bool:
    """Return whether a broker is elected whose registration is gone (run.G2); needs roles."""
    gone: set[int] = set()
    for seen in group.timeline:
        if isinstance(seen, RegistryStep):
            if seen.action == "expire":
                gone.add(seen.broker)
            elif seen.action in ("register", "restart"):
                gone.discard(seen.broker)
            elif seen.action == "elect" and seen.broker in gone:
                return True
    return False
