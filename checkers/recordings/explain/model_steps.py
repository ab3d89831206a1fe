"""Steps of the model are built and tried by name."""

from __future__ import annotations

from collections.abc import Callable

from oneowner.model.channel import sessions, starts, unregistering
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.system import step


def action(run: Callable[..., None], **arguments: int) -> Action:
    """Return one step of the model."""
    return Action(run.__name__, tuple(arguments.items()), run)


def is_enabled(state: State, one: Action) -> bool:
    """Say whether the model can take the step."""
    try:
        step(state, one)
    except (Disabled, BoundReached):
        return False
    return True


REGISTRY: dict[str, Callable[[int], Action]] = {
    "crash": lambda number: action(sessions.crash, broker=number),
    "restart": lambda number: action(starts.restart, broker=number),
    "expire": lambda number: action(sessions.expire, broker=number),
    "register": lambda number: action(sessions.register, broker=number),
    "elect": lambda number: action(sessions.elect, broker=number),
    "unregister": lambda number: action(unregistering.unregister, broker=number),
    "stop": lambda number: action(unregistering.stop, broker=number),
}
"""What the registry's history shows, as steps of the broker."""
