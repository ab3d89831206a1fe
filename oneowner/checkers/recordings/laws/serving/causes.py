"""
Causes explain why a broker serves a unit that it has lost: it was away, or its session was lost, or a taint.

Three kinds of cause: an absence (a pause or the death of its process, seen as silence of its log and its answers),
the end of its session in ZooKeeper, and taints: records by which alone the model lets two brokers serve, such as a
forced one or a tombstone.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from oneowner.checkers.recordings.read import events
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.channel_history import History, Step
from oneowner.checkers.recordings.scene.citations import Citable, origin_of
from oneowner.checkers.recordings.scene.explanations import why_away, why_ended, why_forced
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.making_times import made_at
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import meets
from oneowner.checkers.times import lasting
from oneowner.model.channel.record import FIRST_VERSION, is_absent, is_active, next_version
from oneowner.model.pulsar.bundles import overlap

UNLOADED = "bundle-unloaded"
SESSION_EVENT = "session-event"


class CauseKind(StrEnum):
    """The kinds of causes of two servers of one unit."""

    PAUSE = "pause"
    SESSION = "session loss"
    FORCED = "forced record"
    TOMBSTONE = "tombstone of an active entry"
    GAP = "gap rule"
    LATE = "record older than the last tombstone"
    CLOSE = "close of topics timed out"
    LAG = "view lags"
    BEHIND = "view went past a record"
    MANAGERS = "two load managers"
    UNKNOWN = "records that the dump has not"


class Cause(NamedTuple):
    """One cause, in words that go on from "because"."""

    kind: CauseKind
    words: str
    evidence: tuple[Citable, ...]
    happened: tuple[events.Cause, ...] = ()
    """Its causes."""

    @property
    def is_excuse(self) -> bool:
        """
        The protocol lets two brokers serve for it.

        A record that only a view lacks is none: an owner closes before it lets go. Nor are two load managers, which no
        protocol keeps apart.
        """
        return self.kind not in (CauseKind.LAG, CauseKind.BEHIND, CauseKind.MANAGERS)


def distinct(seen: Iterable[Citable]) -> tuple[Citable, ...]:
    """Return evidence with each line once, in order."""
    return tuple({origin_of(one): one for one in seen}.values())


def begins(unit: History) -> bool:
    """Return whether a unit's history is there from its first record on."""
    return bool(unit.steps) and unit.steps[0].record.version == FIRST_VERSION


def causes_of(scene: Scene, unit: str, broker: str, since: int, until: int) -> list[Cause]:
    """Return possible reasons that *broker* served *unit* in *since* .. *until* although it was given away."""
    skew = scene.limits.clock_skew
    found = list(_taints(scene, unit, since - skew, until + skew))
    for away in absences(scene, broker):
        if away.is_pause and meets(away, since, until):
            words = f"its process was silent for {lasting(away.until - away.since)} and then went on"
            found.append(
                Cause(CauseKind.PAUSE, words, away.evidence, (happenings_of(scene).of_absence[broker, away.since],))
            )
    found += [
        Cause(CauseKind.SESSION, f"its ZooKeeper session {one.session} ended", (one.ended,), why_ended(scene, one))
        for one in registry_of(scene).of(broker)
        if isinstance(one.ended, NodeWrite) and one.ended.op == "closeSession"
        and since - scene.limits.in_flight_wait <= one.ended.time <= until
    ]  # fmt: skip
    own = of_kinds(scene.said.get(broker, ()), UNLOADED, SESSION_EVENT)
    lines = [line for line in own if line.time >= since - scene.limits.in_flight_wait]
    if not any(cause.kind == CauseKind.SESSION for cause in found):
        lost = [line for line in lines if _is_loss(line) and line.time <= until]
        why = why_away(scene, broker, since, until)
        found += [Cause(CauseKind.SESSION, "it lost its ZooKeeper session", (line,), why) for line in lost[:1]]
    for line in lines:
        if line.event == UNLOADED and line.unit == unit and line.time >= since and took(line) >= scene.limits.unload:
            words = f"closing its topics took the whole time-out of {lasting(scene.limits.unload)}"
            found.append(Cause(CauseKind.CLOSE, words, (line,)))
            break
    return found


def took(line: LogEvent) -> int:
    """Return the duration of the unload in a line, in milliseconds."""
    return int(float(line.values.get("ms") or 0))


def _is_loss(line: LogEvent) -> bool:
    return line.event == SESSION_EVENT and "SessionLost" in line.text


def _taints(scene: Scene, unit: str, since: int, until: int) -> Iterator[Cause]:
    """Yield the taints that were appended for the unit, its ancestors and its descendants."""
    channel = scene.channel
    if unit not in channel.units:
        return
    span = channel.units[unit].range
    for other in channel.of_namespace(unit.rpartition("/")[0]):
        if not overlap(other.range, span):
            continue
        erased: int | None = None
        for step in other.accepted:
            time = step.time
            if since <= time <= until and (kind := _taint(scene, step, erased)) is not None:
                yield Cause(kind, f"{step.message_id} is a {kind.value}", (step,), why_forced(scene, step))
            if is_absent(step.record):
                erased = time


def _taint(scene: Scene, step: Step, erased: int | None) -> CauseKind | None:
    record = step.record
    if record.force:
        return CauseKind.FORCED
    if is_absent(record):
        return CauseKind.TOMBSTONE if is_active(step.held) else None
    if not is_absent(step.held):
        return CauseKind.GAP if record.version != next_version(step.held) else None
    made = made_at(scene, step)
    return CauseKind.LATE if erased is not None and 0 < made < erased else None
