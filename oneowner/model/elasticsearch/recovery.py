"""
A copy recovers from the primary, and a primary hands over to the target of a relocation (``RecoverySourceHandler``).

From the time on when the source tracks the target of a recovery, writes are sent to that, too; so it has them all when
it is in sync.
"""

from oneowner.model.elasticsearch.bounds import NODE, initializes, leaves
from oneowner.model.elasticsearch.state import (
    NOBODY,
    Mode,
    Recovery,
    Role,
    Stage,
    State,
    Tracked,
    nodes,
    writes,
)
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require


@action(node=NODE, when=initializes, fairness=weak("A recovery that is delayed is tried again."))
def begin_recovery(state: State, node: int) -> None:
    """
    The copy of *node* begins to recover from the primary, which knows it.

    Enabled: it is open and has not begun; there is a primary that knows it as initializing.
    Changes: what was on the disk is dropped; the primary sends writes to it from now on.
    Log: none.
    Mirrors: ``PeerRecoverySourceService.recover``, ``ReplicationTracker.initiateTracking``.
    """
    require(state.up[node] and state.recovery[node] == Recovery.OPENED, "the copy is open and has not begun")
    source = source_of(state, node, Tracked.INITIALIZING)
    require(source != NOBODY, "there is a primary that knows it as initializing")
    state.recovery[node] = Recovery.COPYING
    state.tracks[source, node] = Tracked.TRACKED
    for write in writes(state):
        state.holds[node, write] = False


def source_of(state: State, node: int, tracked: Tracked) -> int:
    """Return the primary that knows the copy of *node* so, and may be the source of its recovery; or nobody."""
    for other in nodes(state):
        if state.tracks[other, node] == tracked and is_source(state, other):
            return other
    return NOBODY


def is_source(state: State, node: int) -> bool:
    """Return whether others may recover from *node*: also if it has handed over, in a release that lets them."""
    if state.mode[node] == Mode.PRIMARY:
        return True
    return state.mode[node] == Mode.RELOCATED and not state.bounds.rules.recoveries_restart


@action(node=NODE, when=initializes, fairness=weak("A recovery ends."))
def finish_recovery(state: State, node: int) -> None:
    """
    The copy of *node* has what the primary has, and is in sync for the primary; its node tells the master.

    The target of a relocation tells it only when it has been handed over to, if the release hands over.

    Enabled: it is being copied from a primary that tracks it.
    Changes: it has every write that the primary has, and the primary's term.
    Log: ``recovery completed from ..``
    Mirrors: ``RecoverySourceHandler.finalizeRecovery``, ``ReplicationTracker.markAllocationIdAsInSync``,
    ``ShardStateAction.shardStarted``.
    """
    require(state.up[node] and state.recovery[node] == Recovery.COPYING, "the copy is being copied")
    source = source_of(state, node, Tracked.TRACKED)
    require(source != NOBODY, "there is a primary that tracks it")
    waits = state.role[node] == Role.TARGET and state.bounds.rules.hands_over
    state.recovery[node] = Recovery.RECOVERED if waits else Recovery.DONE
    state.tracks[source, node] = Tracked.IN_SYNC
    state.copy_term[node] = higher(state.copy_term[node], state.copy_term[source])
    for write in writes(state):
        state.holds[node, write] = state.holds[node, write] or state.holds[source, write]


def higher(one: int, other: int) -> int:
    """Return the higher one of two terms."""
    if one < other:
        return other
    return one


@action(
    node=NODE,
    when=lambda bounds: bounds.relocations and bounds.rules.hands_over,
    fairness=weak("A relocation goes on once its target has recovered."),
)
def begin_hand_over(state: State, node: int) -> None:
    """
    The primary blocks operations, for the target of its relocation on *node*.

    Enabled: the target has recovered; the primary has it in sync, has no write open, and sends nothing after a
    promotion.
    Changes: the primary is handing over, and accepts no writes.
    Log: none.
    Mirrors: ``IndexShard.relocated``, ``ReplicationTracker.startRelocationHandoff``.
    """
    require(state.role[node] == Role.TARGET and state.recovery[node] == Recovery.RECOVERED, "the target has recovered")
    source = source_of(state, node, Tracked.IN_SYNC)
    require(source != NOBODY and state.mode[source] == Mode.PRIMARY, "the primary has it in sync")
    require(not has_open_write(state, source), "the primary has no write open")
    require(not any(state.resync[other] for other in nodes(state)), "the primary sends nothing after a promotion")
    state.mode[source] = Mode.HANDING_OVER


