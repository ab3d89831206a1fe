"""
A report on message ids: within a ledger the dump lacks no entry, and within an entry no message of its batch.

A ledger's entries are numbered from 0 without holes, and an entry once written stays where it is (BookKeeper adds one
to the last id; ``ManagedLedgerImpl`` opens a new ledger where a write failed). So a reader of the whole topic
sees every number. Innocent, and not told: ledgers that retention trimmed (``ManagedLedgerImpl.internalTrimLedgers``
drops whole ones, from the beginning), numbers of ledgers that other topics have, a dump that ends early, and
``--partial``. A reader of the compacted topic leaves holes too; but then records are missing, whoever left them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

from oneowner.checkers.recordings.fold.numbering import ENTRIES, missing
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, gathered, told_of_all
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

LAW: Final = ENTRIES
_ID = re.compile(r"(\d+):(\d+)(?::-?\d+)?(?::(\d+))?")

Place = tuple[int, int, int]
"""Ledger, entry, index in the batch; -1 outside a batch."""


def place_of(step: Step) -> Place | None:
    """Return where a message of the topic lies, if its id says so: what pulsar-client prints has none."""
    found = _ID.fullmatch(step.message_id) if step.producer else None
    return None if found is None else (int(found[1]), int(found[2]), -1 if found[3] is None else int(found[3]))


def _no_entry_is_missing(scene: Scene) -> LawOutcome:
    if scene.is_partial:
        return LawOutcome()
    placed = ((place, step) for step in scene.channel.timeline if (place := place_of(step)) is not None)
    numbers = count()  # of millions of messages none is kept: they are counted as they go by
    found = gathered(0, _holes(one for one, _ in zip(placed, numbers, strict=False)))
    return told_of_all(LAW, [found._replace(exercised=next(numbers))])


def _holes(placed: Iterable[tuple[Place, Step]]) -> Iterator[Contradiction]:
    before: tuple[Place, Step] | None = None
    for place, step in placed:
        lacking = missing(before[0] if before is not None else None, place)
        if lacking:
            shown = (step,) if before is None else (before[1], step)
            why = f"{lacking} is not in the dump, which goes on with {step.message_id}"
            yield Contradiction(why, shown, unit=step.key, is_proof=before is not None)
        before = place, step


LAWS: Final = (
    SceneLaw(
        LAW,
        "Within a ledger, the dump of the channel lacks no entry.",
        "ManagedLedgerImpl.internalTrimLedgers, which drops whole ledgers",
        needs=(Source.CHANNEL,),
        judge=_no_entry_is_missing,
        severity=Severity.WARNING,
    ),
)
