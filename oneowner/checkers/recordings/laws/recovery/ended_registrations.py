"""
A law of deletions: the leader handles the end of a registration and gives away that broker's units.

Every broker hears of a deletion, the leader alone acts; if there is none, or the dead broker was the leader, the event
is lost and only the next leader's first monitor run finds the orphans (channel.9.3, run section 2).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.broker_processes import all_lives
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.explanations import why_ended
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import entry_at
from oneowner.checkers.times import iso, seconds
from oneowner.model.channel.record import is_active, is_in_flight
from oneowner.model.kernel.law import Severity

RUNS = "recovery-runs"
AT_ONCE = 1_000
"""Milliseconds within which a leader handles a deletion that it hears of."""
REFUSED = ("deletion-ignored", "deletion-failed", "cleanup-ignored-unstable", "cleanup-schedule-skipped")


class Deletion(NamedTuple):
    """The end of one registration, and its handling."""

    gone: Held
    time: int
    handled: LogEvent | None
    until: int
    """The time when it was handled, when the broker registered again, or the end of all logs."""
    orphans: tuple[str, ...] | None
    """Units that named it then; None without a channel."""


def _recovery_runs(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    late: list[Deletion] = []
    for deletion in _deletions(scene):
        judged.exercised += 1
        if deletion.until - deletion.time > AT_ONCE + scene.limits.clock_skew and deletion.orphans != ():
            late.append(deletion)
    judged.findings += [_unhandled(scene, together) for together in _together(late)]
    return judged


def _deletions(scene: Scene) -> Iterator[Deletion]:
    registry, limits = registry_of(scene), scene.limits
    last = max((life.end for life in all_lives(scene)), default=0)
    handled = scene.lines("cleanup-handled", "cleanup-scheduled")
    for gone in registry.registrations:
        if gone.until > last:
            continue
        time, broker = gone.until, gone.broker
        back = min((held.since for held in registry.of(broker) if held.since >= time), default=last)
        if back - time <= AT_ONCE:  # it registered again before anybody could do anything (run.G10)
            continue
        by = next(
            (
                said
                for said in handled
                if said.values.get("subject") == broker and said.time >= time - limits.clock_skew - AT_ONCE
            ),
            None,
        )
        if by is not None and by.time > back:
            by = None
        until = max(time, back if by is None else by.time)
        orphans = _orphans(scene, broker, min(until, time + AT_ONCE))
        if gone.is_given_up and orphans is None:
            orphans = ()
        yield Deletion(gone, time, by, until, orphans)


def _orphans(scene: Scene, broker: str, time: int) -> tuple[str, ...] | None:
    """Return the units that name *broker* as owner or in a hand-over at *time* (channel.9.3); None: unknown."""
    if scene.migration or (Source.CHANNEL not in scene.present and not scene.channel.units):
        return None
    found: list[str] = []
    for key, unit in scene.channel.units.items():
        step = entry_at(unit, time)
        if step is None or not is_active(step.entry):
            continue
        record = step.entry
        if str(record.destination) == broker or (is_in_flight(record) and str(record.source) == broker):
            found.append(key)
    return tuple(found)


def _together(late: Sequence[Deletion]) -> list[list[Deletion]]:
    """Return those that end at one moment as one happening."""
    groups: list[list[Deletion]] = []
    for deletion in sorted(late, key=lambda one: one.time):
        if groups and deletion.time - groups[-1][-1].time <= AT_ONCE:
            groups[-1].append(deletion)
        else:
            groups.append([deletion])
    return groups


def _unhandled(scene: Scene, together: Sequence[Deletion]) -> Finding:
    limits = scene.limits
    since, until = together[0].time, max(one.until for one in together)
    is_late = until - since > limits.monitor + limits.in_flight_wait
    brokers = [one.gone.broker for one in together]
    told = [
        said for said in scene.lines(*REFUSED)
        if since - AT_ONCE <= said.time <= since + 2 * AT_ONCE and said.values.get("subject", brokers[0]) in brokers
    ]  # fmt: skip
    units = sum(len(one.orphans or ()) for one in together)
    handled = [one.handled for one in together if one.handled is not None]
    is_end = until >= max(life.end for life in all_lives(scene))
    repair = "none is needed: it is over"
    if is_end and not handled:
        repair = "check that a leader is elected and plays its role; its first monitor run finds the orphans"
    end = "to the end of the logs" if is_end else f"until {iso(until)}, when it registered again"
    if handled:
        end = f"until {handled[0].broker} did at {iso(handled[0].time)}"
    said = f"; {', '.join(sorted({line.broker for line in told}))} heard of it and did nothing" if told else ""
    whose = (
        f"{units} bundles that named {'them' if len(brokers) > 1 else 'it'} waited"
        if units
        else "whatever they owned waited"
    )
    why = (
        f"nobody handled the end of the registration of {' and '.join(brokers)} at {iso(since)} for "
        f"{seconds(until - since)}, {end}{said}: {whose} (monitor every {seconds(limits.monitor)}, in-flight time-out "
        f"{seconds(limits.in_flight_wait)})"
    )
    shown: list[Citable] = [one.gone.ended for one in together if one.gone.ended is not None]
    shown += [*_first_per_broker(told), *handled[:1]] or [together[0].gone.made]
    return finding(
        RUNS, Severity.WARNING if is_late else Severity.NOTE, why, shown or [together[0].gone.made], brokers=brokers,
        time=since, window=Window(since, until, since, until),
        guard="the leader handles a deletion when it hears of it, or by its next monitor run",
        repair=repair,
        causes=[cause for one in together for cause in why_ended(scene, one.gone)],
        units=[unit for one in together for unit in one.orphans or ()],
    )  # fmt: skip


def _first_per_broker(lines: Sequence[LogEvent]) -> list[Citable]:
    first = {line.broker: line for line in reversed(lines)}
    return sorted(first.values(), key=lambda line: (line.time, line.broker))


RECOVERY_RUNS = SceneLaw(
    RUNS,
    "The end of a broker's registration is handled: at once by the leader, or by the next monitor run.",
    "ServiceUnitStateChannelImpl.handleBrokerDeletionEvent",
    order=56,
    waits=True,
    needs=(Source.LOGS,),
    judge=_recovery_runs,
    uses=(*CLUSTER, Source.CHANNEL),
    severity=Severity.WARNING,
    of_channel=True,
)
LAWS = (RECOVERY_RUNS,)
