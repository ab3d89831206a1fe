"""A happening is one event of the processes and sessions of a cluster, of a kind that has its place among causes."""

from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.scene.citations import Citable


class HappeningKind(StrEnum):
    """The kinds of happenings; of two that explain as much, the first of these is the root."""

    OUTAGE = "outage of the metadata store"
    UNWRITTEN = "no message stored"
    MANAGERS = "two load managers"
    SPLIT_CUT = "split cut by a crash"
    GIVEN_BACK = "given back by force"
    DELETED = "late tombstones"
    CARRIED_OVER = "reader carried over a deletion"
    BOUNDARIES = "boundaries of before a split"
    LOSS_UNSEEN = "loss that was not noticed"
    VIEW = "stopped view"
    UNREGISTERED = "unregistered leader"
    PUT_OFF = "recovery put off"
    PAUSED = "silent process"
    EXITED = "process that ended itself"
    DIED = "process that died"
    CUT = "lost session"
    STOPPED = "process that was stopped"
    TOLD = "told done"
    WAITS = "refusal not told"
    UNLISTED = "no broker registered"
    HEADLESS = "no broker leads"
    UNCONNECTED = "lost connection between brokers"
    NO_CHOICE = "no broker to choose"
    DELETED_NAMESPACE = "deleted namespace"


FAULTS: Final = (
    HappeningKind.SPLIT_CUT,
    HappeningKind.GIVEN_BACK,
    HappeningKind.DELETED,
    HappeningKind.CARRIED_OVER,
    HappeningKind.BOUNDARIES,
    HappeningKind.LOSS_UNSEEN,
    HappeningKind.VIEW,
    HappeningKind.UNREGISTERED,
    HappeningKind.PUT_OFF,
)
"""Faults of the balancer: they explain why the harm lasts, and an event before them only why they began."""
STATES: Final = (HappeningKind.UNLISTED, HappeningKind.HEADLESS)
"""States of a whole cluster, which what set them off explains, and which explain others."""
OF_ALL: Final = (HappeningKind.OUTAGE, HappeningKind.UNWRITTEN)
"""Outages of what all brokers need: no broker and no fault of the balancer is the root beside them."""


class Happening(NamedTuple):
    """One happening; *cause* is its name."""

    cause: Cause
    until: int
    """The time of its end; END: it lasts to the end of the recording, or has no end."""
    words: str
    """The event, as a sentence without its time."""
    brokers: tuple[str, ...]
    evidence: tuple[Citable, ...]
    behind: tuple[Cause, ...] = ()
    """Its own cause."""
    repair: str = ""

    @property
    def since(self) -> int:
        return self.cause.since
