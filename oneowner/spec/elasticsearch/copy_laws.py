"""Laws of copies: how many there are, how many recover at once, how long one that left is waited for."""

from oneowner.model.elasticsearch.allocation import count_roles, some_delay_is, unassigned_replicas
from oneowner.model.elasticsearch.state import Delay, Role, State, nodes
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, always, leads_to, sometimes


def some_recovery_is_under_way(state: State) -> bool:
    return recoveries_under_way(state) > 0


def recoveries_under_way(state: State) -> int:
    """Return how many copies recover from the node of the primary."""
    return count_roles(state, Role.INITIALIZING) + count_roles(state, Role.TARGET)


@always(
    "recoveries-within-limit",
    "ThrottlingAllocationDecider; elastic/elasticsearch#10267",
    when=some_recovery_is_under_way,
    kind=LawKind.PROTOCOL,
)
def recoveries_are_limited(state: State) -> bool:
    """
    No more copies recover from one node at once than node_concurrent_outgoing_recoveries says.

    (O8)
    """
    return recoveries_under_way(state) <= state.bounds.recoveries


def some_copy_is_assigned(state: State) -> bool:
    return any(state.role[node] != Role.NONE for node in nodes(state))


@always("copies-are-counted", "IndexShardRoutingTable; RoutingNodes", when=some_copy_is_assigned, kind=LawKind.PROTOCOL)
def copies_are_counted(state: State) -> bool:
    """
    There is at most one primary, at most one target of its relocation, and at most the configured number of replicas.

    (O9)
    """
    primaries = count_roles(state, Role.PRIMARY) + count_roles(state, Role.RECOVERING)
    return unassigned_replicas(state) >= 0 and primaries <= 1 and count_roles(state, Role.TARGET) <= primaries


def some_delay_is_running(state: State) -> bool:
    return some_delay_is(state, Delay.RUNNING)


@always(
    "delay-is-kept",
    "UnassignedInfo.getRemainingDelay; elastic/elasticsearch#11712",
    when=some_delay_is_running,
    kind=LawKind.PROTOCOL,
)
def delayed_are_unassigned(state: State) -> bool:
    """The master rebuilds a copy that left with its node on no other node before its delay is over."""
    running = 0
    for node in nodes(state):
        running = running + (1 if state.delay[node] == Delay.RUNNING else 0)
    return running <= unassigned_replicas(state)


def some_delay_is_over(state: State) -> bool:
    return some_delay_is(state, Delay.DUE)


@leads_to(
    "delay-ends",
    "DelayedAllocationService.scheduleIfNeeded; elastic/elasticsearch#14445",
    when=some_delay_is_over,
    kind=LawKind.PURPOSE,
)
def no_delay_is_over(state: State) -> bool:
    """A copy whose delay is over is eventually no longer delayed."""
    return not some_delay_is_over(state)


def some_recovery_waits(state: State) -> bool:
    return any(state.role[node] == Role.INITIALIZING and state.up[node] and state.member[node] for node in nodes(state))


@leads_to(
    "recovery-ends", "RecoverySourceHandler; RoutingNodes.failShard", when=some_recovery_waits, kind=LawKind.PURPOSE
)
def no_recovery_waits(state: State) -> bool:
    """
    An initializing copy eventually becomes active, or is given up.

    (O6)
    """
    return not some_recovery_waits(state)


@sometimes("replica-is-started", "AllocationService.applyStartedShards")
def a_replica_is_started(before: State, action: Action, after: State) -> bool:
    """A replica has recovered, and is active."""
    return any(before.role[node] == Role.INITIALIZING and after.role[node] == Role.REPLICA for node in nodes(before))
