"""
Laws of lookups: which answers are allowed, when a lookup waits, and that none waits for a known answer.

No law claims that an answer is the owner of the moment: a broker answers by its own view, which lags.
"""

from oneowner.model.channel.answers import named_by, waits
from oneowner.model.channel.parts import Node, Outcome, Request, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY, is_in_flight, owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, step_law
from oneowner.spec.channel.brokers import has_read_the_channel, process_runs


def is_answered(before: State, action: Action, after: State, broker: int, unit: int) -> bool:
    """Return whether this step answers a lookup of *unit* at *broker*: one that was open, or that it opens."""
    if after.request[broker, unit] != Request.NONE or after.run[broker] != Run.UP:
        return False
    if before.request[broker, unit] != Request.NONE:
        return True
    return action.name == "open_lookup" and action.arguments[0] == ("broker", broker)


def is_told(before: State, action: Action, after: State, broker: int, unit: int) -> bool:
    """Return whether this step answers a lookup of *unit* at *broker* with an owner."""
    told = after.reply[broker, unit].outcome == Outcome.OWNER
    return told and is_answered(before, action, after, broker, unit)


def somebody_is_told(before: State, action: Action, after: State) -> bool:
    return any(is_told(before, action, after, broker, unit) for broker in brokers(before) for unit in units(before))


# ---- models.S29 ----


def was_named(before: State, after: State, broker: int, unit: int, told: int) -> bool:
    """Return whether the broker's view has named *told*, the answer, since the lookup was opened."""
    now = named_by(before.view[broker, unit]) == told or named_by(after.view[broker, unit]) == told
    return now or before.named[broker, told]


@step_law("prefix-answer", "ServiceUnitStateChannelImpl.getOwnerAsync", when=somebody_is_told, kind=LawKind.PURPOSE)
def answers_were_named(before: State, action: Action, after: State) -> bool:
    """
    A lookup is answered with a broker that the answering broker's view named as owner or destination at some instant
    while the lookup was open.
    """
    return all(
        was_named(before, after, broker, unit, after.reply[broker, unit].owner)
        for broker in brokers(before)
        for unit in units(before)
        if is_told(before, action, after, broker, unit)
    )


# ---- models.S30 ----


def somebody_is_answered_again(before: State, action: Action, after: State) -> bool:
    return any(
        before.reply[broker, unit].outcome != Outcome.NONE and is_answered(before, action, after, broker, unit)
        for broker in brokers(before)
        for unit in units(before)
    )


@step_law(
    "monotonic-answers",
    "follows from ServiceUnitStateChannelImpl.getOwnerAsync, which answers by the broker's own view",
    when=somebody_is_answered_again,
    kind=LawKind.PURPOSE,
)
def answers_go_forward(before: State, action: Action, after: State) -> bool:
    """A later answer of one broker for a unit rests on no older entry than an earlier one, also after a restart."""
    return all(
        after.reply[broker, unit].version >= before.reply[broker, unit].version
        for broker in brokers(before)
        for unit in units(before)
        if is_answered(before, action, after, broker, unit)
    )


# ---- models.S31 ----


def was_or_is_registered(before: State, after: State, broker: int, told: int) -> bool:
    return after.node[told] != Node.ABSENT or before.registered_then[broker, told]


