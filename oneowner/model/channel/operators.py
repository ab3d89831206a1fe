"""
These functions tell the operator who asked for an unload, a transfer or a split that it is done.

Whoever serves the command publishes its record and, once that is in the topic, waits for a record that it takes for the
end: after an unload or a transfer Free, Owned with a source, or a tombstone of the unit, after a split a tombstone
(``UnloadManager``, ``SplitManager``, v4.0.6). Nothing connects the wait with the record that was published: one that
every reader refuses is told to nobody (run.G5), and any end of the unit ends the wait (run.G6). Modelled with the
bound ``operators``; after ``namespaceBundleUnloadingTimeoutMs`` (60 s) the operator is told that the wait is over,
which changes nothing else. So that is left out, but with ``late_callbacks``, for unloads and transfers: who waits is
told before the wait is off the list, so that who asks again finds an old wait there (#26363; splits have the same).
"""

from oneowner.model.channel.parts import Older, Order, Progress, Publish, Run
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import FREE, NOBODY, OWNED, RELEASING, SPLITTING, Record, ServiceUnitState, is_absent
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, since

NO_ORDERS = "in_store crashes expiries outages pauses shutdowns resends synced"
"""The bounds with which operators that wait are not modelled."""

OPERATORS = Choice(
    "operators",
    "1: who asked for an unload, a transfer or a split waits until told that it is done; 0: nobody waits",
    apart={NO_ORDERS: "they wait with commands alone, on the system topic"},
)

LATE_CALLBACKS = Choice(
    "late_callbacks",
    "1: a lookup or an operator is told of the end of its wait before the wait is off its list; 0: both at once",
    needs={"lookups|operators": "without lookups or operators nobody waits"},
)

WAIT_REMOVED_FIRST = Switch(
    "An operator's wait is off its list before its end is told, and takes off no other (since #26363).",
    turned=(since("4.0.14", "4.2.5", "5.0.0"),),
    source="apache/pulsar#26363: UnloadManager.complete removes before it completes, waitAsync removes with the value",
)

WAIT_FOLLOWS_ITS_RECORD = Switch(
    "The operator of an unload or a split hears the outcome of its own record (repair of run.G5, run.G6).",
)

UNLOAD_AWAITS_SERVER = Switch(
    "The operator of an unload or a transfer hears the end once the new owner serves the unit (a proposal).",
)

NONE = Order(Progress.NONE, False, NOBODY)
REFUSED = Order(Progress.REFUSED, False, NOBODY)
TIMED_OUT = Order(Progress.TIMED_OUT, False, NOBODY)
UP = "the broker is up"


def ask_to_unload(state: State, broker: int, unit: int, destination: int) -> None:
    """
    Note that an operator asked *broker* to unload *unit*, or to transfer it to *destination*.

    Who asks while another waits there joins that one's wait (``inFlightUnloadRequest``), which is left out.
    """
    if state.bounds.operators:
        require(not is_asked(state.unloading[broker, unit]), "no operator waits there for an unload")
        state.unloading[broker, unit] = Order(Progress.SENT, False, destination)


def ask_to_split(state: State, broker: int, unit: int) -> None:
    if state.bounds.operators:
        require(not is_asked(state.dividing[broker, unit]), "no operator waits there for a split")
        state.dividing[broker, unit] = Order(Progress.SENT, False, NOBODY)


def is_asked(order: Order) -> bool:
    """Return whether something is asked for and not yet answered."""
    return order.progress == Progress.SENT or is_waiting(order)


def is_waiting(order: Order) -> bool:
    """Return whether who serves a command waits for its end, on the list of those that are told or off it."""
    return order.progress == Progress.WAITING or order.progress == Progress.DROPPED


def acknowledge(state: State, broker: int, sent: Publish) -> None:
    """The topic has *sent*: from now on the operator waits for its end (``waitAsync`` of both managers)."""
    if state.bounds.operators:
        before = state.unloading[broker, sent.unit]
        after = acknowledged(before, sent.record, RELEASING)
        state.unloading[broker, sent.unit] = joined(after, state.older[broker, sent.unit]) if after != before else after
        state.dividing[broker, sent.unit] = acknowledged(state.dividing[broker, sent.unit], sent.record, SPLITTING)


def acknowledged(order: Order, sent: Record, kind: ServiceUnitState) -> Order:
    """Return *order*, whose records are of *kind*, once the topic has *sent*."""
    if sent.state == kind and order.progress == Progress.SENT:
        return Order(Progress.WAITING, order.carried, order.destination)
    return order


def joined(order: Order, older: Older) -> Order:
    """Return what *order*, about to wait, has come to: it joins an older wait that is over and still listed."""
    if older == Older.DONE:
        return NONE
    if older == Older.TIMED_OUT:
        return TIMED_OUT
    return order


