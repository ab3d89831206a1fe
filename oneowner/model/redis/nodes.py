"""Nodes crash and start again, are cut off, and find that they are among the fewer. Mirrors ``clusterUpdateState``."""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.redis.bounds import NODE, VICTIM
from oneowner.model.redis.state import (
    NOBODY,
    State,
    is_kept_late,
    is_master,
    is_reached,
    is_voter,
    may_lack_majority,
    may_return,
    nodes,
    slots,
)


@action(node=VICTIM, budget="crashes", fairness=never("Nodes need not crash."))
def crash(state: State, node: int) -> None:
    """
    The process of *node* ends. Its keys and its ``nodes.conf`` stay.

    Enabled: it lives.
    Changes: it is gone; elections, votes for it, and pauses are forgotten.
    Log: none.
    Mirrors: the loss of a process.
    """
    require(state.crashes_left > 0, "the budget allows another crash")
    state.crashes_left = state.crashes_left - 1
    require(state.up[node], "the node lives")
    state.up[node] = False
    state.down[node] = False
    state.by_hand[node] = False
    state.paused[node] = False
    state.election[node] = 0
    state.votes[node] = 0


@action(node=VICTIM, budget="restarts", fairness=never("Nodes need not come back."))
def restart(state: State, node: int) -> None:
    """
    *node* starts again, with its ``nodes.conf`` and all its keys.

    Enabled: it does not live.
    Changes: it lives, and takes the cluster for down at first. What was not saved is as it was before.
    Log: ``Node configuration loaded, I'm ..``
    Mirrors: ``clusterLoadConfig``, ``CLUSTER_WRITABLE_DELAY``.
    """
    require(state.restarts_left > 0, "the budget allows another restart")
    state.restarts_left = state.restarts_left - 1
    require(not state.up[node], "the node does not live")
    state.up[node] = True
    state.down[node] = is_master(state, node)
    if not state.bounds.rules.vote_is_saved:
        state.voted[node] = 0
    if not state.bounds.rules.epoch_is_saved:
        state.epoch[node, node] = state.saved_epoch[node]
        for slot in slots(state):
            state.owner[node, slot] = state.saved_owner[node, slot]


@action(node=NODE, when=is_kept_late, fairness=weak("The disk is written in the end."))
def save(state: State, node: int) -> None:
    """
    ``nodes.conf`` of *node* is on disk.

    Enabled: it is older than what *node* knows of itself.
    Changes: it is not.
    Log: none.
    Mirrors: ``clusterSaveConfig``, without ``fsync``.
    """
    require(state.up[node], "the node lives")
    is_older = state.saved_epoch[node] != state.epoch[node, node] or any(
        state.saved_owner[node, slot] != state.owner[node, slot] for slot in slots(state)
    )
    require(is_older, "nodes.conf is older")
    state.saved_epoch[node] = state.epoch[node, node]
    for slot in slots(state):
        state.saved_owner[node, slot] = state.owner[node, slot]


@action(node=VICTIM, budget="partitions", fairness=never("Links need not break."))
def cut_off(state: State, node: int) -> None:
    """
    *node* is cut off from the others; clients reach it still.

    Enabled: it is not.
    Changes: it is.
    Log: none.
    Mirrors: a partition of the network.
    """
    require(state.partitions_left > 0, "the budget allows another partition")
    state.partitions_left = state.partitions_left - 1
    require(not state.aside[node], "the node is not cut off")
    state.aside[node] = True


@action(when=lambda bounds: bounds.partitions, fairness=weak("Partitions end."))
def heal(state: State) -> None:
    """
    The partition ends.

    Enabled: there is one.
    Changes: all have links again.
    Log: none.
    Mirrors: a network.
    """
    require(any(state.aside[node] for node in nodes(state)), "some node is cut off")
    for node in nodes(state):
        state.aside[node] = False


def reaches_majority(state: State, node: int) -> bool:
    """Return whether *node* has links to so many masters that, with itself, they are a majority."""
    reached = 0
    for other in nodes(state):
        if (other == node or is_reached(state, node, other)) and is_voter(state, other):
            reached = reached + 1
    return reached >= state.bounds.quorum


def is_overruled(state: State, node: int) -> bool:
    """Return whether somebody that *node* has a link to would tell it of another owner of a slot that it claims."""
    return any(
        is_reached(state, node, other)
        and state.owner[node, slot] == node
        and is_known_as_another(state, other, slot, node)
        for other in nodes(state)
        for slot in slots(state)
    )


def is_known_as_another(state: State, informer: int, slot: int, node: int) -> bool:
    """Return whether *informer* takes another than *node* for the owner of *slot*, by a higher epoch."""
    owner = state.owner[informer, slot]
    return owner != node and owner != NOBODY and state.epoch[informer, owner] > state.epoch[node, node]


@action(
    node=NODE,
    when=may_lack_majority,
    fairness=weak("Time passes: cluster-node-timeout."),
)
def stop_answering(state: State, node: int) -> None:
    """
    *node*, a master, has reached no majority of masters for the node timeout, and takes the cluster for down.

    Enabled: it lives, and reaches none.
    Changes: it answers no command.
    Log: ``Cluster state changed: fail``
    Mirrors: ``clusterUpdateState`` (``reachable_masters``). That slots are uncovered stops nobody here
    (``cluster-require-full-coverage no``).
    """
    require(state.up[node] and is_master(state, node), "the node lives, and is a master")
    require(not state.down[node], "it answers commands")
    require(not reaches_majority(state, node), "it reaches no majority of masters")
    state.down[node] = True


@action(node=NODE, when=may_return, fairness=weak("Time passes: the delay to rejoin."))
def answer_again(state: State, node: int) -> None:
    """
    *node* reaches a majority of masters again, and was told since what it does not own any more.

    Enabled: it lives; it reaches one; nobody that it reaches would overrule it, for the delay is long enough.
    Changes: it answers commands.
    Log: ``Cluster state changed: ok``
    Mirrors: ``clusterUpdateState`` (``rejoin_delay``, ``CLUSTER_WRITABLE_DELAY``).
    """
    require(state.up[node] and state.down[node], "the node lives, and answers no command")
    require(reaches_majority(state, node), "it reaches a majority of masters")
    require(not is_overruled(state, node), "it was told what it does not own any more")
    state.down[node] = False
