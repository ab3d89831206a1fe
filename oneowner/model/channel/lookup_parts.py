"""
These words say how far a lookup has come, how it is answered, and how far a broker is in shutting down.

A lookup that is open at a broker is one future per unit: further ones of the same unit join it
(``lookupRequests``, ``getOwnerRequests``; channel.7).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Request(StrEnum):
    """The progress of the lookup of one unit at one broker."""

    NONE = "none"
    WAITING = "waiting"
    """For an owner: the unit is being handed to this broker, or its owner is not registered (``deferGetOwner``)."""
    SELECTING = "selecting"
    """There is no owner: it selects a broker (``selectAsync``)."""
    PUBLISHED = "published"
    """It has published Assigning, and waits for the owner that comes of it (``publishAssignEventAsync``)."""
    DECIDED = "decided"
    """It has found that it must wait, and is not known to wait yet (``Rules.waits_in_one_step``)."""


class Outcome(StrEnum):
    """The end of a lookup."""

    NONE = "none"
    """None has been answered yet."""
    OWNER = "owner"
    EMPTY = "empty"
    """Nobody owns the unit; the client shall try again."""
    FAILED = "failed"


class Reply(NamedTuple):
    """The last answer of one broker for one unit; *version* is that of the view which it rests on."""

    outcome: Outcome
    owner: int
    version: int


class Stage(StrEnum):
    """The stage of a broker that shuts down (``ExtensibleLoadManagerImpl.disableBroker``)."""

    RUNNING = "running"
    DRAINING = "draining"
    """Its channel is Disabled; it gives its units away."""
    UNREGISTERED = "unregistered"
    """Its registration is deleted and its election is closed; the process has yet to end."""
