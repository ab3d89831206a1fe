"""
The age of an entry when the leader's monitor ended its hand-over or deleted it.

In the model any hand-over may have lasted too long, and any free entry may be old enough. A recording has times.
"""

from collections.abc import Sequence

from oneowner.checkers.recordings.explain.unit_groups import Append, UnitGroup
from oneowner.model.channel.record import is_absent, is_active, is_in_flight, next_version
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action

LATE = 1_000
"""Milliseconds by which the clocks of two brokers, or a record's own time and its publish, may differ here."""


def is_ripe(one: Action, group: UnitGroup, state: State, queue: Sequence[Append]) -> bool:
    """
    Return whether the entry that *one* ends or deletes was old enough when its record was sent.

    That record is the first of *queue* that is not under way in *state*; no other step waits for anything.
    """
    waited = {"end_flight": group.waits.in_flight, "tombstone": group.waits.tombstone}.get(one.name, 0)
    if not waited:
        return True
    wanted = queue[state.outbox[one.argument("broker")].length]
    for seen in group.timeline:
        if seen == wanted:
            break
        if isinstance(seen, Append) and seen.unit == wanted.unit:
            record = seen.written.record
            is_next = is_in_flight(record) and next_version(record) == wanted.written.record.version
            is_found = is_next if one.name == "end_flight" else not is_absent(record) and not is_active(record)
            if is_found and wanted.written.time - seen.written.time >= waited - LATE:
                return True
    return False
