"""
Laws of keys and commands: which nodes may write a key, where clients are redirected, and the fate of writes.

Redis has one writer of a key, not of a slot: while a slot is migrated two nodes share it, key by key. It does not claim
that an acknowledged write outlives a fail-over: a replica reads it later.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, StateLaw, Status, always, leads_to, sometimes, step_law
from oneowner.model.redis.bounds import MOVED_SLOT
from oneowner.model.redis.commands import accepts
from oneowner.model.redis.state import MISSING, NOBODY, State, claims, is_master, keys, nodes


def somebody_accepts(state: State) -> bool:
    return any(accepts(state, node, key) for node in nodes(state) for key in keys(state))


def nobody_interfered(state: State) -> bool:
    return state.stables_left == state.bounds.stables and somebody_accepts(state)


def took_over(state: State, node: int) -> bool:
    """Return whether *node* was a replica at the start, and is a master."""
    return node > state.bounds.masters and is_master(state, node)


@always("single-writer", "getNodeByQuery", when=nobody_interfered, status=Status.GUARDED, kind=LawKind.PURPOSE)
def one_accepts_beside_fail_overs(state: State) -> bool:
    """
    O1: at most one node writes a key for any client, apart from a master and a replica that took over from it, unless
    an operator has ended a migration by hand.
    """
    return not any(
        one < other and accepts(state, one, key) and accepts(state, other, key) and not took_over(state, other)
        for key in keys(state)
        for one in nodes(state)
        for other in nodes(state)
    )


@always(
    "single-writer-always",
    "clusterUpdateState (among_minority_time)",
    when=somebody_accepts,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def one_accepts(state: State) -> bool:
    """
    O1: at most one node writes a key for any client.

    (This fails: a master that is cut off writes until it finds that it reaches no majority, or learns of the replica
    that took over; and SETSLOT STABLE at both ends leaves two owners.)
    """
    return not any(
        one < other and accepts(state, one, key) and accepts(state, other, key)
        for key in keys(state)
        for one in nodes(state)
        for other in nodes(state)
    )


def has_last_writes(state: State) -> bool:
    return all(
        not accepts(state, node, key) or state.data[node, key] == state.acked[key]
        for node in nodes(state)
        for key in keys(state)
    )


def nobody_took_over(state: State) -> bool:
    return nobody_interfered(state) and not any(took_over(state, node) for node in nodes(state))


WRITES_ARE_KEPT = StateLaw(
    "writes-are-kept",
    "A node that writes a key has the last acknowledged write of the key, as long as no replica has taken over, "
    "and no operator has ended a migration by hand.",
    "clusterUpdateSlotsConfigWith (dirty_slots); migrateCommand",
    when=nobody_took_over,
    holds=has_last_writes,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)

WRITES_ARE_KEPT_ALWAYS = StateLaw(
    "writes-are-kept-always",
    "A node that writes a key has the last acknowledged write of the key. (This fails: replication is "
    "asynchronous, so a replica that takes over may lack the write; and SETSLOT STABLE strands moved keys.)",
    "clusterHandleSlaveFailover; replicationFeedSlaves",
    when=somebody_accepts,
    holds=has_last_writes,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)


def has_elsewhere(state: State, node: int, key: int) -> bool:
    """Return whether another master that lives has the last write of *key*."""
    return any(
        other != node and state.up[other] and is_master(state, other) and state.data[other, key] == state.acked[key]
        for other in nodes(state)
    )


@always("moved-key-is-found", "redis/redis#6339", when=somebody_accepts, status=Status.DOCUMENTED, kind=LawKind.PURPOSE)
def moved_keys_are_found(state: State) -> bool:
    """
    A node that writes a key for any client does not lack the key while another master has it.

    (This fails: a replica that takes over from the source of a migration does not know of the migration, and answers
    for keys that were moved.)
    """
    return not any(
        accepts(state, node, key)
        and state.data[node, key] == MISSING != state.acked[key]
        and has_elsewhere(state, node, key)
        for node in nodes(state)
        for key in keys(state)
    )


def a_command_is_done(before: State, action: Action, after: State) -> bool:
    return any(after.acked[key] > before.acked[key] for key in keys(before))


@step_law("serves-by-own-table", "getNodeByQuery", when=a_command_is_done, kind=LawKind.PROTOCOL)
def server_is_entitled(before: State, action: Action, after: State) -> bool:
    """O2: a node that carries out a command owns the slot by its own table, or imports the slot and received ASKING."""
    return all(
        before.at != node or claims(before, node, MOVED_SLOT) or (before.asking and before.importing[node] != NOBODY)
        for node in nodes(before)
    )


def is_sent_asking(before: State, action: Action, after: State) -> bool:
    return after.asking and action.name == "answer"


@step_law("ask-only-while-migrating", "getNodeByQuery (CLUSTER_REDIR_ASK)", when=is_sent_asking, kind=LawKind.PROTOCOL)
def sender_migrates(before: State, action: Action, after: State) -> bool:
    """O6: a client is sent elsewhere by ASK only by the owner of a slot that migrates it."""
    return all(
        before.at != node or (claims(before, node, MOVED_SLOT) and before.migrating[node] != NOBODY)
        for node in nodes(before)
    )


def is_under_way(state: State) -> bool:
    return state.at != NOBODY


@leads_to(
    "command-ends", "redis/redis#7116; getNodeByQuery", when=is_under_way, status=Status.GUARDED, kind=LawKind.PURPOSE
)
def is_answered(state: State) -> bool:
    """Every command is eventually carried out or refused; no client is redirected for ever."""
    return state.at == NOBODY


@sometimes("asking-is-served", "getNodeByQuery")
def an_asking_client_is_served(before: State, action: Action, after: State) -> bool:
    """A node that imports the slot carries out the command of a client that is ASKING."""
    return before.asking and a_command_is_done(before, action, after)


@sometimes("key-is-moved", "migrateCommand")
def a_key_is_moved(before: State, action: Action, after: State) -> bool:
    """A key moves from the source to the destination."""
    return action.name == "move_key"
