"""
A report on message ids: within a ledger the dump lacks no entry, and an entry is one producer's batch, and whole.

A ledger's entries are numbered from 0 without holes, and an entry once written stays where it is (BookKeeper adds one
to the last id; ``ManagedLedgerImpl`` opens a new ledger where a write failed). So a reader of the whole topic sees
every number. A batch holds the messages that one producer sends at once (``BatchMessageContainerImpl``). Innocent, and
not reported: ledgers that retention trimmed (``ManagedLedgerImpl.internalTrimLedgers`` drops whole ones, from the
beginning), numbers of ledgers that other topics have, a dump that ends early, and ``--partial``. A reader of the
compacted topic leaves holes too; but then records are missing in any case.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from oneowner.checkers.recordings.fold.numbering import ENTRIES, missing
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.numbered_messages import Placed, placed
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

LAW: Final = ENTRIES


def _no_entry_is_missing(scene: Scene) -> LawOutcome:
    if scene.is_partial:
        return LawOutcome()
    lie = placed(scene.channel)
    steps = scene.channel.timeline
    return told(LAW, len(lie.rows), [*_holes(steps, lie), *_of_two_producers(scene, lie)])


def _of_two_producers(scene: Scene, lie: Placed) -> Iterator[Contradiction]:
    """Yield the messages of an entry whose producer is another than that of the one before them."""
    columns, steps = scene.channel.columns, scene.channel.timeline
    producers = columns.array("producer")[lie.rows]
    same = (lie.ledger[1:] == lie.ledger[:-1]) & (lie.entry[1:] == lie.entry[:-1]) & (lie.batch[1:] > lie.batch[:-1])
    for at in np.flatnonzero(same & (producers[1:] != producers[:-1])).tolist():
        one, other = (steps[lie.rows[number]] for number in (at, at + 1))
        names = [columns.producers.names[producers[number]] for number in (at, at + 1)]
        if all(names):
            why = f"{one.message_id} is of {names[0]} and {other.message_id} of {names[1]}, in one batch"
            yield Contradiction(why, (one, other), unit=other.key)


def _holes(steps: Sequence[Step], lie: Placed) -> Iterator[Contradiction]:
    for at in _not_quiet(lie).tolist():
        before = lie.place(at - 1) if at else None
        lacking = missing(before, lie.place(at))
        if lacking:
            step = steps[lie.rows[at]]
            shown = (step,) if before is None else (steps[lie.rows[at - 1]], step)
            why = f"{lacking} is not in the dump, which goes on with {step.message_id}"
            yield Contradiction(why, shown, unit=step.key, is_proof=before is not None)


def _not_quiet(lie: Placed) -> Array:
    """Return the messages that do not simply follow the one before them."""
    _, ledger, entry, batch = lie
    same, begins = ledger[1:] == ledger[:-1], batch[1:] <= 0
    follows = same & (entry[1:] == entry[:-1]) & (batch[1:] == batch[:-1] + 1)
    follows |= (begins & same & (entry[1:] == entry[:-1] + 1)) | (begins & ~same & (entry[1:] == 0))
    return np.flatnonzero(np.concatenate([[True], ~follows])) if len(ledger) else np.zeros(0, np.intp)


LAWS: Final = (
    SceneLaw(
        LAW,
        "Within a ledger, the dump of the channel lacks no entry, and each is of one producer.",
        "ManagedLedgerImpl.internalTrimLedgers, which drops whole ledgers",
        needs=(Source.CHANNEL,),
        judge=_no_entry_is_missing,
        severity=Severity.WARNING,
    ),
)
