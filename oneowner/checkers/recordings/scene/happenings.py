"""
Happenings are events of the processes and sessions of a cluster: the causes behind findings.

A session that ends has a reason: its process stood still, ended, or was stopped; or ZooKeeper was out of reach for
several brokers at once; or, without evidence of these, the broker alone was cut off. All laws ask here, so that they
name the same happening as a cause. Coincidence in time alone makes nothing a cause.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Request
from oneowner.checkers.recordings.scene.absences import Absence, absences
from oneowner.checkers.recordings.scene.broker_processes import READY, all_lives, life_at, lines_of
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.connections import Unconnected, unconnected
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.namespaces import NamespaceEvent, deletions, without_broker
from oneowner.checkers.recordings.scene.outages import Outage, outages
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.session_losses import NEAR, backs, losses, silent_before, since_when
from oneowner.checkers.recordings.scene.store_failures import store_failures
from oneowner.checkers.recordings.scene.timeline import END, is_at, meets
from oneowner.checkers.times import lasting

OTHERS: Final = "; whether others lost theirs, only their logs show"


@dataclass(slots=True)
class Happenings:
    """The happenings of one scene, and the findings that each explains."""

    found: dict[Cause, Happening] = field(default_factory=dict)
    of_absence: dict[tuple[str, int], Cause] = field(default_factory=dict)
    """By broker and last sign of life."""
    of_end: dict[tuple[str, int], Cause] = field(default_factory=dict)
    """By broker and the moment at which a node of it went: of the registry, or of the election."""
    stops: dict[str, list[Happening]] = field(default_factory=dict)
    """The times when each broker was stopping or stopped: from its first line about it to its next process."""
    cuts: dict[str, list[Happening]] = field(default_factory=dict)
    """The times when each broker alone was without its session, by its own log."""
    outages: list[Happening] = field(default_factory=list)
    """Each with the brokers that lost the metadata store."""

    def outages_of(self, scene: Scene, broker: str) -> list[Happening]:
        """
        Return the outages that *broker* had a part in.

        One without a log cannot show its loss: what several others lost at that time, it lost as well.
        """
        return [one for one in self.outages if broker in one.brokers or broker not in scene.lives]

    def add(self, happening: Happening) -> Cause:
        self.found[happening.cause] = happening
        return happening.cause


def happenings_of(scene: Scene) -> Happenings:
    """Return all happenings of the processes and sessions of *scene*."""
    return scene.of_run(happenings_of_run)


def happenings_of_run(scene: Scene) -> Happenings:
    """Return all happenings of a whole run."""
    known = Happenings()
    _add_stops(scene, known)
    _add_absences(scene, known)
    for outage in outages(scene):
        known.outages.append(_out_of_reach(scene, outage))
        known.add(known.outages[-1])
    deleted = map(_deleted, deletions(scene))
    for happening in (*map(_unconnected, unconnected(scene)), *store_failures(scene), *deleted):
        known.add(happening)
    registry = registry_of(scene)
    for held in (*registry.registrations, *registry.leaders):
        if held.until < END and (cause := _reason(scene, known, held)) is not None:
            known.of_end[held.broker, held.until] = cause
    _add_cuts(scene, known)
    for event in without_broker(scene):
        known.add(_no_choice(known, event))
    for number, led in enumerate(registry.leaders):
        _add_unregistered(scene, known, led, registry.leaders[number - 1] if number else None)
    for cause, happening in list(known.found.items()):
        if cause.kind == HappeningKind.EXITED:
            known.add(happening._replace(behind=_outage_of(scene, known, cause.subject, cause.since)))
    return known


# ---- happenings ----


def _add_stops(scene: Scene, known: Happenings) -> None:
    for life in all_lives(scene):
        if not (lines := lines_of(scene, life, "broker-closing")):
            continue
        until = min((later.start for later in scene.lives.get(life.broker, ())[life.number + 1 :][:1]), default=END)
        cause = Cause(HappeningKind.STOPPED, life.broker, lines[0].time)
        words, repair, failed = f"{life.broker} was stopped", "", lines_of(scene, life, "broker-not-started")[:1]
        if failed and failed[0].time <= lines[0].time:
            words = f"{life.broker} failed to start: {failed[0].values.get('error') or 'its log gives the reason'}"
            repair = f"remove what keeps {life.broker} from starting, and start it again" if until == END else ""
        stop = Happening(cause, until, words, (life.broker,), (*failed, lines[0]), (), repair)
        known.add(stop)
        known.stops.setdefault(life.broker, []).append(stop)


def _add_absences(scene: Scene, known: Happenings) -> None:
    for broker in scene.brokers:
        last: Cause | None = None
        for away in absences(scene, broker):
            stopped = next((stop.cause for stop in known.stops.get(broker, ()) if is_at(stop, away.since)), None)
            before = last if last is not None and _is_starting(scene, away) else None
            last = known.of_absence[broker, away.since] = stopped or before or known.add(_absent(scene, away))


def _is_starting(scene: Scene, away: Absence) -> bool:
    """Return whether a silence is of a process that is not ready yet: its broker is still gone."""
    life = life_at(scene, away.broker, away.since)
    ready = [] if life is None else [line.time for line in lines_of(scene, life, READY)]
    return away.is_pause and bool(ready) and away.since < ready[0]


def _absent(scene: Scene, away: Absence) -> Happening:
    broker, evidence = away.broker, away.evidence
    leads = any(one.broker == broker and one.since < away.since < one.until for one in registry_of(scene).leaders)
    who = f"the leader {broker}" if leads else broker
    if away.is_pause:
        lasted = lasting(away.until - away.since)
        words = f"{who} stood still for {lasted}, and then went on"
        repair = f"find out why it stood still: a long pause of its JVM or of its machine; restart {broker} if it hangs"
        if not any(life.start <= away.since and away.until <= life.end for life in scene.lives.get(broker, ())):
            words = f"{who} was silent for {lasted}: it stood still or was restarted, and its log does not show which"
            repair = f"read the log of {broker} for that time; the process may have ended or stood still"
        return Happening(
            Cause(HappeningKind.PAUSED, broker, away.since), away.until, words, (broker,), evidence, (), repair
        )
    if not scene.said.get(broker):
        words = f"{who} answers no more: it died, stood still or was cut off, and no log of it shows which"
        cause = Cause(HappeningKind.PAUSED, broker, away.since)
        return Happening(cause, away.until, words, (broker,), evidence, (), f"read the log of {broker} for that time")
    exits = [line for line in scene.once(_exits) if line.broker == broker and abs(line.time - away.since) <= NEAR]
    kind = HappeningKind.EXITED if exits else HappeningKind.DIED
    words = f"{who} ended its own process" if exits else f"{who} died: it neither logs nor answers any more"
    repair = f"start {broker} again" if away.until == END else ""
    cause = Cause(kind, broker, away.since)
    return Happening(cause, away.until, words, (broker,), (*exits, *evidence), (), repair)


def _exits(scene: Scene) -> Sequence[LogEvent]:
    return scene.lines("view-shutdown-stops-broker")


def _out_of_reach(scene: Scene, outage: Outage) -> Happening:
    many = f"{len(outage.brokers)} of {len(scene.lives)} brokers"
    lasted = f" for about {lasting(outage.until - outage.since)}" if outage.until < END else ""
    words = f"ZooKeeper {'was' if lasted else 'is'} out of reach of {many}{lasted}"
    repair = "find out why ZooKeeper was away; no broker needs a restart for it"
    if outage.until == END:
        repair = "get ZooKeeper to answer; restart no broker meanwhile"
    elif outage.unregistered:
        repair = f"check that ZooKeeper runs; then restart {', then '.join(outage.unregistered)}"
    cause = Cause(HappeningKind.OUTAGE, "", outage.since)
    return Happening(cause, outage.until, words, outage.brokers, outage.lost, (), repair)


def _unconnected(broken: Unconnected) -> Happening:
    cause = Cause(HappeningKind.UNCONNECTED, broken.broker, broken.since)
    words = f"{broken.broker} did not reach other brokers, while all processes lived"
    repair = f"check the network between {broken.broker} and the other brokers, the leader first"
    return Happening(cause, broken.until, words, (broken.broker,), broken.lines, (), repair)


def _deleted(event: NamespaceEvent) -> Happening:
    cause = Cause(HappeningKind.DELETED_NAMESPACE, event.namespace, event.since)
    repair = f"if nobody meant it, create the namespace {event.namespace} again; its messages are gone"
    return Happening(cause, event.until, f"the namespace {event.namespace} was deleted", (), event.evidence, (), repair)


def _no_choice(known: Happenings, event: NamespaceEvent) -> Happening:
    cause = Cause(HappeningKind.NO_CHOICE, event.namespace, event.since)
    words, repair = f"no broker could be chosen for bundles of {event.namespace}", "look which brokers are registered"
    if event.policy is not None:
        words += ", after an isolation policy was changed"
        repair = f"look whether the isolation policies leave a broker to {event.namespace}"
    away = [one for one in known.found.values() if one.cause.kind in (HappeningKind.OUTAGE, HappeningKind.CUT)]
    away = [one for one in away if event.brokers & {*one.brokers} and meets(one, event.since, event.until)]
    behind = tuple(one.cause for one in away)
    shown = (*event.evidence, *((event.policy,) if event.policy is not None else ()))
    return Happening(cause, event.until, words, (), shown, behind, repair)


def _reason(scene: Scene, known: Happenings, held: Held) -> Cause | None:
    """Return why a node went: its broker or ZooKeeper was away; else only the end of its session is proved."""
    end = held.until
    for stop in known.stops.get(held.broker, ()):
        if meets(stop, end - scene.limits.session, end):
            return stop.cause
    for cause in _outage_of(scene, known, held.broker, end):
        return cause
    for away in absences(scene, held.broker):
        outlived = not away.is_pause and held.since <= away.since <= end  # the session outlives its process
        if outlived or meets(away, end, end) or away.is_loss(end):
            return known.of_absence[held.broker, away.since]
    if held.is_given_up or held.ended is None:
        return None
    cause = Cause(HappeningKind.CUT, held.broker, _cut_since(scene, held.broker, end))
    back = [one.since for one in registry_of(scene).of(held.broker) if one.since >= end]
    return known.add(_cut(scene, cause, back, held.ended))


def _cut(scene: Scene, cause: Cause, back: Sequence[int], seen: Citable) -> Happening:
    """Return the loss of a session by a broker alone, which lasted to the first of *back*."""
    words, repair = _how_lost(scene, cause.subject, seen)
    return Happening(cause, min(back, default=END), words, (cause.subject,), (seen,), (), repair)


def _how_lost(scene: Scene, broker: str, seen: Citable) -> tuple[str, str]:
    """Return how a broker lost its session, as far as its log shows it before *seen*, and what to do."""
    lost, begins = f"{broker} lost its session", min((life.start for life in scene.lives.get(broker, ())), default=None)
    is_asked = any(
        one.asked == broker for one in chain[Request](scene.lookups, scene.polls)
    )  # then its absences show pauses
    if begins is None:
        return (
            f"{lost}: it died, stood still or was cut off, and no log of it shows which",
            f"read the log of {broker} for that time",
        )
    if isinstance(seen, LogEvent) or (isinstance(seen, NodeWrite) and not is_asked):
        silent = silent_before(scene, broker, seen.time)
        if silent > scene.limits.session // 2:  # a client without a server logs that it tries to connect
            return (
                f"{lost}: its log was silent for {lasting(silent)} before, as if it stood still",
                f"find out why {broker} stood still: a long pause of its JVM or of its machine",
            )
        if not is_asked and seen.time - begins <= scene.limits.session:
            return (
                f"{lost}: it stood still or was cut off, and its log, which begins then, does not show which",
                f"read the log of {broker} for the time before",
            )
    are_all_heard = all(scene.said.get(other) for other in scene.brokers)
    return (
        f"{lost} with ZooKeeper while its process lived{'' if are_all_heard else OTHERS}",
        f"find out why {broker} does not reach ZooKeeper; restart it if it stays unregistered",
    )


def _cut_since(scene: Scene, broker: str, end: int) -> int:
    """Return the time from which a broker did not reach ZooKeeper, by its client's log; else the end of its session."""
    lost = [line for line in losses(scene) if line.broker == broker]
    before = [since_when(scene, line) for line in lost if end - scene.limits.session <= line.time <= end + NEAR]
    return min(before, default=end)


