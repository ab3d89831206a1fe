"""
One law states exactly when the next step of a graceful shutdown is due.

As those of ``may_serve.py`` it states from another side what the guards of the model ask, and calls none of them.
"""

from oneowner.model.channel.parts import Node, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import ASSIGNING, NOBODY, NOTHING, OWNED, RELEASING, SPLITTING, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.spec.channel.brokers import has_read_the_channel, has_room, keeps_a_session, speaks_as_released


def is_stopped(state: State, broker: int) -> bool:
    """Return whether an operator may stop *broker*: it and, unless it may be the last, a registered one run."""
    runs = state.run[broker] == Run.UP and state.stage[broker] == Stage.RUNNING and state.shutdowns_left > 0
    return runs and (state.bounds.last_stops > 0 or another_one_runs(state, broker))


def another_one_runs(state: State, broker: int) -> bool:
    return any(
        state.run[other] == Run.UP and state.stage[other] == Stage.RUNNING and state.node[other] != Node.ABSENT
        for other in brokers(state)
        if other != broker
    )


def comes_to(state: State, broker: int, unit: int) -> bool:
    """Return whether the clean-up of *broker* by itself comes to *unit* now."""
    if state.stage[broker] != Stage.DRAINING or state.run[broker] != Run.UP:
        return False
    if state.leader == NOBODY or state.drained[broker, unit]:
        return False
    is_quiet = state.hurried[broker] or state.outbox[broker].length == 0
    return is_quiet and has_read_the_channel(state, broker)


def may_drain(state: State, broker: int, unit: int, destination: int) -> bool:
    is_another = state.known[broker, destination] and destination != broker and keeps_a_session(state, broker)
    return is_another and comes_to(state, broker, unit) and is_its_own(state, broker, unit)


def drains(state: State, broker: int, unit: int, destination: int) -> bool:
    is_last = state.bounds.system_units > 0 and unit == state.bounds.units
    return may_drain(state, broker, unit, destination) and has_room(state, broker) and not is_last


def may_free_its_own(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* comes to a unit that it cannot give to anybody."""
    is_alone = not any(state.known[broker, other] for other in brokers(state) if other != broker)
    finds_nobody = (is_alone or state.unplaced_left > 0) and keeps_a_session(state, broker)
    return finds_nobody and comes_to(state, broker, unit) and is_its_own(state, broker, unit)


def frees_its_own(state: State, broker: int, unit: int) -> bool:
    is_last = state.bounds.system_units > 0 and unit == state.bounds.units
    return may_free_its_own(state, broker, unit) and has_room(state, broker) and not is_last


def is_its_own(state: State, broker: int, unit: int) -> bool:
    """Return whether the entry names *broker*; of the system's bundle it is the one that was set aside."""
    if state.bounds.system_units > 0 and unit == state.bounds.units:
        return is_party(state.set_aside[broker], broker)
    return is_party(state.view[broker, unit], broker)


def is_party(held: Record, broker: int) -> bool:
    is_in_hand = held.state == ASSIGNING or held.state == RELEASING or held.state == SPLITTING
    if is_in_hand and held.source == broker:
        return True
    return (is_in_hand or held.state == OWNED) and held.destination == broker


def passes_over(state: State, broker: int, unit: int) -> bool:
    is_last = state.bounds.system_units > 0 and unit == state.bounds.units
    held = state.set_aside[broker] if is_last and state.set_aside[broker].state != NOTHING else state.view[broker, unit]
    return comes_to(state, broker, unit) and not is_party(held, broker)


def unregisters(state: State, broker: int) -> bool:
    if state.stage[broker] != Stage.DRAINING or not keeps_a_session(state, broker) or state.run[broker] != Run.UP:
        return False
    is_done = state.leader == NOBODY or all(state.drained[broker, unit] for unit in units(state))
    return is_done and (has_flushed_its_own(state, broker) or state.short_flushes_left > 0)


def has_flushed_its_own(state: State, broker: int) -> bool:
    """Return whether *broker* has read every forced record that takes a unit from it, and has none under way."""
    return state.outbox[broker].length == 0 and not any(
        state.log[number].record.force and state.log[number].record.source == broker
        for number in range(1, state.bounds.window + 1)
        if state.cursor[broker] < number <= state.log.length
    )


def unloads_the_rest(state: State, broker: int, unit: int) -> bool:
    held = state.view[broker, unit]
    owns = (held.state == OWNED and held.destination == broker) or (held.state == SPLITTING and held.source == broker)
    is_new = stops(state, broker) and not state.drained[broker, unit]
    return owns and is_new and not state.bounds.in_store and has_room(state, broker)


def stops(state: State, broker: int) -> bool:
    return state.stage[broker] == Stage.UNREGISTERED and state.run[broker] == Run.UP


def stops_without_session(state: State, broker: int) -> bool:
    is_there = state.stage[broker] == Stage.DRAINING and state.run[broker] == Run.UP
    return is_there and not keeps_a_session(state, broker)


SHUTDOWNS_GO_ON = enabled_law(
    "shutdowns-go-on",
    "A broker that shuts down gives each entry that names it to any other broker that its registry cache lists, or"
    " frees it where there is none, while somebody leads, once its publishes are in the channel and read; it passes"
    " over the others, unregisters when it has come to all or nobody leads, unloads what it still owns, and ends. One"
    " that has no session can neither give anything away nor unregister, and ends all the same.",
    "ServiceUnitStateChannelImpl.cleanOwnerships, doCleanup; ExtensibleLoadManagerImpl.disableBroker;"
    " BrokerService.unloadNamespaceBundlesGracefully",
    exactly("disable", is_stopped),
    Rule("drain", drains, may_drain),
    Rule("free_own", frees_its_own, may_free_its_own),
    exactly("pass_over", passes_over),
    exactly("unregister", unregisters),
    exactly("unload_leftover", unloads_the_rest),
    exactly("stop", stops),
    exactly("stop_registered", stops_without_session),
    where=speaks_as_released,
)
