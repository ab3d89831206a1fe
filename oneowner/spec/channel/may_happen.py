"""
One law states exactly when a disturbance or an outside command may happen.

As those of ``may_go_on.py`` it states from another side what the guards of the model ask, and calls none of them.
"""

from oneowner.model.channel.parts import Metadata, Run, Stage, Wait
from oneowner.model.channel.record import ASSIGNING, NOBODY, OWNED, RELEASING, SPLITTING, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.spec.channel.brokers import has_room, owner_of, speaks_as_released
from oneowner.spec.channel.may_go_on import may_start, starts

PARENT, FIRST_CHILD, LAST_CHILD = 1, 2, 3


def fails_to_publish(state: State, broker: int) -> bool:
    has_given_up = state.run[broker] == Run.UP and state.metadata[broker] == Metadata.UNSTABLE
    return has_given_up and state.outbox[broker].length > 0


def is_seen_to_start(state: State, broker: int) -> bool:
    return state.slow_starts_left > 0 and starts(state, broker)


def may_be_seen_to_start(state: State, broker: int) -> bool:
    return state.slow_starts_left > 0 and may_start(state, broker)


def fails_to_start(state: State, broker: int) -> bool:
    return state.failed_starts_left > 0 and starts(state, broker)


def may_fail_to_start(state: State, broker: int) -> bool:
    return state.failed_starts_left > 0 and may_start(state, broker)


def start_may_fail(state: State, broker: int) -> bool:
    return state.failed_starts_left > 0 and state.run[broker] == Run.STARTING


def store_may_go(state: State) -> bool:
    return not state.zookeeper_down and state.outages_left > 0


def store_comes_back(state: State) -> bool:
    return state.zookeeper_down and state.outages_left < state.bounds.outages


def waits_in_vain(state: State, broker: int) -> bool:
    return state.run[broker] == Run.UP and state.waits_for[broker] == Wait.UNLOAD


def moves_nothing(state: State, broker: int) -> bool:
    return state.run[broker] == Run.UP and state.shedding[broker]


def may_hurry(state: State, broker: int) -> bool:
    is_held_up = state.stage[broker] == Stage.DRAINING and state.outbox[broker].length > 0
    return is_held_up and state.run[broker] == Run.UP and not state.hurried[broker] and state.late_handlers_left > 0


def takes_too_long(state: State, broker: int, number: int) -> bool:
    return has_room(state, broker) and may_take_too_long(state, broker, number)


def may_take_too_long(state: State, broker: int, number: int) -> bool:
    is_under_way = state.run[broker] == Run.UP and number <= state.closing[broker].length
    return is_under_way and state.slow_closes_left > 0


def ends_late(state: State, broker: int, unit: int) -> bool:
    return state.run[broker] == Run.UP and state.lingering[broker, unit]


def is_alive(record: Record) -> bool:
    is_moving = record.state == ASSIGNING or record.state == RELEASING or record.state == SPLITTING
    return record.state == OWNED or is_moving


def may_be_deleted(state: State, broker: int) -> bool:
    if state.run[broker] != Run.UP or state.recreations_left == 0 or state.boundaries[broker] != state.ring:
        return False
    is_cut = state.ring.split and not state.ring.deleted
    for child in range(FIRST_CHILD, LAST_CHILD + 1):
        if owner_of(state.view[broker, child]) == NOBODY:
            return False
    return is_cut and not is_alive(state.view[broker, PARENT])


def is_deleted_with_room(state: State, broker: int) -> bool:
    return may_be_deleted(state, broker) and state.outbox[broker].length + 2 <= state.bounds.pending


DISTURBANCES = enabled_law(
    "disturbances-as-allowed",
    "A publish of a broker without session fails; a broker that is down may start, or fail to, or be seen to start"
    " and fail then;"
    " ZooKeeper goes and comes back; a close of topics takes too long, and ends after all; a scan at a shutdown passes"
    " publishes that are under way; a round of shedding ends, and with it the wait for what it moved. A namespace is"
    " deleted where the split of its bundle is over and both parts are owned.",
    "ZKMetadataStore.batchOperation; ExtensibleLoadManagerImpl.start; BrokerService.unloadServiceUnit;"
    " ServiceUnitStateTableViewImpl.flush; UnloadScheduler.execute; NamespacesBase.internalDeleteNamespaceAsync",
    exactly("fail", fails_to_publish),
    Rule("begin_start", is_seen_to_start, may_be_seen_to_start),
    Rule("fail_start", fails_to_start, may_fail_to_start),
    exactly("give_up_start", start_may_fail),
    exactly("stop_zookeeper", store_may_go),
    exactly("start_zookeeper", store_comes_back),
    exactly("stop_waiting", waits_in_vain),
    exactly("end_shedding", moves_nothing),
    exactly("hurry", may_hurry),
    Rule("time_out_close", takes_too_long, may_take_too_long),
    exactly("end_close", ends_late),
    Rule("delete_namespace", is_deleted_with_room, may_be_deleted),
    where=speaks_as_released,
)
