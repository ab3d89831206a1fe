"""
The source of a transfer keeps its connections: it closes in two phases (PIP-307).

At Releasing with a destination the source closes the unit's topics and keeps its clients, whose messages and
acknowledgements it silently ignores. It closes a second time when it reads the Owned of the destination: that
disconnects them and tells them the new owner, so that they need not look it up. Modelled with the bound
``multi_phase`` only; without it a close is a close. Sources: ``handleReleaseEvent``, ``handleOwnEvent``,
``closeServiceUnit`` of ``ServiceUnitStateChannelImpl``, ``PersistentTopic.close`` with its ``CloseFutures`` (v4.0.6);
#20748; channel.6.
"""

from __future__ import annotations

from oneowner.model.channel.record import NOBODY, OWNED, RELEASING, Record
from oneowner.model.channel.ring import close_topics, has_topics_open
from oneowner.model.channel.state import State


def must_close(state: State, broker: int, unit: int, record: Record) -> bool:
    """Say whether a close on behalf of *record* has something to do: topics to close, or clients to disconnect."""
    if has_topics_open(state, broker, unit):
        return True
    return state.kept[broker, unit] and disconnects(state, record)


def disconnects(state: State, record: Record) -> bool:
    """
    Say whether a close on behalf of *record* disconnects the clients.

    The first close of a transfer does not (``loadBalancerMultiPhaseBundleUnload``); the second one, at Owned, does. A
    forced Owned always does (``handleOwnEvent``).
    """
    if record.state == RELEASING and record.destination != NOBODY:
        return not state.bounds.rules.multi_phase_unload
    if record.state == OWNED and not record.force:
        return state.bounds.rules.second_close
    return True


def end_close(state: State, broker: int, unit: int, record: Record) -> None:
    """
    Close the topics of *unit* at *broker* on behalf of *record*, and disconnect their clients or keep them.

    A second close that overtakes the first waits for it in Pulsar, and so leaves nothing to keep.
    """
    was_open = has_topics_open(state, broker, unit)
    close_topics(state, broker, unit)
    if state.bounds.multi_phase:
        if disconnects(state, record):
            state.kept[broker, unit] = False
        elif was_open:
            state.kept[broker, unit] = True
