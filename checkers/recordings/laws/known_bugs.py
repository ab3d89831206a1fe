"""
Known bugs are described in a sentence each, for findings that look like them.

Bugs with an issue are named by it, where they are found, and only of a release that may have them.
"""

from __future__ import annotations

import re
from typing import Final

from oneowner.checkers.recordings.scene.broker_processes import lines_of
from oneowner.checkers.recordings.scene.scene import Life, Scene

STARTING: Final = "broker-starting"

Release = tuple[int, int, int]
"""The numbers of a release: ``(4, 0, 6)``."""

SENTENCES: Final = {
    "lists_what_it_knew": "a broker that lost its session and lists every unit of the cluster as its own",
    "pause_not_noticed": "a broker that stood still and answers as owner of what was given away meanwhile",
    "hung_leader_keeps_channel": "a channel that stays with a leader that hangs",
    "dead_broker_selected": "a unit that is assigned to a broker which is dead and still registered",
}
"""What goes wrong, by the fault's name."""

STORE_CLOSES: Final = "looks like #26243, fixed in 4.0.13 and 4.2.4: a change of role meets a handler of Owned"
WITHOUT_26243: Final = (((3, 0, 0), (4, 0, 13)), ((4, 1, 0), (4, 2, 4)))
"""From which releases on, and before which, the reader of the load data is closed and waited for."""


def looks_like(fault: str) -> str:
    """
    Return how a finding says that it is *fault*.

    >>> looks_like("hung_leader_keeps_channel").partition(" (")[0]
    'looks like a channel that stays with a leader that hangs'
    """
    return f"looks like {SENTENCES[fault]} (no upstream issue is known; oneowner faults {fault})"


def store_closes(scene: Scene, lives: list[Life]) -> str:
    """Return how a finding about a view that stopped says what it looks like; empty of releases without the bug."""
    return STORE_CLOSES if any(may_be_within(scene, life, WITHOUT_26243) for life in lives) else ""


def may_be_within(scene: Scene, life: Life, spans: tuple[tuple[Release, Release], ...]) -> bool:
    """Say whether the release that the process names when it starts is in *spans*; a log without a start names none."""
    for line in lines_of(scene, life, STARTING):
        found = re.match(r"(\d+)\.(\d+)\.(\d+)", line.values.get("version") or "")
        if found is not None:
            release = int(found[1]), int(found[2]), int(found[3])
            return any(first <= release < fixed for first, fixed in spans)
    return True
