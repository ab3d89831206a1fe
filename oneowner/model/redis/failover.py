"""
A replica takes over from its master, by votes of masters or by hand. Mirrors ``clusterHandleSlaveFailover``.

A master is failed when a majority of masters says so. A replica then asks for votes in a new epoch; every master votes
once in an epoch, and whoever has a majority claims the slots of its master by that epoch.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_bound
from oneowner.model.redis.bounds import NODE, REPLICA, VICTIM
from oneowner.model.redis.state import (
    NOBODY,
    State,
    is_master,
    is_reached,
    is_voter,
    keys,
    may_elect,
    nodes,
    slots,
)
from oneowner.model.redis.tables import bind


@action(
    node=VICTIM,
    when=lambda bounds: bounds.crashes or bounds.partitions,
    fairness=weak("Time passes: cluster-node-timeout."),
)
def fail(state: State, node: int) -> None:
    """
    A majority of masters finds that *node* does not answer, and tells all that they reach.

    Enabled: on one side of a partition a majority of masters has no link to it, and somebody there has not flagged it.
    Changes: all on that side flag it as failed.
    Log: ``Marking node .. as failing (quorum reached).``
    Mirrors: ``markNodeAsFailingIfNeeded``, ``clusterSendFail``.
    """
    require(somebody_has_to_flag(state, node, False) or somebody_has_to_flag(state, node, True), "the node is missed")
    flag(state, node, False)
    flag(state, node, True)


def flag(state: State, node: int, is_aside: bool) -> None:
    """All on one side flag *node* as failed, if a majority of masters is there, and has no link to it."""
    if misses(state, node, is_aside) >= state.bounds.quorum:
        for other in nodes(state):
            if state.up[other] and state.aside[other] == is_aside:
                state.failed[other, node] = True


def misses(state: State, node: int, is_aside: bool) -> int:
    """Return how many masters of one side have no link to *node*."""
    found = 0
    for other in nodes(state):
        is_there = other != node and state.up[other] and state.aside[other] == is_aside
        if is_there and is_voter(state, other) and not is_reached(state, other, node):
            found = found + 1
    return found


def somebody_has_to_flag(state: State, node: int, is_aside: bool) -> bool:
    """Return whether a majority of one side has no link to *node*, and somebody there has not flagged it."""
    if misses(state, node, is_aside) < state.bounds.quorum:
        return False
    return any(
        state.up[other] and state.aside[other] == is_aside and not state.failed[other, node] for other in nodes(state)
    )


@action(replica=REPLICA, budget="elections", fairness=weak("A replica whose master has failed asks for votes."))
def ask_for_votes(state: State, replica: int) -> None:
    """
    *replica* asks all masters for their votes, in a new epoch.

    Enabled: it is a replica, its master is flagged as failed and has slots by its table; or a manual fail-over has
    come so far that it has all that its master has.
    Changes: the current epoch grows; an election is on.
    Log: ``Starting a failover election for epoch ..``
    Mirrors: ``clusterHandleSlaveFailover``, ``clusterRequestFailoverAuth``, ``clusterHandleManualFailover``.
    """
    require(state.elections_left > 0, "the budget allows another election")
    state.elections_left = state.elections_left - 1
    require(state.up[replica] and not is_master(state, replica), "the node lives, and is a replica")
    master = state.master[replica]
    is_manual = state.by_hand[replica] and (has_all(state, replica, master) or not state.bounds.rules.waits_for_offset)
    require(state.failed[replica, master] or is_manual, "its master has failed, or has nothing that it lacks")
    require(any(state.owner[replica, slot] == master for slot in slots(state)), "its master has slots")
    require_bound(state.current[replica] < state.bounds.epochs, "epochs")
    state.current[replica] = state.current[replica] + 1
    state.election[replica] = state.current[replica]
    state.votes[replica] = 0


def has_all(state: State, replica: int, master: int) -> bool:
    return all(state.data[replica, key] == state.data[master, key] for key in keys(state))


@action(voter=NODE, replica=REPLICA, when=may_elect, fairness=weak("Masters answer requests for votes."))
def vote(state: State, voter: int, replica: int) -> None:
    """
    *voter* votes for *replica*, which hears of it.

    Enabled: an election is on; they have a link; *voter* is a master with slots, has heard of no later epoch, has not
    voted in this one, and flags the master of *replica* as failed, or the fail-over is by hand; it knows no later epoch
    of any slot that *replica* asks for.
    Changes: *voter* has voted in this epoch; *replica* has one vote more.
    Log: ``Failover auth granted to .. for epoch ..``
    Mirrors: ``clusterSendFailoverAuthIfNeeded``. That a voter waits twice the node timeout before it votes about the
    same master again is left out: it is "not strictly needed for correctness".
    """
    require(voter != replica and is_reached(state, voter, replica), "the two have a link")
    epoch = state.election[replica]
    require(epoch > 0 and not is_master(state, replica), "an election is on")
    require(is_voter(state, voter), "the voter is a master that has slots")
    require(state.current[voter] <= epoch, "it has heard of no later epoch")
    if state.bounds.rules.votes_once:
        require(state.voted[voter] < epoch, "it has not voted in this epoch")
    master = state.master[replica]
    require(state.failed[voter, master] or state.by_hand[replica], "it takes the master for failed")
    require(is_current(state, voter, replica, master), "it knows no later epoch of a slot that is asked for")
    require_bound(state.votes[replica] < state.bounds.masters, "masters")
    state.current[voter] = epoch
    state.voted[voter] = epoch
    state.granted[voter] = epoch
    state.votes[replica] = state.votes[replica] + 1


def is_current(state: State, voter: int, replica: int, master: int) -> bool:
    """Return whether *voter* knows no later epoch, of any slot that *replica* asks for, than the one it is asked by."""
    asked = state.epoch[replica, master]
    return not any(
        state.owner[replica, slot] == master and is_guarded(state, voter, slot, asked) for slot in slots(state)
    )


def is_guarded(state: State, voter: int, slot: int, epoch: int) -> bool:
    """Return whether *voter* takes *slot* for owned, by a later epoch than *epoch*."""
    owner = state.owner[voter, slot]
    return owner != NOBODY and not state.in_doubt[voter, slot] and state.epoch[voter, owner] > epoch


@action(replica=REPLICA, when=may_elect, fairness=weak("Who has the votes takes over."))
def take_over(state: State, replica: int) -> None:
    """
    *replica* has the votes of a majority, and is a master by the epoch of its election.

    Enabled: it has.
    Changes: it claims all slots that it takes for its master's.
    Log: ``Failover election won: I'm the new master.``
    Mirrors: ``clusterHandleSlaveFailover``, ``clusterFailoverReplaceYourMaster``.
    """
    require(state.up[replica] and not is_master(state, replica), "the node lives, and is a replica")
    require(state.votes[replica] >= state.bounds.quorum, "it has the votes of a majority")
    state.epoch[replica, replica] = max(state.epoch[replica, replica], state.election[replica])
    replace_master(state, replica)


def replace_master(state: State, replica: int) -> None:
    """*replica* is a master, and claims what it takes for its master's (``clusterFailoverReplaceYourMaster``)."""
    for slot in slots(state):
        if state.owner[replica, slot] == state.master[replica]:
            bind(state, replica, slot, replica)
    state.master[replica] = NOBODY
    state.by_hand[replica] = False
    state.election[replica] = 0
    state.votes[replica] = 0