def has_open_write(state: State, node: int) -> bool:
    """Return whether a write that *node* has accepted is under way."""
    return any(state.stage[write] == Stage.OPEN and state.author[write] == node for write in writes(state))


def in_mode(state: State, mode: Mode) -> int:
    """Return the first node whose copy is in *mode*, or nobody."""
    for node in nodes(state):
        if state.mode[node] == mode:
            return node
    return NOBODY


@action(
    node=NODE,
    when=lambda bounds: bounds.relocations and bounds.rules.hands_over,
    fairness=weak("The target is sent the primary context."),
)
def take_over(state: State, node: int) -> None:
    """
    The target on *node* is in primary mode, with the source's record of the other copies.

    Enabled: its source is handing over; the target is open and has recovered.
    Changes: it has taken over; the source is one of the other copies for it.
    Log: none.
    Mirrors: ``RecoveryTarget.handoffPrimaryContext``, ``ReplicationTracker.activateWithPrimaryContext``.
    """
    source = in_mode(state, Mode.HANDING_OVER)
    require(source != NOBODY and state.tracks[source, node] == Tracked.IN_SYNC, "its source is handing over")
    require(state.mode[node] == Mode.COPY and state.recovery[node] == Recovery.RECOVERED, "the target has recovered")
    require(state.role[node] == Role.TARGET, "the node has the target")
    state.mode[node] = Mode.TAKEN_OVER
    for other in nodes(state):
        state.tracks[node, other] = handed_over(state, source, node, other)


def handed_over(state: State, source: int, node: int, other: int) -> Tracked:
    """Return what the target on *node* knows of the copy of *other* when it has taken over."""
    if other == node:
        return Tracked.NONE
    if other == source:
        return Tracked.IN_SYNC
    if state.bounds.rules.target_knows_group:
        return state.tracks[source, other]
    return state.tracks[node, other]


@action(
    node=NODE,
    when=lambda bounds: bounds.relocations and bounds.rules.hands_over,
    fairness=weak("The source is answered."),
)
def end_hand_over(state: State, node: int) -> None:
    """
    The primary on *node* hears that the target has taken over, and passes on to it what clients send.

    Enabled: it is handing over, and the target has taken over.
    Changes: it has been relocated; the node of the target tells the master.
    Log: none.
    Mirrors: ``ReplicationTracker.completeRelocationHandoff``, ``TransportReplicationAction.AsyncPrimaryAction``.
    """
    require(state.mode[node] == Mode.HANDING_OVER, "it is handing over")
    target = in_mode(state, Mode.TAKEN_OVER)
    require(target != NOBODY, "the target has taken over")
    state.mode[node] = Mode.RELOCATED
    if state.recovery[target] == Recovery.RECOVERED:
        state.recovery[target] = Recovery.DONE


@action(
    node=NODE,
    when=lambda bounds: leaves(bounds) and bounds.replicas > 1 and bounds.rules.resyncs,
    fairness=weak("A primary that was promoted sends what it has."),
)
def resync_copy(state: State, node: int) -> None:
    """
    The copy of *node* is sent what the promoted primary has.

    Enabled: it is still to be, and lives; the primary of the current term has it in sync.
    Changes: it has what the primary has, and its term; without ``rolls_back`` it keeps what it has beyond that.
    Log: ``primary-replica resync completed with .. operations``
    Mirrors: ``PrimaryReplicaSyncer.resync``, ``IndexShard.resetEngineToGlobalCheckpoint``.
    """
    require(state.resync[node] and state.mode[node] == Mode.COPY, "the copy is still to be sent something")
    source = source_of(state, node, Tracked.IN_SYNC)
    require(source != NOBODY and state.copy_term[source] == state.term, "the primary of the term has it in sync")
    state.resync[node] = False
    state.copy_term[node] = state.copy_term[source]
    for write in writes(state):
        state.holds[node, write] = state.holds[source, write] or kept(state, node, write)


def kept(state: State, node: int, write: int) -> bool:
    """Return whether the copy of *node* keeps *write*, whatever the primary has."""
    return not state.bounds.rules.rolls_back and state.holds[node, write]
