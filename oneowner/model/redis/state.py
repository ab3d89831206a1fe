"""
``State`` holds of every node what it knows of slots and epochs, which keys it has, and how far a migration is.

A node's own row of ``epoch`` and ``owner`` is its message to others, and the source of its answers to clients.
"""

from enum import StrEnum

from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, Finite, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left
from oneowner.model.redis.bounds import DESTINATION, KEY, MOVED_SLOT, NODE, SLOT, SOURCE, Bounds

NOBODY = 0
MISSING = 0


class Mover(StrEnum):
    """How far who migrates the slot is (``clusterManagerMoveSlot``); CLOSING: no key is left at the source."""

    IDLE = "idle"
    IMPORTING = "importing"
    MOVING = "moving"
    CLOSING = "closing"
    ENDED = "ended"


def a_node(bounds: Bounds) -> Finite:
    """Return the numbers of all nodes, and none."""
    return integers(NOBODY, bounds.masters + bounds.replicas, NODE.name)


def epochs(bounds: Bounds) -> Finite:
    return integers(0, bounds.epochs)


def contents(bounds: Bounds) -> Finite:
    """Return what a key may hold: nothing, or which write, the first of them before the start."""
    return integers(MISSING, 1 + bounds.commands)


def may_fail(bounds: Bounds) -> bool:
    """Return whether a node may crash, or be cut off."""
    return bool(bounds.crashes or bounds.partitions or bounds.gone)


def is_gone(bounds: Bounds, node: int) -> bool:
    """Return whether *node* does not live at the start."""
    return bool(bounds.gone) and node == bounds.replicated


def may_return(bounds: Bounds) -> bool:
    """Return whether a node that was missed may answer again."""
    return bool(bounds.restarts or bounds.partitions)


def may_lack_majority(bounds: Bounds) -> bool:
    """Return whether a node may reach fewer masters than a majority."""
    return bool(bounds.partitions or bounds.masters - bounds.gone - bounds.crashes < bounds.quorum)


def may_elect(bounds: Bounds) -> bool:
    return bool(bounds.elections)


def is_kept_late(bounds: Bounds) -> bool:
    """Return whether ``nodes.conf`` may be older than a node's messages."""
    return not bounds.rules.epoch_is_saved


def first_epoch(bounds: Bounds, node: int) -> int:
    """Return the configuration epoch of *node* at the start; a replica has none of its own."""
    if node > bounds.masters:
        return 0
    if bounds.one_epoch:
        return 1
    if bounds.oldest_imports and node <= DESTINATION:
        return SOURCE + DESTINATION - node
    return node


def first_owner(bounds: Bounds, slot: int) -> int:
    """Return who owns *slot* at the start."""
    return SOURCE if slot == MOVED_SLOT else bounds.replicated


def has_at_start(bounds: Bounds, node: int, key: int) -> int:
    """Return what *node* has of *key* at the start: the first key is at the source, and at its replicas."""
    holds = node == SOURCE or (node > bounds.masters and bounds.replicated == SOURCE)
    return 1 if holds and key == 1 else MISSING