@step_law(
    "active-at-some-instant",
    "ServiceUnitStateChannelImpl.getOwnerAsync; apache/pulsar#21811",  # models.H16
    when=somebody_is_told,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def answers_were_registered(before: State, action: Action, after: State) -> bool:
    """
    The broker that answers a lookup names an owner that was registered when the lookup began, or is when it ends.

    (It does not hold: the answering broker's registry cache lags behind ZooKeeper.)
    """
    return all(
        was_or_is_registered(before, after, broker, after.reply[broker, unit].owner)
        for broker in brokers(before)
        for unit in units(before)
        if is_told(before, action, after, broker, unit)
    )


@step_law(
    "answer-is-listed", "ExtensibleLoadManagerImpl.getBrokerLookupData", when=somebody_is_told, kind=LawKind.PROTOCOL
)
def answers_are_listed(before: State, action: Action, after: State) -> bool:
    """A broker that a lookup is answered with is in the registry cache of the broker that answers."""
    return all(
        before.known[broker, after.reply[broker, unit].owner]
        for broker in brokers(before)
        for unit in units(before)
        if is_told(before, action, after, broker, unit)
    )


# ---- models.S32 ----


def opens_where_someone_is_named(before: State, action: Action, after: State) -> bool:
    if action.name != "open_lookup":
        return False
    broker = action.argument("broker")
    held = before.view[broker, action.argument("unit")]
    return before.node[broker] != Node.ABSENT and (is_in_flight(held) or owner(held) != NOBODY)


@step_law(
    "deferral-discipline",
    "ServiceUnitStateChannelImpl.getOwnerAsync; apache/pulsar#22112, #21811, #24770 (PIP-192 lets all brokers wait)",
    when=opens_where_someone_is_named,
    kind=LawKind.MIRROR,
)
def waits_as_it_must(before: State, action: Action, after: State) -> bool:
    """
    A lookup at a registered broker waits if the unit is being handed to that very broker, or if its owner is not in the
    registry cache (a broker that shuts down need not); every other lookup that finds an owner or a hand-over goes on at
    once.
    """
    broker, unit = action.argument("broker"), action.argument("unit")
    held = before.view[broker, unit]
    request = after.request[broker, unit]
    deferred = request == Request.WAITING or request == Request.DECIDED
    if owner(held) != NOBODY and before.stage[broker] != Stage.RUNNING:
        return not (deferred and before.known[broker, owner(held)])
    if owner(held) != NOBODY:
        return deferred != before.known[broker, owner(held)]
    return deferred == (held.destination == broker)


# ---- models.S35 ----


def some_lookup_waits(state: State) -> bool:
    return any(waits(state.request[broker, unit]) for broker in brokers(state) for unit in units(state))


@always(
    "no-waiter-leak",
    "ServiceUnitStateChannelImpl.dedupeGetOwnerRequest",
    when=some_lookup_waits,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def nobody_waits_for_what_is_known(state: State) -> bool:
    """
    A lookup waits only while its broker's view names no owner, or one that is missing from its registry cache.

    (It does not hold: an owner that comes back is listed again, and nothing ends the lookups that wait for another
    one.)
    """
    return all(
        not state.known[broker, owner(state.view[broker, unit])]
        for broker in brokers(state)
        for unit in units(state)
        if waits(state.request[broker, unit]) and owner(state.view[broker, unit]) != NOBODY
    )


# ---- bugs.L1: within the time that an answer takes ----


def some_lookup_waits_at_a_quiet_broker(state: State) -> bool:
    """Return whether a lookup waits where nothing is to come, and no broker has ever been away."""
    if a_broker_was_away(state):
        return False
    return any(
        waits(state.request[broker, unit]) and is_quiet_at(state, broker)
        for broker in brokers(state)
        for unit in units(state)
    )


def a_broker_was_away(state: State) -> bool:
    """Return whether a process or a session of a broker has ended, or was about to."""
    bounds = state.bounds
    if state.shutdowns_left < bounds.shutdowns or state.crashes_left < bounds.crashes:
        return True
    if state.expiries_left < bounds.expiries or state.outages_left < bounds.outages:
        return True
    return state.pauses_left < bounds.pauses


def is_quiet_at(state: State, broker: int) -> bool:
    """Return whether *broker* has read the whole channel, and its publishes have arrived."""
    return state.outbox[broker].length == 0 and has_read_the_channel(state, broker)


@always(
    "waiter-is-told",
    "ServiceUnitStateChannelImpl.dedupeGetOwnerRequest; apache/pulsar#20677, #22064, #22899",  # models.S35
    when=some_lookup_waits_at_a_quiet_broker,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def nobody_waits_at_a_quiet_broker_for_what_is_known(state: State) -> bool:
    """
    When a broker has read the whole channel, and all that it published is there, no lookup waits there for an owner
    that its view names and its registry cache lists: it would wait for its time-out (unless a broker was away: see
    no-waiter-leak).
    """
    return all(
        not state.known[broker, owner(state.view[broker, unit])]
        for broker in brokers(state)
        for unit in units(state)
        if waits(state.request[broker, unit])
        and is_quiet_at(state, broker)
        and owner(state.view[broker, unit]) != NOBODY
    )


# ---- run.G7 ----


def selects_beside_a_process_that_is_gone(before: State, action: Action, after: State) -> bool:
    if action.name != "assign" and action.name != "select":
        return False
    return any(not process_runs(before, broker) for broker in brokers(before))


@step_law(
    "selected-runs",
    "ExtensibleLoadManagerImpl.selectAsync; seen in traces/real/kill-mid-transfer",  # bugs.S7
    when=selects_beside_a_process_that_is_gone,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def the_selected_runs(before: State, action: Action, after: State) -> bool:
    """
    A lookup selects a broker whose process runs.

    (It does not hold: a dead broker stays registered until its session ends, and is selected like any other; the unit
    waits for the leader's override.)
    """
    return process_runs(before, action.argument("destination"))
