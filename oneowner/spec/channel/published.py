"""
One law of records under way: the record that Pulsar's code makes of each entry, with state, brokers, force and version.

It looks at every publish and at the entry that its publisher started from (``Publish.basis``), and restates the rules
P1 to P12 from the side of the record. No function of the model that makes records is called.
"""

from oneowner.model.channel.parts import Publish
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    INIT,
    NOBODY,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
)
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, always
from oneowner.spec.channel.brokers import owner_of, speaks_as_released


def something_is_published(state: State) -> bool:
    return speaks_as_released(state.bounds) and any(state.outbox[broker].length > 0 for broker in brokers(state))


def is_by_rule(state: State, broker: int, sent: Publish) -> bool:
    """Return whether *broker* makes this record, if it holds its basis."""
    record, held = sent.record, sent.basis
    if record.state == NOTHING:  # P10, P11, P12
        is_blank = record.destination == NOBODY and record.source == NOBODY and not record.force
        return is_blank and (held.state == FREE or held.state == DELETED or held.state == INIT)
    if record.version != version_behind(state, held):
        return False
    if record.force:
        return is_forced_by_rule(broker, record, held)
    if record.state == ASSIGNING:  # P1, and P6 for the source of a transfer
        by_source = held.state == RELEASING and held.source == broker and record.source == broker
        is_lookup = record.source == NOBODY
        return record.destination != NOBODY and (is_lookup or (by_source and record.destination == held.destination))
    if record.state == OWNED:  # P2, and P8 for a child of a split
        if held.state == NOTHING:
            return sent.unit > 1 and record.destination == broker and record.source == NOBODY
        answers = held.state == ASSIGNING and held.destination == broker and record.destination == broker
        return answers and record.source == held.source
    if record.state == RELEASING:  # P3, P4
        by_itself = held.state == SPLITTING and record.source == broker and record.destination == NOBODY
        return (held.state == OWNED or by_itself) and takes_from_the_owner(record, held)
    if record.state == FREE:  # P5
        is_source = held.state == RELEASING and held.source == broker and held.destination == NOBODY
        return is_source and record.source == broker and record.destination == NOBODY
    if record.destination != NOBODY or record.source == NOBODY:
        return False
    if record.state == SPLITTING:  # P7
        return record.source == owner_of(held)
    return record.state == DELETED and held.state == SPLITTING and record.source == broker == held.source  # P9


def is_forced_by_rule(broker: int, record: Record, held: Record) -> bool:
    """Return whether that is so of a forced record (P13, the deletion of a bundle, and who shuts down)."""
    if record.state == RELEASING:  # of a deletion to nobody, of who shuts down from itself to another broker
        by_itself = record.source == broker or record.destination == NOBODY
        return held.state == OWNED and by_itself and takes_from_the_owner(record, held)
    if record.state == SPLITTING:
        return held.state == SPLITTING and record.destination == NOBODY and record.source != NOBODY
    if held.state != OWNED and held.state != ASSIGNING and held.state != RELEASING and record.state == OWNED:
        return False
    former = held.destination if held.state == OWNED else held.source
    if record.state == OWNED:
        is_told = record.source == (NOBODY if former == record.destination else former)
        return record.destination != NOBODY and is_told
    is_active = held.state == OWNED or held.state == ASSIGNING or held.state == RELEASING or held.state == SPLITTING
    return record.state == FREE and is_active and record.destination == NOBODY and record.source == former


def takes_from_the_owner(record: Record, held: Record) -> bool:
    return record.source != NOBODY and record.source == owner_of(held) and record.source != record.destination


def version_behind(state: State, held: Record) -> int:
    if held.state == NOTHING:
        return 1
    last = state.bounds.last_version
    return -last - 1 if held.version == last else held.version + 1


@always(
    "publishes-by-rule",
    "ServiceUnitStateChannelImpl.publishAssignEventAsync, publishUnloadEventAsync, publishSplitEventAsync,"
    " handleAssignEvent, handleReleaseEvent, splitServiceUnitOnceAndRetry, overrideOwnership, tombstoneAsync",
    when=something_is_published,
    kind=LawKind.MIRROR,
)
def all_is_published_by_rule(state: State) -> bool:
    """
    Every record that a broker publishes follows by Pulsar's rules from the entry that it held: an assignment names a
    destination; the destination of an Assigning answers Owned, the source of a Releasing Assigning or Free; a command
    takes a unit from its owner; a broker that splits gives itself the children and deletes the parent; a forced record
    names the former owner as the one that must close; a tombstone is blank and deletes what is free or deleted; each
    has the next version after that of the entry.
    """
    return all(
        is_by_rule(state, broker, state.outbox[broker][number])
        for broker in brokers(state)
        for number in range(1, state.bounds.pending + 1)
        if number <= state.outbox[broker].length
    )
