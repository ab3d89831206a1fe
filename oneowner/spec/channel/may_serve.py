"""
These laws state exactly when a broker serves a request of a client or an operator.

A guard that is too strict breaks no law of steps: nothing happens. So these laws state the required answers from the
side of the client or operator, and call no guard of the model.
"""

from oneowner.model.channel.parts import Order, Progress, Request, Run, Wait
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import ASSIGNING, FREE, INIT, NOBODY, NOTHING, OWNED, RELEASING, SPLITTING
from oneowner.model.channel.state import State
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.spec.channel.brokers import has_room, is_bundle, keeps_a_session, speaks_as_released

# ---- lookups that assign ----


def looks_up(state: State, broker: int, unit: int) -> bool:
    held = state.view[broker, unit]
    ownerless = held.state == NOTHING or held.state == INIT or held.state == FREE
    asked = ownerless or (held.state == RELEASING and held.destination == NOBODY)
    is_new = state.assigns_left > 0 and not state.asking[broker, unit]
    return asked and is_new and state.run[broker] == Run.UP and is_bundle(state, broker, unit)


def assigns(state: State, broker: int, unit: int, destination: int) -> bool:
    asks = state.run[broker] == Run.UP and state.asking[broker, unit] and state.waits_for[broker] != Wait.READER
    return asks and is_selected(state, broker, destination) and has_room(state, broker)


def is_selected(state: State, broker: int, destination: int) -> bool:
    """Return whether a selection may end with *destination*: listed by the cache, and not refused by the policies."""
    return state.known[broker, destination] and destination != state.bounds.refused


def opens_lookup(state: State, broker: int, unit: int) -> bool:
    return state.lookups_left > 0 and state.run[broker] == Run.UP and state.request[broker, unit] == Request.NONE


def selects(state: State, broker: int, unit: int, destination: int) -> bool:
    asks = state.run[broker] == Run.UP and state.request[broker, unit] == Request.SELECTING
    return asks and state.known[broker, destination] and has_room(state, broker)


def times_out(state: State, broker: int, unit: int) -> bool:
    asked = state.request[broker, unit]
    return state.run[broker] == Run.UP and (asked == Request.WAITING or asked == Request.PUBLISHED)


LOOKUPS_GO_ON = enabled_law(
    "lookups-go-on",
    "Any running broker takes up a lookup whose unit has no owner by its view, and selects whomever its registry cache"
    " lists and the policies allow, also itself and also a broker that is gone; a lookup that waits may time out.",
    "ExtensibleLoadManagerImpl.assign, selectAsync; ServiceUnitStateChannelImpl.getOwnerAsync, deferGetOwner",
    exactly("look_up", looks_up),
    exactly("assign", assigns),
    exactly("open_lookup", opens_lookup),
    exactly("select", selects),
    exactly("time_out", times_out),
    where=speaks_as_released,
)


# ---- commands ----


