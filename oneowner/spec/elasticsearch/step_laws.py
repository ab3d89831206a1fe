"""
Laws of steps: when the master, a node or a write continues, and how the routing table and a copy change.

The laws of copies, primaries and writes judge what is acknowledged and who may fail whom. These state from another side
what the model does, and call none of its steps.
"""

from oneowner.model.elasticsearch.bounds import Bounds
from oneowner.model.elasticsearch.state import (
    NOBODY,
    Delay,
    Mode,
    Recovery,
    Request,
    Role,
    Stage,
    State,
    Tracked,
    nodes,
)
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.model.kernel.law import LawKind, step_law

# ---- when the master goes on ----


def copies(state: State, role: Role) -> int:
    found = 0
    for node in nodes(state):
        found = found + (1 if state.role[node] == role else 0)
    return found


def is_vacant(state: State, node: int) -> bool:
    return state.member[node] and state.role[node] == Role.NONE


def has_room(state: State) -> bool:
    return copies(state, Role.INITIALIZING) + copies(state, Role.TARGET) < state.bounds.recoveries


def lacks_a_replica(state: State, node: int) -> bool:
    missing = state.bounds.replicas - copies(state, Role.REPLICA) - copies(state, Role.INITIALIZING)
    delayed = 0
    for other in nodes(state):
        delayed = delayed + (1 if state.delay[other] != Delay.NONE else 0)
    return missing > 0 if state.delay[node] != Delay.NONE else missing > delayed


def gets_a_replica(state: State, node: int) -> bool:
    return has_room(state) and may_get_a_replica(state, node)


def may_get_a_replica(state: State, node: int) -> bool:
    is_led = copies(state, Role.PRIMARY) == 1 and lacks_a_replica(state, node)
    return is_led and is_vacant(state, node) and copies(state, Role.INITIALIZING) < state.bounds.recoveries


def gets_the_primary(state: State, node: int) -> bool:
    return is_orphaned(state) and is_vacant(state, node) and state.in_sync[node]


def may_get_the_primary(state: State, node: int) -> bool:
    return is_orphaned(state) and is_vacant(state, node) and state.disk[node]


def is_orphaned(state: State) -> bool:
    return copies(state, Role.PRIMARY) + copies(state, Role.RECOVERING) == 0


def is_started(state: State, node: int) -> bool:
    return state.recovery[node] == Recovery.DONE


def may_be_moved_to(state: State, node: int) -> bool:
    is_free = is_vacant(state, node) and copies(state, Role.TARGET) == 0 and has_room(state)
    return is_free and copies(state, Role.PRIMARY) == 1 and state.relocations_left > 0


def may_be_cancelled(state: State, node: int) -> bool:
    return state.member[node] and state.role[node] == Role.TARGET and state.cancels_left > 0


def may_be_cut(state: State, node: int) -> bool:
    return state.up[node] and state.member[node] and state.cuts_left > 0


def is_removed(state: State, node: int) -> bool:
    return state.member[node] and not state.up[node]


def joins(state: State, node: int) -> bool:
    return state.up[node] and not state.member[node]


def notices(state: State, node: int) -> bool:
    is_passive = state.mode[node] == Mode.CLOSED or state.mode[node] == Mode.COPY
    return state.up[node] and not state.member[node] and not is_passive


def applies(state: State, node: int) -> bool:
    return state.up[node] and state.member[node] and state.behind[node]


def in_any_bounds(bounds: Bounds) -> bool:
    return True


CLUSTER_GOES_ON = enabled_law(
    "cluster-goes-on",
    "The master gives a member without a copy a missing replica that waits for no other node, an in-sync primary "
    "if there is none, or the target of the one relocation, each while there is room for a recovery. It starts "
    "copies that have recovered, and removes dead members; a living node that is no member joins, and a member "
    "applies newer cluster states.",
    "ReplicaShardAllocator, PrimaryShardAllocator, ThrottlingAllocationDecider; RoutingNodes.relocateShard",
    Rule("allocate_replica", gets_a_replica, may_get_a_replica),
    Rule("allocate_primary", gets_the_primary, may_get_the_primary),
    exactly("start_copy", is_started),
    exactly("relocate", may_be_moved_to),
    exactly("cancel", may_be_cancelled),
    exactly("cut", may_be_cut),
    exactly("remove", is_removed),
    exactly("join", joins),
    exactly("notice", notices),
    exactly("apply", applies),
    where=in_any_bounds,
)


# ---- when a write goes on ----


def is_on_its_way(state: State, write: int, node: int) -> bool:
    return state.request[write, node] == Request.SENT


def arrives(state: State, write: int, node: int) -> bool:
    return is_on_its_way(state, write, node) and state.mode[node] != Mode.CLOSED


def finds_nothing(state: State, write: int, node: int) -> bool:
    return is_on_its_way(state, write, node) and state.mode[node] == Mode.CLOSED


def may_be_lost(state: State, write: int, node: int) -> bool:
    return arrives(state, write, node) and state.losses_left > 0


def is_to_be_told(state: State, write: int, node: int) -> bool:
    request = state.request[write, node]
    return request == Request.LACKING or request == Request.STALE or request == Request.GONE


def is_reported(state: State, write: int, node: int) -> bool:
    author = state.author[write]
    if author == NOBODY or not is_to_be_told(state, write, node):
        return False
    return state.member[author] and state.up[author] and not state.closing[author]


