"""
Slot 1 is migrated, key by key, by somebody outside the cluster. Mirrors ``CLUSTER SETSLOT`` and ``redis-cli``.

The source, the destination and the operator take part in the migration; their replicas and all others do not.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.redis.bounds import DESTINATION, KEY, MOVED_SLOT, NODE, SOURCE
from oneowner.model.redis.state import MISSING, NOBODY, Mover, State, has_keys, is_master, nodes, slots
from oneowner.model.redis.tables import bind, take_new_epoch

GOES_ON = "Who migrates goes on as long as nodes answer, or gives up."


@action(budget="migrations", fairness=never("Slots need not be migrated."))
def begin_import(state: State) -> None:
    """
    The destination is told to import the slot: ``CLUSTER SETSLOT 1 IMPORTING source``.

    Enabled: nobody migrates; the destination lives, is a master, and does not own the slot; the source is no replica.
    Changes: it imports the slot.
    Log: none; the command is answered OK.
    Mirrors: ``clusterCommandSpecial`` (setslot importing), ``clusterManagerMoveSlot``.
    """
    require(state.migrations_left > 0, "the budget allows another migration")
    state.migrations_left = state.migrations_left - 1
    require(state.mover == Mover.IDLE, "nobody migrates")
    require_master(state, DESTINATION)
    require(state.owner[DESTINATION, MOVED_SLOT] != DESTINATION, "the destination does not own the slot")
    require(is_master(state, SOURCE), "the source is no replica")
    state.importing[DESTINATION] = SOURCE
    state.mover = Mover.IMPORTING
    replicate_slots(state, DESTINATION)


@action(when=lambda bounds: bounds.migrations, fairness=weak(GOES_ON))
def begin_migrate(state: State) -> None:
    """
    The source is told to migrate the slot: ``CLUSTER SETSLOT 1 MIGRATING destination``.

    Enabled: the destination imports it; the source lives, is a master, and owns the slot; the destination is no
    replica.
    Changes: it migrates the slot.
    Log: none; the command is answered OK.
    Mirrors: ``clusterCommandSpecial`` (setslot migrating), ``clusterManagerMoveSlot``.
    """
    require(state.mover == Mover.IMPORTING, "the destination was told to import the slot")
    require_master(state, SOURCE)
    require(state.owner[SOURCE, MOVED_SLOT] == SOURCE, "the source owns the slot")
    require(is_master(state, DESTINATION), "the destination is no replica")
    state.migrating[SOURCE] = DESTINATION
    state.mover = Mover.MOVING
    replicate_slots(state, SOURCE)


@action(key=KEY, when=lambda bounds: bounds.migrations, fairness=weak(GOES_ON))
def move_key(state: State, key: int) -> None:
    """
    The source moves *key*: nobody else is answered while the destination restores it.

    Enabled: the slot is being moved; the source has the key, and owns the slot; the destination imports or owns it.
    Changes: the destination has the key, and the source has it no more.
    Log: none.
    Mirrors: ``migrateCommand``, ``RESTORE-ASKING``, ``clusterManagerMigrateKeysInSlot``.
    """
    require(state.mover == Mover.MOVING, "the slot is being moved")
    require_master(state, SOURCE)
    require_master(state, DESTINATION)
    require(not state.down[SOURCE] and not state.down[DESTINATION], "both answer commands")
    require(state.aside[SOURCE] == state.aside[DESTINATION], "they have a link")
    require(state.data[SOURCE, key] != MISSING, "the source has the key")
    is_taken = state.importing[DESTINATION] != NOBODY or state.owner[DESTINATION, MOVED_SLOT] == DESTINATION
    require(is_taken, "the destination imports the slot, or owns it")
    state.data[DESTINATION, key] = state.data[SOURCE, key]
    state.data[SOURCE, key] = MISSING


@action(when=lambda bounds: bounds.migrations, fairness=weak(GOES_ON))
def end_move(state: State) -> None:
    """
    The operator who migrates hears that no key is left: ``CLUSTER GETKEYSINSLOT``.

    Enabled: the slot is being moved; the source lives, and has no key of it.
    Changes: the nodes are to be told who owns the slot.
    Log: none.
    Mirrors: ``clusterManagerMigrateKeysInSlot``.
    """
    require(state.mover == Mover.MOVING, "the slot is being moved")
    require(state.up[SOURCE], "the source lives")
    require(not has_keys(state, SOURCE), "it has no key of the slot")
    state.mover = Mover.CLOSING


@action(node=NODE, when=lambda bounds: bounds.migrations, fairness=weak(GOES_ON))
def set_node(state: State, node: int) -> None:
    """
    *node* is told that the slot is the destination's: ``CLUSTER SETSLOT 1 NODE destination``.

    Enabled: all keys are moved; *node* lives, is a master, and has not been told; if it owned the slot, it has no keys
    of it. Before others the destination was told, and then the source, if the release does so.
    Changes: its table; if it migrated the slot, it does no more. A destination that imported the slot takes a new
    epoch, unless its own is the last, and imports it no more.
    Log: ``configEpoch updated after importing slot ..``
    Mirrors: ``clusterCommandSpecial`` (setslot node), ``clusterManagerMoveSlot``.
    """
    require(state.mover == Mover.CLOSING, "all keys are moved")
    require(not state.told[node], "the node has not been told")
    require_master(state, node)
    if state.bounds.rules.destination_first and node != DESTINATION:
        is_next = state.told[DESTINATION] and (node == SOURCE or state.told[SOURCE] or not is_master(state, SOURCE))
        require(is_next, "the destination was told before, and then the source")
    is_own = state.owner[node, MOVED_SLOT] == node and node != DESTINATION
    require(not is_own or not has_keys(state, node), "the node has no keys of the slot")
    require(is_master(state, DESTINATION), "the destination is no replica")
    state.told[node] = True
    if not has_keys(state, node):
        state.migrating[node] = NOBODY
    bind(state, node, MOVED_SLOT, DESTINATION)
    if node == DESTINATION and state.importing[node] != NOBODY:
        if state.bounds.rules.closing_bumps and is_behind(state, node):
            take_new_epoch(state, node)
        state.importing[node] = NOBODY
    replicate_slots(state, node)
    if all_told(state):
        end_mover(state)


def all_told(state: State) -> bool:
    """Return whether all masters have heard of the owner of the slot."""
    return all(state.told[node] or not is_master(state, node) for node in nodes(state))


def is_behind(state: State, node: int) -> bool:
    """Return whether *node* has no epoch, or not the last one that it knows of (``clusterGetMaxEpoch``)."""
    own = state.epoch[node, node]
    is_passed = any(state.epoch[node, other] > own for other in nodes(state))
    return own == 0 or state.current[node] > own or is_passed


def end_mover(state: State) -> None:
    """Nobody migrates any more."""
    state.mover = Mover.ENDED
    for node in nodes(state):
        state.told[node] = False


def require_master(state: State, node: int) -> None:
    """Go on only if *node* lives and is a master: else it answers an error, or nothing."""
    require(state.up[node], "the node lives")
    require(is_master(state, node), "the node is a master")


def replicate_slots(state: State, node: int) -> None:
    """The replicas of *node* get its SETSLOT, and its epoch, if that is replicated at all."""
    if state.bounds.rules.slots_are_replicated:
        for replica in nodes(state):
            if state.master[replica] == node and state.up[replica]:
                state.importing[replica] = state.importing[node]
                state.migrating[replica] = state.migrating[node]
                state.epoch[replica, node] = state.epoch[node, node]
                for slot in slots(state):
                    bind(state, replica, slot, state.owner[node, slot])


@action(budget="interruptions", fairness=never("Who migrates need not give up."))
def stop_mover(state: State) -> None:
    """
    The operator who migrates gives up: the tool was stopped, or a node answered an error.

    Enabled: it migrates.
    Changes: it does nothing more; what nodes were told stays.
    Log: none.
    Mirrors: ``clusterManagerMoveSlot``, which returns at the first error.
    """
    require(state.interruptions_left > 0, "the budget allows another interruption")
    state.interruptions_left = state.interruptions_left - 1
    require(state.mover != Mover.IDLE and state.mover != Mover.ENDED, "it migrates")
    end_mover(state)


@action(node=NODE, budget="stables", fairness=never("Operators need not interfere."))
def set_stable(state: State, node: int) -> None:
    """
    An operator ends the migration at *node*: ``CLUSTER SETSLOT 1 STABLE``.

    Enabled: *node* lives, is a master, and imports or migrates the slot.
    Changes: it does so no more.
    Log: none.
    Mirrors: ``clusterCommandSpecial`` (setslot stable); ``redis-cli --cluster fix`` does it too.
    """
    require(state.stables_left > 0, "the budget allows another interference")
    state.stables_left = state.stables_left - 1
    require_master(state, node)
    is_open = state.importing[node] != NOBODY or state.migrating[node] != NOBODY
    require(is_open, "the node imports or migrates the slot")
    state.importing[node] = NOBODY
    state.migrating[node] = NOBODY
    replicate_slots(state, node)
