"""
A broker's log lines are split into its processes, by the lines that each writes when it starts.

A log goes on over restarts, also after kill -9. ``Starting Pulsar Broker service`` is the first line of every process;
where it is missing, a second ``Created service unit state tableview`` tells them apart, since a process creates one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oneowner.checkers.recordings.read.log_patterns import table
from oneowner.checkers.recordings.read.observations import Said
from oneowner.checkers.recordings.scene.scene import Life

STARTING = "broker-starting"
CREATED = "channel-tableview-created"
READY = "broker-ready"
DEBUG_SETTING = "loadBalancerDebugModeEnabled"


def lives_of(lines: Sequence[Said]) -> list[Life]:
    """Return the processes whose lines, in the order of the log, these are."""
    debug = table().debug_events()
    lives = []
    for number, (first, last) in enumerate(_spans(lines)):
        own = lines[first:last]
        times = [said.time for said in own]  # threads write out of order by milliseconds
        shown = [said.time for said in own if said.event in debug]  # it can be switched on while the process runs
        is_configured = any(said.event == READY and _is_set(said.values) for said in own)
        since = min(times) if is_configured else min(shown, default=None)
        lives.append(Life(own[0].broker, number, min(times), max(times), first, last, since))
    return lives


def _spans(lines: Sequence[Said]) -> Iterator[tuple[int, int]]:
    first, is_created = 0, False
    for at, said in enumerate(lines):
        if said.event == STARTING or (said.event == CREATED and is_created):
            if at > first:
                yield first, at
            first, is_created = at, said.event == CREATED
        elif said.event == CREATED:
            is_created = True
    if first < len(lines):
        yield first, len(lines)


def _is_set(values: Mapping[str, Any]) -> bool:
    """Say whether a printed configuration has the debug mode on."""
    return (values.get("settings") or {}).get(DEBUG_SETTING) == "true"
