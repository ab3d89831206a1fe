"""
Known bugs are described in a sentence each, for findings that look like them.

Bugs with an issue are named by it, where they are found.
"""

from __future__ import annotations

from typing import Final

SENTENCES: Final = {
    "handler_waits": "a handler of Owned that waits for a look-up which only its own view can answer",
    "lists_what_it_knew": "a broker that lost its session and lists every unit of the cluster as its own",
    "pause_not_noticed": "a broker that stood still and answers as owner of what was given away meanwhile",
    "hung_leader_keeps_channel": "a channel that stays with a leader that hangs",
    "dead_broker_selected": "a unit that is assigned to a broker which is dead and still registered",
}
"""What goes wrong, by the fault's name."""


def looks_like(fault: str) -> str:
    """
    Return how a finding says that it is *fault*.

    >>> looks_like("hung_leader_keeps_channel").partition(" (")[0]
    'looks like a channel that stays with a leader that hangs'
    """
    return f"looks like {SENTENCES[fault]} (no upstream issue is known; oneowner faults {fault})"
