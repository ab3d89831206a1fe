"""
Laws of shutdown judge the units that a broker leaves behind, and the records that it misses meanwhile.
"""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Outcome, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import ASSIGNING, NOBODY, OWNED, RELEASING, is_active, owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, step_law
from oneowner.spec.channel.channel import wins, written


def is_unregistering(before: State, action: Action, after: State) -> bool:
    return action.name == "unregister"


# ---- models.S45 ----


def is_unregistering_under_a_leader(before: State, action: Action, after: State) -> bool:
    return is_unregistering(before, action, after) and before.leader != NOBODY


@step_law(
    "unregistered-owns-nothing",
    "ServiceUnitStateChannelImpl.doCleanup; apache/pulsar#26520, #26634",  # bugs.R4, bugs.R15
    when=is_unregistering_under_a_leader,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def owns_nothing(before: State, action: Action, after: State) -> bool:
    """
    When a broker that shuts down unregisters, no unit is owned by it, unless nobody leads, so that it does not give its
    units away, or its flush passed a handler that was about to own one, which it gives away too late, or ended before
    its records were in the channel, or another broker that shuts down as well, or its own monitor, gave one back to it,
    or the leader gave it one of a broker that has died, or its view was empty, its session being lost.
    """
    return all(owner(entry(before, unit)) != action.argument("broker") for unit in units(before))


@step_law(
    "drain-before-unregister",
    "ExtensibleLoadManagerImpl.disableBroker; apache/pulsar#26520",  # bugs.R5
    when=is_unregistering,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)
def is_no_destination(before: State, action: Action, after: State) -> bool:
    """
    When a broker that shuts down unregisters, no unit is owned by it or being handed to it.

    (It does not hold: a lookup may select the broker after its clean-up has passed the unit, and no second pass
    follows; and there is no clean-up at all while nobody leads.)
    """
    return not any(
        is_active(entry(before, unit)) and entry(before, unit).destination == action.argument("broker")
        for unit in units(before)
    )


# ---- models.S46 ----


def gives_while_one_shuts_down(before: State, action: Action, after: State) -> bool:
    if not wins(before, action, after):
        return False
    record = written(before, action).record
    if record.state != ASSIGNING and record.state != OWNED:
        return False
    return any(before.stage[broker] != Stage.RUNNING for broker in brokers(before))


@step_law(
    "no-assign-to-disabled",
    "ExtensibleLoadManagerImpl.disableBroker, during which the broker stays registered",  # bugs.S10
    when=gives_while_one_shuts_down,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def gives_to_one_that_runs(before: State, action: Action, after: State) -> bool:
    """
    No unit is assigned to a broker that shuts down.

    (It does not hold: the broker stays registered until its units are given away, so it is selected.)
    """
    destination = written(before, action).record.destination
    return destination == NOBODY or before.stage[destination] == Stage.RUNNING


# ---- models.S27 at shutdown ----


def gives_up_its_own(before: State, action: Action, after: State) -> bool:
    if action.name != "drain":
        return False
    held = before.view[action.argument("broker"), action.argument("unit")]
    return held.state == OWNED and held.destination == action.argument("broker")


@step_law(
    "closes-before-hand-over",
    # channel.9, run.G12
    "ServiceUnitStateChannelImpl.overrideOwnership; seen in traces/real/rolling-restart and delete-decommission",
    when=gives_up_its_own,
    kind=LawKind.PROTOCOL,
)
def by_releasing(before: State, action: Action, after: State) -> bool:
    """
    A broker that shuts down gives up its units by Releasing, so that it closes the topics before another opens them.
    """
    outbox = after.outbox[action.argument("broker")]
    return outbox[outbox.length].record.state == RELEASING


# ---- models.S21 at shutdown ----


def one_that_shuts_down_serves(state: State) -> bool:
    return any(
        state.stage[broker] != Stage.RUNNING and state.serving[broker, unit]
        for broker in brokers(state)
        for unit in units(state)
    )


@always(
    "shutting-down-closes",
    "ServiceUnitStateChannelImpl.handleEvent",
    when=one_that_shuts_down_serves,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def it_owns_what_it_serves(state: State) -> bool:
    """
    A broker that shuts down and serves a unit owns it by its own view.

    (It does not hold: it reads an unforced Releasing and does nothing, so it continues to serve a unit that it should
    release.)
    """
    return all(
        owner(state.view[broker, unit]) == broker
        for broker in brokers(state)
        for unit in units(state)
        if state.stage[broker] != Stage.RUNNING and state.serving[broker, unit]
    )


# ---- bugs.S10 ----


def publishes_after_its_clean_up(before: State, action: Action, after: State) -> bool:
    """Return whether a record wins that a broker published after its clean-up had dealt with the unit."""
    if not wins(before, action, after):
        return False
    publisher = action.argument("broker")
    return before.stage[publisher] == Stage.DRAINING and before.drained[publisher, written(before, action).unit]


@step_law(
    "cleaned-up-stays-away",
    "ServiceUnitStateChannelImpl.doCleanup; apache/pulsar#26520",  # bugs.R5, models.S45
    when=publishes_after_its_clean_up,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def gives_to_another(before: State, action: Action, after: State) -> bool:
    """
    Once the clean-up of a broker that shuts down has passed a unit, no record of that broker makes it the unit's
    destination.

    (In 4.0.6 one does: a lookup at that broker that was still selecting an owner assigns the unit to it.)
    """
    return written(before, action).record.destination != action.argument("broker")


# ---- apache/pulsar#24770 ----


def opens_at_one_that_shuts_down(before: State, action: Action, after: State) -> bool:
    """
    Return whether a lookup asks a broker that shuts down, whose view names an owner and whose cache lists that one.
    """
    if action.name != "open_lookup":
        return False
    broker = action.argument("broker")
    named = owner(before.view[broker, action.argument("unit")])
    return before.stage[broker] != Stage.RUNNING and named != NOBODY and before.known[broker, named]


@step_law(
    "disabled-answers",
    "ServiceUnitStateChannelImpl.getOwnerAsync; apache/pulsar#24478, #24770",
    when=opens_at_one_that_shuts_down,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def it_is_told_the_owner(before: State, action: Action, after: State) -> bool:
    """
    A lookup at a broker that shuts down is answered with the owner that its view names and its registry cache lists,
    unless the channel lies in the metadata store and the broker has unregistered (until #24770).
    """
    broker, unit = action.argument("broker"), action.argument("unit")
    reply = after.reply[broker, unit]
    return reply.outcome == Outcome.OWNER and reply.owner == owner(before.view[broker, unit])
