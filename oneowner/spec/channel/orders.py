"""
Laws of orders state how an operator's wait begins, and which records end it (``operators.py``).

They call no function of the model that answers an operator.
"""

from oneowner.model.channel.parts import Order, Progress
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import FREE, NOTHING, OWNED, RELEASING, SPLITTING, ServiceUnitState
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, always, step_law

# ---- run.G5, run.G6 ----


def is_open(order: Order) -> bool:
    return order.progress == Progress.SENT or order.progress == Progress.WAITING


def is_as_sent(order: Order, is_under_way: bool) -> bool:
    """Return whether the record of an order that was sent is under way, and that of one that waits is not any more."""
    return not is_open(order) or is_under_way == (order.progress == Progress.SENT)


def some_order_is_sent(state: State) -> bool:
    return state.bounds.operators > 0 and any(
        is_open(state.unloading[broker, unit]) or is_open(state.dividing[broker, unit])
        for broker in brokers(state)
        for unit in units(state)
    )


def sends(state: State, broker: int, unit: int, kind: ServiceUnitState) -> bool:
    return any(
        state.outbox[broker][number].unit == unit and state.outbox[broker][number].record.state == kind
        for number in range(1, state.bounds.pending + 1)
        if number <= state.outbox[broker].length
    )


@always(
    "orders-are-under-way",
    "UnloadManager.waitAsync, SplitManager.waitAsync",
    when=some_order_is_sent,
    kind=LawKind.MIRROR,
)
def every_order_that_is_sent_is_under_way(state: State) -> bool:
    """
    The record of an operator's unload, transfer or split is under way until the operator waits, and no longer.
    """
    return all(
        is_as_sent(state.unloading[broker, unit], sends(state, broker, unit, RELEASING))
        and is_as_sent(state.dividing[broker, unit], sends(state, broker, unit, SPLITTING))
        for broker in brokers(state)
        for unit in units(state)
    )


def an_operator_is_told(before: State, action: Action, after: State) -> bool:
    return (
        action.name == "consume"
        and before.bounds.operators > 0
        and before.bounds.late_callbacks == 0
        and any(
            is_told(before, after, broker, unit) or is_split_told(before, after, broker, unit)
            for broker in brokers(before)
            for unit in units(before)
        )
    )


def is_told(before: State, after: State, broker: int, unit: int) -> bool:
    was = before.unloading[broker, unit].progress
    return was != Progress.NONE and after.unloading[broker, unit].progress == Progress.NONE


def is_split_told(before: State, after: State, broker: int, unit: int) -> bool:
    was = before.dividing[broker, unit].progress
    return was != Progress.NONE and after.dividing[broker, unit].progress == Progress.NONE


def ends_an_unload(before: State, after: State, broker: int, unit: int) -> bool:
    record, was_waiting = after.view[broker, unit], before.unloading[broker, unit].progress == Progress.WAITING
    is_moved = record.state == OWNED and record.source != 0
    return was_waiting and (is_moved or record.state == NOTHING or (record.state == FREE and not record.force))


@step_law(
    "told-by-its-kind-of-end",
    "UnloadManager.handleEvent, SplitManager.handleEvent",
    when=an_operator_is_told,
    kind=LawKind.MIRROR,
)
def it_is_told_by_its_kind_of_end(before: State, action: Action, after: State) -> bool:
    """
    An unforced Free, an Owned with a source or a tombstone ends the wait for an unload or a transfer, and only a
    tombstone the wait for a split; and nothing ends a wait before its record is in the topic.
    """
    return all(
        (not is_told(before, after, broker, unit) or ends_an_unload(before, after, broker, unit))
        and (not is_split_told(before, after, broker, unit) or after.view[broker, unit].state == NOTHING)
        for broker in brokers(before)
        for unit in units(before)
    )
