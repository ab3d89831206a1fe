"""
``require`` says when a step can be taken: its guards hold, and the bounds have room for it.

An action assigns cells and asks its guards in any order: it works on a copy, and a guard that fails throws the copy
away (``system.step``). Three kinds of guard exist. ``require``: Pulsar cannot take the step. ``require_room``: Pulsar
could, but a queue of the model is full; the step waits. ``require_bound``: the model is too small; the search ends
undecided. A docstring's *Enabled* names the first kind only: a step that publishes also waits for room in the outbox,
one that starts to close topics for room among the closes, ``append`` for room in the window. *Changes* says which
cells change, *Log* which line Pulsar's broker prints, *Mirrors* which code of Pulsar does it.
"""


class Disabled(Exception):
    """A step that is not enabled; ``guard`` is the condition that does not hold."""

    def __init__(self, guard: str) -> None:
        super().__init__(guard)
        self.guard = guard


def require(condition: bool, guard: str) -> None:
    """
    Go on only if *condition* holds; otherwise the step is not enabled.

    >>> require(1 + 1 == 3, "the broker is up")
    Traceback (most recent call last):
    oneowner.model.kernel.guards.Disabled: the broker is up
    """
    if not condition:
        raise Disabled(guard)


class Full(Disabled):
    """A step that waits for room which the bounds deny: Pulsar's own queues are not that short."""


def require_room(condition: bool, guard: str) -> None:
    """
    Go on only if *condition* holds; otherwise the step is not enabled, for want of room.

    >>> require_room(3 < 3, "the slowest living broker is within the window")
    Traceback (most recent call last):
    oneowner.model.kernel.guards.Full: the slowest living broker is within the window
    """
    if not condition:
        raise Full(guard)


class BoundReached(Exception):
    """A step that Pulsar can take but the bounds cannot hold; the states behind it are unknown."""

    def __init__(self, bound: str) -> None:
        super().__init__(f"the bound {bound} is used up (--set {bound}=N raises it)")
        self.bound = bound


def require_bound(condition: bool, bound: str) -> None:
    """
    Go on only if *condition* holds; otherwise the bounds are too small for this step.

    >>> require_bound(5 <= 4, "versions")
    Traceback (most recent call last):
    oneowner.model.kernel.guards.BoundReached: the bound versions is used up (--set versions=N raises it)
    """
    if not condition:
        raise BoundReached(bound)
