"""
The topics of a unit at a broker are one object: absent, open, being closed, or closed with their clients kept.

A topic is fenced when its close *begins*: from then on no client can publish, subscribe or connect, and what still
arrives is ignored. Its ledger stays open until the close ends, and the fenced topic is in ``BrokerService.topics``, so
``getTopic`` returns it and opens no other.

The source of a transfer keeps its connections: it closes in two phases (PIP-307). At Releasing with a destination the
source closes the unit's topics and keeps its clients. It closes a second time when it reads the Owned of the
destination: that disconnects the clients and tells them the new owner, so that they need not look it up. In between
``kept`` holds for the source; with ``Bounds.multi_phase`` it is modelled, with no other it stays false. Sources:
``PersistentTopic.close``, ``fenceTopicToCloseOrDelete``, ``BrokerService.getTopic``,
``ServiceUnitStateChannelImpl.handleReleaseEvent``, ``handleOwnEvent``, PIP-307 (#20748), channel.9, channel.D9.
"""

from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import ASSIGNING, NOBODY, OWNED, RELEASING, Record, owner
from oneowner.model.channel.ring import close_topics, has_topics_open, share_topics
from oneowner.model.channel.state import State
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.guards import require_bound, require_room
from oneowner.model.kernel.releases import Switch, before, since

MULTI_PHASE = Choice(
    "multi_phase",
    "1: which connections the source of a transfer keeps once it has closed (PIP-307); 0: nobody looks at them",
    clashes={"splits compactions speaks_dialect": "not modelled yet"},
)

CLOSE_BEFORE_ASSIGN = Switch("The source of a transfer closes its topics before it assigns the destination (#19683).")

SECOND_CLOSE = Switch(
    "The source of a transfer closes once more when it reads Owned (PIP-307; where its connections are modelled).",
)

MULTI_PHASE_UNLOAD = Switch(
    "The source of a transfer closes with its clients kept, and disconnects them at Owned (since 3.2.0: #20748).",
    turned=(before("3.2.0"),),
    source="apache/pulsar#20748 (PIP-307): closeServiceUnit(.., false) since 3.2.0; configurable since 3.3.0",
)

CLEAN_SPARES_OPEN = Switch(
    "A broker that has closed a unit takes none of its topics off the list that is open again meanwhile (#26145).",
    turned=(since("4.0.13", "4.2.4", "5.0.0"),),
    source="apache/pulsar#26145: cleanUnloadedTopicFromCache takes fenced topics alone off the list",
)

LOST_UNIT_IS_CLOSED = Switch(
    "A broker that reads of a unit what makes it neither owner nor source closes the topics that it serves there.",
)

RETURNED_UNIT_IS_CLOSED = Switch(
    "A source that kept clients of a unit closes it whole once it hands the unit over no more (candidate 3).",
)


def holds_ledger(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* has the ledger of a topic of *unit* open: it serves the topic, or has yet to close it."""
    return serves_or_closes(state, broker, unit) or state.lingering[broker, unit]


def serves_or_closes(state: State, broker: int, unit: int) -> bool:
    """Return whether topics of *unit* are open at *broker*, or fenced by a close that is still under way."""
    return has_topics_open(state, broker, unit) or any(
        share_topics(state.bounds, state.closing[broker][number].unit, unit) and closes_ledger(state, broker, number)
        for number in range(1, state.bounds.closings + 1)
        if number <= state.closing[broker].length
    )


def closes_ledger(state: State, broker: int, number: int) -> bool:
    """
    Return whether the *number*-th close at *broker* has a ledger to close.

    A second close has none, for the first one closed it; nor has a first close that the second one has overtaken.
    """
    job = state.closing[broker][number]
    if state.bounds.multi_phase == 0:
        return True
    return state.kept[broker, job.unit] != disconnects(state, job.record)


def must_close(state: State, broker: int, unit: int, record: Record) -> bool:
    """
    Return whether a close on behalf of *record* has something to do: ledgers to close, or clients to disconnect.

    It finds nothing in ``BrokerService.topics`` after one that timed out (``cleanUnloadedTopicFromCache``). In Pulsar
    that is so of one that disconnects: the first close of a transfer leaves its topics there, fenced.
    """
    if serves_or_closes(state, broker, unit):
        return True
    return state.kept[broker, unit] and disconnects(state, record)


def disconnects(state: State, record: Record) -> bool:
    """
    Return whether a close on behalf of *record* disconnects the clients.

    The first close of a transfer does not (``loadBalancerMultiPhaseBundleUnload``); the second one, at Owned, does. A
    forced Owned always does (``handleOwnEvent``).
    """
    if record.state == RELEASING and record.destination != NOBODY:
        return not state.bounds.rules.multi_phase_unload
    if record.state == OWNED and not record.force:
        return state.bounds.rules.second_close
    return True


def hands_over(broker: int, held: Record) -> bool:
    """Return whether *held* says that *broker* is handing the unit over."""
    return (held.state == RELEASING or held.state == ASSIGNING) and held.source == broker


def is_left_fenced(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* keeps clients of closed topics without handing the unit over or disconnecting them."""
    return (
        state.kept[broker, unit]
        and not hands_over(broker, state.view[broker, unit])
        and not is_disconnecting(state, broker, unit)
    )


def is_left_open(state: State, broker: int, unit: int) -> bool:
    """Return whether topics are open although *broker* neither owns *unit* by its view nor hands it over."""
    held = state.view[broker, unit]
    return state.serving[broker, unit] and owner(held) != broker and not hands_over(broker, held)


def is_disconnecting(state: State, broker: int, unit: int) -> bool:
    """Return whether a close of the topics of *unit* that disconnects the clients is under way at *broker*."""
    return any(
        state.closing[broker][number].unit == unit and disconnects(state, state.closing[broker][number].record)
        for number in range(1, state.bounds.closings + 1)
        if number <= state.closing[broker].length
    )


def start_closing(state: State, broker: int, unit: int, record: Record) -> None:
    """Begin to close the unit's topics on behalf of *record*."""
    require_bound(state.bounds.closings > 0, "closings")
    require_room(
        state.closing[broker].length < state.bounds.closings,
        "the broker is within its bound of closes under way",
    )
    fence(state, broker, unit, record)
    state.closing[broker] = state.closing[broker].plus(Message(unit, record))


def fence(state: State, broker: int, unit: int, record: Record) -> None:
    """Fence the topics of *unit*, which *broker* begins to close on behalf of *record*; their clients may be kept."""
    if state.bounds.multi_phase and has_topics_open(state, broker, unit) and not disconnects(state, record):
        state.kept[broker, unit] = True
    close_topics(state, broker, unit)


def disconnect(state: State, broker: int, unit: int, record: Record) -> None:
    """
    Disconnect the clients of *unit*, if the close on behalf of *record*, which ends, is one that does.

    A second close may overtake the first, and then leaves nothing to keep. What has loaded meanwhile is taken off the
    list of topics, unless that spares what is not fenced (#26145).
    """
    if state.bounds.multi_phase and disconnects(state, record):
        state.kept[broker, unit] = False
    if disconnects(state, record) and has_topics_open(state, broker, unit):  # cleanUnloadedTopicFromCache
        state.dropped[broker, unit] = not state.bounds.rules.clean_spares_open
