"""
Predicates of one broker that several laws use: whether it is registered, holds a session, can lead.

The guards of the model ask the same (``is_healthy``, ``is_caught_up``, ``is_stuck``, ``has_session``). A law that
asked them too would hold whatever they let through.
"""

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Metadata, Node, Phase, Run, Stage, Wait
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY, NOTHING, OWNED, SPLITTING, Record
from oneowner.model.channel.rules import Dialect, Storage
from oneowner.model.channel.state import State


def is_registered(state: State, broker: int) -> bool:
    """Return whether *broker* lives and is registered, so that a health check of it passes."""
    return state.run[broker] == Run.UP and state.node[broker] != Node.ABSENT


def process_runs(state: State, broker: int) -> bool:
    """Return whether the process of *broker* runs; it may be starting."""
    return state.run[broker] == Run.UP or state.run[broker] == Run.STARTING


def keeps_a_session(state: State, broker: int) -> bool:
    if not process_runs(state, broker) or state.zookeeper_down:
        return False
    return not state.session_ended[broker] and state.metadata[broker] != Metadata.UNSTABLE


def has_read_the_channel(state: State, broker: int) -> bool:
    """Return whether nothing that is in the channel is still to be read by *broker*."""
    if state.bounds.storage == Storage.SYSTEM_TOPIC:
        return state.cursor[broker] == state.log.length
    return all(not state.changed[broker, unit] for unit in units(state))


def cannot_take_the_role(state: State, broker: int) -> bool:
    """
    Return whether *broker* is elected, but not registered, and so does not come to play the leader (run.G2).

    One that shuts down does not try to.
    """
    is_elected = state.bounds.beliefs > 0 and state.leader == broker and state.stage[broker] == Stage.RUNNING
    return is_elected and not state.believes[broker] and state.node[broker] == Node.ABSENT


def holds_the_lead_alone(state: State, broker: int) -> bool:
    """Return whether *broker* lives and is elected, and not registered: its session holds the leader's node alone."""
    if state.bounds.beliefs == 0 or state.run[broker] == Run.DOWN:
        return False
    return state.leader == broker and state.node[broker] == Node.ABSENT


def cannot_change_its_role(state: State, broker: int) -> bool:
    """Return whether *broker* cannot take the role that it won, or yield it to an unregistered elected broker."""
    if state.bounds.beliefs == 0 or state.leader == NOBODY or state.stage[broker] != Stage.RUNNING:
        return False
    return state.believes[broker] != (state.leader == broker) and state.node[state.leader] == Node.ABSENT


def manages(state: State, broker: int) -> bool:
    """Return whether *broker* runs, and its load manager's thread waits for nothing."""
    return state.run[broker] == Run.UP and state.waits_for[broker] == Wait.NOTHING


def is_at_work(state: State, broker: int) -> bool:
    """Return whether that thread of *broker* waits for no change of its role either."""
    return manages(state, broker) and not cannot_change_its_role(state, broker)


def load_topic_moves(before: State, broker: int, after: State) -> bool:
    """
    Return whether the topic of load data is closed at *broker*, with who reports there, and the elected can open it.
    """
    is_cut = all(after.reports_to[other] != broker for other in brokers(after))
    is_found = before.leader != NOBODY and before.node[before.leader] != Node.ABSENT
    return not after.load_open[broker] and is_cut and is_found


def its_compaction_ends(before: State, broker: int, after: State) -> bool:
    """Return whether a compaction run by *broker*, whose process ends, is over and its result is counted."""
    if before.leader != broker or before.bounds.compactions == 0:
        return True
    leaves = before.phase == Phase.WRITTEN or before.phase == Phase.SHOWN or before.phase == Phase.SAVED
    return after.phase == Phase.IDLE and after.leaked == before.leaked + (1 if leaves else 0)


def nothing_is_left(state: State, broker: int) -> bool:
    """Return whether the process of *broker* is gone with all that it had in memory."""
    if state.run[broker] != Run.DOWN or state.closing[broker].length > 0 or state.shedding[broker]:
        return False
    for unit in units(state):
        is_open = state.serving[broker, unit] or state.kept[broker, unit] or state.lingering[broker, unit]
        if is_open or state.view[broker, unit].state != NOTHING or state.asking[broker, unit]:
            return False
    if state.bounds.beliefs > 0 and (state.believes[broker] or state.cleaning[broker, broker]):
        return False
    return not any(state.known[broker, other] or state.cleaning[broker, other] for other in brokers(state))


def has_room(state: State, broker: int) -> bool:
    """Return whether the bounds have room for another publish of *broker*."""
    return state.outbox[broker].length < state.bounds.pending


def is_bundle(state: State, broker: int, unit: int) -> bool:
    """Return whether *unit* is a bundle by the boundaries that *broker* has read."""
    if state.bounds.splits == 0:
        return True
    read = state.boundaries[broker]
    if read.deleted:
        return False
    if unit == 1:
        return not read.split
    if unit == 2:
        return read.split and not read.nested
    return read.split if unit == 3 else read.nested


def plays_the_leader(state: State, broker: int) -> bool:
    """Return whether *broker* was elected, and where roles are modelled plays the leader, elected or no longer."""
    if state.bounds.beliefs > 0:
        return state.believes[broker]
    if state.bounds.leader_caches > 0:
        return state.leader_read[broker] == broker
    return state.leader == broker


def publishes_of(state: State, broker: int, unit: int) -> bool:
    """Return whether a publish of *broker* for *unit* is under way."""
    return any(
        state.outbox[broker][number].unit == unit
        for number in range(1, state.bounds.pending + 1)
        if number <= state.outbox[broker].length
    )


def lacking(state: State, broker: int, parent: int) -> int:
    """Return the number of children of *parent* that *broker* has read nothing of."""
    count = 0
    for child in units(state):
        if child // 2 == parent and state.view[broker, child].state == NOTHING:
            count = count + 1
    return count


def speaks_as_released(bounds: Bounds) -> bool:
    """Return whether all brokers speak the protocol of the releases."""
    return bounds.dialect == Dialect.RELEASED


def owner_of(record: Record) -> int:
    """Return the owner that an entry names; nobody while a unit is handed over."""
    if record.state == SPLITTING:
        return record.source
    return record.destination if record.state == OWNED else NOBODY


def is_owner(held: Record, broker: int) -> bool:
    """Return whether the entry is Owned by *broker*."""
    return held.state == OWNED and held.destination == broker
