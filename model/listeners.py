"""
What a broker does on the thread that reads the channel when it owns a unit anew: it may wait for itself.

``handleOwnEvent`` calls the listeners of the unit in line (``NamespaceService.onNamespaceBundleOwned``). One of
them reads the topic policies of the unit's namespace, a topic in some unit of that namespace, and for this has to
find that unit's owner; a lookup of a unit that is being handed to this very broker waits until the view says so
(``getOwnerAsync``), and the view is moved by this thread alone. In the code of 4.0.6 the listener asks without
waiting for the answer, as far as reading shows; the recording of run.G12, where this listener's line is the last of
that thread, suggests that something waits. So it is a switch, not the behaviour of a release.
"""

from __future__ import annotations

from typing import Final

from model.record import Record, is_absent, is_in_flight
from model.state import State

POLICIES: Final = 1
"""The unit in which the namespace's topic policies lie (``__change_events``)."""

READS = "the thread that reads the channel waits for nothing"


def run_listeners(state: State, broker: int) -> None:
    """Run what listens to *broker* owning a unit: with the switch, its thread may wait for itself, for ever."""
    if state.bounds.rules.handler_waits and is_being_given(state, broker):
        state.held_up[broker] = True


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
