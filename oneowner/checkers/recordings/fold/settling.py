"""
Settling computes, by columns, the refused records and the entry that each record finds.

A refusal depends on the entry, and so on earlier refusals. A guess that agrees with itself (each record judged by the
last one before it that is not refused) is the result of a fold, by induction over the records of the unit. It is
reached by judging again where the guess was wrong.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array

ROUNDS: Final = 12
"""Guesses at the refused records; the units that need more are left unsettled."""


class Settled(NamedTuple):
    """The fates of some records, which are rows sorted by unit and then by their order."""

    refused: Array
    held: Array
    """The row that each row finds; *number of rows* + *unit* stands for the unit's entry before all of them."""
    latest: Array
    """For each row the last accepted row up to it, of whatever unit; -1 if there is none."""
    unsettled: Array
    """The units whose rows are not known, as often as they have such."""


def settle(unit: Array, begins: Array, is_refused: Callable[[Array, Array], Array]) -> Settled:
    """
    Settle rows; *unit* has the unit of each, from 0, and *begins* the first row of each unit.

    *is_refused* judges some rows by the rows that they find.
    """
    refused = np.zeros(len(unit), bool)
    latest, held = _found(unit, begins, refused)
    waiting = np.arange(len(unit))
    for _ in range(ROUNDS):
        refused[waiting] = is_refused(waiting, held[waiting])
        latest, found = _found(unit, begins, refused)
        waiting = np.flatnonzero(found != held)
        held = found
        if not len(waiting):
            break
    return Settled(refused, held, latest, unit[waiting])


def _found(unit: Array, begins: Array, refused: Array) -> tuple[Array, Array]:
    """Return the last accepted row up to each row, and the row that each row finds."""
    rows = np.arange(len(unit))
    latest = np.maximum.accumulate(np.where(refused, -1, rows))
    previous = np.append(-1, latest[:-1])
    return latest, np.where(previous >= begins[unit], previous, len(rows) + unit)
