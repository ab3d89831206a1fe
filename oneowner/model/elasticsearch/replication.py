"""
A write goes to the primary, from there to the other copies, and is acknowledged (``ReplicationOperation``).

The primary sends it to every copy that it tracks. Where that fails, the master has to fail the copy first, and so it
learns whether it still is the primary.
"""

from oneowner.model.elasticsearch.bounds import NODE, WRITE
from oneowner.model.elasticsearch.membership import close_copy, end_write
from oneowner.model.elasticsearch.recovery import higher
from oneowner.model.elasticsearch.routing import fail_copy, mark_stale, others_are_started, publish
from oneowner.model.elasticsearch.state import (
    NOBODY,
    Mode,
    Request,
    Role,
    Stage,
    State,
    Tracked,
    accepts,
    nodes,
)
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require


@action(write=WRITE, node=NODE, fairness=never("A client may never come."))
def accept(state: State, write: int, node: int) -> None:
    """
    The primary on *node* accepts *write*, has it, and sends it to the copies that it tracks.

    Enabled: the node accepts writes as the primary, and does not shut down; the writes before have been sent.
    Changes: the write is open. A copy that is in sync and on no node is to be marked as stale.
    Log: none.
    Mirrors: ``TransportReplicationAction.AsyncPrimaryAction``, ``ReplicationOperation.handlePrimaryResult``,
    ``ReplicationOperation.markUnavailableShardsAsStale``.
    """
    require(state.stage[write] == Stage.NONE, "the write has not been sent")
    require(write == 1 or state.stage[before(write)] != Stage.NONE, "the writes before have been sent")
    require(accepts(state, node) and not state.closing[node], "the node accepts writes as the primary")
    state.stage[write] = Stage.OPEN
    state.author[write] = node
    state.write_term[write] = state.copy_term[node]
    state.holds[node, write] = True
    for other in nodes(state):
        state.request[write, other] = first_request(state, node, other)


def before(write: int) -> int:
    """Return the write before *write*, which is not the first one."""
    return write - 1 if write > 1 else 1


def first_request(state: State, node: int, other: int) -> Request:
    """Return what the primary on *node* does about the copy of *other*, when it has accepted a write."""
    tracked = state.tracks[node, other]
    if tracked == Tracked.TRACKED or tracked == Tracked.IN_SYNC:
        return Request.SENT
    if tracked == Tracked.UNAVAILABLE:
        is_on_disk = state.role[other] == Role.NONE and state.in_sync[other]
        return Request.STALE if is_on_disk else Request.GONE
    return Request.NONE


@action(write=WRITE, node=NODE, fairness=weak("A request arrives, or its connection fails."))
def deliver(state: State, write: int, node: int) -> None:
    """
    *write* arrives at the copy of *node*.

    Enabled: it is on its way, and the copy is open.
    Changes: the copy has it, and is in its term, if that is higher. A copy that is in a higher term refuses it.
    Log: none.
    Mirrors: ``TransportReplicationAction.AsyncReplicaAction``, ``IndexShard.acquireReplicaOperationPermit``.
    """
    require(state.request[write, node] == Request.SENT, "the write is on its way")
    require(state.mode[node] != Mode.CLOSED, "the copy is open")
    if state.write_term[write] < state.copy_term[node] and state.bounds.rules.copies_check_term:
        state.request[write, node] = lacking(state, write)
    else:
        state.request[write, node] = Request.NONE
        state.holds[node, write] = True
        state.copy_term[node] = higher(state.copy_term[node], state.write_term[write])


def lacking(state: State, write: int) -> Request:
    """Return the request to a copy that does not have *write*: of a write that has ended nobody asks any more."""
    if state.stage[write] == Stage.OPEN:
        return Request.LACKING
    return Request.NONE


@action(write=WRITE, node=NODE, fairness=weak("A request arrives, or its connection fails."))
def give_up(state: State, write: int, node: int) -> None:
    """
    *write* finds no copy on *node*.

    Enabled: it is on its way, and the copy is closed.
    Changes: the copy lacks it.
    Log: none.
    Mirrors: ``ReplicationOperation.performOnReplica`` (``onFailure``).
    """
    require(state.request[write, node] == Request.SENT, "the write is on its way")
    require(state.mode[node] == Mode.CLOSED, "the copy is closed")
    state.request[write, node] = lacking(state, write)


@action(write=WRITE, node=NODE, budget="losses", fairness=never("A network need not fail."))
def lose(state: State, write: int, node: int) -> None:
    """
    *write* does not reach the copy of *node*, which is open.

    Enabled: it is on its way.
    Changes: the copy lacks it.
    Log: ``failed to perform .. on replica ..``
    Mirrors: ``ReplicationOperation.performOnReplica`` (``onFailure``).
    """
    require(state.losses_left > 0, "the budget allows another loss")
    state.losses_left = state.losses_left - 1
    require(state.request[write, node] == Request.SENT, "the write is on its way")
    require(state.mode[node] != Mode.CLOSED, "the copy is open")
    state.request[write, node] = lacking(state, write)


