"""
Laws of writes: what an acknowledgement promises, which primary may send and fail, when copies agree.

A copy is in sync for the cluster state if its allocation id is among those in sync, be the copy open or on a disk.
"""

from oneowner.model.elasticsearch.allocation import count_roles
from oneowner.model.elasticsearch.state import (
    Mode,
    Recovery,
    Request,
    Role,
    Stage,
    State,
    is_started,
    nodes,
    writes,
)
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import (
    Excuse,
    LawKind,
    StateLaw,
    Status,
    StepLaw,
    Unguarded,
    always,
    guarded,
    leads_to,
    sometimes,
    step_law,
)


def a_write_is_acknowledged(before: State, action: Action, after: State) -> bool:
    return any(
        before.stage[write] != Stage.ACKNOWLEDGED and after.stage[write] == Stage.ACKNOWLEDGED
        for write in writes(before)
    )


def is_failed_last(state: State, write: int, node: int) -> bool:
    """
    Return whether the last active copy was failed for a write that it lacks: the target of a relocation does that.
    """
    return state.last_failed


LAST_COPY = (
    " (This fails: the target of a relocation may have its source, which lacks the write, failed in the term that they"
    " share. If the source was the last active copy, it stays in sync, and the master drops the target with it.)"
)
UNLESS_LAST_FAILED = (
    ", unless the target of a relocation has had its source failed while that was the last active copy."
)


@guarded(
    "acknowledged-by-all-in-sync",
    "ReplicationOperation; elastic/elasticsearch#7572, #14252",
    when=a_write_is_acknowledged,
    always=Unguarded(
        "A write is acknowledged only when every in-sync copy has it." + LAST_COPY,
        "elastic/elasticsearch#19715; IndexMetadataUpdater.updateInSyncAllocations",
        Status.HOLE,
    ),
    form=StepLaw,
    unless=is_failed_last,
    statement="A write is acknowledged only when every in-sync copy has it" + UNLESS_LAST_FAILED,
    kind=LawKind.PROTOCOL,
)
def all_in_sync_have_it(before: State, action: Action, after: State, unless: Excuse) -> bool:
    return all_in_sync_have_acknowledged(after, unless)


def something_is_acknowledged(state: State) -> bool:
    return any(state.stage[write] == Stage.ACKNOWLEDGED for write in writes(state))


@guarded(
    "in-sync-has-acknowledged",
    "ReplicationTracker; elastic/elasticsearch#10407, #14671",
    when=something_is_acknowledged,
    always=Unguarded(
        "Every in-sync copy has every acknowledged write." + LAST_COPY,
        "elastic/elasticsearch#19715; IndexMetadataUpdater.updateInSyncAllocations",
        Status.HOLE,
    ),
    form=StateLaw,
    unless=is_failed_last,
    statement="Every in-sync copy has every acknowledged write, so that none is lost while one such copy is left"
    + UNLESS_LAST_FAILED,
    kind=LawKind.PURPOSE,
)
def all_in_sync_have_acknowledged(state: State, unless: Excuse) -> bool:
    return all(
        state.stage[write] != Stage.ACKNOWLEDGED
        or not state.in_sync[node]
        or state.holds[node, write]
        or unless(state, write, node)
        for write in writes(state)
        for node in nodes(state)
    )


@guarded(
    "primary-has-acknowledged",
    "resiliency status page, Do not allow stale shards to automatically be promoted; elastic/elasticsearch#14671",
    when=something_is_acknowledged,
    always=Unguarded(
        "The active primary has every acknowledged write." + LAST_COPY,
        "elastic/elasticsearch#19715; IndexMetadataUpdater.updateInSyncAllocations",
        Status.HOLE,
    ),
    form=StateLaw,
    unless=is_failed_last,
    statement="The active primary has every acknowledged write" + UNLESS_LAST_FAILED,
    kind=LawKind.PURPOSE,
)
def active_primary_has_acknowledged(state: State, unless: Excuse) -> bool:
    return all(
        state.stage[write] != Stage.ACKNOWLEDGED
        or state.role[node] != Role.PRIMARY
        or state.holds[node, write]
        or unless(state, write, node)
        for write in writes(state)
        for node in nodes(state)
    )


