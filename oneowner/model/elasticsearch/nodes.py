"""
Nodes apply the cluster state, late: a copy is opened, closed or promoted.

Mirrors: ``IndicesClusterStateService``, ``IndexShard``.
"""

from oneowner.model.elasticsearch.bounds import NODE
from oneowner.model.elasticsearch.membership import close_copy
from oneowner.model.elasticsearch.routing import target_of
from oneowner.model.elasticsearch.state import NOBODY, Mode, Recovery, Role, State, Tracked, is_started, nodes
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require


@action(node=NODE, fairness=weak("A member applies what the master has committed."))
def apply(state: State, node: int) -> None:
    """
    *node* applies the newest cluster state.

    Enabled: it lives, is a member, and is behind.
    Changes: a copy that it is to have no more is closed; one that it is to have is opened, an initializing primary with
    what is on its disk. A replica that was promoted is the primary, in the new term. A primary knows the other copies.
    A primary that was handing over to a target which is no more accepts again; one that has handed over fails, unless
    the release lets it accept again.
    Log: none.
    Mirrors: ``IndicesClusterStateService.applyClusterState``, ``IndexShard.updateShardState``,
    ``ReplicationTracker.updateFromMaster``.
    """
    require(state.up[node] and state.member[node] and state.behind[node], "the node lives, is a member, and is behind")
    state.behind[node] = False
    role = state.role[node]
    if role == Role.NONE:
        close_copy(state, node)
    elif state.recovery[node] == Recovery.WANTED:
        open_copy(state, node, role)
    elif role == Role.PRIMARY:
        be_primary(state, node)
    elif role == Role.TARGET:
        learn_group(state, node, state.mode[node] == Mode.TAKEN_OVER)


def open_copy(state: State, node: int, role: Role) -> None:
    """
    Open a copy anew.

    An initializing primary recovers from its disk at once, and has told the master; others are to recover from the
    primary. The target of a relocation learns of the other copies.
    """
    close_copy(state, node)
    state.disk[node] = True
    state.mode[node] = Mode.COPY
    state.copy_term[node] = state.term
    state.recovery[node] = Recovery.DONE if role == Role.RECOVERING else Recovery.OPENED
    if role == Role.TARGET:
        learn_group(state, node, False)


def be_primary(state: State, node: int) -> None:
    """Make the copy of *node*, which the routing table has as the active primary, ready for its present role."""
    mode = state.mode[node]
    is_moved = target_of(state) != NOBODY
    if mode == Mode.RELOCATED and not is_moved and state.bounds.rules.relocated_stays_so:
        close_copy(state, node)
    elif mode == Mode.COPY:
        state.mode[node] = Mode.PRIMARY
        state.copy_term[node] = state.term
        learn_group(state, node, False)
        for other in nodes(state):
            state.resync[other] = state.bounds.rules.resyncs and state.tracks[node, other] == Tracked.IN_SYNC
    elif mode != Mode.CLOSED:
        state.mode[node] = mode if is_moved and mode != Mode.TAKEN_OVER else Mode.PRIMARY
        learn_group(state, node, True)


def learn_group(state: State, node: int, is_in_charge: bool) -> None:
    """Give *node* the cluster state's record of the other copies; a primary in charge keeps its own."""
    for other in nodes(state):
        state.tracks[node, other] = seen_as(state, node, other, is_in_charge)


def seen_as(state: State, node: int, other: int, is_in_charge: bool) -> Tracked:
    """Return what *node* knows of the copy of *other*, once it has applied the newest cluster state."""
    role, known = state.role[other], state.tracks[node, other]
    if other == node:
        return Tracked.NONE
    if is_started(role):
        return Tracked.IN_SYNC
    if role == Role.NONE:
        return Tracked.UNAVAILABLE if state.in_sync[other] else Tracked.NONE
    if is_in_charge and (known == Tracked.TRACKED or known == Tracked.IN_SYNC):
        return known
    return Tracked.INITIALIZING
