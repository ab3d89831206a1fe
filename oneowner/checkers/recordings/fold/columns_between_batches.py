"""Units that go from one batch to the next are packed as columns and unpacked again."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from oneowner.checkers.recordings.fold.channel_law import ChannelLaw, OverlapLaw
from oneowner.checkers.recordings.fold.unit_memory import Unit
from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.event_columns import CODES
from oneowner.checkers.recordings.read.events import TIME

UNKNOWN = -1
"""The code of an owner that never was."""


class Carried(NamedTuple):
    """Some units before a batch, each a row."""

    state: Array
    destination: Array
    source: Array
    force: Array
    version: Array
    time: Array
    """The time at which the entry was written; 0 if there is none."""
    is_written: Array
    entered: Array
    """The time at which the unit went in flight; 0 if it is not."""
    owner: Array
    owner_before: Array
    owned_since: Array
    """Its last owner, the one before, and the time of the change, as in ``notes.Moves``."""


def carried(units: Sequence[Unit], brokers: Codes) -> Carried:
    """Return the state of *units* as columns; *brokers* has the codes."""
    rows = [
        (
            CODES[unit.held.state], brokers[unit.held.destination], brokers[unit.held.source], unit.held.force,
            unit.held.version, unit.written[TIME] if unit.written else 0, unit.written is not None,
            unit.entered[TIME] if unit.entered else 0,
            UNKNOWN if unit.moves.now is None else brokers[unit.moves.now],
            UNKNOWN if unit.moves.before is None else brokers[unit.moves.before], unit.moves.since,
        )
        for unit in units
    ]  # fmt: skip
    state, destination, source, force, version, time, is_written, *others = np.array(rows, np.int64).T
    return Carried(state, destination, source, force != 0, version, time, is_written != 0, *others)


def needs_others(units: Sequence[Unit], laws: Sequence[ChannelLaw]) -> tuple[list[int], list[int]]:
    """
    Return the numbers of those *units* of a batch that cannot be judged on their own.

    First those that a split concerns: their laws look anywhere in the namespace. Then those that overlap another unit
    of the batch, or one whose entry matters to one of *laws*.
    """
    here = {id(unit) for unit in units}
    of_overlaps = [law for law in laws if isinstance(law, OverlapLaw)]
    split = [number for number, unit in enumerate(units) if unit.split_away or unit.children is not None]
    overlapping = [
        number
        for number, unit in enumerate(units)
        if any(id(other) in here or any(law.can_matter(other.held) for law in of_overlaps) for other in unit.neighbours)
    ]
    return split, overlapping
