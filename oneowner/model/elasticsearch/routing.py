"""
These functions change the routing table as the master does: the fate of a copy that fails, and the promotion.

Each is a part of one new version of the cluster state. Nodes apply it later (``nodes``).
"""

from oneowner.model.elasticsearch.state import (
    NOBODY,
    Delay,
    Recovery,
    Request,
    Role,
    State,
    Tracked,
    is_started,
    nodes,
    writes,
)


def publish(state: State) -> None:
    """
    Commit a new version of the cluster state: every member is behind.

    A reroute is part of it, which takes the markers of delays that are over (``AllocationService.removeDelayMarkers``).
    """
    for node in nodes(state):
        state.behind[node] = state.member[node]
        state.delay[node] = after_reroute(state.delay[node])


def after_reroute(delay: Delay) -> Delay:
    """Return what a reroute leaves of a delay."""
    if delay == Delay.DUE:
        return Delay.NONE
    return delay


def is_primary(role: Role) -> bool:
    return role == Role.PRIMARY or role == Role.RECOVERING


def has_primary(state: State) -> bool:
    """Return whether the routing table has a primary."""
    return any(is_primary(state.role[node]) for node in nodes(state))


def first_replica(state: State) -> int:
    """Return the active replica of the least number; nobody if there is none."""
    for node in nodes(state):
        if state.role[node] == Role.REPLICA:
            return node
    return NOBODY


def target_of(state: State) -> int:
    """Return the node to which the primary is being moved; nobody if it is not."""
    for node in nodes(state):
        if state.role[node] == Role.TARGET:
            return node
    return NOBODY


def others_are_started(state: State, node: int) -> bool:
    """Return whether a copy on another node than *node* is active."""
    return any(other != node and is_started(state.role[other]) for other in nodes(state))


def fail_copy(state: State, node: int) -> None:
    """
    Take the copy of *node* out of the routing table (``RoutingNodes.failShard``).

    With a primary go the copies that recover from it, and the active replica of the least number is promoted: any may
    be, and nodes are alike. An active primary that fails ends its term (``IndexMetadataUpdater.shardFailed``).
    """
    failed = state.role[node]
    state.role[node] = Role.NONE
    state.recovery[node] = Recovery.NONE
    state.resync[node] = False
    if is_primary(failed):
        if failed == Role.PRIMARY:
            state.term = state.term + 1
        promote(state, first_replica(state))


def promote(state: State, heir: int) -> None:
    """Make *heir*, if there is one, the primary; initializing copies are unassigned."""
    for node in nodes(state):
        state.recovery[node] = Recovery.NONE
        state.role[node] = after_promotion(state.role[node], node == heir)


def after_promotion(role: Role, is_heir: bool) -> Role:
    """Return the role of a copy after the primary has failed, and *is_heir* has said who is promoted."""
    if is_heir:
        return Role.PRIMARY
    if role == Role.REPLICA:
        return Role.REPLICA
    return Role.NONE


def mark_stale(state: State, node: int) -> None:
    """
    Take the allocation id of *node*'s copy out of those in sync, unless the copy is the last that is active.

    Mirrors: ``IndexMetadataUpdater.updateInSyncAllocations``, which adds the id of a failed primary back.
    """
    state.in_sync[node] = state.in_sync[node] and not others_are_started(state, node)


def give_new_id(state: State, node: int) -> None:
    """
    The copy of *node* is to be built anew, under a new allocation id, and the one on its disk is given up.

    A request to the old id finds no copy (``TransportReplicationAction``, #20320, 5.0.0-beta1), and a primary that
    counts on the old id has to tell the master. In Elasticsearch the old id stays among those in sync until then, or
    until there are more ids than copies.
    """
    state.recovery[node] = Recovery.WANTED
    state.in_sync[node] = False
    state.resync[node] = False
    for other in nodes(state):
        state.tracks[other, node] = without_old_id(state.tracks[other, node])
    for write in writes(state):
        state.request[write, node] = to_old_id(state.request[write, node])


def without_old_id(tracked: Tracked) -> Tracked:
    """Return what a primary knows of a copy whose id is no more."""
    if tracked == Tracked.NONE or tracked == Tracked.INITIALIZING:
        return Tracked.NONE
    return Tracked.UNAVAILABLE


def to_old_id(request: Request) -> Request:
    """Return what becomes of a request to a copy whose id is no more."""
    if request == Request.NONE:
        return Request.NONE
    return Request.GONE
