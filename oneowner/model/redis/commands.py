"""
A client writes a key, and goes where nodes send it. Mirrors ``getNodeByQuery``.

A command has one key; it begins at any node, as a client's map of slots may be any. What a node answers depends on its
own table, on whether it migrates or imports the slot, on whether it has the key, and on ASKING.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.redis.bounds import KEY, MOVED_SLOT, NODE
from oneowner.model.redis.state import MISSING, NOBODY, State, claims


@action(node=NODE, key=KEY, budget="commands", fairness=never("Clients need not write."))
def send(state: State, node: int, key: int) -> None:
    """
    A client sends *node* a write of *key*.

    Enabled: no command is under way.
    Changes: one is.
    Log: none.
    Mirrors: ``processCommand``.
    """
    require(state.commands_left > 0, "the budget allows another command")
    state.commands_left = state.commands_left - 1
    require(state.at == NOBODY, "no command is under way")
    state.at = node
    state.wanted = key


@action(
    node=NODE, key=KEY, when=lambda bounds: bounds.commands, fairness=weak("A node answers, or the connection breaks.")
)
def answer(state: State, node: int, key: int) -> None:
    """
    *node* answers the command that it was sent: it writes *key*, sends the client elsewhere, or refuses.

    Enabled: the command is there; *node* does not let writes wait for a manual fail-over.
    Changes: it writes; or by MOVED the client asks whom *node* takes for the owner; or by ASK, of a key that a source
    has not, the client asks the destination, as ASKING. CLUSTERDOWN and a lost connection end the command.
    Log: none.
    Mirrors: ``getNodeByQuery``, ``clusterRedirectClient``; pausing: ``isPausedActionsWithUpdate``.
    """
    require(state.at == node and state.wanted == key, "the command is there")
    require(not state.paused[node], "writes do not wait")
    is_asking = state.asking
    state.asking = False
    state.at = NOBODY
    if serves(state, node, key, is_asking):
        state.acked[key] = state.acked[key] + 1
        state.data[node, key] = state.acked[key]
    elif is_open(state, node):
        if asks(state, node, key):
            state.asking = True
            state.at = state.migrating[node]
        else:
            state.at = state.owner[node, MOVED_SLOT]
    if state.at == NOBODY:
        state.wanted = 1


def is_open(state: State, node: int) -> bool:
    """Return whether *node* answers commands at all: it lives, and does not take the cluster for down."""
    return state.up[node] and not state.down[node]


def asks(state: State, node: int, key: int) -> bool:
    """Return whether *node* answers ASK for *key*: it owns the slot, migrates it, and has not the key."""
    is_source = claims(state, node, MOVED_SLOT) and state.migrating[node] != NOBODY
    return is_source and state.data[node, key] == MISSING and state.bounds.rules.missing_is_asked


def serves(state: State, node: int, key: int, asking: bool) -> bool:
    """Return whether *node* writes *key* itself, for a client that is ASKING, or for any."""
    is_asked = asking and state.importing[node] != NOBODY
    is_owner = claims(state, node, MOVED_SLOT) and not asks(state, node, key)
    return is_open(state, node) and (is_owner or is_asked)


def accepts(state: State, node: int, key: int) -> bool:
    """Return whether *node* would write *key* for any client, now."""
    return serves(state, node, key, False) and not state.paused[node]
