"""
``State`` holds the cluster state that the master has committed, each node's copy, and writes under way.

The versions of the cluster state are one log, which the two phases of its publication make (publish, then commit when
enough master-eligible nodes have it). A node applies it late, and then the newest: ``behind`` says that there is
something to apply. What it has applied is what its copy is, and what its copy knows of the others.
"""

from enum import StrEnum

from oneowner.model.elasticsearch.bounds import NODE, WRITE, Bounds, leaves, most_terms
from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left

NOBODY = 0


class Role(StrEnum):
    """The routing table's entry of the shard on a node (``ShardRouting``)."""

    NONE = "none"
    INITIALIZING = "initializing replica"
    REPLICA = "replica"
    RECOVERING = "initializing primary"
    PRIMARY = "primary"
    TARGET = "relocation target"


class Mode(StrEnum):
    """The role of the copy on a node (``IndexShard``, ``ReplicationTracker``); TAKEN_OVER: not yet started."""

    CLOSED = "closed"
    COPY = "copy"
    PRIMARY = "primary"
    HANDING_OVER = "handing over"
    RELOCATED = "relocated"
    TAKEN_OVER = "taken over"


class Recovery(StrEnum):
    """How far an initializing copy is; RECOVERED: a target waits to be handed over; DONE: its node told the master."""

    NONE = "none"
    WANTED = "wanted"
    OPENED = "opened"
    COPYING = "copying"
    RECOVERED = "recovered"
    DONE = "done"


class Tracked(StrEnum):
    """A primary's record of a copy (``ReplicationTracker.CheckpointState``); UNAVAILABLE: in sync, and not there."""

    NONE = "none"
    INITIALIZING = "initializing"
    TRACKED = "tracked"
    IN_SYNC = "in sync"
    UNAVAILABLE = "unavailable"


class Request(StrEnum):
    """
    A write that is on its way to a copy, or that the master has still to be told of.

    LACKING: the copy does not have it; STALE: the copy is on no node; GONE: its allocation id is no more.
    """

    NONE = "none"
    SENT = "sent"
    LACKING = "lacking"
    STALE = "stale"
    GONE = "gone"


class Stage(StrEnum):
    """The stage of a write; FAILED: the client was told so, or nothing."""

    NONE = "none"
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    FAILED = "failed"


class Delay(StrEnum):
    """The delay of a copy whose node has left; DUE: its time is over, and no reroute has been since."""

    NONE = "none"
    RUNNING = "running"
    DUE = "due"


class State(KernelState):
    """One instant of a shard in a cluster."""

    bounds: Bounds

    role: Cells[Role] = cell(
        names(Role),
        per=(NODE,),
        first=lambda bounds, node: (
            (Role.PRIMARY if node == 1 else Role.REPLICA) if node <= copies_at_start(bounds) else Role.NONE
        ),
    )
    """The routing table."""
    term: int = cell(lambda bounds: integers(1, most_terms(bounds)))
    """The primary term (``IndexMetadata.primaryTerm``)."""
    in_sync: Cells[bool] = cell(BOOLEAN, per=(NODE,), first=lambda bounds, node: node <= copies_at_start(bounds))
    """The in-sync allocation ids have that of the copy which the node has on its disk."""
    member: Cells[bool] = cell(BOOLEAN, per=(NODE,), first=True)
    """The cluster state has the node."""
    delay: Cells[Delay] = cell(names(Delay), per=(NODE,), when=lambda bounds: bounds.delays)
    """Of a copy that left with the node, or was promoted in its place: how long others wait to have it."""
    scheduled: bool = cell(BOOLEAN, when=lambda bounds: bounds.delays)
    """A reroute is scheduled (``DelayedAllocationService``)."""
    recovery: Cells[Recovery] = cell(names(Recovery), per=(NODE,))
    behind: Cells[bool] = cell(BOOLEAN, per=(NODE,))
    """The node has not applied the newest cluster state."""

    up: Cells[bool] = cell(BOOLEAN, per=(NODE,), first=True)
    closing: Cells[bool] = cell(BOOLEAN, per=(NODE,), when=lambda bounds: bounds.stops, ends=True)
    """The node is being shut down, and talks to the master no more."""
    disk: Cells[bool] = cell(BOOLEAN, per=(NODE,), first=lambda bounds, node: node <= copies_at_start(bounds))
    """There is a copy on its disk."""
    mode: Cells[Mode] = cell(
        names(Mode),
        per=(NODE,),
        first=lambda bounds, node: (
            (Mode.PRIMARY if node == 1 else Mode.COPY) if node <= copies_at_start(bounds) else Mode.CLOSED
        ),
        ends_as=Mode.CLOSED,
    )
    copy_term: Cells[int] = cell(
        lambda bounds: integers(0, most_terms(bounds)),
        per=(NODE,),
        first=lambda bounds, node: 1 if node <= copies_at_start(bounds) else 0,
        ends_as=0,
    )
    """The primary term that the copy is in; 0 if it is closed."""
    tracks: Cells[Tracked] = cell(
        names(Tracked),
        per=(NODE, NODE),
        first=lambda bounds, node, other: (
            Tracked.IN_SYNC if node == 1 and other != 1 and other <= copies_at_start(bounds) else Tracked.NONE
        ),
        ends_as=Tracked.NONE,
    )
    """A primary's record of the other copies."""
    resync: Cells[bool] = cell(BOOLEAN, per=(NODE,), when=leaves)
    """The copy is still to be sent what the promoted primary has."""
    last_failed: bool = cell(BOOLEAN, when=lambda bounds: bounds.relocations)
    """A primary that was the last active copy was failed for a write that it lacks. Nothing but laws asks for it."""

    stage: Cells[Stage] = cell(names(Stage), per=(WRITE,))
    author: Cells[int] = cell(lambda bounds: integers(NOBODY, bounds.nodes, NODE.name), per=(WRITE,))
    """The node that accepted the write as the primary."""
    write_term: Cells[int] = cell(lambda bounds: integers(0, most_terms(bounds)), per=(WRITE,))
    request: Cells[Request] = cell(names(Request), per=(WRITE, NODE))
    holds: Cells[bool] = cell(BOOLEAN, per=(NODE, WRITE))
    """The copy on the disk of the node has the write."""

    losses_left: int = left("losses")
    cuts_left: int = left("cuts")
    crashes_left: int = left("crashes")
    stops_left: int = left("stops")
    restarts_left: int = left("restarts")
    relocations_left: int = left("relocations")
    cancels_left: int = left("cancels")


def copies_at_start(bounds: Bounds) -> int:
    return 1 if bounds.unassigned else 1 + bounds.replicas


nodes = concrete(NODE.numbers)
writes = concrete(WRITE.numbers)


def is_started(role: Role) -> bool:
    """Return whether a copy of this role is active."""
    return role == Role.REPLICA or role == Role.PRIMARY


def accepts(state: State, node: int) -> bool:
    """
    Return whether *node* accepts writes as the primary.

    A target that has taken over, and that the master has not started yet, has only what its source passes on.
    """
    if state.mode[node] == Mode.PRIMARY:
        return True
    return state.mode[node] == Mode.TAKEN_OVER and any(state.mode[other] == Mode.RELOCATED for other in nodes(state))
