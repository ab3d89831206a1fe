"""``ENTRY`` judges what an entry says: who owns the unit or is to, its class, the version that follows."""

from __future__ import annotations

from typing import Any

from oneowner.model.channel.record import (
    ASSIGNING,
    FREE,
    INIT,
    MAX_VERSION,
    MIN_VERSION,
    NOBODY,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
)
from oneowner.model.channel.record_inputs import (
    Meaning,
    MoveSizes,
    meant,
    read_entry,
    some_entry,
)
from oneowner.model.kernel.decision import Decision, InputLaw

__traced__ = False  # laws of decisions, concrete


def always(asked: Any, answer: Any) -> bool:
    return True


def owner_is_named(record: Record, answer: Meaning) -> bool:
    by_state = {OWNED: record.destination, SPLITTING: record.source}
    return answer.owner == by_state.get(record.state, NOBODY)


def assigned_is_named(record: Record, answer: Meaning) -> bool:
    hands_over = record.state in (OWNED, ASSIGNING, RELEASING)
    return answer.assigned == (record.destination if hands_over else answer.owner)


def class_fits(record: Record, answer: Meaning) -> bool:
    is_in_flight = record.state in (ASSIGNING, RELEASING, SPLITTING)
    return (answer.is_active, answer.is_in_flight) == (is_in_flight or record.state == OWNED, is_in_flight)


def nobody_is_found(record: Record, answer: Meaning) -> bool:
    is_given_up = record.state == RELEASING and record.destination == NOBODY
    return answer.has_no_owner == (record.state in (NOTHING, INIT, FREE) or is_given_up)


def version_follows(record: Record, answer: Meaning) -> bool:
    if record.state == NOTHING:
        return answer.next_version == 1
    return answer.next_version == (MIN_VERSION if record.version == MAX_VERSION else record.version + 1)


ENTRY = Decision(
    "channel/entry",
    "What an entry says: who owns the unit or is to, whether it is active, the next version (getOwnerNow, getAssigned)",
    MoveSizes,
    some_entry,
    meant,
    (
        InputLaw(
            "owner-is-the-destination-or-splits",
            "The owner is the destination of Owned and the source of Splitting; else there is none.",
            "ServiceUnitStateChannelImpl.getOwnerNow",
            always,
            owner_is_named,
        ),
        InputLaw(
            "assigned-is-the-destination-or-splits",
            "Assigned to is the destination of Owned, Assigning and Releasing, or the source of Splitting.",
            "ServiceUnitStateChannelImpl.getAssigned",
            always,
            assigned_is_named,
        ),
        InputLaw(
            "state-is-of-its-class",
            "In flight are Assigning, Releasing and Splitting; active are these and Owned.",
            "ServiceUnitState.isActiveState, isInFlightState",
            always,
            class_fits,
        ),
        InputLaw(
            "nobody-is-found-where-nobody-is-named",
            "A lookup finds nobody where there is no entry, or Init, Free, or Releasing without a destination.",
            "ServiceUnitStateChannelImpl.getOwnerAsync",
            always,
            nobody_is_found,
        ),
        InputLaw(
            "version-follows",
            "The version that follows is one more, the least after the greatest, and 1 after nothing.",
            "ServiceUnitStateChannelImpl.getNextVersionId",
            always,
            version_follows,
        ),
    ),
    read_entry,
)
