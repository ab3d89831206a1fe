"""
These laws judge Pulsar's answer to an operator's unload, transfer or split.

The first two look like promises of the admin API, and neither is kept: the wait is for some end of the unit, not for
that of the record that was published (``UnloadManager``, ``SplitManager``). The others state that the waiting operator
is notified of such an end, and of nothing else.
"""

from oneowner.model.channel.operators import ends_unload, is_asked, is_waiting
from oneowner.model.channel.parts import Order, Progress
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import is_absent
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, leads_to, step_law
from oneowner.spec.channel.pause import has_records_ahead

# ---- run.G5 ----


def an_operator_waits(state: State) -> bool:
    if state.bounds.operators == 0:
        return False
    return any(
        is_waiting(state.unloading[broker, unit]) or is_waiting(state.dividing[broker, unit])
        for broker in brokers(state)
        for unit in units(state)
    )


def is_in_vain(order: Order) -> bool:
    """Return whether an operator waits, and no accepted record has carried out what was asked for."""
    return is_waiting(order) and not order.carried


@always(
    "refusal-is-told",
    "SplitManager.waitAsync, UnloadManager.waitAsync; seen in traces/real/split",
    when=an_operator_waits,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def every_wait_is_for_something(state: State) -> bool:
    """
    An operator who waits for an unload, a transfer or a split waits for a record that is being carried out, or that the
    broker has yet to read.

    (It does not hold: every reader drops a record that loses a race, and the operator gets no answer; a lost split
    waits for its whole time-out.)
    """
    return all(
        has_records_ahead(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
        if is_in_vain(state.unloading[broker, unit]) or is_in_vain(state.dividing[broker, unit])
    )


# ---- run.G6 ----


def some_wait_ends(before: State, action: Action, after: State) -> bool:
    """Return whether this step reports success to some operator."""
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


def ends_undone(before: Order, after: Order) -> bool:
    return ends(before, after) and not before.carried


@step_law(
    "done-as-asked",
    "UnloadManager.handleEvent, SplitManager.handleEvent; seen in traces/real/split",
    when=some_wait_ends,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def what_ends_was_carried_out(before: State, action: Action, after: State) -> bool:
    """
    When an unload, a transfer or a split is reported as done, it was carried out: since the operator's call a record of
    that kind, for that destination, was accepted.

    (It does not hold: any end of the unit ends the wait, be it the end of the command that won the race.)
    """
    return not any(
        ends_undone(before.unloading[broker, unit], after.unloading[broker, unit])
        or ends_undone(before.dividing[broker, unit], after.dividing[broker, unit])
        for broker in brokers(before)
        for unit in units(before)
    )


# ---- every command ends ----


def awaits_its_end(order: Order) -> bool:
    """Return whether an operator waits for the end of a command that was carried out, on the list of those told."""
    return order.progress == Progress.WAITING and order.carried


def a_command_is_carried_out(state: State) -> bool:
    if state.bounds.operators == 0:
        return False
    return any(
        awaits_its_end(state.unloading[broker, unit]) or awaits_its_end(state.dividing[broker, unit])
        for broker in brokers(state)
        for unit in units(state)
    )


@leads_to(
    "operator-is-answered",
    "UnloadManager.handleEvent, SplitManager.handleEvent",
    when=a_command_is_carried_out,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def every_operator_is_answered(state: State) -> bool:
    """
    An operator whose unload, transfer or split was carried out gets an answer in the end, before the wait times out.

    (It does not hold: a wait begins when the topic has the record, which may be after the same transfer of another
    operator has ended; then no other end follows.)
    """
    return not a_command_is_carried_out(state)


# ---- apache/pulsar#26363: a wait that is over, and still on the list ----


def some_end_is_read(before: State, action: Action, after: State) -> bool:
    """Return whether a broker reads an end for which an operator waits there, whose command was carried out."""
    if before.bounds.operators == 0 or action.name != "consume":
        return False
    return any(
        awaits_end_of_unload(before, after, action.argument("broker"), unit)
        or awaits_end_of_split(before, after, action.argument("broker"), unit)
        for unit in units(before)
    )


def awaits_end_of_unload(before: State, after: State, broker: int, unit: int) -> bool:
    order, record = before.unloading[broker, unit], after.view[broker, unit]
    is_new = record != before.view[broker, unit]
    return is_waiting(order) and order.carried and is_new and ends_unload(record)


def awaits_end_of_split(before: State, after: State, broker: int, unit: int) -> bool:
    order, record = before.dividing[broker, unit], after.view[broker, unit]
    is_new = record != before.view[broker, unit]
    return is_waiting(order) and order.carried and is_new and is_absent(record)


@step_law(
    "done-is-told",
    "UnloadManager.handleEvent, SplitManager.handleEvent; apache/pulsar#26363",
    when=some_end_is_read,
    status=Status.GUARDED,
    kind=LawKind.MIRROR,
)
def who_waits_for_it_is_told(before: State, action: Action, after: State) -> bool:
    """
    When a broker reads the end of an unload, a transfer or a split that was carried out, the operator who waits there
    gets an answer, unless the time-out of an older wait took that one off the list.
    """
    broker = action.argument("broker")
    return not any(
        (awaits_end_of_unload(before, after, broker, unit) and is_waiting(after.unloading[broker, unit]))
        or (awaits_end_of_split(before, after, broker, unit) and is_waiting(after.dividing[broker, unit]))
        for unit in units(before)
    )


def somebody_is_told_done(before: State, action: Action, after: State) -> bool:
    if before.bounds.operators == 0:
        return False
    return any(
        is_told_done(before.unloading[broker, unit], after.unloading[broker, unit])
        or is_told_done(before.dividing[broker, unit], after.dividing[broker, unit])
        for broker in brokers(before)
        for unit in units(before)
    )


def is_told_done(before: Order, after: Order) -> bool:
    return is_asked(before) and after.progress == Progress.NONE


@step_law(
    "told-by-an-end",
    "UnloadManager.waitAsync, SplitManager.waitAsync; apache/pulsar#26363",
    when=somebody_is_told_done,
    status=Status.GUARDED,
    kind=LawKind.MIRROR,
)
def the_broker_reads_a_record(before: State, action: Action, after: State) -> bool:
    """
    A call for an unload, a transfer or a split succeeds only when its broker reads a record, unless it joined the wait
    of an older command, which was over.
    """
    return action.name == "consume"
