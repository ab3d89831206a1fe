"""
Laws of slots and epochs: the owner of a slot, its epoch, and agreement of all nodes in the end.

The tables of nodes may differ, and for a while two nodes may claim one slot. What must be true is that epochs only
grow, that no two masters keep one epoch, and that in the end all agree on a master that lives.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, leads_to, sometimes, step_law
from oneowner.model.redis.bounds import DESTINATION, MOVED_SLOT, SOURCE
from oneowner.model.redis.state import NOBODY, State, claims, has_keys, is_master, nodes, slots


def any_step(before: State, action: Action, after: State) -> bool:
    return True


@step_law(
    "epochs-grow",
    "clusterBeforeSleep (clusterSaveConfigOrDie before replies are sent); redis/redis#6753",
    when=any_step,
    kind=LawKind.PROTOCOL,
)
def no_epoch_falls(before: State, action: Action, after: State) -> bool:
    """O3: the epochs that a node records, its own and those of other nodes, never fall; a restart loses none."""
    return all(
        after.current[node] >= before.current[node] and after.epoch[node, other] >= before.epoch[node, other]
        for node in nodes(before)
        for other in nodes(before)
    )


def two_claim(state: State) -> bool:
    return any(
        one < other and state.up[one] and state.up[other] and claims(state, one, slot) and claims(state, other, slot)
        for slot in slots(state)
        for one in nodes(state)
        for other in nodes(state)
    )


@always(
    "claims-differ",
    "clusterBumpConfigEpochWithoutConsensus; redis/redis#1547",
    when=two_claim,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def no_two_claim_by_one_epoch(state: State) -> bool:
    """
    O3: two nodes that claim one slot have different epochs.

    (This fails: a master takes a new epoch without a vote, and another may take the same one.)
    """
    return not any(
        one < other
        and claims(state, one, slot)
        and claims(state, other, slot)
        and state.epoch[one, one] == state.epoch[other, other]
        for slot in slots(state)
        for one in nodes(state)
        for other in nodes(state)
    )


def two_have_one_epoch(state: State) -> bool:
    return any(
        one < other
        and state.up[one]
        and state.up[other]
        and is_master(state, one)
        and is_master(state, other)
        and state.epoch[one, one] == state.epoch[other, other]
        for one in nodes(state)
        for other in nodes(state)
    )


@leads_to(
    "epochs-differ-in-the-end", "clusterHandleConfigEpochCollision", when=two_have_one_epoch, kind=LawKind.PROTOCOL
)
def all_epochs_differ(state: State) -> bool:
    """O3: no two living masters have the same epoch for ever."""
    return not two_have_one_epoch(state)


def is_open(state: State) -> bool:
    """Return whether some node that lives migrates or imports the slot."""
    return any(
        state.up[node] and (state.migrating[node] != NOBODY or state.importing[node] != NOBODY) for node in nodes(state)
    )


def views_differ(state: State) -> bool:
    return not is_open(state) and any(
        state.up[one] and state.up[other] and state.owner[one, slot] != state.owner[other, slot]
        for slot in slots(state)
        for one in nodes(state)
        for other in nodes(state)
    )


@leads_to(
    "views-converge",
    "redis/redis#3442, #3776, #12336; clusterUpdateSlotsConfigWith",
    when=views_differ,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def views_agree(state: State) -> bool:
    """
    V2: where no node migrates or imports a slot, all living nodes eventually agree on its owner, unless a migration is
    closed while two masters have the same epoch, or is ended by hand.
    """
    return not views_differ(state)


def some_claim_is_unknown(state: State) -> bool:
    return not is_open(state) and any(
        state.up[one] and state.up[other] and claims(state, one, slot) and state.owner[other, slot] != one
        for slot in slots(state)
        for one in nodes(state)
        for other in nodes(state)
    )


@leads_to(
    "claim-is-known",
    "redis/redis#3776, #2969, #12344, #1547; clusterUpdateSlotsConfigWith",
    when=some_claim_is_unknown,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def all_claims_are_known(state: State) -> bool:
    """
    V2: where no node migrates or imports a slot, all living nodes eventually know the node that claims it, or no node
    claims it any more, unless a replica is elected in the epoch of a master that is gone.
    """
    return not some_claim_is_unknown(state)


def some_slot_is_lost(state: State) -> bool:
    return any(not any(state.up[node] and claims(state, node, slot) for node in nodes(state)) for slot in slots(state))


@leads_to(
    "slot-has-live-owner",
    "redis/redis#7116, #3122, #6339, #9548; clusterHandleSlaveFailover",
    when=some_slot_is_lost,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def all_slots_are_claimed(state: State) -> bool:
    """V1: eventually a living master claims every slot, provided that some replica of each dead master is elected."""
    return not some_slot_is_lost(state)


@leads_to(
    "migration-ends",
    "clusterManagerMoveSlot; redis/redis#4333",
    when=is_open,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def is_closed(state: State) -> bool:
    """
    O6: every migration of a slot eventually ends.

    (This fails where its operator gives up, or a node is gone: nobody else closes the migration.)
    """
    return not is_open(state)


def destination_is_told(before: State, action: Action, after: State) -> bool:
    return action.name == "set_node" and not claims(before, DESTINATION, MOVED_SLOT) and claims(after, DESTINATION, 1)


@step_law(
    "closed-when-empty",
    "clusterCommandSpecial (setslot node); clusterManagerMoveSlot",
    when=destination_is_told,
    kind=LawKind.PROTOCOL,
)
def source_is_empty(before: State, action: Action, after: State) -> bool:
    """O4, O5: the operator gives the slot to the destination only when the source has no key of it left."""
    return not has_keys(before, SOURCE)


@sometimes("collision-ends", "clusterHandleConfigEpochCollision")
def a_collision_ends(before: State, action: Action, after: State) -> bool:
    """All masters have different epochs again."""
    return two_have_one_epoch(before) and not two_have_one_epoch(after)


@sometimes("slot-is-migrated", "clusterManagerMoveSlot")
def a_slot_changes_hands(before: State, action: Action, after: State) -> bool:
    """The destination owns the slot, and no node migrates or imports the slot any more."""
    return is_open(before) and not is_open(after) and claims(after, DESTINATION, MOVED_SLOT)
