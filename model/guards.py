"""
When a step can be taken: its guards hold, and the bounds have room for it.
"""

from __future__ import annotations


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
    model.guards.Disabled: the broker is up
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
    model.guards.Full: the slowest living broker is within the window
    """
    if not condition:
        raise Full(guard)


class BoundReached(Exception):
    """A step that Pulsar can take but the bounds cannot hold; what lies behind it is unknown."""

    def __init__(self, bound: str) -> None:
        super().__init__(f"the bound {bound} is used up; set it higher")
        self.bound = bound


def require_bound(condition: bool, bound: str) -> None:
    """
    Go on only if *condition* holds; otherwise the bounds are too small for this step.

    >>> require_bound(5 <= 4, "versions")
    Traceback (most recent call last):
    model.guards.BoundReached: the bound versions is used up; set it higher
    """
    if not condition:
        raise BoundReached(bound)
