"""Laws of fail-overs: how often a node votes, which votes elect a new master, and that a failed master is replaced."""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, sometimes, step_law
from oneowner.model.redis.state import State, is_master, nodes


def somebody_votes(before: State, action: Action, after: State) -> bool:
    return any(after.votes[node] > before.votes[node] for node in nodes(before))


@step_law(
    "votes-once-an-epoch",
    "clusterSendFailoverAuthIfNeeded (lastVoteEpoch); redis/redis#1479",
    when=somebody_votes,
    kind=LawKind.PROTOCOL,
)
def votes_are_for_new_epochs(before: State, action: Action, after: State) -> bool:
    """O3: a master votes once in an epoch, and in none that is earlier than that of its last vote."""
    return any(after.granted[node] > before.granted[node] for node in nodes(before))


@sometimes("replica-takes-over", "clusterFailoverReplaceYourMaster")
def somebody_is_elected(before: State, action: Action, after: State) -> bool:
    """A replica is elected."""
    return action.name == "take_over"


def supporters(state: State, epoch: int) -> int:
    """Return how many nodes voted last in *epoch*, or in a later one."""
    found = 0
    for node in nodes(state):
        if state.granted[node] >= epoch:
            found = found + 1
    return found


@step_law(
    "elected-by-majority", "clusterHandleSlaveFailover (needed_quorum)", when=somebody_is_elected, kind=LawKind.PROTOCOL
)
def majority_supports(before: State, action: Action, after: State) -> bool:
    """An elected replica has the votes of a majority of masters, none of them counted twice."""
    return all(
        is_master(before, node) == is_master(after, node)
        or supporters(before, after.epoch[node, node]) >= before.bounds.quorum
        for node in nodes(before)
    )


@step_law("one-winner-an-epoch", "clusterSendFailoverAuthIfNeeded", when=somebody_is_elected, kind=LawKind.PROTOCOL)
def epoch_is_its_own(before: State, action: Action, after: State) -> bool:
    """O3: no two replicas are elected in one epoch."""
    return not any(
        one != other
        and not is_master(before, one)
        and is_master(after, one)
        and other > before.bounds.masters
        and is_master(after, other)
        and after.epoch[one, one] == after.epoch[other, other]
        for one in nodes(before)
        for other in nodes(before)
    )


@sometimes("old-master-follows", "clusterUpdateSlotsConfigWith (clusterSetMaster)")
def a_master_follows(before: State, action: Action, after: State) -> bool:
    """A master that learns of the replica that took over becomes its replica."""
    return any(is_master(before, node) and not is_master(after, node) for node in nodes(before))
