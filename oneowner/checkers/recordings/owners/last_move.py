"""The records by which a unit came to its owner, and their kind."""

from enum import StrEnum
from typing import NamedTuple

from oneowner.checkers.recordings.owners.ownership import Ownership
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.scene.channel_history import History, Step
from oneowner.checkers.recordings.scene.lock_nodes import locks_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FIRST_VERSION,
    FREE,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    owner,
)


class MoveKind(StrEnum):
    """The kinds of moves, by their records."""

    FIRST = "first assignment"
    TRANSFER = "transfer"
    UNLOAD = "unload"
    DELETION = "deletion"
    OVERRIDE = "override"
    GIVEN_BACK = "given back by force"
    FREED = "freed by force"
    SPLIT = "split"
    REMOVED = "tombstone"
    BEFORE = "before the recording"
    LOCK = "lock"


class Move(NamedTuple):
    """The last move of a unit."""

    kind: MoveKind
    before: str | None
    """Its owner before; None: nobody, or unknown."""
    after: str | None
    """Its owner afterwards; None while it is on its way, and where nobody owns it."""
    records: tuple[Step | NodeWrite | LogEvent, ...]
    """From the first record of the move to the last."""

    @property
    def begun(self) -> Step | NodeWrite | LogEvent:
        return self.records[0]


def last_move(scene: Scene, owned: Ownership) -> Move:
    """Return the move by which a unit came to its present owner, or lost its owner."""
    history = scene.channel.units.get(owned.unit)
    if history is None or not isinstance(owned.first, Step) or not isinstance(owned.last, Step):
        return _of_lock(scene, owned)
    last = owned.first.place if owned.owner else owned.last.place
    steps = [step for step in history.accepted if step.place <= last]
    place = next((at for at in reversed(range(len(steps) - 1)) if owner(steps[at].record) != NOBODY), -1)
    before = str(owner(steps[place].record)) if place >= 0 else None
    records = steps[place + 1 :]
    return Move(_kind(scene, history, records, before), before, owned.owner, tuple(records))


def _kind(scene: Scene, history: History, records: list[Step], before: str | None) -> MoveKind:
    forced = next((step.record for step in records if step.record.force), None)
    states = {step.record.state for step in records}
    if forced is not None and forced.state == OWNED:
        return MoveKind.GIVEN_BACK if str(forced.destination) == before else MoveKind.OVERRIDE
    if forced is not None and forced.state == FREE:
        return MoveKind.FREED
    if records[-1].is_tombstone:
        return MoveKind.SPLIT if DELETED in states else MoveKind.REMOVED
    if states & {SPLITTING, DELETED}:
        return MoveKind.SPLIT
    released = next((step.record for step in records if step.record.state == RELEASING), None)
    if released is not None and released.destination == NOBODY:
        return MoveKind.DELETION if released.force else MoveKind.UNLOAD
    if released is not None:
        return MoveKind.TRANSFER
    first = records[0].record
    if before is not None:
        return MoveKind.REMOVED if any(step.is_tombstone for step in records) else MoveKind.TRANSFER
    if parent_of(scene, history, records[0].time) is not None:
        return MoveKind.SPLIT
    if first.version != FIRST_VERSION and first.state != ASSIGNING:
        return MoveKind.BEFORE
    return MoveKind.FIRST


def parent_of(scene: Scene, child: History, time: int) -> Step | None:
    """Return the record by which a wider unit was split before *time*, None if this is no child of one."""
    found = [
        step
        for other in scene.channel.of_namespace(child.key.rpartition("/")[0])
        if other.key != child.key and other.range.low <= child.range.low and child.range.high <= other.range.high
        for step in other.accepted
        if step.record.state == SPLITTING and step.time <= time
    ]
    return found[-1] if found else None


def _of_lock(scene: Scene, owned: Ownership) -> Move:
    held = [one for one in locks_of(scene).held.get(owned.unit, ()) if one.since <= owned.since]
    this = [one for one in held if one.since == owned.since]
    earlier = held[:-1] if this else held
    before = earlier[-1] if earlier else None
    ended = [before.ended] if before is not None and before.ended is not None else []
    made = [owned.first] if owned.owner else []
    return Move(MoveKind.LOCK, before.broker if before else None, owned.owner, (*ended, *made) or (owned.first,))
