"""
Laws of redirects: where brokers send a client (``model.channel.requests.redirect``), and by which boundaries.

A client that is redirected asks again. What it meets is judged by the views of one instant. From ``one-redirect`` it
follows that a way without a cycle has at most as many redirects as there are different entries in the views on it: two
brokers with the same entry on it would send the client to the same place, and the second would be where it stays.
"""

from oneowner.model.channel.parts import Run
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.requests import carries_out, redirect
from oneowner.model.channel.ring import is_there
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Excuse, LawKind, Status, StepLaw, Unguarded, always, guarded

# ---- models.S33 ----


def sent_from(state: State, broker: int, unit: int) -> int:
    """Return the other living broker to which a client that asks *broker* is redirected, or NOBODY."""
    if state.run[broker] != Run.UP:
        return NOBODY
    to = redirect(state, broker, unit)
    if to == broker:
        return NOBODY
    return to if to != NOBODY and state.run[to] == Run.UP else NOBODY


def sends_to(state: State, broker: int, other: int, unit: int) -> bool:
    return sent_from(state, broker, unit) == other


def somebody_redirects_to_an_equal_view(state: State) -> bool:
    if state.bounds.lookups == 0:
        return False
    return any(
        one != other and state.view[one, unit] == state.view[other, unit] and sends_to(state, one, other, unit)
        for unit in units(state)
        for one in brokers(state)
        for other in brokers(state)
    )


@always(
    "one-redirect",
    "follows from ServiceUnitStateChannelImpl.getOwnerAsync: equal views name the same broker",
    when=somebody_redirects_to_an_equal_view,
    kind=LawKind.PURPOSE,
)
def an_equal_view_keeps_the_client(state: State) -> bool:
    """
    A broker to which a client is sent by another with the same entry of the unit does not send it on: with equal views
    there is one redirect at most.
    """
    return all(
        sent_from(state, other, unit) == NOBODY
        for unit in units(state)
        for one in brokers(state)
        for other in brokers(state)
        if one != other and state.view[one, unit] == state.view[other, unit] and sends_to(state, one, other, unit)
    )


def somebody_is_sent_on(state: State) -> bool:
    """Return whether a broker to which some broker redirects would redirect as well."""
    if state.bounds.lookups == 0:
        return False
    return any(
        one != other and sends_to(state, one, other, unit) and sent_from(state, other, unit) != NOBODY
        for unit in units(state)
        for one in brokers(state)
        for other in brokers(state)
    )


def way_ends(state: State, broker: int, unit: int) -> bool:
    """Return whether a client that asks *broker* stays somewhere: a way that visits a broker twice never ends."""
    at = broker
    for _ in range(1, state.bounds.brokers + 1):
        to = sent_from(state, at, unit)
        if to == NOBODY:
            return True
        at = to
    return False


@always(
    "no-redirect-cycle",
    "follows from ServiceUnitStateChannelImpl.getOwnerAsync, with unequal views",
    when=somebody_is_sent_on,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def every_way_ends(state: State) -> bool:
    """
    A client that follows redirects reaches a broker that accepts it, whatever the views.

    (It does not while the source of a transfer has read its record and the destination has not: each names the other.)
    """
    return all(way_ends(state, broker, unit) for unit in units(state) for broker in brokers(state))


# ---- models.S34 ----


def a_bundle_is_looked_up(before: State, action: Action, after: State) -> bool:
    return before.bounds.splits > 0 and action.name == "look_up"


def has_yet_to_hear(before: State, action: Action) -> bool:
    return before.boundaries[action.argument("broker")] != before.ring


@guarded(
    "lookup-in-boundaries",
    "NamespaceService.getBundleAsync, NamespaceBundleFactory.bundlesCache; apache/pulsar#821",
    form=StepLaw,
    when=a_bundle_is_looked_up,
    unless=has_yet_to_hear,
    always=Unguarded(
        "A broker looks up only current bundles of the namespace. (By stale boundaries it looks up a parent that was"
        " split, and may assign it.)",
        "NamespaceService.getBundleAsync, NamespaceBundleFactory.bundlesCache; apache/pulsar#821",  # models.S17
        Status.DOCUMENTED,
    ),
    kind=LawKind.PROTOCOL,
)
def has_the_bundle(before: State, action: Action, after: State, unless: Excuse) -> bool:
    """A broker looks up only bundles of the namespace, unless it has yet to learn of a split."""
    return unless(before, action) or is_there(before.bounds, before.ring, action.argument("unit"))


# ---- bugs.L1, bugs.S12 of admin calls ----


def somebody_is_the_end_of_a_way(state: State) -> bool:
    if state.bounds.lookups == 0:
        return False
    return any(
        state.run[broker] == Run.UP and redirect(state, broker, unit) == broker
        for broker in brokers(state)
        for unit in units(state)
    )


@always(
    "admin-call-ends",
    "PulsarWebResource.validateBundleOwnership; apache/pulsar#20528, #22496",  # bugs.R20
    when=somebody_is_the_end_of_a_way,
    kind=LawKind.PURPOSE,
)
def admin_calls_end_there(state: State) -> bool:
    """
    An admin call that is redirected to the owner of a unit is carried out there: whom a lookup names and who thinks
    that it owns the unit are told by one oracle.
    """
    return all(
        carries_out(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
        if state.run[broker] == Run.UP and redirect(state, broker, unit) == broker
    )
