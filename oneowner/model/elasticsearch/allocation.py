"""
The master allocates copies, starts those that have recovered, and moves the primary (``AllocationService``).

Every action is one new version of the cluster state.
"""

from oneowner.model.elasticsearch.bounds import NODE, initializes, loses_all, loses_replicas
from oneowner.model.elasticsearch.routing import (
    fail_copy,
    give_new_id,
    has_primary,
    mark_stale,
    publish,
    target_of,
)
from oneowner.model.elasticsearch.state import NOBODY, Delay, Mode, Recovery, Role, State, nodes
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require


@action(node=NODE, when=loses_replicas, fairness=weak("A reroute assigns what is unassigned."))
def allocate_replica(state: State, node: int) -> None:
    """
    The master allocates a replica to *node*.

    Enabled: the node is a member without a copy, and a primary is active; a replica is unassigned that waits for no
    other node; there are not too many recoveries from the node of the primary.
    Changes: the copy is initializing, under a new allocation id, and delayed no more.
    Log: none.
    Mirrors: ``ReplicaShardAllocator.makeAllocationDecision``, ``ThrottlingAllocationDecider.canAllocate``.
    """
    require(state.member[node] and state.role[node] == Role.NONE, "the node is a member without a copy")
    require(count_roles(state, Role.PRIMARY) == 1, "a primary is active")
    require(is_due(state, node), "a replica is unassigned that waits for no other node")
    require(has_room(state), "there are not too many recoveries from the node of the primary")
    state.delay[node] = Delay.NONE
    state.scheduled = state.scheduled and some_delay_is(state, Delay.RUNNING)
    state.role[node] = Role.INITIALIZING
    give_new_id(state, node)
    publish(state)


def count_roles(state: State, role: Role) -> int:
    count = 0
    for node in nodes(state):
        count = count + (1 if state.role[node] == role else 0)
    return count


def count_delayed(state: State) -> int:
    count = 0
    for node in nodes(state):
        count = count + (1 if state.delay[node] != Delay.NONE else 0)
    return count


def some_delay_is(state: State, delay: Delay) -> bool:
    return any(state.delay[node] == delay for node in nodes(state))


def unassigned_replicas(state: State) -> int:
    assigned = count_roles(state, Role.REPLICA) + count_roles(state, Role.INITIALIZING)
    return state.bounds.replicas - assigned


def is_due(state: State, node: int) -> bool:
    """Return whether *node* may have an unassigned replica: one that left with it, or one that is not delayed."""
    missing = unassigned_replicas(state)
    if state.delay[node] != Delay.NONE:
        return missing > 0
    return missing > count_delayed(state)


def has_room(state: State) -> bool:
    """Return whether another copy may recover from the node of the primary."""
    if not state.bounds.rules.limits_outgoing:
        return True
    under_way = count_roles(state, Role.INITIALIZING) + count_roles(state, Role.TARGET)
    return under_way < state.bounds.recoveries


@action(node=NODE, when=loses_all, fairness=weak("A reroute assigns what is unassigned."))
def allocate_primary(state: State, node: int) -> None:
    """
    The master makes the copy on the disk of *node* the primary.

    Enabled: the node is a member; there is no primary; the copy is in sync, or just there before allocation ids.
    Changes: the copy is an initializing primary; a new primary term has begun.
    Log: none.
    Mirrors: ``PrimaryShardAllocator.makeAllocationDecision``, ``IndexMetadataUpdater.shardInitialized``.
    """
    require(state.member[node] and state.role[node] == Role.NONE, "the node is a member without a copy")
    require(not has_primary(state), "there is no primary")
    is_known = state.in_sync[node] or (state.disk[node] and not state.bounds.rules.in_sync_ids)
    require(is_known, "its copy is in sync, or just there before allocation ids")
    state.role[node] = Role.RECOVERING
    state.recovery[node] = Recovery.WANTED
    state.term = state.term + 1
    publish(state)


@action(node=NODE, when=initializes, fairness=weak("The master processes what nodes report."))
def start_copy(state: State, node: int) -> None:
    """
    The master hears that the copy of *node* has recovered, and starts it.

    Enabled: the copy is initializing, and its node has told.
    Changes: it is active and in sync. With a target, the source goes out of the table and is in sync no more, and
    replicas that are initializing begin anew.
    Log: none.
    Mirrors: ``AllocationService.applyStartedShards``, ``RoutingNodes.startShard``, ``IndexMetadataUpdater``.
    """
    role = state.role[node]
    require(state.recovery[node] == Recovery.DONE, "its node has told")
    if role == Role.TARGET:
        for other in nodes(state):
            is_source = state.role[other] == Role.PRIMARY
            state.in_sync[other] = state.in_sync[other] and not is_source
            state.role[other] = Role.NONE if is_source else state.role[other]
            if state.bounds.rules.recoveries_restart and state.role[other] == Role.INITIALIZING:
                give_new_id(state, other)
    state.role[node] = Role.REPLICA if role == Role.INITIALIZING else Role.PRIMARY
    state.recovery[node] = Recovery.NONE
    state.in_sync[node] = True
    publish(state)


@action(node=NODE, budget="relocations", fairness=never("Nobody has to move a primary."))
def relocate(state: State, node: int) -> None:
    """
    The master moves the primary to *node*.

    Enabled: the node is a member without a copy; a primary is active and not moved; there is room for a recovery.
    Changes: the node has the target of the relocation, which is initializing.
    Log: none.
    Mirrors: ``RoutingNodes.relocateShard``, ``BalancedShardsAllocator``, ``MoveAllocationCommand``.
    """
    require(state.relocations_left > 0, "the budget allows another relocation")
    state.relocations_left = state.relocations_left - 1
    require(state.member[node] and state.role[node] == Role.NONE, "the node is a member without a copy")
    require(count_roles(state, Role.PRIMARY) == 1, "a primary is active")
    require(target_of(state) == NOBODY, "it is not moved")
    require(has_room(state), "there are not too many recoveries from the node of the primary")
    state.role[node] = Role.TARGET
    give_new_id(state, node)
    publish(state)


@action(node=NODE, budget="cancels", fairness=never("Nobody has to cancel a relocation."))
def cancel(state: State, node: int) -> None:
    """
    The master cancels the relocation of the primary to *node*.

    Enabled: it is on its way.
    Changes: the target goes out of the table; the source is the primary as before.
    Log: none.
    Mirrors: ``RoutingNodes.failShard`` of a target, ``CancelAllocationCommand``.
    """
    require(state.cancels_left > 0, "the budget allows another cancellation")
    state.cancels_left = state.cancels_left - 1
    require(state.role[node] == Role.TARGET, "the node has the target of a relocation")
    fail_copy(state, node)
    publish(state)


@action(
    node=NODE,
    when=lambda bounds: bounds.cancels and bounds.rules.relocated_stays_so,
    fairness=weak("A node reports a copy that it could not keep."),
)
def report_failed(state: State, node: int) -> None:
    """
    *node* tells the master that the copy it is to have has failed.

    Enabled: it is a member that has applied the newest cluster state, by which it has a copy that is closed.
    Changes: the copy goes out of the table, and is in sync no more, unless no other copy is active.
    Log: ``failing shard [..]``
    Mirrors: ``IndicesClusterStateService.failAndRemoveShard``, ``ShardStateAction.localShardFailed``.
    """
    require(state.member[node] and state.up[node] and not state.behind[node], "the node has applied the cluster state")
    require(state.role[node] != Role.NONE and state.mode[node] == Mode.CLOSED, "its copy has failed")
    mark_stale(state, node)
    fail_copy(state, node)
    publish(state)
