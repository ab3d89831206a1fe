"""
These laws state exactly when the next step of a start, split or compaction is due.

As those of ``may_serve.py`` they state from another side what the guards of the model ask, and call none of them.
"""

from oneowner.model.channel.parts import Phase, Run
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.state import State
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.spec.channel.brokers import (
    has_room,
    lacking,
    speaks_as_released,
)

# ---- a start, a pause ----


def may_start(state: State, broker: int) -> bool:
    is_down = state.run[broker] == Run.DOWN and state.outbox[broker].length == 0
    return is_down and not state.zookeeper_down and not state.lost_ledger


def starts(state: State, broker: int) -> bool:
    return may_start(state, broker) and state.bounds.restarts >= state.bounds.crashes


def is_starting(state: State, broker: int) -> bool:
    return state.run[broker] == Run.STARTING


def pauses(state: State, broker: int) -> bool:
    return state.pauses_left > 0 and state.run[broker] == Run.UP


def resumes(state: State, broker: int) -> bool:
    return state.run[broker] == Run.PAUSED


def moves_the_channel(state: State, broker: int) -> bool:
    return state.run[broker] == Run.UP and state.leader == broker and state.host != broker


STARTS_GO_ON = enabled_law(
    "starts-go-on",
    "A broker that is down starts as soon as the records of its old process have arrived or are lost, whether or not"
    " that process's session has ended; any process may pause, and resumes; the channel's topic moves to the elected"
    " broker.",
    "ExtensibleLoadManagerImpl.start; ServiceUnitStateChannelImpl.start; BrokerService.getTopic",
    Rule("restart", starts, may_start),
    exactly("finish_start", is_starting),
    exactly("pause", pauses),
    exactly("resume", resumes),
    exactly("move_channel", moves_the_channel),
    where=speaks_as_released,
)


# ---- a split ----


def may_move(state: State, broker: int, number: int = 1) -> bool:
    return writes_boundaries(state, broker, number) and state.splitting[broker][number].read == state.ring


def may_begin_again(state: State, broker: int, number: int = 1) -> bool:
    if not may_be_refused(state, broker, number):
        return False
    job = state.splitting[broker][number]
    publishes = lacking(state, broker, job.unit)
    if publishes == 0:
        return state.boundaries[broker] != job.read
    return state.outbox[broker].length + publishes <= state.bounds.pending


def may_give_up(state: State, broker: int, number: int = 1) -> bool:
    return state.failed_splits_left > 0 and may_be_refused(state, broker, number)


def may_be_refused(state: State, broker: int, number: int) -> bool:
    """Return whether that split has read boundaries that have changed since."""
    return writes_boundaries(state, broker, number) and state.splitting[broker][number].read != state.ring


def writes_boundaries(state: State, broker: int, number: int) -> bool:
    """Return whether the boundaries are the next thing of that split: the children are in the channel."""
    if not is_splitting(state, broker, number) or state.splitting[broker][number].moved:
        return False
    return state.splitting[broker][number].awaited == 0


def is_splitting(state: State, broker: int, number: int) -> bool:
    return state.run[broker] == Run.UP and state.splitting[broker].length >= number


def deletes_parent(state: State, broker: int, number: int = 1) -> bool:
    is_due = is_splitting(state, broker, number) and state.splitting[broker][number].moved
    return is_due and has_room(state, broker)


def reloads(state: State, broker: int) -> bool:
    return state.run[broker] == Run.UP and state.boundaries[broker] != state.ring


def splits_another(state: State, broker: int) -> bool:
    knows = state.run[broker] == Run.UP and state.boundaries[broker] == state.ring
    return knows and state.other_splits_left > 0


SPLITS_GO_ON = enabled_law(
    "splits-go-on",
    "A split moves the boundaries when its children are in the channel and it has read the boundaries as they are,"
    " begins again or is given up only where it has read others, and deletes its parent after the move; every running"
    " broker is notified that they were moved, and may split another bundle.",
    "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry, updateSplitNamespaceBundlesAsync;"
    " NamespaceBundleFactory.handleMetadataStoreNotification",
    exactly("move_boundaries", may_move),
    exactly("retry_split", may_begin_again),
    exactly("give_up_split", may_give_up),
    exactly("delete_parent", deletes_parent),
    exactly("reload_boundaries", reloads),
    exactly("split_elsewhere", splits_another),
    where=speaks_as_released,
)


# ---- a compaction, and who reads what it kept ----


def hosts(state: State, broker: int) -> bool:
    return state.run[broker] == Run.UP and state.leader == broker


def starts_to_compact(state: State, broker: int) -> bool:
    is_due = state.compactions_left > 0 and state.phase == Phase.IDLE and state.horizon < state.log.length
    return is_due and hosts(state, broker) and not state.lost_ledger


def writes(state: State, broker: int) -> bool:
    return hosts(state, broker) and state.phase == Phase.READ


def shows(state: State, broker: int) -> bool:
    return hosts(state, broker) and state.phase == Phase.WRITTEN


def saves(state: State, broker: int) -> bool:
    return hosts(state, broker) and state.phase == Phase.SHOWN


def deletes_the_old(state: State, broker: int) -> bool:
    return hosts(state, broker) and state.phase == Phase.SAVED


def may_jump(state: State, broker: int) -> bool:
    reads = state.run[broker] == Run.UP and not state.held_up[broker] and not state.lost_ledger
    return reads and state.cursor[broker] < state.horizon and is_hosted(state)


def jumps(state: State, broker: int) -> bool:
    has_space = state.outbox[broker].length + state.bounds.units <= state.bounds.pending
    return may_jump(state, broker) and has_space and state.closing[broker].length < state.bounds.closings


def is_hosted(state: State) -> bool:
    return any(hosts(state, broker) for broker in brokers(state))


def trims(state: State) -> bool:
    return is_hosted(state) and state.trimmed < state.saved_horizon


COMPACTIONS_GO_ON = enabled_law(
    "compactions-go-on",
    "The host of the channel's topic compacts what is behind the horizon, writes, shows and saves what it keeps, and"
    " deletes what that replaces, in this order; a reader before the horizon may get the kept entries; the log is"
    " trimmed up to what was saved.",
    "StrategicTwoPhaseCompactor.phaseOne, runPhaseTwo; CompactedTopicImpl.newCompactedLedger, deleteCompactedLedger;"
    " CompactedTopicUtils.asyncReadCompactedEntries; ManagedLedgerImpl.internalTrimLedgers",
    exactly("start_compaction", starts_to_compact),
    exactly("write_ledger", writes),
    exactly("show_ledger", shows),
    exactly("save_cursor", saves),
    exactly("delete_ledger", deletes_the_old),
    Rule("jump", jumps, may_jump),
    exactly("trim", trims),
    where=speaks_as_released,
)
