"""
A broker that owns a unit anew tells who listens, on the thread that reads the channel: it may wait for itself.

``handleOwnEvent`` calls the listeners of the unit in line (``NamespaceService.onNamespaceBundleOwned``). One of
them reads the topic policies of the unit's namespace, a topic in some unit of that namespace, and for this has to
find that unit's owner; a lookup of a unit that is being handed to this very broker waits until the view says so
(``getOwnerAsync``), and the view is moved by this thread alone. In the code of 4.0.6 the listener asks without
waiting for the answer, as far as reading shows; the recording of run.G12, where this listener's line is the last of
that thread, suggests that something waits. So it is a switch, not the behaviour of a release.
"""

from __future__ import annotations

from typing import Final

from oneowner.model.channel.record import OWNED, Record, is_absent, is_in_flight
from oneowner.model.channel.state import State

POLICIES: Final = 1
"""The unit in which the namespace's topic policies lie (``__change_events``)."""

READS = "the thread that reads the channel waits for nothing"


def run_listeners(state: State, broker: int, unit: int) -> None:
    """Run what listens to *broker* owning *unit*: with the switch, its thread may wait for itself, for ever."""
    load(state, broker, unit)
    if state.bounds.rules.handler_waits and is_being_given(state, broker):
        state.held_up[broker] = True


def load(state: State, broker: int, unit: int) -> None:
    """
    Tell who listens that *broker* owns *unit* (``NamespaceBundleOwnershipListener.onLoad``; bound ``listeners``).

    What it keeps for the unit (the group coordinator of a protocol handler, say) is loaded until the unit's topics are
    closed (``unLoad``), or the process ends.
    """
    if state.bounds.listeners:
        state.loaded[broker, unit] = True


def load_existing(state: State, broker: int, unit: int) -> None:
    """Tell who listens that *broker*, which starts, owns *unit* by what it finds (``handleExisting``, #23152)."""
    held = state.view[broker, unit]
    if state.bounds.rules.existing_owned_loaded and held.state == OWNED and held.destination == broker:
        load(state, broker, unit)


def survives(state: State, broker: int, record: Record) -> bool:
    """Say whether the thread that reads *record* goes on: until #15951 a view's map took no null (bugs.R33)."""
    if is_absent(record) and not state.bounds.rules.tombstone_is_read:
        state.held_up[broker] = True
        return False
    return True


def is_being_given(state: State, broker: int) -> bool:
    """Say whether the unit of the policies is being handed to *broker*, by its own view."""
    held = state.view[broker, POLICIES]
    return is_in_flight(held) and held.destination == broker
