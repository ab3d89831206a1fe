"""
Closes of a unit for a hand-over that a forced Owned has given back to the broker: its log proves them.

An unforced Assigning proves it, for the source publishes it when it has closed. A Releasing does not: its handler
closes (``ServiceUnitStateChannelImpl.handleReleaseEvent``, the same in 4.0.6 and 4.2.4), and only the log of the source
proves that it ran. The topics that it closes stay fenced and cached, for ``closeServiceUnit`` with clients kept empties
the cache only where the close fails; and ``overrideOwnership`` names no source where the source is chosen as owner
again, so nobody closes anew (``handleOwnEvent``). It may be chosen as soon as the destination is gone.
"""

from collections.abc import Sequence
from typing import Final

from oneowner.checkers.recordings.fold.channel_laws import goes_elsewhere, is_handed_over
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.broker_processes import life_at, lines_of
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay
from oneowner.model.channel.record import NOBODY, OWNED, RELEASING, Record

TAKES: Final = {"handle-request": "data", "handled": "cur"}
"""Lines by which a broker logs that it handles a record, or has handled it, and the place of the record in them."""
FAILED: Final = "bundle-close-failed"
CLOSED: Final = ("bundle-unloaded", FAILED)


def is_returned(step: Step) -> bool:
    """Return whether a record gives a unit back by force to the source of its hand-over."""
    held, record = step.held, step.record
    is_hand_over = is_handed_over(held) or (held.state == RELEASING and NOBODY not in (held.source, held.destination))
    return is_hand_over and record.force and record.state == OWNED and not goes_elsewhere(held, record)


def closing_line(scene: Scene, stay: Stay) -> LogEvent | None:
    """
    Return the line by which the owner logs that it took the Releasing which its Owned replaced, before or after it.

    None where nothing shows that it keeps topics closed for it: another process of it took the Releasing, there were no
    topics, or the close failed.
    """
    step, broker = stay.step, str(stay.step.record.destination)
    life = life_at(scene, broker, stay.since)
    lines = () if life is None else lines_of(scene, life)
    took = next((line for line in of_kinds(lines, *TAKES) if line.unit == step.key and _is_of(line, step.held)), None)
    if took is None or took.time > stay.until:
        return None
    ended = _end_of_close(lines, took)
    return None if ended is not None and _keeps_nothing(scene, ended) else took


def _is_of(line: LogEvent, record: Record) -> bool:
    printed = line.values.get(TAKES[line.event])
    return isinstance(printed, Printed) and printed.record == record


def _end_of_close(lines: Sequence[LogEvent], took: LogEvent) -> LogEvent | None:
    """Return the line that ends the close: the next one of the unit, or the last one before the line of completion."""
    own = [line for line in of_kinds(lines, *CLOSED) if line.unit == took.unit]
    if took.event == "handled":
        return next((line for line in reversed(own) if line.origin < took.origin), None)
    return next((line for line in own if line.origin > took.origin), None)


def _keeps_nothing(scene: Scene, ended: LogEvent) -> bool:
    """Return whether a close leaves no topic in the cache; one that timed out logs none closed, and leaves all."""
    if ended.event == FAILED:
        return True
    return not ended.values.get("topics") and float(ended.values.get("ms") or 0) < scene.limits.unload
