"""
These laws judge what Pulsar tells an operator who asked for an unload, a transfer or a split.

Both look like promises of the admin API, and neither is kept: the wait is for some end of the unit, not for that of the
record that was published (``UnloadManager``, ``SplitManager``).
"""

from __future__ import annotations

from oneowner.model.channel.parts import Order, Progress
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Status, always, step_law
from oneowner.spec.channel.pause import has_records_ahead

# ---- run.G5 ----


def is_waiting(order: Order) -> bool:
    """Say whether an operator waits to hear that it is done."""
    return order.progress == Progress.WAITING


def an_operator_waits(state: State) -> bool:
    if state.bounds.operators == 0:
        return False
    return any(
        is_waiting(state.unloading[broker, unit]) or is_waiting(state.dividing[broker, unit])
        for broker in brokers(state)
        for unit in units(state)
    )


def every_wait_is_for_something(state: State) -> bool:
    return all(
        has_records_ahead(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
        if is_in_vain(state.unloading[broker, unit]) or is_in_vain(state.dividing[broker, unit])
    )


def is_in_vain(order: Order) -> bool:
    """Say whether an operator waits, and no accepted record has carried out what was asked for."""
    return is_waiting(order) and not order.carried


REFUSAL_IS_TOLD = always(
    "refusal-is-told",
    "An operator who waits for an unload, a transfer or a split waits for a record that is being carried out, or that"
    " the broker has yet to read. (It looks like an invariant and is none: a record that loses a race is dropped by"
    " every reader, and nobody tells the one who waits; a lost split waits for its whole time-out.)",
    "SplitManager.waitAsync, UnloadManager.waitAsync; seen in traces/real/split",
    when=an_operator_waits,
    holds=every_wait_is_for_something,
    status=Status.DOCUMENTED,
)


# ---- run.G6 ----


def some_wait_ends(before: State, action: Action, after: State) -> bool:
    """Say whether this step tells some operator that it is done."""
    if before.bounds.operators == 0:
        return False
    return any(
        ends(before.unloading[broker, unit], after.unloading[broker, unit])
        or ends(before.dividing[broker, unit], after.dividing[broker, unit])
        for broker in brokers(before)
        for unit in units(before)
    )


def ends(before: Order, after: Order) -> bool:
    return is_waiting(before) and after.progress == Progress.NONE


def what_ends_was_carried_out(before: State, action: Action, after: State) -> bool:
    return not any(
        ends_undone(before.unloading[broker, unit], after.unloading[broker, unit])
        or ends_undone(before.dividing[broker, unit], after.dividing[broker, unit])
        for broker in brokers(before)
        for unit in units(before)
    )


def ends_undone(before: Order, after: Order) -> bool:
    return ends(before, after) and not before.carried


DONE_AS_ASKED = step_law(
    "done-as-asked",
    "An operator who is told that an unload, a transfer or a split is done asked for what was carried out: since then"
    " a record of that kind, for that destination, was accepted. (It looks like an invariant and is none: any end of"
    " the unit ends the wait, be it the end of the command that won the race.)",
    "UnloadManager.handleEvent, SplitManager.handleEvent; seen in traces/real/split",
    when=some_wait_ends,
    holds=what_ends_was_carried_out,
    status=Status.DOCUMENTED,
)
