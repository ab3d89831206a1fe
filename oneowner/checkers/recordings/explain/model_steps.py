"""Steps of the model are built and tried by name."""

from collections.abc import Callable
from typing import Final

from oneowner.model.channel import broker, outage, sessions, starts, unregistering
from oneowner.model.channel.parts import Node
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.system import step


def action(run: Callable[..., None], **arguments: int) -> Action:
    """Return one step of the model."""
    return Action(run.__name__, tuple(arguments.items()), run)


def is_enabled(state: State, one: Action) -> bool:
    """Return whether the model can take the step."""
    try:
        step(state, one)
    except (Disabled, BoundReached):
        return False
    return True


NEW_SESSION: Final = {one.__name__: one for one in (sessions.reestablish, outage.reconnect)}
"""Steps by which a broker has a new session, which may register it (``registers_with_session``)."""


OTHERWISE: Final = {"restart": starts.begin_start, "unregister": starts.give_up_start}
"""The same steps of a start that fails, where the bounds have it: the registry's history shows it as a shutdown."""


def enrols(state: State, after: State, broker: int) -> bool:
    """Return whether the step from one state to the other makes the registry node of *broker*, which is observed."""
    return state.node[broker] == Node.ABSENT and after.node[broker] == Node.PRESENT


def would_be_seen(before: State, one: Action, after: State) -> bool:
    """Return whether a step changes the channel, or makes a registry node, which is recorded."""
    if one.run is broker.append:
        return bool(after.base.key() != before.base.key())
    return one.name in NEW_SESSION and enrols(before, after, one.argument("broker"))


def ways(seen: str, number: int) -> list[Action]:
    """Return the steps of a broker that the registry's history shows as *seen*."""
    own = REGISTRY[seen](number)
    if seen in OTHERWISE:
        return [own, action(OTHERWISE[seen], broker=number)]
    if seen != "register":
        return [own]
    return [own, *(action(one, broker=number) for one in NEW_SESSION.values())]


def comes_by(state: State, one: Action, seen: str, number: int) -> bool:
    """
    Return whether the model can take the step, and the registry then shows the *seen* step.

    A new session registers its broker under the rule ``registers_with_session``; a broker whose node has gone with its
    session unregisters without a trace.
    """
    try:
        after = step(state, one)
    except (Disabled, BoundReached):
        return False
    if seen == "unregister":
        return state.node[number] != Node.ABSENT
    return seen != "register" or enrols(state, after, number)


REGISTRY: dict[str, Callable[[int], Action]] = {
    "crash": lambda number: action(sessions.crash, broker=number),
    "restart": lambda number: action(starts.restart, broker=number),
    "expire": lambda number: action(sessions.expire, broker=number),
    "register": lambda number: action(sessions.register, broker=number),
    "elect": lambda number: action(sessions.elect, broker=number),
    "unregister": lambda number: action(unregistering.unregister, broker=number),
    "stop": lambda number: action(unregistering.stop, broker=number),
    "read": lambda number: action(starts.start_channel, broker=number),
}
"""The steps of a broker that the registry's history shows, and ``read``, the end of a start, which it does not show."""
