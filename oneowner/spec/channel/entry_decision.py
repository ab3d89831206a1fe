"""
``ENTRY`` and ``WAIT`` judge the meaning of an entry: the owner now and next, the next step, and the wait that it ends.
"""

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
from oneowner.model.channel.step_inputs import StepSizes, Wait, ended, read_wait, some_wait
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind

__traced__ = False  # laws of decisions, concrete


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
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "assigned-is-the-destination-or-splits",
            "Assigned to is the destination of Owned, Assigning and Releasing, or the source of Splitting.",
            "ServiceUnitStateChannelImpl.getAssigned",
            always,
            assigned_is_named,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "state-is-of-its-class",
            "In flight are Assigning, Releasing and Splitting; active are these and Owned.",
            "ServiceUnitState.isActiveState, isInFlightState",
            always,
            class_fits,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "nobody-is-found-where-nobody-is-named",
            "A lookup finds nobody where there is no entry, or Init, Free, or Releasing without a destination.",
            "ServiceUnitStateChannelImpl.getOwnerAsync",
            always,
            nobody_is_found,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "version-follows",
            "The version that follows is one more, the least after the greatest, and 1 after nothing.",
            "ServiceUnitStateChannelImpl.getNextVersionId",
            always,
            version_follows,
            kind=LawKind.PROTOCOL,
        ),
    ),
    read_entry,
)


# ---- an operator's wait ----


def ends_an_unload(wait: Wait) -> bool:
    record = wait.record
    is_moved = record.state == OWNED and record.source != NOBODY
    return is_moved or record.state == NOTHING or (record.state == FREE and not record.force)


WAIT = Decision(
    "channel/operator-wait",
    "Whether an operator is told that an unload, a transfer or a split is done (UnloadManager, SplitManager)",
    StepSizes,
    some_wait,
    ended,
    (
        InputLaw(
            "unload-ends-by-its-kind-of-record",
            "An unload or a transfer that is in the topic ends by a Free that is not forced, an Owned with a source, or"
            " a tombstone, and by nothing else.",
            "UnloadManager.handleEvent",
            lambda wait, answer: wait.is_sent and not wait.is_for_split,
            lambda wait, answer: bool(answer == ends_an_unload(wait)),
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "split-ends-by-a-tombstone",
            "A split that is in the topic ends by a tombstone of its parent, and by nothing else.",
            "SplitManager.handleEvent",
            lambda wait, answer: wait.is_sent and wait.is_for_split,
            lambda wait, answer: bool(answer == (wait.record.state == NOTHING)),
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "nobody-is-told-before-the-topic-has-it",
            "A command that is not in the topic yet ends by no record.",
            "UnloadManager.waitAsync, SplitManager.waitAsync",
            lambda wait, answer: not wait.is_sent,
            lambda wait, answer: not answer,
            kind=LawKind.MIRROR,
        ),
    ),
    read_wait,
)
