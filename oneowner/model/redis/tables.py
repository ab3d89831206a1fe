"""
A node puts what it is told into its table of slots. Mirrors ``clusterUpdateSlotsConfigWith``.

A claim is believed if nobody claims the slot, or by a lower epoch. The outcome is computed before it is written:
every slot is judged by the table as it was.
"""

from oneowner.model.kernel.guards import require_bound
from oneowner.model.redis.bounds import MOVED_SLOT
from oneowner.model.redis.state import (
    MISSING,
    NOBODY,
    State,
    claims,
    has_keys,
    is_master,
    keys,
    slots,
)


def is_told(state: State, teller: int, claimant: int, slot: int) -> bool:
    """Return whether *teller* says that *claimant* owns *slot*; of others it leaves out what is in doubt."""
    return state.owner[teller, slot] == claimant and not state.in_doubt[teller, slot]


def is_dirty(state: State, teller: int, receiver: int, claimant: int) -> bool:
    """Return whether the two do not know the same slots of *claimant*: else no claim is looked at."""
    return any(
        (state.owner[teller, slot] == claimant) != (state.owner[receiver, slot] == claimant) for slot in slots(state)
    )


def is_taken(state: State, receiver: int, claimant: int, teller: int, slot: int) -> bool:
    """Return whether *receiver* takes *slot* from its present owner: *teller* reports that *claimant* owns it."""
    holder = state.owner[receiver, slot]
    if not is_told(state, teller, claimant, slot) or holder == claimant:
        return False
    if slot == MOVED_SLOT and state.bounds.rules.importing_is_respected and state.importing[receiver] != NOBODY:
        return False
    if holder == NOBODY or state.in_doubt[receiver, slot]:
        return True
    return state.epoch[receiver, holder] < state.epoch[teller, claimant]


def owner_told(state: State, receiver: int, claimant: int, teller: int, slot: int) -> int:
    """Return whom *receiver* takes for the owner of *slot* after it was told."""
    return claimant if is_taken(state, receiver, claimant, teller, slot) else state.owner[receiver, slot]


def doubt_told(state: State, receiver: int, claimant: int, teller: int, slot: int) -> bool:
    """Return whether *receiver* is in doubt of the owner of *slot* after it was told."""
    if not state.bounds.rules.loss_is_noticed or not is_dirty(state, teller, receiver, claimant):
        return state.in_doubt[receiver, slot]
    if state.owner[receiver, slot] == claimant:
        return not is_told(state, teller, claimant, slot)
    return state.in_doubt[receiver, slot] and not is_taken(state, receiver, claimant, teller, slot)


def is_dethroned(state: State, receiver: int, claimant: int, teller: int) -> bool:
    """Return whether *receiver*, or its master, has slots, and *claimant* takes the last of them."""
    former = receiver if is_master(state, receiver) else state.master[receiver]
    has_some = any(state.owner[receiver, slot] == former for slot in slots(state))
    return has_some and not any(
        state.owner[receiver, slot] == former and not is_taken(state, receiver, claimant, teller, slot)
        for slot in slots(state)
    )


def has_dirty_keys(state: State, receiver: int, claimant: int, teller: int) -> bool:
    """Return whether *receiver* loses the slot that it has keys of (``dirty_slots``)."""
    is_lost = claims(state, receiver, MOVED_SLOT) and is_taken(state, receiver, claimant, teller, MOVED_SLOT)
    return is_lost and has_keys(state, receiver)


def brings_claims(state: State, receiver: int, claimant: int, teller: int) -> bool:
    """Return whether what *teller* says of the slots of *claimant* changes the table of *receiver*."""
    return any(
        owner_told(state, receiver, claimant, teller, slot) != state.owner[receiver, slot]
        or doubt_told(state, receiver, claimant, teller, slot) != state.in_doubt[receiver, slot]
        for slot in slots(state)
    )


def take_claims(state: State, receiver: int, claimant: int, teller: int) -> None:
    """*receiver* puts what *teller* says of the slots of *claimant* into its table."""
    is_demoted = state.bounds.in_shard(receiver) and is_dethroned(state, receiver, claimant, teller)
    has_lost_keys = has_dirty_keys(state, receiver, claimant, teller)
    owners = [owner_told(state, receiver, claimant, teller, slot) for slot in slots(state)]
    doubts = [doubt_told(state, receiver, claimant, teller, slot) for slot in slots(state)]
    for slot in slots(state):
        state.owner[receiver, slot] = owners[slot - 1]
        state.in_doubt[receiver, slot] = doubts[slot - 1]
    if is_demoted:
        follow(state, receiver, claimant)
    elif has_lost_keys:
        delete_keys(state, receiver)


def bind(state: State, node: int, slot: int, owner: int) -> None:
    """*slot* is *owner*'s in the table of *node* (``clusterDelSlot``, ``clusterAddSlot``)."""
    state.owner[node, slot] = owner
    if state.bounds.rules.doubt_ends_with_owner:
        state.in_doubt[node, slot] = False


def follow(state: State, node: int, master: int) -> None:
    """*node* is a replica of *master* from now on (``clusterSetMaster``); its keys are replaced when they next sync."""
    state.master[node] = master
    state.migrating[node] = NOBODY
    state.importing[node] = NOBODY
    state.by_hand[node] = False
    state.paused[node] = False


def delete_keys(state: State, node: int) -> None:
    """*node* deletes its keys of slot 1 (``delKeysInSlot``)."""
    for key in keys(state):
        state.data[node, key] = MISSING


def take_new_epoch(state: State, node: int) -> None:
    """*node* takes the epoch after the last one that it knows of, without a vote."""
    require_bound(state.current[node] < state.bounds.epochs, "epochs")
    state.current[node] = state.current[node] + 1
    state.epoch[node, node] = state.current[node]
