"""
Laws of the primary: its number, its candidates, the purpose of terms, and its hand-over.

The letters O and V are the shared invariants of hand-over systems (``docs/sources.md``, kip441.6.3).
"""

from oneowner.model.elasticsearch.routing import has_primary, is_primary
from oneowner.model.elasticsearch.state import (
    Mode,
    Recovery,
    Role,
    Stage,
    State,
    accepts,
    is_started,
    nodes,
    writes,
)
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, leads_to, sometimes, step_law


def somebody_accepts(state: State) -> bool:
    return any(accepts(state, node) for node in nodes(state))


@always(
    "single-primary-in-term",
    "IndexShard.relocated; elastic/elasticsearch#15900",
    when=somebody_accepts,
    kind=LawKind.PURPOSE,
)
def one_accepts_in_a_term(state: State) -> bool:
    """
    At most one node accepts writes as the primary in one primary term.

    (O1)
    """
    return all(
        one == other
        or not accepts(state, one)
        or not accepts(state, other)
        or state.copy_term[one] != state.copy_term[other]
        for one in nodes(state)
        for other in nodes(state)
    )


@always(
    "single-primary-always",
    "elastic/elasticsearch#19269; resiliency status page, Loss of documents during network partition",
    when=somebody_accepts,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def one_accepts(state: State) -> bool:
    """
    At most one node accepts writes as the primary.

    (This fails: a node that the master has removed considers itself the primary until it notices, while another copy is
    promoted; O1 without its epoch.)
    """
    return all(
        one == other or not accepts(state, one) or not accepts(state, other)
        for one in nodes(state)
        for other in nodes(state)
    )


def is_open_in(state: State, write: int, term: int) -> bool:
    """Return whether *write* is open in a term."""
    return state.stage[write] == Stage.OPEN and state.write_term[write] == term


def some_write_is_open(state: State) -> bool:
    return any(state.stage[write] == Stage.OPEN for write in writes(state)) and somebody_accepts(state)


@always(
    "hand-over-is-drained",
    "IndexShard.relocated; elastic/elasticsearch#15900, #20443",
    when=some_write_is_open,
    kind=LawKind.PROTOCOL,
)
def open_writes_are_of_who_accepts(state: State) -> bool:
    """
    While a node accepts writes, no write of another node is open in the same term: a primary that hands over has ended
    its own writes.

    (O4)
    """
    return all(
        not accepts(state, node) or not is_open_in(state, write, state.copy_term[node]) or state.author[write] == node
        for node in nodes(state)
        for write in writes(state)
    )


def some_target_is_there(state: State) -> bool:
    return any(state.mode[node] == Mode.TAKEN_OVER for node in nodes(state))


@always(
    "source-lets-go-first",
    "ReplicationTracker.completeRelocationHandoff",
    when=some_target_is_there,
    kind=LawKind.PROTOCOL,
)
def source_has_let_go(state: State) -> bool:
    """
    The target of a relocation accepts no writes before its source has handed over.

    (O4)
    """
    return not any(
        one != other
        and state.mode[one] == Mode.TAKEN_OVER
        and accepts(state, one)
        and state.mode[other] == Mode.PRIMARY
        and state.copy_term[one] == state.copy_term[other]
        for one in nodes(state)
        for other in nodes(state)
    )


def becomes_primary(before: State, after: State, node: int) -> bool:
    """Return whether a step makes *node* the primary of the routing table, other than as the target of a relocation."""
    was_one = is_primary(before.role[node]) or before.role[node] == Role.TARGET
    return not was_one and is_primary(after.role[node])


def somebody_is_promoted(before: State, action: Action, after: State) -> bool:
    return any(becomes_primary(before, after, node) for node in nodes(before))


@step_law(
    "promoted-is-in-sync",
    "PrimaryShardAllocator.makeAllocationDecision; elastic/elasticsearch#14671",
    when=somebody_is_promoted,
    kind=LawKind.PROTOCOL,
)
def promoted_was_in_sync(before: State, action: Action, after: State) -> bool:
    """
    The master promotes only copies that are in sync.

    (O5)
    """
    return all(not becomes_primary(before, after, node) or before.in_sync[node] for node in nodes(before))


def a_term_changes(before: State, action: Action, after: State) -> bool:
    return before.term != after.term or any(before.copy_term[one] != after.copy_term[one] for one in nodes(before))


def stays_open(before: State, after: State, node: int) -> bool:
    """Return whether the copy of *node* is the same before and after a step."""
    was_opened = before.recovery[node] == Recovery.WANTED and after.recovery[node] != Recovery.WANTED
    return before.mode[node] != Mode.CLOSED and after.mode[node] != Mode.CLOSED and not was_opened


@step_law("terms-grow", "IndexShard.updateShardState", when=a_term_changes, kind=LawKind.PROTOCOL)
def terms_grow(before: State, action: Action, after: State) -> bool:
    """
    The primary term of the cluster state never falls, nor does that of an open copy.

    (O3)
    """
    return before.term <= after.term and all(
        not stays_open(before, after, node) or before.copy_term[node] <= after.copy_term[node] for node in nodes(before)
    )


@step_law(
    "promotion-begins-a-term",
    "IndexMetadataUpdater.shardFailed, IndexMetadataUpdater.shardInitialized",
    when=somebody_is_promoted,
    kind=LawKind.PROTOCOL,
)
def promotion_begins_a_term(before: State, action: Action, after: State) -> bool:
    """
    A copy that becomes the primary, other than by a relocation, begins a new term.

    (O3)
    """
    return before.term < after.term


def some_role_changes(before: State, action: Action, after: State) -> bool:
    return any(before.role[node] != after.role[node] for node in nodes(before))


def is_legal(before: Role, after: Role) -> bool:
    """Return whether the routing table may change a copy so: what is active was initializing, or was promoted."""
    if before == after or after == Role.NONE:
        return True
    if after == Role.REPLICA:
        return before == Role.INITIALIZING
    if after == Role.PRIMARY:
        return before == Role.REPLICA or before == Role.RECOVERING or before == Role.TARGET
    return before == Role.NONE


@step_law(
    "roles-are-legal",
    "ShardRouting.moveToStarted, ShardRouting.moveActiveReplicaToPrimary",
    when=some_role_changes,
    kind=LawKind.PROTOCOL,
)
def roles_are_legal(before: State, action: Action, after: State) -> bool:
    """
    A copy is initializing before it is active, and no primary becomes a replica.

    (O6)
    """
    return all(is_legal(before.role[node], after.role[node]) for node in nodes(before))


def a_living_copy_is_in_sync(state: State) -> bool:
    return any(state.in_sync[node] and state.up[node] for node in nodes(state))


def no_primary_accepts(state: State) -> bool:
    """Return whether no member accepts writes, though a copy that is in sync lives."""
    return a_living_copy_is_in_sync(state) and not any(
        state.member[node] and accepts(state, node) for node in nodes(state)
    )


@leads_to(
    "primary-comes-back", "PrimaryShardAllocator; RoutingNodes.failShard", when=no_primary_accepts, kind=LawKind.PURPOSE
)
def is_served_or_lost(state: State) -> bool:
    """
    While an in-sync copy lives, some member eventually accepts writes as the primary.

    (V1)
    """
    return not no_primary_accepts(state)


def somebody_is_behind(state: State) -> bool:
    return any(state.behind[node] and state.up[node] and state.member[node] for node in nodes(state))


@leads_to("views-converge", "ClusterApplierService", when=somebody_is_behind, kind=LawKind.PROTOCOL)
def nobody_is_behind(state: State) -> bool:
    """
    Every living member eventually applies the newest cluster state.

    (V2)
    """
    return not somebody_is_behind(state)


@sometimes("replica-takes-over", "IndexShard.updateShardState")
def a_replica_takes_over(before: State, action: Action, after: State) -> bool:
    """A copy accepts writes as the primary of a later term."""
    return any(
        before.mode[node] == Mode.COPY and after.mode[node] == Mode.PRIMARY and after.copy_term[node] > 1
        for node in nodes(before)
    )


@sometimes("target-is-started", "AllocationService.applyStartedShards")
def a_target_is_started(before: State, action: Action, after: State) -> bool:
    """A relocation of the primary ends."""
    return has_primary(before) and any(
        before.role[node] == Role.TARGET and is_started(after.role[node]) for node in nodes(before)
    )
