"""
Laws of steps: the next step of a client and of the store, and the effect of an answer on an operation.

The laws of ``laws.py`` judge where nothing is under way. What a step forgets, or does too early, often mends itself by
then; here it is seen at once. They state from another side what the model does, and call none of its steps.
"""

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, step_law
from oneowner.model.locks.state import (
    FIRST_VERSION,
    NO_VERSION,
    NOBODY,
    Acquire,
    Answer,
    Kind,
    Notice,
    Outcome,
    Purpose,
    Request,
    Stage,
    State,
    clients,
)

# ---- what a client begins ----


def a_client_begins(before: State, action: Action, after: State) -> bool:
    return action.name == "acquire" or action.name == "release"


def sends(before: State, after: State, client: int, request: Request) -> bool:
    """Return whether *request* is what *client* has sent last, and all that it has sent in the step."""
    return after.sent[client] == before.sent[client].plus(request)


@step_law(
    "operation-is-begun",
    "LockManagerImpl.acquireLock; ResourceLockImpl.acquire, release (revalidateTask.cancel, #22617)",
    when=a_client_begins,
    kind=LawKind.MIRROR,
)
def it_asks_the_store(before: State, action: Action, after: State) -> bool:
    """
    Who acquires has a new lock, Init, not expired and not flagged, and asks the store for the node. Who gives back asks
    the store to delete the node, and its youngest timer is cancelled; a lock that is Released stays so.
    """
    client = action.argument("client")
    if action.name == "acquire":
        is_new = after.stage[client] == Stage.INIT and after.version[client] == NO_VERSION
        is_clean = not after.expired[client] and not after.flagged[client]
        is_asked = sends(before, after, client, Request(Purpose.ACQUIRE, Kind.PUT, False, FIRST_VERSION))
        return is_new and is_clean and is_asked and after.acquired[client] == Acquire.PENDING
    if before.stage[client] == Stage.RELEASED:
        return after.stage[client] == Stage.RELEASED and after.sent[client] == before.sent[client]
    timers = before.timers[client] - 1 if before.cancellable[client] else before.timers[client]
    if after.stage[client] != Stage.RELEASING or after.timers[client] != timers or after.cancellable[client]:
        return False
    version = before.version[client] if before.bounds.strict == 1 else FIRST_VERSION
    return sends(before, after, client, Request(Purpose.RELEASE, Kind.DELETE, False, version))


# ---- what an answer makes of it ----


def an_answer_is_taken(before: State, action: Action, after: State) -> bool:
    return action.name == "answer" and before.answers[action.argument("client")].length > 0


def goes_on(before: State, after: State, client: int, taken: Answer) -> bool:
    asked, outcome = taken.request, taken.outcome
    if asked.purpose == Purpose.RELEASE:
        if outcome == Outcome.DONE or outcome == Outcome.ABSENT:
            return has_ended(after, client)
        return after.stage[client] == before.stage[client] and after.expired[client] == before.expired[client]
    if outcome == Outcome.MINE or (outcome == Outcome.DONE and asked.kind == Kind.PUT):
        return has_it(before, after, client, asked.purpose, outcome == Outcome.DONE)
    if asked.purpose == Purpose.ACQUIRE and outcome == Outcome.BAD_VERSION:
        return sends(before, after, client, Request(Purpose.CHECK, Kind.GET, False, FIRST_VERSION))
    if outcome == Outcome.TWIN:
        return sends(before, after, client, Request(asked.purpose, Kind.DELETE, asked.told, FIRST_VERSION))
    is_free = (asked.kind == Kind.GET and outcome == Outcome.ABSENT) or outcome == Outcome.DONE
    if is_free:
        return sends(before, after, client, Request(asked.purpose, Kind.PUT, asked.told, FIRST_VERSION))
    if asked.purpose == Purpose.REVALIDATE:
        return after.acquired[client] == before.acquired[client]
    return after.acquired[client] == Acquire.FAILED and after.sent[client] == before.sent[client]


def has_ended(after: State, client: int) -> bool:
    return after.stage[client] == Stage.RELEASED and after.expired[client] and not after.registered[client]


def has_it(before: State, after: State, client: int, purpose: Purpose, is_created: bool) -> bool:
    """Return whether *client* has the node, and its lock is Valid if it has created it: one that is adopted stays."""
    stage = Stage.VALID if is_created else before.stage[client]
    if after.version[client] != FIRST_VERSION or after.stage[client] != stage:
        return False
    return purpose == Purpose.REVALIDATE or (after.acquired[client] == Acquire.DONE and after.registered[client])


@step_law(
    "answer-goes-on",
    "ResourceLockImpl.acquire, acquireWithNoRevalidation, revalidate, release",
    when=an_answer_is_taken,
    kind=LawKind.MIRROR,
)
def its_operation_goes_on(before: State, action: Action, after: State) -> bool:
    """
    A release has ended the lock just if the node is deleted or was not there. Who has created the node, or finds its
    own, has the lock, Valid if it has created it. Who finds a node asks whose it is; that of its earlier session it
    deletes; where there is none it creates one. Else an acquire has failed.
    """
    client = action.argument("client")
    taken = before.answers[client][1]
    if after.answers[client] != before.answers[client].without(1):
        return False
    return goes_on(before, after, client, taken)


# ---- when a lock is revalidated ----


