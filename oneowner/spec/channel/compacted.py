"""
These refinements show that a compaction of the channel is invisible (R3), and that its phases are one step (R4).

R3 maps a compacted channel to readers of one history (``reading.py``), the uncompacted one: a jump is several reads,
and a reader that starts now, with the kept entries and the records behind them, is one more reader that has read
everything. R4 maps the compactor to one that compacts in a single step, recognised by its entries: those *saved* with
the cursor, or those *shown* to readers. Families without compactions have neither.
"""

from typing import NamedTuple

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import consumed, entry, folded
from oneowner.model.channel.record import TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.refinement import Refinement
from oneowner.spec.channel.reading import READ, START, STOP, WRITE, Reader, Reads, several_reads
from oneowner.spec.channel.refinement import REFINEMENTS_OF_STORAGES, as_seen, latest, on_topic, reads_of_log

__traced__ = False  # maps explored states to abstract ones


def compacts(bounds: Bounds) -> bool:
    return on_topic(bounds) and bounds.compactions > 0


# ---- R3: who reads ----


def reads_with_a_newcomer(state: State) -> Reads:
    """Return what every broker reads, and somebody who starts now: the last of the readers."""
    reads = reads_of_log(state)
    units = range(1, state.bounds.units + 1)
    newcomer = Reader(tuple(newly_read(state, unit) for unit in units), ((),) * state.bounds.units)
    return Reads(reads.last, (*reads.readers, newcomer))


def newly_read(state: State, unit: int) -> Record:
    """Return what a new reader holds for *unit* once it has read what is kept, and the log behind the horizon."""
    if state.horizon == 0:
        return entry(state, unit)
    held = folded(state, TOMBSTONE, state.ledger[unit])
    for number in range(state.horizon + 1, state.log.length + 1):
        if state.log[number].unit == unit:
            held = folded(state, held, state.log[number].record)
    return held


# ---- R4: who compacts ----

APPEND, COMPACT = "Append", "Compact"


class Compaction(NamedTuple):
    """
    A log, by the entries of every unit after each of its records, and the entries kept by a compaction.
    """

    entries: tuple[tuple[Record, ...], ...]
    horizon: int
    kept: tuple[Record, ...]

    def __str__(self) -> str:
        kept = ", ".join(map(str, self.kept)) if self.horizon else "nothing yet"
        return f"{len(self.entries) - 1} records; kept of the first {self.horizon}: {kept}"


def saved(state: State) -> Compaction:
    """Return what a host that comes after would start from."""
    return Compaction(prefixes(state), state.saved_horizon, kept_of(state, saved=True))


def shown(state: State) -> Compaction:
    """Return what readers are given."""
    return Compaction(prefixes(state), state.horizon, kept_of(state, saved=False))


def prefixes(state: State) -> tuple[tuple[Record, ...], ...]:
    units = range(1, state.bounds.units + 1)
    places = range(state.log.length + 1)
    return tuple(tuple(consumed(state, unit, place) for unit in units) for place in places)


def kept_of(state: State, saved: bool) -> tuple[Record, ...]:
    ledger = state.saved_ledger if saved else state.ledger
    return tuple(ledger[unit] for unit in range(1, state.bounds.units + 1))


def one_step_of_a_compactor(before: Compaction, after: Compaction) -> tuple[str, ...] | None:
    """
    Return the step of an atomic compactor between the two; none for a stutter, None if it has no such step.

    Append adds a record. Compact keeps, for a longer part of the log than before, the entries that it leaves; horizon
    and kept entries change at once, and never back.
    """
    steps: list[str] = []
    if after.entries != before.entries:
        if after.entries[:-1] != before.entries:
            return None
        steps.append(APPEND)
    if (after.horizon, after.kept) != (before.horizon, before.kept):
        if after.horizon <= before.horizon or after.kept != after.entries[after.horizon]:
            return None
        steps.append(COMPACT)
    return tuple(steps) if len(steps) <= 1 else None


COMPACTED = Refinement(
    "compacted",
    "A compacted channel is the uncompacted one: a reader that is carried over records reads several at once, and"
    " whoever starts with what was kept has read everything.",
    "models.R3, models.S8",
    compacts,
    (WRITE, READ, START, STOP),
    reads_with_a_newcomer,
    as_seen,
    latest,
    several_reads,
)

COMPACTOR = Refinement(
    "compactor",
    "The phases of a compaction are one step, which happens when the cursor is saved.",
    "models.R4, models.S10",
    compacts,
    (APPEND, COMPACT),
    saved,
    as_seen,
    latest,
    one_step_of_a_compactor,
)

COMPACTOR_AS_SHOWN = Refinement(
    "compactor-as-shown",
    "The phases of a compaction are one step, which happens when readers are shown what was kept. (They are not if the"
    " host changes before that is saved: readers are then given the older compaction again.)",
    "models.R4, models.S10",
    compacts,
    (APPEND, COMPACT),
    shown,
    as_seen,
    latest,
    one_step_of_a_compactor,
)

REFINEMENTS = (*REFINEMENTS_OF_STORAGES, COMPACTED, COMPACTOR, COMPACTOR_AS_SHOWN)
