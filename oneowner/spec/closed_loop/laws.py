"""
Laws of a closed loop: it comes to rest under constant load, and one hand-over has bounded effects.

Whether moves end is asked of the loop, never of one decision: each decision of a loop that goes on for ever may be as
it should be (``spec.balancer``).
"""

from oneowner.model.closed_loop.state import State, brokers, bundles, is_in_flight, some_in_flight
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, eventually_always, leads_to, sometimes, step_law

GAP = 20
"""By how many points of usage two brokers differ much: twice the default of all thresholds that are differences."""


def is_still(state: State) -> bool:
    return not some_in_flight(state)


@eventually_always(
    "moves-end",
    "ThresholdShedder.findBundlesForUnloading, OverloadShedder.findBundlesForUnloading; PIP-220; #16059",
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def none_has_moved(state: State) -> bool:
    """
    Under constant load bundles cease to move.

    (It does not hold: OverloadShedder passes bundles round, and a bundle that is too hot for any broker hops from one
    to the other.)
    """
    return all(state.rest[bundle] == 0 or is_in_flight(state, bundle) for bundle in bundles(state))


def is_watched(before: State, action: Action, after: State) -> bool:
    return before.bounds.window > 0 and action.name == "hand_over"


@step_law(
    "no-return",
    "ThresholdShedder.findBundlesForUnloading; #16059",
    when=is_watched,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def goes_elsewhere(before: State, action: Action, after: State) -> bool:
    """A bundle does not go from A to B and back to A within the window, in cycles."""
    return before.left[action.argument("bundle")] != action.argument("broker")


def is_past_horizon(before: State, action: Action, after: State) -> bool:
    return before.bounds.horizon > 0 and action.name == "decide" and before.cycles == before.bounds.horizon


@step_law(
    "settles",
    "LoadSheddingStrategy.findBundlesForUnloading",
    when=is_past_horizon,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def moves_nothing(before: State, action: Action, after: State) -> bool:
    """After as many cycles as the horizon has, no cycle moves anything."""
    return not some_in_flight(after)


def is_unload(before: State, action: Action, after: State) -> bool:
    """Return whether a bundle comes to its new owner; one that was passed over does not rest."""
    is_arrival = action.name == "hand_over" or action.name == "overtake"
    return is_arrival and after.rest[action.argument("bundle")] > 0


@step_law(
    "unload-changes-owner",
    "apache/pulsar#21722, #24884; ModularLoadManagerImpl.doLoadShedding, ModularLoadManagerWrapper.getLeastLoaded",
    when=is_unload,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def changes_owner(before: State, action: Action, after: State) -> bool:
    """
    A bundle that is unloaded does not come back to the broker that unloaded it, as long as one lookup alone asks for it
    until it is owned.
    """
    return before.owner[action.argument("bundle")] != action.argument("broker")


def some_rest(before: State, action: Action, after: State) -> bool:
    return action.name == "decide" and any(
        before.rest[bundle] > 0 and not is_in_flight(before, bundle) for bundle in bundles(before)
    )


@step_law(
    "resting-stay",
    "LoadSheddingStrategy.findBundlesForUnloading (LoadData.recentlyUnloadedBundles)",
    when=some_rest,
    kind=LawKind.PROTOCOL,
)
def those_stay(before: State, action: Action, after: State) -> bool:
    """A bundle that was unloaded stays for as many cycles as the grace period has."""
    return all(
        before.rest[bundle] == 0 or is_in_flight(before, bundle) or not is_in_flight(after, bundle)
        for bundle in bundles(before)
    )


def is_chosen_twice(before: State, action: Action, after: State) -> bool:
    return action.name == "decide" and some_in_flight(before)


@step_law("flight-is-left-alone", "NamespaceService.unloadNamespaceBundle", when=is_chosen_twice, kind=LawKind.PROTOCOL)
def those_fly_on(before: State, action: Action, after: State) -> bool:
    """A bundle that is in flight is not given to anybody else."""
    return all(
        not is_in_flight(before, bundle)
        or all(before.may[bundle, broker] == after.may[bundle, broker] for broker in brokers(before))
        for bundle in bundles(before)
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


@leads_to(
    "idle-broker-is-used",
    "PIP-220, case 2; #17456",
    when=is_idle_beside,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def none_is_idle_beside(state: State) -> bool:
    """
    Where a broker is idle, and another with two bundles is used much, something moves in the end.

    (It does not hold: what all but one use alike is near their average.)
    """
    return not is_idle_beside(state)


@sometimes("bundle-moves", "ModularLoadManagerImpl.doLoadShedding")
def moves(before: State, action: Action, after: State) -> bool:
    """A bundle is handed over."""
    return action.name == "hand_over" and changes_owner(before, action, after)
