"""
Laws of liveness: what every fair run must eventually reach.

They assume what ``fairness.py`` declares, and that perturbations are finite, which budgets make sure of. A run may
end: its last state then lasts for ever. With several units or brokers a law asks for one moment at which all of them
are well, which is more than each being well at some moment of its own.
"""

from functools import partial

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Request, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY, is_in_flight, owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import (
    Excuse,
    LawKind,
    LivenessLaw,
    Status,
    Unguarded,
    any_state,
    guarded,
    leads_to,
    never,
)
from oneowner.spec.channel.brokers import cannot_change_its_role, cannot_take_the_role, is_registered
from oneowner.spec.channel.ownership import was_not_told
from oneowner.spec.channel.quiescence import servers_are_owners


def living(state: State) -> int:
    """Count the brokers that live."""
    count = 0
    for broker in brokers(state):
        if state.run[broker] == Run.UP:
            count += 1
    return count


# ---- models.L1 ----


def a_lookup_waits(state: State) -> bool:
    return any(
        (state.asking[broker, unit] or state.request[broker, unit] != Request.NONE) and state.run[broker] != Run.PAUSED
        for broker in brokers(state)
        for unit in units(state)
    )


@leads_to("lookup-ends", "ExtensibleLoadManagerImpl.assign", when=a_lookup_waits, kind=LawKind.PURPOSE)
def no_lookup_waits(state: State) -> bool:
    """A lookup ends: it is answered or has published an assignment, or its broker dies or stands still."""
    return not a_lookup_waits(state)


# ---- models.L2 ----


def some_unit_is_in_flight(state: State) -> bool:
    return any(is_in_flight(entry(state, unit)) for unit in units(state))


def a_broker_has_started(state: State) -> bool:
    """Return whether fewer brokers are down, or starting, than have crashed, shut down, or not started before."""
    ended = (
        state.bounds.newcomers
        + state.bounds.crashes
        - state.crashes_left
        + state.bounds.shutdowns
        - state.shutdowns_left
    )
    for broker in brokers(state):
        if state.stage[broker] != Stage.RUNNING:
            ended -= 1
    return state.bounds.brokers - living(state) < ended


def a_tombstone_was_missed(state: State) -> bool:
    """Return whether a compaction carried a broker over a tombstone of an entry that it held."""
    return any(state.missed[broker, unit] for broker in brokers(state) for unit in units(state))


def nobody_ends_a_flight(state: State) -> bool:
    return a_broker_has_started(state) or a_tombstone_was_missed(state) or living(state) == 0


@guarded(
    "flight-ends",
    "ServiceUnitStateChannelImpl.monitorOwnerships",  # bugs.L2
    form=LivenessLaw,
    when=some_unit_is_in_flight,
    unless=nobody_ends_a_flight,
    always=Unguarded(
        "A hand-over ends: the unit becomes owned or free. (A broker that starts handles nothing that was written"
        " before it has read the channel; a hand-over that waits for it is left to the leader's in-flight time-out."
        " Where that is modelled, bound flight_timer, the law holds.)",
        "ServiceUnitStateChannelImpl.handleExisting; apache/pulsar#25379",  # models.L13, models.H14, bugs.R8
        Status.DOCUMENTED,
    ),
    kind=LawKind.PURPOSE,
)
def no_unit_is_in_flight(state: State, unless: Excuse) -> bool:
    """
    A hand-over ends, unless a broker has started, or has lost its session in the metadata store, or none lives, or a
    syncer let two storages diverge, or a compaction carried a broker over a tombstone: the unit becomes owned or free.
    """
    return unless(state) or not some_unit_is_in_flight(state)


# ---- models.L3 ----


def some_owner_is_gone(state: State) -> bool:
    return any(
        not is_registered(state, owner(entry(state, unit)))
        for unit in units(state)
        if owner(entry(state, unit)) != NOBODY
    )


def the_leader_is_stuck(state: State) -> bool:
    """Return whether the elected leader cannot take the role (``leader-plays``)."""
    if state.leader == NOBODY:
        return False
    return cannot_take_the_role(state, state.leader)