@action(write=WRITE, node=NODE, fairness=weak("A node tells the master, whenever it has one."))
def report(state: State, write: int, node: int) -> None:
    """
    The master hears that the copy of *node* lacks *write*, or is on no node.

    Enabled: so it is, and the write is open; the node that has accepted it has a master.
    Changes: for the primary of the current term the copy goes out of the table, and is in sync no more. Another is told
    that it is the primary no longer: its write fails, and its copy.
    Log: ``failing shard [..]``, or ``primary term [..] did not match current primary term [..]``
    Mirrors: ``ShardStateAction.ShardFailedClusterStateTaskExecutor``, ``ReplicationOperation.onNoLongerPrimary``.
    """
    request, author = state.request[write, node], state.author[write]
    require(is_to_report(request), "the copy lacks the write, or is on no node")
    require(author != NOBODY, "somebody has accepted the write")
    require(state.member[author] and state.up[author] and not state.closing[author], "its node has a master")
    if not is_authority(state, write, node):
        end_write(state, write)
        if state.mode[author] == Mode.PRIMARY:
            close_copy(state, author)
    else:
        state.request[write, node] = Request.NONE
        fail_reported(state, node, request)


def is_authority(state: State, write: int, node: int) -> bool:
    """Return whether the author of *write* may have the copy of *node* failed."""
    if state.write_term[write] != state.term and state.bounds.rules.term_is_authority:
        return False
    return state.role[node] != Role.PRIMARY or not state.bounds.rules.no_write_fails_primary


def is_to_report(request: Request) -> bool:
    """Return whether the master is to be told something of a copy."""
    return request == Request.LACKING or request == Request.STALE or request == Request.GONE


def fail_reported(state: State, node: int, request: Request) -> None:
    """Fail the copy of *node*, which lacks a write, or mark it as stale, if it is on no node."""
    if request == Request.LACKING:
        mark_stale(state, node)
        if state.role[node] == Role.PRIMARY and not others_are_started(state, node) and state.bounds.relocations:
            state.last_failed = True
        if state.role[node] != Role.NONE:
            fail_copy(state, node)
            publish(state)
    elif request == Request.STALE:
        mark_stale(state, node)
        publish(state)


@action(
    write=WRITE,
    node=NODE,
    when=lambda bounds: not bounds.rules.master_fails_copies,
    fairness=weak("A write does not wait for the master."),
)
def ignore(state: State, write: int, node: int) -> None:
    """
    *write* goes on although the copy of *node* lacks it, and the master has not heard of it.

    Enabled: so it is.
    Changes: the write does not wait for the copy.
    Log: none.
    Mirrors: ``TransportReplicationAction`` of 2.x (#14252: the answer of the master is not waited for).
    """
    require(is_to_report(state.request[write, node]), "the copy lacks the write, or is on no node")
    state.request[write, node] = Request.NONE


@action(
    write=WRITE,
    node=NODE,
    when=lambda bounds: bounds.stops,
    fairness=weak("A node that shuts down ends what is under way."),
)
def abandon(state: State, write: int, node: int) -> None:
    """
    *write* is open on a node that shuts down, and that can tell the master nothing of *node*'s copy, which lacks it.

    Enabled: so it is.
    Changes: the write fails; before 6.7.0 it goes on without that copy.
    Log: none.
    Mirrors: ``ReplicationOperation.onNoLongerPrimary`` (``NodeClosedException``, #39584).
    """
    author = state.author[write]
    require(is_to_report(state.request[write, node]), "the copy lacks the write, or is on no node")
    require(author != NOBODY, "somebody has accepted the write")
    require(state.closing[author], "its node shuts down")
    if state.bounds.rules.closing_acknowledges_nothing:
        end_write(state, write)
    else:
        state.request[write, node] = Request.NONE


@action(write=WRITE, fairness=weak("A write that all copies have is acknowledged."))
def acknowledge(state: State, write: int) -> None:
    """
    *write* is acknowledged to the client.

    Enabled: it is open, and nothing of it is on its way or to be told.
    Changes: it is acknowledged.
    Log: none.
    Mirrors: ``ReplicationOperation.decPendingAndFinishIfNeeded``.
    """
    require(state.stage[write] == Stage.OPEN, "the write is open")
    require(
        all(state.request[write, node] == Request.NONE for node in nodes(state)),
        "nothing of it is on its way or to be told",
    )
    state.stage[write] = Stage.ACKNOWLEDGED