@action(
    replica=REPLICA,
    when=lambda bounds: bounds.elections > 1,
    fairness=never("An election that can be won is won."),
)
def end_election(state: State, replica: int) -> None:
    """
    The election of *replica* has lasted too long; another may follow.

    Enabled: one is on, and it has not the votes; the budget allows another.
    Changes: none is on.
    Log: ``Currently unable to failover: Failover attempt expired.``
    Mirrors: ``clusterHandleSlaveFailover`` (``auth_timeout``).
    """
    require(state.election[replica] > 0 and state.votes[replica] < state.bounds.quorum, "it has not the votes")
    require(state.elections_left > 0, "the budget allows another election")
    state.election[replica] = 0
    state.votes[replica] = 0


@action(
    replica=REPLICA,
    when=lambda bounds: bounds.replicas and (bounds.commands or bounds.migrations),
    fairness=weak("Replicas read what their master writes."),
)
def replicate(state: State, replica: int) -> None:
    """
    *replica* reads all that its master has written.

    Enabled: they have a link, and the master has, or has not, what the replica has not, or has.
    Changes: the replica has the same keys.
    Log: none.
    Mirrors: ``replicationFeedSlaves``: after the client was answered.
    """
    require(not is_master(state, replica), "the node is a replica")
    master = state.master[replica]
    require(is_reached(state, replica, master), "they have a link")
    require(not has_all(state, replica, master), "the replica has not the same keys")
    for key in keys(state):
        state.data[replica, key] = state.data[master, key]


@action(replica=REPLICA, budget="manuals", fairness=never("Operators need not ask for it."))
def ask_failover(state: State, replica: int) -> None:
    """
    An operator asks *replica* to take over: ``CLUSTER FAILOVER``.

    Enabled: it is a replica, and has a link to its master.
    Changes: its master lets writes wait; the fail-over is asked for.
    Log: ``Manual failover user request accepted.``; ``Manual failover requested by replica ..``
    Mirrors: ``clusterCommandSpecial`` (failover), ``CLUSTERMSG_TYPE_MFSTART``.
    """
    require(state.manuals_left > 0, "the budget allows another manual fail-over")
    state.manuals_left = state.manuals_left - 1
    require(not is_master(state, replica) and not state.by_hand[replica], "the node is a replica, and was not asked")
    require(is_reached(state, replica, state.master[replica]), "it has a link to its master")
    state.by_hand[replica] = True
    state.paused[state.master[replica]] = True


@action(replica=REPLICA, when=lambda bounds: bounds.manuals, fairness=never("There is time enough for a fail-over."))
def end_manual(state: State, replica: int) -> None:
    """
    The manual fail-over has lasted too long; the pause of the master lasts twice as long.

    Enabled: one is asked for.
    Changes: it is called off, and writes wait no more.
    Log: ``Manual failover timed out.``
    Mirrors: ``manualFailoverCheckTimeout`` (``CLUSTER_MF_TIMEOUT``, ``CLUSTER_MF_PAUSE_MULT``).
    """
    require(state.by_hand[replica], "a manual fail-over is asked for")
    state.by_hand[replica] = False
    state.election[replica] = 0
    state.votes[replica] = 0
    state.paused[state.master[replica]] = False
