"""
One law of publishes that arrive: the place of each record, the notified brokers, and the work still under way.

``append-only`` states that nothing else changes the channel; this one states that it does change.
"""

from oneowner.model.channel.parts import Message
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.spec.channel.brokers import keeps_a_session
from oneowner.spec.channel.channel import is_write, written

# ---- run.G8 ----


def a_publish_arrives(before: State, action: Action, after: State) -> bool:
    return is_write(action) and not before.resent[action.argument("broker")]


def is_told_in_contact(before: State, after: State, broker: int, unit: int) -> bool:
    """Return whether *broker* is notified of nodes of *unit* only with a session, and then of each that has changed."""
    if not keeps_a_session(before, broker):
        return after.changed[broker, unit] == before.changed[broker, unit]
    is_read = after.view[broker, unit] == after.base[unit]
    return before.base[unit] == after.base[unit] or after.changed[broker, unit] or is_read


@step_law(
    "publishes-arrive",
    "ServiceUnitStateTableViewImpl.put; ProducerImpl.resendMessages; MetadataStoreTableViewImpl.handleNotification",
    when=a_publish_arrives,
    kind=LawKind.MIRROR,
)
def it_is_there_and_told_of(before: State, action: Action, after: State) -> bool:
    """
    A record that arrives is the last one of the log, whether or not readers will take it, and is under way no more,
    unless its acknowledgement is lost; in the metadata store every broker with a session, and no other, is notified of
    a node that has changed.
    """
    broker, sent = action.argument("broker"), written(before, action)
    if before.bounds.storage == Storage.METADATA_STORE:
        return all(
            is_told_in_contact(before, after, other, unit) for other in brokers(before) for unit in units(before)
        )
    if after.log.length == 0 or after.log[after.log.length] != Message(sent.unit, sent.record):
        return False
    if action.name == "append_unacknowledged":
        return after.outbox[broker] == before.outbox[broker]
    return after.outbox[broker] == before.outbox[broker].without(2 if action.name == "overtake" else 1)
