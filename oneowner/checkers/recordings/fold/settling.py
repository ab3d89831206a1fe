"""
Settling finds out, by columns, which records are refused and what each of them finds.

Which records are refused depends on what is held, and so on what was refused before. A guess that agrees with itself
(each record judged by the last one before it that is not refused) is what a fold would find, by induction over the
records of the unit. It is found by judging again where the guess was wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.read.coded_table import Array

ROUNDS: Final = 12
"""Guesses at what is refused; the units that need more are left unsettled."""


class Settled(NamedTuple):
    """The fates of some records, which are rows sorted by unit and then by their order."""

    refused: Array
    held: Array
    """The row that each row finds; *number of rows* + *unit* stands for what the unit held before all of them."""
    latest: Array
    """For each row the last accepted row up to it, of whatever unit; -1 if there is none."""
    unsettled: Array
    """The units whose rows are not known, as often as they have such."""


def settle(unit: Array, begins: Array, is_refused: Callable[[Array, Array], Array]) -> Settled:
    """
    Settle rows, of each of which *unit* is the unit, from 0; *begins* has the first row of each unit.

    *is_refused* judges some rows by what these find.
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
    """Return the last accepted row up to each row, and what each row finds."""
    rows = np.arange(len(unit))
    latest = np.maximum.accumulate(np.where(refused, -1, rows))
    previous = np.append(-1, latest[:-1])
    return latest, np.where(previous >= begins[unit], previous, len(rows) + unit)