def tell(state: State, broker: int, unit: int, record: Record) -> None:
    """
    Answer the operator that waits at *broker* for *unit*, if the accepted *record* looks like the end.

    An unload ends with Free, unless that is forced, with Owned that names a source, and with a tombstone; a split with
    a tombstone alone. At the source of the record Pulsar waits until the topics are closed; here it does not.
    """
    if state.bounds.operators:
        before = state.unloading[broker, unit]
        state.unloading[broker, unit] = after_unloading(state, before, unit, record)
        state.dividing[broker, unit] = after_dividing(state, state.dividing[broker, unit], record)
        if state.bounds.late_callbacks:
            state.older[broker, unit] = after_end(state, broker, unit, before, record)


def after_end(state: State, broker: int, unit: int, before: Order, record: Record) -> Older:
    """
    Return what is left of older waits for *unit* once its view has accepted *record*, and *before* may have been told.

    The thread that reads has by now taken off what it completed before (``UnloadManager.complete``).
    """
    older = state.older[broker, unit]
    if older == Older.TIMED_OUT and ends_unload(record):
        return Older.TAKEN_OFF
    if older == Older.TIMED_OUT or older == Older.TAKEN_OFF:
        return older
    is_told = before.progress == Progress.WAITING and state.unloading[broker, unit].progress == Progress.NONE
    return Older.DONE if is_told and not state.bounds.rules.wait_removed_first else Older.NONE


def after_unloading(state: State, order: Order, unit: int, record: Record) -> Order:
    """Return what an unload or a transfer of *unit* has come to once the view has accepted *record*."""
    if ends_order(state, order, unit, record) and is_done(state, order):
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
    """Return whether *record* ends the wait for an unload or a transfer (``UnloadManager.handleEvent``)."""
    if record.state == FREE:
        return not record.force
    return is_absent(record) or (record.state == OWNED and record.source != NOBODY)


def ends_order(state: State, order: Order, unit: int, record: Record) -> bool:
    """
    Return whether *record* ends the wait of *order* for an unload or a transfer of *unit*.

    With the proposal the owner that it names must serve the unit; one that gets it after a Free counts, too.
    """
    if not state.bounds.rules.unload_awaits_server or is_absent(record):
        return ends_unload(record)
    if not ends_unload(record) and not (order.carried and record.state == OWNED):
        return False
    return record.state == OWNED and state.serving[record.destination, unit]


def tell_served(state: State, unit: int) -> None:
    """With the proposal, answer the operators that wait for a server of *unit*, which there is from now on."""
    if state.bounds.operators and state.bounds.rules.unload_awaits_server:
        for broker in brokers(state):
            order = state.unloading[broker, unit]
            if ends_order(state, order, unit, state.view[broker, unit]) and is_done(state, order):
                state.unloading[broker, unit] = NONE


def is_done(state: State, order: Order) -> bool:
    """Return whether a wait ends by a record that looks like the end; with the repair only if it was carried out."""
    if state.bounds.rules.wait_follows_its_record:
        return order.progress == Progress.WAITING and order.carried
    return order.progress == Progress.WAITING


def tell_refusal(state: State, broker: int, unit: int, record: Record) -> None:
    """
    With the repair, notify the operator that waits at *broker* that the view refused *record*.

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


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.operators and bounds.late_callbacks,
    fairness=never("60 s; nothing waits for it"),
)
def give_up_waiting(state: State, broker: int, unit: int) -> None:
    """
    An operator that waits at *broker* for an unload or a transfer of *unit* hears that it took too long.

    Enabled: the broker is up, an operator waits there, on the list, and nothing is left of an older wait.
    Changes: the operator is told; its wait is still on the list, but not with ``wait_removed_first``.
    Mirrors: ``UnloadManager.waitAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.unloading[broker, unit].progress == Progress.WAITING, "an operator waits there for an unload")
    require(state.older[broker, unit] == Older.NONE, "nothing is left of an older wait")
    state.unloading[broker, unit] = TIMED_OUT
    if not state.bounds.rules.wait_removed_first:
        state.older[broker, unit] = Older.TIMED_OUT


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.operators and bounds.late_callbacks,
    fairness=never("no law of runs waits for it"),
)
def end_old_wait(state: State, broker: int, unit: int) -> None:
    """
    The thread that has ended an operator's wait for *unit* at *broker* takes that wait off the list.

    A time-out takes off whatever is listed by then (``remove`` of the key alone): a newer wait, if an end of the unit
    has taken the older one off meanwhile.

    Enabled: the broker is up, and something is left of an older wait.
    Changes: nothing is left of it; where an end had taken it off, an operator that waits is dropped.
    Mirrors: ``UnloadManager.complete``, ``UnloadManager.waitAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.older[broker, unit] != Older.NONE, "something is left of an older wait")
    order = state.unloading[broker, unit]
    if state.older[broker, unit] == Older.TAKEN_OFF and order.progress == Progress.WAITING:
        state.unloading[broker, unit] = Order(Progress.DROPPED, order.carried, order.destination)
    state.older[broker, unit] = Older.NONE
