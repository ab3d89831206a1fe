"""The fold's findings, refusals and intervals are built here, as reports show them."""

from oneowner.checkers.recordings.fold.channel_law import Broken
from oneowner.checkers.recordings.fold.channel_laws import LEGAL_HISTORY, STUCK
from oneowner.checkers.recordings.fold.unit_memory import Unit
from oneowner.checkers.recordings.read.events import (
    KEY,
    MESSAGE_ID,
    Event,
    Finding,
    Interval,
    Mark,
    Refused,
    Row,
    brokers_named,
)
from oneowner.model.channel.explanation import repair, why
from oneowner.model.channel.record import ASSIGNING, RELEASING, Record, is_absent, owner
from oneowner.model.channel.resolver import Refusal
from oneowner.model.kernel.law import Severity


def lost(row: Row, refused: Refusal) -> Refused:
    """Return the refusal of a message: its writer lost a race."""
    return Refused(row[KEY], row[:3], row[MESSAGE_ID], refused.rule, why(refused))


def illegal(row: Row, refused: Refusal, severity: Severity) -> Finding:
    """Return the finding about a write that took effect although the resolver refuses it."""
    event = Event(*row)
    return Finding(
        LEGAL_HISTORY.name, severity, event.key, event.position, event.origin, event.message_id,
        event.time, brokers_named(refused.held, refused.proposed), why(refused), shown(refused.held),
        refused.proposed, refused.guard, repair(refused),
    )  # fmt: skip


def broken(law: str, held: Record, row: Row, answer: Broken, severity: Severity) -> Finding:
    """Return the finding about an accepted record that broke a law."""
    event = Event(*row)
    return Finding(
        law, severity, event.key, event.position, event.origin, event.message_id,
        event.time, answer.brokers or brokers_named(held, event.record), answer.why, shown(held),
        shown(event.record), law, answer.repair,
    )  # fmt: skip


def stuck(entered: Event, duration: int, severity: Severity) -> Finding:
    """Return the finding about an entry that stayed in flight for *duration* milliseconds."""
    return Finding(
        STUCK.name, severity, entered.key, entered.position, entered.origin, entered.message_id, entered.time,
        brokers_named(entered.record), f"{entered.record} stayed in flight for {duration / 1000:.3f} s",
        None, entered.record, STUCK.name, "the next record of the unit within the limit",
    )  # fmt: skip


def repeated(event: Event, words: str) -> Finding:
    """Return the warning about a message that is out of order."""
    return Finding(
        "message-order", Severity.WARNING, event.key, event.position, event.origin, event.message_id, event.time,
        (), words, None, None, "message-order", "every message once, ids strictly increasing",
    )  # fmt: skip


def interval(unit: Unit, written: Event, until: Mark | None) -> Interval:
    """Return the interval that the unit's entry stands for."""
    broker = holder(unit.held)
    name = str(broker) if broker else None
    since = Mark(written.message_id, written.time)
    return Interval(unit.key, written.position, name, unit.held.state.value, since, until)


def holder(record: Record) -> int:
    """Return the broker that an interval shows: the owner, the destination, or the source; else NOBODY."""
    if record.state == ASSIGNING:
        return record.destination
    if record.state == RELEASING:
        return record.source
    return owner(record)


def shown(record: Record) -> Record | None:
    """Return the record as findings show it: None for no entry."""
    return None if is_absent(record) else record
