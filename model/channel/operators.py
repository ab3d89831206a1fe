"""
These functions tell the operator who asked for an unload, a transfer or a split that it is done.

Whoever serves the command publishes its record and, once that is in the topic, waits for a record that it takes for the
end: after an unload or a transfer Free, Owned with a source, or a tombstone of the unit, after a split a tombstone
(``UnloadManager``, ``SplitManager``, v4.0.6). Nothing connects the wait with the record that was published: one that
every reader refuses is told to nobody (run.G5), and any end of the unit ends the wait (run.G6). Modelled with the
bound ``operators``; after ``namespaceBundleUnloadingTimeoutMs`` (60 s) the operator is told that the wait is over,
which changes nothing else and is left out.
"""

from __future__ import annotations

from oneowner.model.channel.parts import Order, Progress, Publish
from oneowner.model.channel.record import FREE, NOBODY, OWNED, RELEASING, SPLITTING, Record, ServiceUnitState, is_absent
from oneowner.model.channel.state import State
from oneowner.model.kernel.guards import require

NONE = Order(Progress.NONE, False, NOBODY)
REFUSED = Order(Progress.REFUSED, False, NOBODY)


def ask_to_unload(state: State, broker: int, unit: int, destination: int) -> None:
    """
    Note that an operator asked *broker* to unload *unit*, or to transfer it to *destination*.

    Who asks while another waits there joins that one's wait (``inFlightUnloadRequest``), which is left out.
    """
    if state.bounds.operators:
        require(not is_asked(state.unloading[broker, unit]), "no operator waits there for an unload")
        state.unloading[broker, unit] = Order(Progress.SENT, False, destination)


def ask_to_split(state: State, broker: int, unit: int) -> None:
    """Note that an operator asked *broker* to split *unit*."""
    if state.bounds.operators:
        require(not is_asked(state.dividing[broker, unit]), "no operator waits there for a split")
        state.dividing[broker, unit] = Order(Progress.SENT, False, NOBODY)


def is_asked(order: Order) -> bool:
    """Say whether something is asked for and not yet answered."""
    return order.progress == Progress.SENT or order.progress == Progress.WAITING


def acknowledge(state: State, broker: int, sent: Publish) -> None:
    """The topic has *sent*: from now on the operator waits for its end (``waitAsync`` of both managers)."""
    if state.bounds.operators:
        state.unloading[broker, sent.unit] = acknowledged(state.unloading[broker, sent.unit], sent.record, RELEASING)
        state.dividing[broker, sent.unit] = acknowledged(state.dividing[broker, sent.unit], sent.record, SPLITTING)


def acknowledged(order: Order, sent: Record, kind: ServiceUnitState) -> Order:
    """Return *order*, whose records are of *kind*, once the topic has *sent*."""
    if sent.state == kind and order.progress == Progress.SENT:
        return Order(Progress.WAITING, order.carried, order.destination)
    return order


def tell(state: State, broker: int, unit: int, record: Record) -> None:
    """
    Tell who waits at *broker* for *unit* that it is done, if the accepted *record* looks like the end.

    An unload ends with Free, unless that is forced, with Owned that names a source, and with a tombstone; a split with
    a tombstone alone. At the source of the record Pulsar waits until the topics are closed; here it does not.
    """
    if state.bounds.operators:
        state.unloading[broker, unit] = after_unloading(state, state.unloading[broker, unit], record)
        state.dividing[broker, unit] = after_dividing(state, state.dividing[broker, unit], record)


def after_unloading(state: State, order: Order, record: Record) -> Order:
    """Return what an unload or a transfer has come to once the view has accepted *record*."""
    if ends_unload(record) and is_done(state, order):
        return NONE
    fits = order.destination == NOBODY or order.destination == record.destination
    if record.state == RELEASING and is_asked(order) and fits:
        return Order(order.progress, True, order.destination)
    return order


def after_dividing(state: State, order: Order, record: Record) -> Order:
    """Return what a split has come to once the view has accepted *record*."""
    if is_absent(record) and is_done(state, order):
        return NONE
    if record.state == SPLITTING and is_asked(order):
        return Order(order.progress, True, NOBODY)
    return order


def ends_unload(record: Record) -> bool:
    """Say whether *record* ends the wait for an unload or a transfer (``UnloadManager.handleEvent``)."""
    if record.state == FREE:
        return not record.force
    return is_absent(record) or (record.state == OWNED and record.source != NOBODY)


def is_done(state: State, order: Order) -> bool:
    """Say whether a wait ends by a record that looks like the end; with the repair only if it was carried out."""
    if state.bounds.rules.wait_follows_its_record:
        return order.progress == Progress.WAITING and order.carried
    return order.progress == Progress.WAITING


def tell_refusal(state: State, broker: int, unit: int, record: Record) -> None:
    """
    With the repair, tell who waits at *broker* that the view refused *record*.

    No release does; the hook by which a lookup was told of a refusal until 3.3 (``handleSkippedEvent``) has no caller
    since 4.0.0.
    """
    if state.bounds.operators and state.bounds.rules.wait_follows_its_record:
        state.unloading[broker, unit] = after_refusal(state.unloading[broker, unit], record, RELEASING)
        state.dividing[broker, unit] = after_refusal(state.dividing[broker, unit], record, SPLITTING)


def after_refusal(order: Order, record: Record, kind: ServiceUnitState) -> Order:
    """Return what *order*, whose records are of *kind*, has come to once the view has refused *record*."""
    if order.progress != Progress.WAITING or order.carried:
        return order
    return REFUSED if record.state == kind and record.destination == order.destination else order
