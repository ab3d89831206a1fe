"""
Laws of one lock: which clients may hold it, which are notified of its end, and which node may be left over.

"At most one client holds the lock" is false in every release (``one-holder``). The possible requirement is a
notification in the end: in a *settled* state every client has a session and nothing is under way that could notify any
client; if two claim the lock then, they do for good.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, LivenessLaw, StateLaw, Status, always, any_state, sometimes, step_law
from oneowner.model.locks.state import Stage, State, believers, believes, clients, is_idle


def is_settled(state: State) -> bool:
    """Return whether all have a session, and no request, answer, notification, timer or session event is under way."""
    return not can_be_told(state)


def at_most_one_believes(state: State) -> bool:
    return believers(state) < 2


def two_believe(state: State) -> bool:
    return believers(state) > 1


def settled_with_a_believer(state: State) -> bool:
    return believers(state) > 0 and is_settled(state)


ONE_HOLDER = StateLaw(
    "one-holder",
    "At most one client considers itself the holder. (It does not hold: a client whose session ended does so until it"
    " learns of that, while another creates the node.)",
    "ResourceLockImpl.silentRevalidateOnce",
    when=any_state,
    holds=at_most_one_believes,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)

ONE_HOLDER_FOR_GOOD = StateLaw(
    "one-holder-for-good",
    "Where nothing is under way that could notify a client, at most one considers itself the holder: from 3.0.7 on,"
    " unless a client acquires again that lost the answer of an acquire, or gives back a lock whose node is by then"
    " another's (and it or a third acquires), or an answer of a replaced session arrives, or two write the same value.",
    "apache/pulsar#17700, #22617; run of the unmodified classes",
    when=settled_with_a_believer,
    holds=at_most_one_believes,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)


@always(
    "holder-is-in-store-in-the-end",
    "apache/pulsar#17700, #22617",
    when=settled_with_a_believer,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def believers_own_the_node(state: State) -> bool:
    """Where nothing is under way, a client that considers itself the holder owns the node; under the same guard."""
    return all(state.node == client for client in clients(state) if believes(state, client))


def somebody_is_told(before: State, action: Action, after: State) -> bool:
    return any(believes(before, client) and after.expired[client] for client in clients(before))


@step_law(
    "expired-has-lost-it",
    "apache/pulsar#13004: two revalidations at once find each other's node",
    when=somebody_is_told,
    kind=LawKind.PURPOSE,
)
def the_told_do_not_own_it(before: State, action: Action, after: State) -> bool:
    """
    A client that considers itself the holder is notified of the end of its lock only while it does not own the node:
    one revalidation at a time, and answers in the order of their requests.
    """
    return all(after.node != client for client in clients(before) if believes(before, client) and after.expired[client])


def is_left_alone(state: State, client: int) -> bool:
    return state.stage[client] == Stage.RELEASING and not state.revalidating[client]


def some_lock_is_left_alone(before: State, action: Action, after: State) -> bool:
    return any(is_left_alone(before, client) for client in clients(before))


@step_law(
    "releasing-is-left-alone",
    "apache/pulsar#19844; ResourceLockImpl.silentRevalidateOnce, revalidate, 3.0.7 lines 231 and 267",
    when=some_lock_is_left_alone,
    kind=LawKind.PROTOCOL,
)
def none_is_revalidated(before: State, action: Action, after: State) -> bool:
    """No revalidation of a lock begins while it is being released."""
    return all(not after.revalidating[client] for client in clients(before) if is_left_alone(before, client))


@always(
    "no-node-without-a-lock",
    "ResourceLockImpl.release does not go through the sequencer; run of the unmodified classes",
    when=is_settled,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def the_expired_own_no_node(state: State) -> bool:
    """
    Where nothing is under way, the node is not that of a client whose lock has ended.

    (It does not hold: a revalidation under way when the lock is given back creates a node that lives as long as the
    session; nobody gets the lock.)
    """
    return all(state.node != client for client in clients(state) if state.expired[client])


@always(
    "adopted-is-valid",
    "ResourceLockImpl.revalidate, 3.0.7 line 303; run of the unmodified classes",
    when=any_state,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def the_registered_are_not_init(state: State) -> bool:
    """
    A lock that was acquired is not Init.

    (It does not hold: an acquire that finds the node of its own session, left by an acquire whose answer was lost,
    adopts it and leaves the state as it is; no revalidation will care for it.)
    """
    return all(state.stage[client] != Stage.INIT for client in clients(state) if state.registered[client])


def somebody_releases(state: State) -> bool:
    return any(state.stage[client] == Stage.RELEASING for client in clients(state))


@always(
    "release-ends",
    "ResourceLockImpl.release; run of the unmodified classes",
    when=somebody_releases,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def can_be_told(state: State) -> bool:
    """
    While a lock is being released, something is under way.

    (It does not hold: a release whose answer is lost fails for its caller, and the lock stays so: a client that waits
    for its end never gets an answer.)
    """
    return any(
        not state.live[client] or state.notices[client].length > 0 or not is_idle(state, client)
        for client in clients(state)
    )


TOLD_IN_THE_END = LivenessLaw(
    "told-in-the-end",
    "Two clients that take themselves for the holder do not do so for ever; under the guard of one-holder-for-good.",
    "apache/pulsar#17700, #22617",
    when=two_believe,
    good=at_most_one_believes,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)


@sometimes("a-second-learns", "apache/pulsar#17700")
def a_second_learns(before: State, action: Action, after: State) -> bool:
    """Of two that take themselves for the holder, one is told."""
    return two_believe(before) and not two_believe(after)