class State(KernelState):
    """One instant of a cluster."""

    bounds: Bounds

    up: Cells[bool] = cell(BOOLEAN, per=(NODE,), first=lambda bounds, node: not is_gone(bounds, node))
    aside: Cells[bool] = cell(BOOLEAN, per=(NODE,), when=lambda bounds: bounds.partitions)
    """It is cut off, with all that are."""
    down: Cells[bool] = cell(BOOLEAN, per=(NODE,), when=lambda bounds: may_return(bounds) or may_lack_majority(bounds))
    """It takes the cluster for down, and answers no command (``CLUSTER_FAIL``)."""
    master: Cells[int] = cell(
        a_node, per=(NODE,), first=lambda bounds, node: bounds.replicated if node > bounds.masters else NOBODY
    )
    """The master that it replicates (``slaveof``); nobody: it is a master. Others learn it from each packet."""
    current: Cells[int] = cell(
        epochs, per=(NODE,), first=lambda bounds, node: 1 if bounds.one_epoch else bounds.masters
    )
    """``currentEpoch``"""
    epoch: Cells[int] = cell(epochs, per=(NODE, NODE), first=lambda bounds, node, of: first_epoch(bounds, of))
    """The ``configEpoch`` of the second, as the first knows it."""
    owner: Cells[int] = cell(a_node, per=(NODE, SLOT), first=lambda bounds, node, slot: first_owner(bounds, slot))
    in_doubt: Cells[bool] = cell(BOOLEAN, per=(NODE, SLOT))
    """The node that it takes for the owner claims the slot no more (``owner_not_claiming_slot``)."""
    failed: Cells[bool] = cell(
        BOOLEAN,
        per=(NODE, NODE),
        when=may_fail,
        first=lambda bounds, node, of: is_gone(bounds, of) and not is_gone(bounds, node),
    )
    """The first has flagged the second as failed (``CLUSTER_NODE_FAIL``)."""

    migrating: Cells[int] = cell(a_node, per=(NODE,), when=lambda bounds: bounds.migrations)
    """To whom it migrates slot 1 (``migrating_slots_to``)."""
    importing: Cells[int] = cell(a_node, per=(NODE,), when=lambda bounds: bounds.migrations)
    """From whom it imports slot 1 (``importing_slots_from``)."""
    mover: Mover = cell(names(Mover), when=lambda bounds: bounds.migrations)
    told: Cells[bool] = cell(BOOLEAN, per=(NODE,), when=lambda bounds: bounds.migrations)
    """SETSLOT NODE was answered by it."""

    data: Cells[int] = cell(contents, per=(NODE, KEY), first=has_at_start)
    """The write that it has of each key of slot 1."""
    acked: Cells[int] = cell(contents, per=(KEY,), first=lambda bounds, key: 1 if key == 1 else MISSING)
    """The last write that a client was told to be done. Nothing but commands and laws asks for it."""
    at: int = cell(a_node, when=lambda bounds: bounds.commands)
    """The node that has the client's command."""
    wanted: int = cell(lambda bounds: integers(1, bounds.keys), when=lambda bounds: bounds.commands)
    asking: bool = cell(BOOLEAN, when=lambda bounds: bounds.commands)
    """The client was sent there by ASK (``CLIENT_ASKING``)."""

    election: Cells[int] = cell(epochs, per=(NODE,), when=may_elect)
    """The epoch in which it asks for votes (``failover_auth_epoch``)."""
    votes: Cells[int] = cell(lambda bounds: integers(0, bounds.masters), per=(NODE,), when=may_elect)
    """``failover_auth_count``"""
    voted: Cells[int] = cell(epochs, per=(NODE,), when=may_elect)
    """``lastVoteEpoch``"""
    granted: Cells[int] = cell(epochs, per=(NODE,), when=may_elect)
    """In which epoch it did vote last. Nothing but laws asks for it."""
    by_hand: Cells[bool] = cell(BOOLEAN, per=(NODE,), when=lambda bounds: bounds.manuals)
    """A manual fail-over is asked of this replica (``mf_end``)."""
    paused: Cells[bool] = cell(BOOLEAN, per=(NODE,), when=lambda bounds: bounds.manuals)
    """It lets writes of clients wait (``PAUSE_DURING_FAILOVER``)."""

    saved_epoch: Cells[int] = cell(epochs, per=(NODE,), when=is_kept_late, first=first_epoch)
    """Its own configuration epoch, as its ``nodes.conf`` has it, if that is written late."""
    saved_owner: Cells[int] = cell(
        a_node, per=(NODE, SLOT), when=is_kept_late, first=lambda bounds, node, slot: first_owner(bounds, slot)
    )

    migrations_left: int = left("migrations")
    interruptions_left: int = left("interruptions")
    stables_left: int = left("stables")
    commands_left: int = left("commands")
    crashes_left: int = left("crashes")
    restarts_left: int = left("restarts")
    partitions_left: int = left("partitions")
    elections_left: int = left("elections")
    manuals_left: int = left("manuals")


nodes = concrete(NODE.numbers)
slots = concrete(SLOT.numbers)
keys = concrete(KEY.numbers)


def is_reached(state: State, one: int, other: int) -> bool:
    """Return whether the two live, and have a link."""
    return state.up[one] and state.up[other] and state.aside[one] == state.aside[other]


def is_master(state: State, node: int) -> bool:
    """Return whether *node* is a master by its own flags."""
    return state.master[node] == NOBODY


def has_slots(state: State, observer: int, node: int) -> bool:
    """Return whether *observer* takes *node* for the owner of a slot; masters without replicas keep some slots."""
    if not state.bounds.in_shard(node):
        return True
    return any(state.owner[observer, slot] == node for slot in slots(state))


def is_voter(state: State, node: int) -> bool:
    """Return whether *node* is a master that has slots, and so counts and votes."""
    return is_master(state, node) and has_slots(state, node, node)


def has_keys(state: State, node: int) -> bool:
    """Return whether *node* has keys of slot 1 (``countKeysInSlot``)."""
    return any(state.data[node, key] != MISSING for key in keys(state))


def claims(state: State, node: int, slot: int) -> bool:
    """Return whether *node* tells others, and clients, that it owns *slot*."""
    return is_master(state, node) and state.owner[node, slot] == node
