"""
Laws of steps: when a fail-over and a migration continue, and the changes by a packet, a vote and a moved key.

The laws of votes, slots and keys judge the winners and the kept keys. These restate the model's behaviour from another
side, and call none of its steps.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.enabled import enabled_law, exactly
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.model.redis.bounds import DESTINATION, MOVED_SLOT, SOURCE, Bounds
from oneowner.model.redis.state import MISSING, NOBODY, Mover, State, keys, nodes, slots

# ---- when it goes on ----


def are_linked(state: State, one: int, other: int) -> bool:
    return state.up[one] and state.up[other] and state.aside[one] == state.aside[other]


def owns_some(state: State, node: int) -> bool:
    is_modelled = state.bounds.replicas > 0 and (node == state.bounds.replicated or node > state.bounds.masters)
    return not is_modelled or any(state.owner[node, slot] == node for slot in slots(state))


def asks_for_votes(state: State, replica: int) -> bool:
    master = state.master[replica]
    if master == NOBODY or not state.up[replica] or state.elections_left == 0:
        return False
    has_all = all(state.data[replica, key] == state.data[master, key] for key in keys(state))
    is_due = state.failed[replica, master] or (state.by_hand[replica] and has_all)
    return is_due and any(state.owner[replica, slot] == master for slot in slots(state))


def votes(state: State, voter: int, replica: int) -> bool:
    master, epoch = state.master[replica], state.election[replica]
    if voter == replica or epoch == 0 or master == NOBODY or not are_linked(state, voter, replica):
        return False
    if state.master[voter] != NOBODY or not owns_some(state, voter):
        return False
    if state.current[voter] > epoch or state.voted[voter] >= epoch:
        return False
    if not state.failed[voter, master] and not state.by_hand[replica]:
        return False
    return not any(knows_later(state, voter, replica, slot) for slot in slots(state))


def knows_later(state: State, voter: int, replica: int, slot: int) -> bool:
    """Return whether *voter* has, for a slot that *replica* requests, a later owner than its master."""
    master, owner = state.master[replica], state.owner[voter, slot]
    if state.owner[replica, slot] != master or owner == NOBODY or state.in_doubt[voter, slot]:
        return False
    return state.epoch[voter, owner] > state.epoch[replica, master]


def takes_over(state: State, replica: int) -> bool:
    is_replica = state.up[replica] and state.master[replica] != NOBODY and state.election[replica] > 0
    return is_replica and state.votes[replica] > state.bounds.masters // 2


def is_asked_by_hand(state: State, replica: int) -> bool:
    master = state.master[replica]
    if master == NOBODY or state.by_hand[replica] or state.manuals_left == 0:
        return False
    return are_linked(state, replica, master)


def is_called_off(state: State, replica: int) -> bool:
    return state.by_hand[replica]


def stops_answering(state: State, node: int) -> bool:
    is_serving = state.up[node] and state.master[node] == NOBODY and not state.down[node]
    return is_serving and not has_majority(state, node)


def answers_again(state: State, node: int) -> bool:
    if not state.up[node] or not state.down[node] or not has_majority(state, node):
        return False
    return not any(is_overruled(state, node, other, slot) for other in nodes(state) for slot in slots(state))


def has_majority(state: State, node: int) -> bool:
    found = 0
    for other in nodes(state):
        is_there = other == node or are_linked(state, node, other)
        found = found + (1 if is_there and state.master[other] == NOBODY and owns_some(state, other) else 0)
    return found > state.bounds.masters // 2


def is_overruled(state: State, node: int, other: int, slot: int) -> bool:
    owner = state.owner[other, slot]
    if not are_linked(state, node, other) or state.owner[node, slot] != node:
        return False
    if owner == NOBODY:
        return False
    return owner != node and state.epoch[other, owner] > state.epoch[node, node]


def is_forgiven(state: State, observer: int, node: int) -> bool:
    if observer == node or not are_linked(state, observer, node) or not state.failed[observer, node]:
        return False
    is_modelled = state.bounds.replicas > 0 and (node == state.bounds.replicated or node > state.bounds.masters)
    has_slots = not is_modelled or any(state.owner[observer, slot] == node for slot in slots(state))
    return state.master[node] == NOBODY and has_slots


def answers(state: State, node: int) -> bool:
    return state.up[node] and state.master[node] == NOBODY and not state.down[node]


def is_moved(state: State, key: int) -> bool:
    if not answers(state, SOURCE) or not answers(state, DESTINATION):
        return False
    is_taken = state.importing[DESTINATION] != NOBODY or state.owner[DESTINATION, MOVED_SLOT] == DESTINATION
    is_there = state.data[SOURCE, key] != MISSING and state.aside[SOURCE] == state.aside[DESTINATION]
    return state.mover == Mover.MOVING and is_taken and is_there


def all_is_moved(state: State) -> bool:
    is_empty = all(state.data[SOURCE, key] == MISSING for key in keys(state))
    return state.mover == Mover.MOVING and state.up[SOURCE] and is_empty


def in_any_bounds(bounds: Bounds) -> bool:
    return True


CLUSTER_GOES_ON = enabled_law(
    "cluster-goes-on",
    "A replica asks for votes when its master has failed and has slots, or by hand when it has all of the "
    "master's data. A master with slots votes once an epoch, for a replica whose master it considers failed, if "
    "it knows no later owner of the claimed slots. A replica with a majority takes over. A master without a "
    "majority answers no client until it has learned which slots it lost. Keys move between two nodes that "
    "answer, and the migration ends when none is left.",
    "clusterHandleSlaveFailover, clusterSendFailoverAuthIfNeeded, clusterUpdateState; clusterManagerMigrateKeysInSlot",
    exactly("ask_for_votes", asks_for_votes),
    exactly("vote", votes),
    exactly("take_over", takes_over),
    exactly("ask_failover", is_asked_by_hand),
    exactly("end_manual", is_called_off),
    exactly("stop_answering", stops_answering),
    exactly("answer_again", answers_again),
    exactly("forgive", is_forgiven),
    exactly("move_key", is_moved),
    exactly("end_move", all_is_moved),
    where=in_any_bounds,
)


# ---- what it changes ----


def a_fail_over_goes_on(before: State, action: Action, after: State) -> bool:
    of_votes = action.name == "ask_for_votes" or action.name == "vote" or action.name == "take_over"
    of_node = action.name == "crash" or action.name == "stop_answering" or action.name == "answer_again"
    return of_votes or action.name == "forgive" or of_node


@step_law(
    "votes-are-kept",
    "clusterRequestFailoverAuth, clusterSendFailoverAuthIfNeeded, clusterFailoverReplaceYourMaster",
    when=a_fail_over_goes_on,
    kind=LawKind.MIRROR,
)
def epochs_and_votes_are_kept(before: State, action: Action, after: State) -> bool:
    """
    A replica asks for votes in a new epoch, in which it has no vote yet. A voter records the epoch of its last vote. A
    replica that takes over is a master by the epoch of its election, and claims all slots of its master. A node that
    stops answering considers the cluster down.
    """
    if action.name == "forgive":
        return not after.failed[action.argument("observer"), action.argument("node")]
    if action.name == "crash":
        node = action.argument("node")
        return not after.up[node] and after.election[node] == 0 and after.votes[node] == 0
    if action.name == "stop_answering" or action.name == "answer_again":
        return after.down[action.argument("node")] == (action.name == "stop_answering")
    replica = action.argument("replica")
    if action.name == "ask_for_votes":
        epoch = before.current[replica] + 1
        return after.current[replica] == epoch and after.election[replica] == epoch and after.votes[replica] == 0
    if action.name == "vote":
        voter, epoch = action.argument("voter"), before.election[replica]
        is_kept = after.voted[voter] == epoch and after.current[voter] == epoch
        return is_kept and after.votes[replica] == before.votes[replica] + 1
    master = before.master[replica]
    for slot in slots(before):
        if before.owner[replica, slot] == master and after.owner[replica, slot] != replica:
            return False
    return after.master[replica] == NOBODY and after.epoch[replica, replica] >= before.election[replica]


def a_packet_is_read(before: State, action: Action, after: State) -> bool:
    return action.name == "gossip"


@step_law(
    "packet-is-heeded", "clusterProcessPacket, clusterUpdateSlotsConfigWith", when=a_packet_is_read, kind=LawKind.MIRROR
)
def it_is_heeded(before: State, action: Action, after: State) -> bool:
    """
    After it reads a packet a node has the sender's epochs, or later ones; in its table a sender that is a replica owns
    no slot.
    """
    sender, receiver = action.argument("sender"), action.argument("receiver")
    if after.current[receiver] < before.current[sender]:
        return False
    if before.master[sender] == NOBODY:
        return after.epoch[receiver, sender] >= before.epoch[sender, sender]
    return not any(after.owner[receiver, slot] == sender for slot in slots(after))


def a_migration_goes_on(before: State, action: Action, after: State) -> bool:
    return action.name == "move_key" or (action.name == "set_node" and action.argument("node") <= DESTINATION)


@step_law(
    "moved-to-one-place",
    "migrateCommand; clusterCommandSpecial (setslot node)",
    when=a_migration_goes_on,
    kind=LawKind.MIRROR,
)
def it_is_at_one_place(before: State, action: Action, after: State) -> bool:
    """
    A key that was moved is at the destination, and no longer at the source. A destination that is made the owner of the
    slot no longer imports it; a source without keys of the slot no longer migrates it.
    """
    if action.name == "move_key":
        key = action.argument("key")
        return after.data[SOURCE, key] == MISSING and after.data[DESTINATION, key] == before.data[SOURCE, key]
    node = action.argument("node")
    is_empty = all(before.data[node, key] == MISSING for key in keys(before))
    if node == DESTINATION:
        return after.importing[node] == NOBODY and after.owner[node, MOVED_SLOT] == node
    return not is_empty or after.migrating[node] == NOBODY