@leads_to(
    "orphan-cleaned", "ServiceUnitStateChannelImpl.monitorOwnerships", when=some_owner_is_gone, kind=LawKind.PURPOSE
)  # bugs.L3
def no_owner_is_gone(state: State) -> bool:
    """
    A unit whose owner is dead or not registered gets an owner that lives and is registered, or none, in the end, unless
    no broker lives or the elected leader cannot take its role (leader-plays).
    """
    return not some_owner_is_gone(state) or living(state) == 0 or the_leader_is_stuck(state)


# ---- models.L4 ----


def some_view_lags(state: State) -> bool:
    return not all_views_are_current(state, never)


@guarded(
    "views-converge",
    # models.S50, bugs.L5, bugs.R34
    "follows from PIP-192, Bundle State Channel; ServiceUnitStateTableViewSyncer, apache/pulsar#25946",
    form=LivenessLaw,
    when=some_view_lags,
    unless=a_tombstone_was_missed,
    always=Unguarded(
        "When a living broker's view lags behind the channel, all views agree with the channel in the end. (A broker"
        " that a compaction carries over a tombstone never learns of it: it holds the dead entry until a version of"
        " the unit's next life is above it, or it restarts.)",
        "follows from PIP-192, Bundle State Channel; apache/pulsar#26190",  # models.S8 (E4), bugs.L5, bugs.R24
        Status.DOCUMENTED,
    ),
    kind=LawKind.PROTOCOL,
)
def all_views_are_current(state: State, unless: Excuse) -> bool:
    """
    When a living broker's view lags behind the channel, all views agree with the channel in the end, unless a syncer
    let two storages diverge, or a compaction carried a broker over a tombstone.
    """
    return unless(state) or all(
        state.view[broker, unit] == entry(state, unit)
        for broker in brokers(state)
        for unit in units(state)
        if state.run[broker] == Run.UP
    )


# ---- models.L5 ----


@guarded(
    "reconciled",
    # models.H3, models.H5, models.H6, channel.D12
    "follows from PIP-192, Bundle State Channel; ServiceUnitStateChannelImpl.handleEvent, monitorOwnerships",
    when=any_state,
    unless=was_not_told,
    always=Unguarded(
        "In the end, and from then on, a unit is served only by its owner in the channel. (The record that would stop"
        " another broker may be compacted away before that broker reads it; then it never stops.)",
        # models.S8 (E4)
        "follows from PIP-192, Bundle State Channel; ServiceUnitStateChannelImpl.handleEvent, monitorOwnerships",
        Status.DOCUMENTED,
    ),
    form=partial(LivenessLaw, stays=True),
    kind=LawKind.PURPOSE,
)
def only_owners_serve(state: State, unless: Excuse) -> bool:
    """
    In the end, and from then on, a unit is served only by its owner in the channel, unless a late tombstone, a gap or
    an interrupted split took the unit away, or a compaction swallowed, or a notification of the metadata store passed
    over, a record that would have stopped another broker, or a syncer let two storages diverge: the former owner never
    learns of its loss.
    """
    return servers_are_owners(state, unless)


# ---- models.L7, L14 ----


def nobody_living_leads(state: State) -> bool:
    return living(state) > 0 and not a_living_broker_leads(state)


def a_living_broker_leads(state: State) -> bool:
    if state.leader == NOBODY:
        return False
    return state.run[state.leader] == Run.UP


@leads_to("leader-acts", "LeaderElectionImpl", when=nobody_living_leads, kind=LawKind.PROTOCOL)  # bugs.L4
def one_leads_or_none_lives(state: State) -> bool:
    """When no living broker leads, one leads in the end, unless none lives."""
    return not nobody_living_leads(state)


def some_living_broker_is_unregistered(state: State) -> bool:
    return any(
        state.run[broker] == Run.UP
        and not is_registered(state, broker)
        and not cannot_change_its_role(state, broker)
        and state.stage[broker] == Stage.RUNNING
        for broker in brokers(state)
    )


@leads_to(
    "registered-again",
    "BrokerRegistryImpl; apache/pulsar#23359",  # bugs.L9
    when=some_living_broker_is_unregistered,
    kind=LawKind.PROTOCOL,
)
def every_living_broker_is_registered(state: State) -> bool:
    """
    A living broker whose registration is gone is registered again in the end, unless it wins the election first and
    cannot take the role, or led before and cannot give the role up to such a broker (leader-plays).
    """
    return not some_living_broker_is_unregistered(state)