def a_lock_may_be_asked_for(before: State, action: Action, after: State) -> bool:
    is_told = action.name == "notify" or action.name == "reestablish" or action.name == "reconnect"
    return is_told or action.name == "timer" or action.name == "lose"


@step_law(
    "revalidated-when-told",
    "LockManagerImpl.handleDataNotification, handleSessionEvent; ResourceLockImpl.lockWasInvalidated, #17664, #22617",
    when=a_lock_may_be_asked_for,
    kind=LawKind.MIRROR,
)
def just_what_is_asked_for(before: State, action: Action, after: State) -> bool:
    """
    A lock that is Valid is revalidated by a timer, and, if it is registered, when the node was deleted, when there is a
    new session, and after a reconnection if it was flagged, which ends with that; else not. An answer that is lost
    comes no more.
    """
    client = action.argument("client")
    if action.name == "lose":
        if before.answers[client].length > 0:
            return after.answers[client] == before.answers[client].without(1)
        return after.sent[client].length <= before.sent[client].length
    if before.handling[client] or before.events[client].length > 0:
        return True
    begins = after.sent[client].length + after.waiting[client].length
    begins = begins - before.sent[client].length - before.waiting[client].length
    if action.name == "timer":
        return begins == (1 if before.stage[client] == Stage.VALID else 0)
    if action.name == "notify":
        is_gone = before.notices[client][1] == Notice.DELETED and before.registered[client]
        return begins == (1 if is_gone and before.stage[client] == Stage.VALID else 0)
    is_asked = before.registered[client] and (action.name == "reestablish" or before.flagged[client])
    if action.name == "reconnect" and before.registered[client] and after.flagged[client]:
        return False
    if before.stage[client] == Stage.VALID or not is_asked:
        return begins == (1 if is_asked else 0)
    return True


def a_revalidation_fails(before: State, action: Action, after: State) -> bool:
    if action.name != "answer" or before.answers[action.argument("client")].length == 0:
        return False
    taken = before.answers[action.argument("client")][1]
    is_refused = taken.outcome == Outcome.LOST or is_anothers(taken.outcome)
    return taken.request.purpose == Purpose.REVALIDATE and is_refused


def is_anothers(outcome: Outcome) -> bool:
    """Return whether another has the node: it was read, or created before what the revalidation would create."""
    return outcome == Outcome.FOREIGN or outcome == Outcome.BAD_VERSION


@step_law(
    "failed-revalidation-is-not-forgotten",
    "apache/pulsar#17700, #22617; ResourceLockImpl.silentRevalidateOnce",
    when=a_revalidation_fails,
    status=Status.GUARDED,
    kind=LawKind.MIRROR,
)
def it_is_not_forgotten(before: State, action: Action, after: State) -> bool:
    """
    A revalidation that finds another's node, or is late to create one, ends the lock, from 2.10.5 on; one that fails
    otherwise is tried again by a timer, from 3.0.7 on.
    """
    client = action.argument("client")
    if is_anothers(before.answers[client][1].outcome):
        return has_ended(after, client)
    return after.timers[client] > before.timers[client] and after.cancellable[client]


def several_wait(before: State, action: Action, after: State) -> bool:
    return any(before.revalidating[client] or before.handling[client] for client in clients(before))


def one_is_under_way(before: State, action: Action, after: State, client: int) -> bool:
    """
    Return whether a revalidation of *client* is asked for just while one is under way, and events wait just for one.
    """
    requests = 0
    for number in range(1, after.bounds.requests + 1):
        if number <= after.sent[client].length and after.sent[client][number].purpose == Purpose.REVALIDATE:
            requests = requests + 1
        if (
            number <= after.answers[client].length
            and after.answers[client][number].request.purpose == Purpose.REVALIDATE
        ):
            requests = requests + 1
    if after.handling[client] and not after.revalidating[client]:
        return False
    return requests == (1 if after.revalidating[client] else 0)


@step_law(
    "one-revalidation-at-a-time",
    "apache/pulsar#13006: ResourceLockImpl.sequencer",
    when=several_wait,
    kind=LawKind.PROTOCOL,
)
def one_goes_on_at_a_time(before: State, action: Action, after: State) -> bool:
    """
    One request of a revalidation is under way just while a revalidation is, and no session event waits for none; from
    2.10.5 on.
    """
    return all(one_is_under_way(before, action, after, client) for client in clients(before))


def the_store_answers(before: State, action: Action, after: State) -> bool:
    return action.name == "carry_out" or action.name == "expire"


@step_law(
    "store-carries-out",
    "AbstractBatchedMetadataStore.storePut, storeGet, storeDelete; ephemeral nodes of ZooKeeper",
    when=the_store_answers,
    kind=LawKind.MIRROR,
)
def the_node_is_as_asked(before: State, action: Action, after: State) -> bool:
    """
    The store creates the node on request while there is none, deletes it for a request that names a version, and ends
    it with its session; a request is carried out once.
    """
    client = action.argument("client")
    if action.name == "expire":
        return not after.live[client] and after.node == (NOBODY if before.node == client else before.node)
    asked = before.sent[client][1]
    if (
        after.sent[client] != before.sent[client].without(1)
        or before.answers[client].length + 1 != after.answers[client].length
    ):
        return False
    if asked.kind == Kind.PUT and before.node == NOBODY:
        return after.node == client
    if asked.kind == Kind.DELETE and before.node != NOBODY and asked.version != NO_VERSION:
        return after.node == NOBODY
    return after.node == before.node
