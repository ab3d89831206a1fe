"""The events that would move a unit next, by the limits of the cluster and the last logged decisions."""

from collections.abc import Iterator
from typing import NamedTuple

from oneowner.checkers.recordings.laws.balancing.placements import owner_of
from oneowner.checkers.recordings.owners.last_move import Move, MoveKind
from oneowner.checkers.recordings.owners.ownership import Ownership
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.lock_nodes import is_by_locks
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import is_at
from oneowner.checkers.times import iso, lasting
from oneowner.model.channel.record import ASSIGNING, RELEASING, SPLITTING

IN_FLIGHT = (ASSIGNING.value, RELEASING.value, SPLITTING.value)
CYCLES = ("shedding-unloads", "shedding-decision")


class NextMove(NamedTuple):
    """An event that would move a unit, or that keeps it where it is."""

    words: str
    evidence: tuple[Citable, ...] = ()


def next_moves(scene: Scene, owned: Ownership, move: Move, time: int) -> list[NextMove]:
    """Return the events that would move a unit after *time*, the nearest first."""
    if move.kind == MoveKind.SPLIT and owned.owner is None:
        return [NextMove(f"nothing: it was split, and its children have its topics{_children(scene, owned.unit)}")]
    found = [] if owned.state not in IN_FLIGHT else [_time_out(scene, owned)]
    if owned.owner is None and owned.state not in IN_FLIGHT:
        return [NextMove("the next lookup of one of its topics: the looked-up broker assigns it")]
    if owned.owner is not None:
        found += [_end_of_owner(scene, owned.owner, time), *_last_shedding(scene, owned.owner, time)]
        found += _last_split(scene, owned.unit, time)
    return found


def _children(scene: Scene, unit: str) -> str:
    told = [step.printed for step in scene.channel.units[unit].accepted if step.record.state == SPLITTING]
    children = told[-1].children if told and told[-1] is not None else None
    return f": {' and '.join(children)}" if children else ""


def _time_out(scene: Scene, owned: Ownership) -> NextMove:
    due = owned.last.time + scene.limits.in_flight_wait
    return NextMove(
        f"the record that is due; without it the leader's monitor, which runs every {lasting(scene.limits.monitor)},"
        f" ends the hand-over after {iso(due)}"
    )


def _end_of_owner(scene: Scene, owner: str, time: int) -> NextMove:
    limits, held = scene.limits, [one for one in registry_of(scene).of(owner) if one.since <= time]
    session = lasting(limits.session)
    if is_by_locks(scene):
        return NextMove(
            f"the end of the session of {owner} ({session} without a heartbeat): its locks end, and the next lookup"
            " assigns the bundle"
        )
    wait = f"the leader waits {lasting(limits.in_flight_wait)} and gives the bundle to another broker"
    if held and not is_at(held[-1], time):
        since = iso(held[-1].until)
        return NextMove(f"{owner} has not been registered since {since}: {wait}", held[-1].evidence[-1:])
    return NextMove(f"the end of the registration of {owner} ({session} without a heartbeat, or its stop): {wait}")


def _last_shedding(scene: Scene, owner: str, time: int) -> Iterator[NextMove]:
    """Yield the last decision of a shedder that the logs show: that of a cycle, or about the owner."""
    told: list[LogEvent] = [said for said in scene.lines(*CYCLES) if said.time <= time]
    for decided in scene.decided:
        broker = owner_of(scene, decided.piece) or ""
        told += [
            LogEvent(one.origin, one.time, broker, "decision", "", None, {}, one.words)
            for one in decided.decisions
            if one.bundle is None and one.broker in (None, owner) and one.time <= time
        ]
    told.sort(key=lambda said: said.time)
    for said in told[-1:]:
        yield NextMove(f"a decision of the shedder; the last one, at {iso(said.time)}: {said.text}", (said,))
    if not told:
        where = (
            "the leader's log, with loadBalancerDebugModeEnabled=true, or oneowner decide with the loads, shows more"
        )
        yield NextMove(f"a decision of the shedder, of which no cycle is logged: {where}")


def _last_split(scene: Scene, unit: str, time: int) -> Iterator[NextMove]:
    told = [
        (one, owner_of(scene, decided.piece) or "")
        for decided in scene.decided
        for one in decided.decisions
        if one.bundle == unit and one.time <= time
    ]
    for one, broker in sorted(told, key=lambda pair: pair[0].time)[-1:]:
        line = LogEvent(one.origin, one.time, broker, "decision", "", unit, {}, one.words)
        yield NextMove(f"a split; the last check, at {iso(one.time)}: {one.words}", (line,))
