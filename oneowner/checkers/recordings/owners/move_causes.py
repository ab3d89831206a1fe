"""The cause of a move: an admin call, a decision of the shedder, the end of a broker."""

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from oneowner.checkers.recordings.owners.last_move import Move, MoveKind, parent_of
from oneowner.checkers.recordings.read.observations import Call
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_forced, why_gone
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.scene import Scene

CALLS: Final = {
    MoveKind.TRANSFER: ("transfer", "unload"),
    MoveKind.UNLOAD: ("unload", "transfer"),
    MoveKind.DELETION: ("delete",),
    MoveKind.SPLIT: ("split",),
    MoveKind.REMOVED: ("delete",),
    MoveKind.FREED: ("delete",),
    MoveKind.LOCK: ("unload", "transfer", "split"),
}
"""The words of admin calls that ask for a move."""
SHEDS: Final = ("shedding-unloads", "shedding-decision")
"""Log lines of a shedder's decision, which names the bundle."""
DECIDED: Final = 60_000
"""Milliseconds from a logged decision to its first record."""


class MoveCause(NamedTuple):
    """A cause of a move."""

    words: str
    """A clause without its time."""
    time: int
    evidence: tuple[Citable, ...]


def causes(scene: Scene, unit: str, move: Move) -> list[MoveCause]:
    """Return the recorded causes of a move, the most direct first; none where nothing shows it."""
    return [*_calls(scene, unit, move), *_decisions(scene, unit, move), *_ends(scene, move)]


def _calls(scene: Scene, unit: str, move: Move) -> Iterator[MoveCause]:
    """Yield the calls under way when the move began, the last one to start first."""
    words, time = CALLS.get(move.kind, ()), move.begun.time
    slack, units = scene.limits.clock_skew, _units(scene, unit, move)
    asked = [
        call for call in scene.calls
        if any(word in call.action for word in words) and _is_about(call, units)
        and call.start - slack <= time <= max(call.end, call.start) + slack + LATE
    ]  # fmt: skip
    for call in sorted(asked, key=lambda one: -one.start)[:1]:
        ended = "without an answer" if call.status is None else f"answered with {call.status}"
        to = f" to {call.parameters['dest']}" if call.parameters.get("dest") else ""
        yield MoveCause(f"an administrator asked {call.asked} for it ({call.action}{to}, {ended})", call.start, (call,))


def _units(scene: Scene, unit: str, move: Move) -> tuple[str, ...]:
    """Return the unit, and of a child the parent that was split."""
    history = scene.channel.units.get(unit)
    parent = parent_of(scene, history, move.begun.time) if history is not None and move.kind == MoveKind.SPLIT else None
    return (unit,) if parent is None else (unit, parent.key)


LATE: Final = 1_000
"""Milliseconds for which a record may follow the answer to the call that asked for it."""


def _is_about(call: Call, units: Collection[str]) -> bool:
    """Return whether a call names one of these units, or their namespace, by its whole name or the last part."""
    if call.unit is not None:
        return call.unit in units
    name = call.parameters.get("namespace")
    return any(name in (one.rpartition("/")[0], one.split("/")[-2]) for one in units)


def _decisions(scene: Scene, unit: str, move: Move) -> Iterator[MoveCause]:
    """Yield the last decision of a shedder before the move that names the bundle, and one of a split."""
    time = move.begun.time
    told = [
        said for said in scene.lines(*SHEDS)
        if unit in said.text and 0 <= time - said.time + scene.limits.clock_skew <= DECIDED
    ]  # fmt: skip
    for said in told[-1:]:
        yield MoveCause(f"the shedder at {said.broker} decided it: {said.text}", said.time, (said,))
    if move.kind == MoveKind.SPLIT:
        units = _units(scene, unit, move)
        known = [said for said in scene.lines("split-decided") if said.unit in units]
        for said in [one for one in known if one.time <= time + scene.limits.clock_skew][-1:]:
            yield MoveCause(f"{said.broker} decided to split: {said.text}", said.time, (said,))


def _ends(scene: Scene, move: Move) -> Iterator[MoveCause]:
    """Yield the ends of brokers behind a forced record, or behind a lock that went."""
    known = happenings_of(scene)
    found = [cause for step in move.records if isinstance(step, Step) for cause in why_forced(scene, step)]
    if not found and move.before is not None and move.kind in (MoveKind.LOCK, MoveKind.UNLOAD, MoveKind.TRANSFER):
        gone = why_gone(scene, move.before, move.begun.time)
        found = [gone] if gone is not None else []
    for cause in dict.fromkeys(found):
        happening = known.found.get(cause)
        if happening is None:
            continue
        yield MoveCause(happening.words, cause.since, happening.evidence)


def missing(scene: Scene, move: Move) -> str:
    """Return the files that would show the cause of a move, where none is recorded; empty: no further cause is due."""
    lacking = []
    if move.kind in CALLS:
        if not scene.calls:
            lacking.append("actions.jsonl (admin calls)")
        if not scene.said:
            lacking.append("the leader's log (decisions of the shedder)")
    if move.kind in (MoveKind.OVERRIDE, MoveKind.GIVEN_BACK, MoveKind.FREED) and not scene.said and not scene.writes:
        lacking.append("brokers' logs or zookeeper.jsonl (the ends of brokers)")
    return " and ".join(lacking)
