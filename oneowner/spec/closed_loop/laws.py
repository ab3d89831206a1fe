"""
Laws of a closed loop: it comes to rest under constant load, and one hand-over has bounded effects.

Whether moves end is asked of the loop, never of one decision: each decision of a loop that goes on for ever may be as
it should be (``spec.balancer``).
"""

from __future__ import annotations

from oneowner.model.closed_loop.state import State, brokers, bundles, is_in_flight, some_in_flight
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import Status, eventually_always, leads_to, sometimes, step_law

GAP = 20
"""By how many points of usage two brokers differ much: twice the default of all thresholds that are differences."""


def is_still(state: State) -> bool:
    return not some_in_flight(state)


def none_has_moved(state: State) -> bool:
    """Return whether no bundle has moved lately; one that is to go, and is passed over, has not."""
    return all(state.rest[bundle] == 0 or is_in_flight(state, bundle) for bundle in bundles(state))


MOVES_END = eventually_always(
    "moves-end",
    "Under constant load bundles cease to move. (It looks like a law and is none: OverloadShedder passes bundles round,"
    " and a bundle that is too hot for any broker hops from one to the other.)",
    "ThresholdShedder.findBundlesForUnloading, OverloadShedder.findBundlesForUnloading; PIP-220; #16059",
    good=none_has_moved,
    status=Status.DOCUMENTED,
)


def is_watched(before: State, action: Action, after: State) -> bool:
    return before.bounds.window > 0 and action.name == "hand_over"


def goes_elsewhere(before: State, action: Action, after: State) -> bool:
    return before.left[action.argument("bundle")] != action.argument("broker")


NO_RETURN = step_law(
    "no-return",
    "A bundle does not go from A to B and back to A within the window, in cycles.",
    "ThresholdShedder.findBundlesForUnloading; #16059",
    when=is_watched,
    holds=goes_elsewhere,
    status=Status.DOCUMENTED,
)


def is_past_horizon(before: State, action: Action, after: State) -> bool:
    return before.bounds.horizon > 0 and action.name == "decide" and before.cycles == before.bounds.horizon


def moves_nothing(before: State, action: Action, after: State) -> bool:
    return not some_in_flight(after)


SETTLES = step_law(
    "settles",
    "After as many cycles as the horizon has, no cycle moves anything.",
    "LoadSheddingStrategy.findBundlesForUnloading",
    when=is_past_horizon,
    holds=moves_nothing,
    status=Status.DOCUMENTED,
)


def is_unload(before: State, action: Action, after: State) -> bool:
    """Return whether a bundle comes to its new owner; one that was passed over does not rest."""
    return action.name == "hand_over" and after.rest[action.argument("bundle")] > 0


def changes_owner(before: State, action: Action, after: State) -> bool:
    return before.owner[action.argument("bundle")] != action.argument("broker")


UNLOAD_CHANGES_OWNER = step_law(
    "unload-changes-owner",
    "A bundle that is unloaded does not come back to the broker that unloaded it.",
    "#21722; ModularLoadManagerImpl.doLoadShedding",
    when=is_unload,
    holds=changes_owner,
)


def some_rest(before: State, action: Action, after: State) -> bool:
    return action.name == "decide" and any(
        before.rest[bundle] > 0 and not is_in_flight(before, bundle) for bundle in bundles(before)
    )


def those_stay(before: State, action: Action, after: State) -> bool:
    return all(
        before.rest[bundle] == 0 or is_in_flight(before, bundle) or not is_in_flight(after, bundle)
        for bundle in bundles(before)
    )


RESTING_STAY = step_law(
    "resting-stay",
    "A bundle that was unloaded stays for as many cycles as the grace period has.",
    "LoadSheddingStrategy.findBundlesForUnloading (LoadData.recentlyUnloadedBundles)",
    when=some_rest,
    holds=those_stay,
)


def is_chosen_twice(before: State, action: Action, after: State) -> bool:
    return action.name == "decide" and some_in_flight(before)


def those_fly_on(before: State, action: Action, after: State) -> bool:
    return all(
        not is_in_flight(before, bundle)
        or all(before.may[bundle, broker] == after.may[bundle, broker] for broker in brokers(before))
        for bundle in bundles(before)
    )


FLIGHT_IS_LEFT_ALONE = step_law(
    "flight-is-left-alone",
    "A bundle that is in flight is not given to anybody else.",
    "NamespaceService.unloadNamespaceBundle",
    when=is_chosen_twice,
    holds=those_fly_on,
)


def has_begun(state: State) -> bool:
    return state.placed == state.bounds.bundles


def used(state: State, broker: int) -> int:
    """Return how much of a broker is used by the bundles that it has, per cent."""
    total = 0
    for bundle in bundles(state):
        if state.owner[bundle] == broker:
            total = total + (state.bounds.heavy if bundle <= state.heavies else state.bounds.light)
    return total


def has_two(state: State, broker: int) -> bool:
    return any(
        one < other and state.owner[one] == broker and state.owner[other] == broker
        for one in bundles(state)
        for other in bundles(state)
    )


def is_idle_beside(state: State) -> bool:
    """Return whether a broker has nothing, while another one has two bundles and is used much."""
    return (
        has_begun(state)
        and is_still(state)
        and any(
            used(state, idle) == 0 and used(state, busy) >= GAP and has_two(state, busy)
            for idle in brokers(state)
            for busy in brokers(state)
        )
    )


def none_is_idle_beside(state: State) -> bool:
    return not is_idle_beside(state)


IDLE_BROKER_IS_USED = leads_to(
    "idle-broker-is-used",
    "Where a broker is idle, and another with two bundles is used much, something moves in the end. (It looks like a"
    " law and is none: what all but one use alike is near their average.)",
    "PIP-220, case 2; #17456",
    from_=is_idle_beside,
    to=none_is_idle_beside,
    status=Status.DOCUMENTED,
)


def moves(before: State, action: Action, after: State) -> bool:
    return action.name == "hand_over" and changes_owner(before, action, after)


BUNDLE_MOVES = sometimes("bundle-moves", "A bundle is handed over.", "ModularLoadManagerImpl.doLoadShedding", moves)
