"""
One law states exactly when a publish arrives, is read, and is copied between storages.

As those of ``may_serve.py`` it states from another side what the guards of the model ask, and calls none of them.
"""

from oneowner.model.channel.parts import Run, SyncerStart
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.spec.channel.brokers import has_room, keeps_a_session, speaks_as_released

# ---- the topic ----


def appends(state: State, broker: int) -> bool:
    return may_append(state, broker) and state.bounds.storage == Storage.SYSTEM_TOPIC


def may_append(state: State, broker: int) -> bool:
    if state.outbox[broker].length == 0 or state.cut_off[broker]:
        return False
    if state.bounds.storage == Storage.METADATA_STORE:
        return keeps_a_session(state, broker) or state.run[broker] != Run.UP
    return state.log.length < state.bounds.window and topic_is_served(state)


def may_arrive_unacknowledged(state: State, broker: int) -> bool:
    return state.resends_left > 0 and may_append(state, broker)


def arrives_unacknowledged(state: State, broker: int) -> bool:
    return state.resends_left > 0 and appends(state, broker)


def fails(state: State, broker: int) -> bool:
    has_one = state.run[broker] == Run.UP and state.outbox[broker].length > 0
    return has_one and state.failed_publishes_left > 0


def overtakes(state: State, broker: int) -> bool:
    if state.overtakes_left == 0 or state.outbox[broker].length < 2:
        return False
    first, second = state.outbox[broker][1], state.outbox[broker][2]
    return first.unit == second.unit and first.basis == second.basis and may_append(state, broker)


def topic_is_served(state: State) -> bool:
    if state.bounds.channel_host > 0:
        return state.run[state.host] == Run.UP and not state.channel_closed
    return any(state.run[broker] == Run.UP for broker in brokers(state))


def consumes(state: State, broker: int) -> bool:
    has_space = has_room(state, broker) and state.closing[broker].length < state.bounds.closings
    return may_consume(state, broker) and has_space and state.bounds.splits == 0


def may_consume(state: State, broker: int) -> bool:
    is_kept = not state.lost_ledger or state.cursor[broker] >= state.horizon
    can = state.run[broker] == Run.UP and not state.held_up[broker] and is_kept
    return can and state.cursor[broker] < state.log.length


def closes(state: State, broker: int, number: int) -> bool:
    return may_close(state, broker, number) and has_room(state, broker)


def may_close(state: State, broker: int, number: int) -> bool:
    return state.run[broker] == Run.UP and number <= state.closing[broker].length


# ---- the metadata store, and the syncer ----


def syncer_copies(state: State) -> bool:
    return not state.cleaned and state.starting != SyncerStart.COPIED


def copies_on(state: State) -> bool:
    return syncer_copies(state) and state.copied < state.log.length


def copies_back(state: State, unit: int) -> bool:
    return syncer_copies(state) and state.noticed[unit] and state.log.length < state.bounds.window


def starts_a_syncer(state: State) -> bool:
    return state.syncs_left > 0 and not state.cleaned and state.starting == SyncerStart.OVER


def copies_all(state: State) -> bool:
    return state.cleaned


def puts(state: State, broker: int) -> bool:
    return may_put(state, broker) and state.closing[broker].length < state.bounds.closings


def may_put(state: State, broker: int) -> bool:
    return state.outbox[broker].length > 0


def looks(state: State, broker: int, unit: int) -> bool:
    has_space = has_room(state, broker) and state.closing[broker].length < state.bounds.closings
    return may_look(state, broker, unit) and has_space


def may_look(state: State, broker: int, unit: int) -> bool:
    return state.changed[broker, unit]


def notifies(state: State, broker: int, unit: int) -> bool:
    has_space = has_room(state, broker) and state.closing[broker].length < state.bounds.closings
    return may_notify(state, broker, unit) and has_space and state.bounds.splits == 0


def may_notify(state: State, broker: int, unit: int) -> bool:
    return state.run[broker] == Run.UP and state.changed[broker, unit] and keeps_a_session(state, broker)


def fills(state: State, broker: int, unit: int) -> bool:
    return may_fill(state, broker, unit) and has_room(state, broker)


def may_fill(state: State, broker: int, unit: int) -> bool:
    return state.run[broker] == Run.UP and state.filling[broker, unit] and keeps_a_session(state, broker)


CHANNEL_GOES_ON = enabled_law(
    "channel-goes-on",
    "The records of a broker arrive while some broker serves the channel's topic (metadata store: with a session), or"
    " any of them fails; a"
    " running broker reads what it has not read, and any close of topics may end. A syncer copies each change of"
    " either storage to the other, unless it starts: then it deletes all nodes, and copies all entries first.",
    "ServiceUnitStateTableViewImpl.put; TableViewImpl.handleMessage; MetadataStoreTableViewImpl.handleNotification,"
    " fillAsync; ServiceUnitStateChannelImpl.closeServiceUnit; ServiceUnitStateTableViewSyncer.syncTailItems",
    Rule("append", appends, may_append),
    Rule("append_unacknowledged", arrives_unacknowledged, may_arrive_unacknowledged),
    exactly("fail_publish", fails),
    exactly("overtake", overtakes),
    Rule("consume", consumes, may_consume),
    Rule("close", closes, may_close),
    Rule("put", puts, may_put),
    Rule("look", looks, may_look),
    Rule("notify", notifies, may_notify),
    Rule("fill", fills, may_fill),
    exactly("copy_to_store", copies_on),
    exactly("copy_to_topic", copies_back),
    exactly("start_syncer", starts_a_syncer),
    exactly("copy_existing", copies_all),
    where=speaks_as_released,
)