def a_copy_gets_a_write(before: State, action: Action, after: State) -> bool:
    return action.name == "deliver" and any(
        not before.holds[node, write] and after.holds[node, write] for node in nodes(before) for write in writes(before)
    )


@step_law(
    "older-term-is-refused",
    "IndexShard.acquireReplicaOperationPermit; elastic/elasticsearch#17044",
    when=a_copy_gets_a_write,
    kind=LawKind.PROTOCOL,
)
def none_is_of_an_older_term(before: State, action: Action, after: State) -> bool:
    """
    A copy refuses writes of a primary whose term is older than its own.

    (O2)
    """
    return all(
        before.holds[node, write] or not after.holds[node, write] or before.write_term[write] >= before.copy_term[node]
        for node in nodes(before)
        for write in writes(before)
    )


def a_copy_is_reported(before: State, action: Action, after: State) -> bool:
    return action.name == "report" and any(
        before.role[node] != after.role[node] or before.in_sync[node] != after.in_sync[node] for node in nodes(before)
    )


@step_law(
    "current-primary-fails-copies",
    "ShardStateAction.ShardFailedClusterStateTaskExecutor; elastic/elasticsearch#19715",
    when=a_copy_is_reported,
    kind=LawKind.PROTOCOL,
)
def it_is_by_the_current_primary(before: State, action: Action, after: State) -> bool:
    """
    The master neither fails a copy nor marks it as stale at the request of a primary of an older term.

    (O2)
    """
    return all(write != action.argument("write") or before.write_term[write] == before.term for write in writes(before))


def is_well(state: State, node: int) -> bool:
    """Return whether *node* lives and does not shut down."""
    return state.up[node] and not state.closing[node]


def is_quiet(state: State) -> bool:
    """Return whether nothing is on its way: no write, no cluster state, no recovery, nothing after a promotion."""
    return not (
        any(state.stage[write] == Stage.OPEN for write in writes(state))
        or any(state.request[write, node] == Request.SENT for write in writes(state) for node in nodes(state))
        or any(
            state.behind[node]
            or state.resync[node]
            or state.recovery[node] != Recovery.NONE
            or not is_well(state, node)
            for node in nodes(state)
        )
    )


def copies_are_quiet(state: State) -> bool:
    return is_quiet(state) and count_roles(state, Role.PRIMARY) == 1 and count_roles(state, Role.REPLICA) > 0


@always(
    "copies-agree",
    "PrimaryReplicaSyncer; elastic/elasticsearch#10708, #32740",
    when=copies_are_quiet,
    kind=LawKind.PURPOSE,
)
def copies_hold_the_same(state: State) -> bool:
    """
    Where no message is on its way, all active copies have the same writes, acknowledged or not.

    (V2)
    """
    return all(
        state.holds[one, write] == state.holds[other, write]
        or not is_started(state.role[one])
        or not is_started(state.role[other])
        for write in writes(state)
        for one in nodes(state)
        for other in nodes(state)
    )


def some_living_write_is_open(state: State) -> bool:
    return any(state.stage[write] == Stage.OPEN for write in writes(state))


@leads_to(
    "write-ends",
    "ReplicationOperation.decPendingAndFinishIfNeeded, ReplicationOperation.finishAsFailed",
    when=some_living_write_is_open,
    kind=LawKind.PURPOSE,
)
def no_write_is_open(state: State) -> bool:
    """An accepted write is eventually acknowledged, or fails."""
    return not some_living_write_is_open(state)


@sometimes("stale-primary-is-refused", "IndexShard.acquireReplicaOperationPermit")
def is_refused(before: State, action: Action, after: State) -> bool:
    """A copy refuses a write of a primary of an older term."""
    return action.name == "deliver" and any(
        before.request[write, node] == Request.SENT
        and not before.holds[node, write]
        and not after.holds[node, write]
        and after.request[write, node] != Request.SENT
        and before.mode[node] != Mode.CLOSED
        for write in writes(before)
        for node in nodes(before)
    )


@sometimes("write-is-replicated", "ReplicationOperation")
def is_replicated(before: State, action: Action, after: State) -> bool:
    """The primary acknowledges a write that another copy has, too."""
    return any(
        before.stage[write] != Stage.ACKNOWLEDGED
        and after.stage[write] == Stage.ACKNOWLEDGED
        and any(node != after.author[write] and after.holds[node, write] for node in nodes(after))
        for write in writes(before)
    )