def gives_up(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* can serve a command that takes *unit* from its owner."""
    serves = state.run[broker] == Run.UP and is_bundle(state, broker, unit) and has_room(state, broker)
    return serves and state.view[broker, unit].state == OWNED


def is_free_to_ask(state: State, order: Order) -> bool:
    """Return whether no operator waits there for the end of such a command."""
    asked = order.progress == Progress.SENT or order.progress == Progress.WAITING or order.progress == Progress.DROPPED
    return state.bounds.operators == 0 or not asked


def unloads(state: State, broker: int, unit: int) -> bool:
    asks = state.unloads_left > 0 and is_free_to_ask(state, state.unloading[broker, unit])
    return asks and gives_up(state, broker, unit)


def transfers(state: State, broker: int, unit: int, destination: int) -> bool:
    asks = state.transfers_left > 0 and is_free_to_ask(state, state.unloading[broker, unit])
    return asks and moves_to(state, broker, unit, destination)


def moves_to(state: State, broker: int, unit: int, destination: int) -> bool:
    another = state.known[broker, destination] and state.view[broker, unit].destination != destination
    return another and gives_up(state, broker, unit)


def sheds(state: State, broker: int, unit: int, destination: int) -> bool:
    asks = state.shedding[broker] and is_free_to_ask(state, state.unloading[broker, unit])
    return asks and moves_to(state, broker, unit, destination)


def removes(state: State, broker: int, unit: int) -> bool:
    return state.removals_left > 0 and gives_up(state, broker, unit)


def splits(state: State, broker: int) -> bool:
    return state.splits_left > 0 and divides(state, broker, 1)


def splits_child(state: State, broker: int) -> bool:
    return state.nested_splits_left > 0 and divides(state, broker, 2)


def divides(state: State, broker: int, unit: int) -> bool:
    held = state.view[broker, unit]
    serves = state.run[broker] == Run.UP and is_bundle(state, broker, unit) and has_room(state, broker)
    return (
        serves
        and (held.state == OWNED or held.state == SPLITTING)
        and is_free_to_ask(state, state.dividing[broker, unit])
    )


COMMANDS_ARE_SERVED = enabled_law(
    "commands-are-served",
    "Any running broker whose view says that a unit is owned, and that has it as a bundle, serves an unload, a"
    " deletion or a split of it, and its transfer to any other broker that its registry cache lists: whichever broker"
    " leads or owns.",
    "ExtensibleLoadManagerImpl.unloadNamespaceBundleAsync, splitNamespaceBundleAsync; UnloadScheduler.execute",
    exactly("unload", unloads),
    exactly("transfer", transfers),
    exactly("shed", sheds),
    exactly("remove", removes),
    exactly("split", splits),
    exactly("split_child", splits_child),
    where=speaks_as_released,
)


# ---- clients ----


def opens(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* opens topics of *unit* of which it has nothing open or under way."""
    is_idle = state.closing[broker].length == 0 and not has_some_open(state, broker)
    return owns(state, broker, unit) and may_open(state, broker, unit) and is_idle


def has_some_open(state: State, broker: int) -> bool:
    return any(state.serving[broker, unit] or state.kept[broker, unit] for unit in units(state))


def owns(state: State, broker: int, unit: int) -> bool:
    held = state.view[broker, unit]
    return (held.state == OWNED and held.destination == broker) or (held.state == SPLITTING and held.source == broker)


def opens_early(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker*, not registered, takes itself for the owner of a unit that is in flight to it."""
    held = state.view[broker, unit]
    is_coming = (held.state == ASSIGNING or held.state == RELEASING) and held.destination == broker
    return state.early_opens_left > 0 and is_coming and state.unregistered[broker]


def may_open(state: State, broker: int, unit: int) -> bool:
    is_shut = (not state.serving[broker, unit] or state.dropped[broker, unit]) and not state.kept[broker, unit]
    is_known = state.known[broker, broker] or (state.unregistered[broker] and not state.bounds.in_store)
    knows = state.bounds.policies == 0 or unit == 1 or state.initialized[broker]
    return (
        (owns(state, broker, unit) or opens_early(state, broker, unit))
        and is_shut
        and is_known
        and knows
        and keeps_a_session(state, broker)
        and has_topics(state, broker, unit)
    )


def has_topics(state: State, broker: int, unit: int) -> bool:
    """Return whether a client that gets its boundaries from *broker* finds the topic in *unit*."""
    if state.bounds.splits == 0:
        return state.run[broker] == Run.UP
    holds_it = unit != 3 and unit != (5 if state.bounds.nested_splits else 0)
    return holds_it and state.run[broker] == Run.UP and is_bundle(state, broker, unit)


CLIENTS_ARE_SERVED = enabled_law(
    "clients-are-served",
    "A running broker with a session opens the topics of a unit that it owns by its view, as soon as it has none of"
    " them open or under way, and no other broker does: whether it leads, and however it came to own the unit. One that"
    " is not registered may open a unit in flight to it; no other opens what it does not own.",
    "NamespaceService.getBrokerServiceUrlAsync; ServiceUnitStateChannelImpl.getActiveOwnerAsync;"
    " BrokerService.getTopic",
    Rule("open", opens, may_open),
    where=speaks_as_released,
)