def _add_cuts(scene: Scene, known: Happenings) -> None:
    """Add the sessions that brokers lost alone by their own logs, also where ZooKeeper had not ended them."""
    for line in losses(scene):
        since = since_when(scene, line)
        cause = Cause(HappeningKind.CUT, line.broker, since)
        ends = [
            known.of_end.get((one.broker, one.until))
            for one in registry_of(scene).of(line.broker)
            if abs(one.until - line.time) <= 2 * scene.limits.session
        ]
        others = [*_outage_of(scene, known, line.broker, line.time), *(end for end in ends if end not in (None, cause))]
        if others or any(is_at(stop, line.time) for stop in known.stops.get(line.broker, ())):
            continue
        back = [one.time for one in backs(scene) if one.broker == line.broker and one.time > line.time]
        cut = _cut(scene, cause, back, line)
        if cause not in known.found:
            known.add(cut)
        known.cuts.setdefault(line.broker, []).append(cut)


def _add_unregistered(scene: Scene, known: Happenings, led: Held, before: Held | None) -> None:
    """Add each broker that was elected although its registration had ended, and had not come back."""
    own = [one for one in registry_of(scene).of(led.broker) if one.since <= led.since]
    if not own or own[-1].until > led.since:
        return
    again = [one.since for one in registry_of(scene).of(led.broker) if one.since > led.since]
    until = min(again, default=END)
    if until - led.since <= scene.limits.session:
        return
    causes = [known.of_end.get((one.broker, one.until)) for one in (own[-1], before) if one is not None]
    words = f"{led.broker} was elected leader although it was not registered"
    repair = f"restart {led.broker}: another broker is elected, and it registers when it starts"
    cause = Cause(HappeningKind.UNREGISTERED, led.broker, led.since)
    behind = tuple(dict.fromkeys(one for one in causes if one is not None))
    known.add(Happening(cause, until, words, (led.broker,), (led.made,), behind, repair))


def _outage_of(scene: Scene, known: Happenings, broker: str, time: int) -> tuple[Cause, ...]:
    """Return the outage in which a broker lost its session, if it is over by *time* for two timeouts at most."""
    since = time - 2 * scene.limits.session
    return tuple(outage.cause for outage in known.outages_of(scene, broker) if meets(outage, since, time))
