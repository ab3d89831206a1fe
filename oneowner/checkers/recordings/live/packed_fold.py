"""
A fold's memory as JSON values, and back, so that a watch can be continued.

Units keep the order of their first records, so that neighbours are found in the same order.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from sys import intern
from types import ModuleType
from typing import Any, Final

from oneowner.checkers.recordings.fold import channel_law, channel_laws, findings, fold, notes, unit_memory
from oneowner.checkers.recordings.fold.fold import Fold
from oneowner.checkers.recordings.fold.unit_memory import Unit
from oneowner.checkers.recordings.read import dump
from oneowner.checkers.recordings.read.events import Row
from oneowner.model.channel import record as records
from oneowner.model.channel import resolver
from oneowner.model.channel.record import Record, ServiceUnitState

FOLD: Final[tuple[ModuleType, ...]] = (
    channel_law, channel_laws, dump, findings, fold, notes, unit_memory, records, resolver,
)  # fmt: skip
"""The modules that determine findings: a change to one of them invalidates all memories."""

Packed = dict[str, Any]


@cache
def version() -> str:
    """Return the version of the fold: a digest of the sources of its parts."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for module in FOLD:
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:16]


def packed(folding: Fold) -> Packed:
    """Return the memory of a fold, as JSON values."""
    tally = folding.tally
    return {
        "units": [_packed_unit(unit) for unit in folding.units.by_key.values()],
        "publishers": [
            [namespace.name, producer, broker, row]
            for namespace in folding.units.namespaces.values()
            for (producer, broker), row in namespace.publishers.items()
        ],
        "events": tally.events,
        "accepted": tally.accepted,
        "refused": dict(tally.refused),
        "last_time": tally.last_time,
    }


def unpack(memory: Packed, folding: Fold) -> None:
    """Restore a fold from its memory."""
    for unit in memory["units"]:
        _unpack_unit(unit, folding)
    for name, producer, broker, row in memory["publishers"]:
        folding.units.namespaces[name].publishers[producer, broker] = row_of(row)
    tally = folding.tally
    tally.events, tally.accepted, tally.last_time = memory["events"], memory["accepted"], memory["last_time"]
    tally.refused = Counter(memory["refused"])


def _packed_unit(unit: Unit) -> list[Any]:
    moves = unit.moves
    return [
        unit.key, unit.held, unit.written, unit.entered, unit.freed, unit.children,
        [unit.sure, unit.created, unit.split_begun, unit.split_away],
        [moves.before, moves.now, moves.since, moves.count, moves.first],
    ]  # fmt: skip


def _unpack_unit(values: Sequence[Any], folding: Fold) -> None:
    key, held, written, entered, freed, children, said, moves = values
    unit = folding.units.meet(intern(key))
    unit.held = Record(ServiceUnitState(held[0]), *map(_shared, held[1:]))
    unit.written, unit.entered, unit.freed = _row(written), _row(entered), _row(freed)
    unit.sure, unit.created, unit.split_begun, unit.split_away = said
    unit.children = None if children is None else tuple(children)
    unit.moves.before, unit.moves.now, unit.moves.since, unit.moves.count, first = moves
    unit.moves.first = _row(first)


def row_of(values: Sequence[Any]) -> Row:
    """Return the event in JSON values."""
    *place, state, destination, source, force, version_id, children, producer, write = map(_shared, values)
    split = None if children is None else tuple(children)
    return (*place, ServiceUnitState(state), destination, source, force, version_id, split, producer, write)


def _row(values: Sequence[Any] | None) -> Row | None:
    return None if values is None else row_of(values)


def _shared(value: Any) -> Any:
    """Return a value; the same text is kept once, as names are in thousands of rows."""
    return intern(value) if isinstance(value, str) else value