def is_abandoned(state: State, write: int, node: int) -> bool:
    author = state.author[write]
    return author != NOBODY and is_to_be_told(state, write, node) and state.closing[author]


def is_acknowledged(state: State, write: int) -> bool:
    is_done = all(state.request[write, node] == Request.NONE for node in nodes(state))
    return is_done and state.stage[write] == Stage.OPEN and state.author[write] != NOBODY


WRITES_GO_ON = enabled_law(
    "writes-go-on",
    "A write that is on its way arrives at its copy if that is open, and otherwise at none. A node that knows a "
    "master reports to it the copies that lack a write; a node that shuts down does not. The primary acknowledges "
    "a write when no message and no report about it is outstanding.",
    "ReplicationOperation.performOnReplica, decPendingAndFinishIfNeeded; ShardStateAction",
    exactly("deliver", arrives),
    exactly("give_up", finds_nothing),
    exactly("lose", may_be_lost),
    exactly("report", is_reported),
    exactly("abandon", is_abandoned),
    exactly("acknowledge", is_acknowledged),
    where=in_any_bounds,
)


# ---- what becomes of a copy ----


def the_table_changes(before: State, action: Action, after: State) -> bool:
    gives = action.name == "allocate_replica" or action.name == "allocate_primary" or action.name == "relocate"
    fails = action.name == "report" or action.name == "report_failed"
    return gives or fails or action.name == "start_copy" or action.name == "cut" or action.name == "remove"


def others_are_active(before: State, node: int) -> bool:
    return any(
        other != node and (before.role[other] == Role.PRIMARY or before.role[other] == Role.REPLICA)
        for other in nodes(before)
    )


def counts_on(after: State, other: int, node: int) -> bool:
    return after.tracks[other, node] == Tracked.IN_SYNC or after.tracks[other, node] == Tracked.TRACKED


def waits_for_it(before: State, after: State, node: int) -> bool:
    """Return whether others wait for *node*, which has left, if delays are modelled and it had a replica."""
    role = before.role[node]
    is_replica = role == Role.REPLICA or role == Role.INITIALIZING
    return before.bounds.delays == 0 or not is_replica or (after.delay[node] == Delay.RUNNING and after.scheduled)


@step_law(
    "table-is-as-decided",
    "AllocationService.applyStartedShards, disassociateDeadNodes; IndexMetadataUpdater; DelayedAllocationService",
    when=the_table_changes,
    kind=LawKind.MIRROR,
)
def it_is_as_decided(before: State, action: Action, after: State) -> bool:
    """
    Each decision is a new version that no member has applied. A new replica or target has a new allocation id, which is
    not in sync yet; a primary from disk begins a new term. A started copy is in sync, and the source of a finished
    relocation is not. Copies on a node that has left are unassigned, and their replica is delayed. The last active copy
    stays in sync.
    """
    node = action.argument("node")
    if action.name == "report" or action.name == "report_failed":
        return after.in_sync[node] or not before.in_sync[node] or others_are_active(before, node)
    if any(after.member[other] and not after.behind[other] for other in nodes(after)):
        return False
    if action.name == "allocate_primary":
        return after.role[node] == Role.RECOVERING and after.term == before.term + 1
    if action.name == "allocate_replica" or action.name == "relocate":
        role = Role.TARGET if action.name == "relocate" else Role.INITIALIZING
        is_known = any(counts_on(after, other, node) for other in nodes(after))
        is_anew = after.recovery[node] == Recovery.WANTED and not after.in_sync[node] and not is_known
        return after.role[node] == role and is_anew and (role == Role.TARGET or after.delay[node] == Delay.NONE)
    if action.name == "start_copy":
        was_target = before.role[node] == Role.TARGET
        for other in nodes(after):
            is_source = was_target and before.role[other] == Role.PRIMARY
            if is_source and (after.in_sync[other] or after.role[other] != Role.NONE):
                return False
        role = Role.REPLICA if before.role[node] == Role.INITIALIZING else Role.PRIMARY
        return after.in_sync[node] and after.role[node] == role
    return not after.member[node] and after.role[node] == Role.NONE and waits_for_it(before, after, node)


def a_write_arrives(before: State, action: Action, after: State) -> bool:
    return action.name == "accept" or action.name == "deliver"


@step_law(
    "sent-to-all-tracked",
    "ReplicationOperation.handlePrimaryResult; IndexShard.acquireReplicaOperationPermit",
    when=a_write_arrives,
    kind=LawKind.MIRROR,
)
def it_is_sent_on_and_held(before: State, action: Action, after: State) -> bool:
    """
    The primary stores a write that it accepts, in its term, and sends it to every copy that it tracks; a copy that
    receives it is in that term, or in a higher one.
    """
    write, node = action.argument("write"), action.argument("node")
    if action.name == "deliver":
        term, own = before.write_term[write], before.copy_term[node]
        if term < own:
            return after.copy_term[node] == own
        return after.holds[node, write] and after.copy_term[node] == term
    if after.author[write] != node or after.write_term[write] != before.copy_term[node]:
        return False
    return (
        all(after.request[write, other] == Request.SENT for other in nodes(after) if counts_on(before, node, other))
        and after.holds[node, write]
    )
