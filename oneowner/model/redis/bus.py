"""
Nodes tell each other what they own and by which epoch. Mirrors ``clusterProcessPacket``.

A packet is built and read in one step. Links keep the order of packets, so what a node has heard of another is always
something that the other did say; the model leaves out that it is read late. A packet that brings nothing is no step.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require
from oneowner.model.redis.bounds import NODE
from oneowner.model.redis.state import (
    NOBODY,
    State,
    has_slots,
    is_master,
    is_reached,
    may_return,
    nodes,
    slots,
)
from oneowner.model.redis.tables import brings_claims, is_dirty, is_told, take_claims, take_new_epoch

TOLD = "Every node pings every other again and again."


@action(sender=NODE, receiver=NODE, fairness=weak(TOLD))
def gossip(state: State, sender: int, receiver: int) -> None:
    """
    *receiver* reads a packet of *sender*: its epochs, its role, and which slots it claims.

    Enabled: the two have a link, and the packet brings something.
    Changes: epochs grow. A slot is the sender's that nobody claims, or whose owner has a lower epoch, unless the
    receiver imports it; its keys are deleted where it was owned. What the sender claims no more is in doubt, or, if it
    is a replica now, its master's. Of two masters of one epoch that of the smaller id takes a new one.
    Log: ``configEpoch collision with node ..``; ``Configuration change detected. Reconfiguring myself as a replica``.
    Mirrors: ``clusterProcessPacket``, ``clusterUpdateSlotsConfigWith``, ``clusterHandleConfigEpochCollision``.
    """
    require(sender != receiver, "they are two")
    require(is_reached(state, sender, receiver), "the two have a link")
    require(brings_news(state, sender, receiver), "the packet brings something")
    state.current[receiver] = later(state.current[sender], state.current[receiver])
    if is_master(state, sender):
        state.epoch[receiver, sender] = later(state.epoch[sender, sender], state.epoch[receiver, sender])
        take_claims(state, receiver, sender, sender)
        if collides(state, sender, receiver):
            take_new_epoch(state, receiver)
    else:
        hear_of_demotion(state, sender, receiver)
    state.failed[receiver, sender] = is_flagged_still(state, sender, receiver)


def later(one: int, other: int) -> int:
    """Return the later of two epochs."""
    return max(one, other)


def brings_news(state: State, sender: int, receiver: int) -> bool:
    """Return whether a packet of *sender* changes anything at *receiver*."""
    is_over = state.failed[receiver, sender] and not is_flagged_still(state, sender, receiver)
    if state.current[sender] > state.current[receiver] or is_over:
        return True
    if not is_master(state, sender):
        return brings_demotion(state, sender, receiver)
    is_newer = state.epoch[sender, sender] > state.epoch[receiver, sender]
    return is_newer or collides(state, sender, receiver) or brings_claims(state, receiver, sender, sender)


def brings_demotion(state: State, sender: int, receiver: int) -> bool:
    """Return whether *receiver* has slots of *sender*, or replicates it, though it is a replica now."""
    has_some = any(state.owner[receiver, slot] == sender for slot in slots(state))
    return has_some or (state.master[receiver] == sender and state.master[sender] != receiver)


def collides(state: State, sender: int, receiver: int) -> bool:
    """Return whether *receiver*, of the smaller id, is to take another epoch than that of the master *sender*."""
    if not state.bounds.rules.collision_is_resolved or receiver > sender:
        return False
    return is_master(state, receiver) and state.epoch[sender, sender] == state.epoch[receiver, receiver]


def hear_of_demotion(state: State, sender: int, receiver: int) -> None:
    """*receiver* hears that *sender* is a replica: its slots are its master's, or nobody's; and so are its replicas."""
    for node in nodes(state):
        state.epoch[receiver, node] = epoch_of_heir(state, sender, receiver, node)
    for slot in slots(state):
        state.in_doubt[receiver, slot] = doubt_of_heir(state, sender, receiver, slot)
        state.owner[receiver, slot] = heir_of(state, sender, receiver, slot)
    state.master[receiver] = master_told(state, sender, receiver)


def epoch_of_heir(state: State, sender: int, receiver: int, node: int) -> int:
    """Return the epoch of *node* as *receiver* knows it after the demotion of *sender*: that of an heir is told."""
    has_some = any(state.owner[receiver, slot] == sender for slot in slots(state))
    if state.bounds.rules.demoted_hands_over and has_some and state.master[sender] == node:
        return later(state.epoch[sender, node], state.epoch[receiver, node])
    return state.epoch[receiver, node]


def heir_of(state: State, sender: int, receiver: int, slot: int) -> int:
    """Return whom *receiver* takes for the owner of *slot* after the demotion of *sender*."""
    if state.owner[receiver, slot] != sender:
        return state.owner[receiver, slot]
    return state.master[sender] if state.bounds.rules.demoted_hands_over else NOBODY


def doubt_of_heir(state: State, sender: int, receiver: int, slot: int) -> bool:
    """Return whether *receiver* is in doubt of the owner of *slot* after the demotion of *sender*."""
    is_clear = state.owner[receiver, slot] == sender and state.bounds.rules.doubt_ends_with_owner
    return state.in_doubt[receiver, slot] and not is_clear


def master_told(state: State, sender: int, receiver: int) -> int:
    """Return whose replica *receiver* is after the demotion of *sender*: no replica has a replica for its master."""
    master = state.master[sender]
    return master if state.master[receiver] == sender and master != receiver else state.master[receiver]


@action(informer=NODE, node=NODE, about=NODE, fairness=weak(TOLD))
def update(state: State, informer: int, node: int, about: int) -> None:
    """
    *node*, or its master, claims a slot that *informer* knows to be another's, by a higher epoch, and is told so.

    Enabled: the two have a link; *node* does not know that epoch of *about* yet.
    Changes: as if *node* had heard it of *about*.
    Log: ``Node .. has old slots configuration, sending an UPDATE message about ..``
    Mirrors: ``clusterSendUpdate``, and ``CLUSTERMSG_TYPE_UPDATE`` in ``clusterProcessPacket``.
    """
    require(informer != node and informer != about and node != about, "they are three")
    require(is_reached(state, informer, node), "the two have a link")
    require(state.epoch[informer, about] > state.epoch[node, about], "the epoch is news to the node")
    claimant = node if is_master(state, node) else state.master[node]
    require(is_dirty(state, node, informer, claimant), "they do not know the same slots of it")
    is_old = any(
        state.owner[node, slot] == claimant
        and is_told(state, informer, about, slot)
        and state.epoch[informer, about] > state.epoch[node, claimant]
        for slot in slots(state)
    )
    require(is_old, "the node claims a slot of another by an old epoch")
    state.epoch[node, about] = state.epoch[informer, about]
    take_claims(state, node, about, informer)


def is_flagged_still(state: State, sender: int, receiver: int) -> bool:
    """Return whether *receiver* takes *sender* for failed, though it answers: it is a master, and has slots."""
    return state.failed[receiver, sender] and is_master(state, sender) and has_slots(state, receiver, sender)


@action(
    observer=NODE,
    node=NODE,
    when=may_return,
    fairness=weak("Who answers is not taken for failed for ever."),
)
def forgive(state: State, observer: int, node: int) -> None:
    """
    *observer* flags *node* as failed no more: it answers, and nobody has taken its slots over for some time.

    Enabled: the two have a link.
    Changes: the flag.
    Log: ``Clear FAIL state for node ..: is reachable again and nobody is serving its slots after some time.``
    Mirrors: ``clearNodeFailureIfNeeded`` (``CLUSTER_FAIL_UNDO_TIME_MULT``).
    """
    require(observer != node and is_reached(state, observer, node), "the two have a link")
    require(state.failed[observer, node], "the node is flagged")
    require(is_master(state, node) and has_slots(state, observer, node), "nobody has taken its slots over")
    state.failed[observer, node] = False
