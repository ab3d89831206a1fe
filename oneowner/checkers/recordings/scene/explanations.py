"""
Happenings explain the findings of laws: why a node went, why a broker did not serve, why a record was forced.

A law asks for the happenings that matter, of its broker and its time; those of other brokers are no cause.
"""

from collections.abc import Sequence

from oneowner.checkers.recordings.read.events import Cause, brokers_named
from oneowner.checkers.recordings.scene.absences import absences
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import cite
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.session_losses import silent_before
from oneowner.checkers.recordings.scene.timeline import is_at, meets
from oneowner.model.channel.record import is_in_flight, owner


def why_gone(scene: Scene, broker: str, time: int) -> Cause | None:
    """Return why *broker* was gone at *time*, or about to go: it was stopping, away, or not registered."""
    known = happenings_of(scene)
    for stop in known.stops.get(broker, ()):
        if is_at(stop, time):
            return stop.cause
    ended = [one for one in registry_of(scene).of(broker) if one.since <= time]
    if ended and ended[-1].until <= time + scene.limits.clock_skew:
        return known.of_end.get((broker, ended[-1].until))
    return next((known.of_absence[broker, away.since] for away in absences(scene, broker) if away.covers(time)), None)


def why_ended(scene: Scene, held: Held | None) -> tuple[Cause, ...]:
    """Return why a node went."""
    if held is None:
        return ()
    cause = happenings_of(scene).of_end.get((held.broker, held.until))
    return () if cause is None else (cause,)


def unregistered_leaders(scene: Scene, since: int, until: int) -> tuple[Cause, ...]:
    """Return the elections of brokers that were not registered at some time of *since* .. *until*."""
    return tuple(
        cause
        for cause, happening in happenings_of(scene).found.items()
        if cause.kind == HappeningKind.UNREGISTERED and meets(happening, since, until)
    )


def why_away(scene: Scene, broker: str, since: int, until: int) -> tuple[Cause, ...]:
    """Return the cause that kept *broker* from serving in *since* .. *until*: an absence, its session, a stop."""
    known = happenings_of(scene)
    found = [known.of_absence[broker, away.since] for away in absences(scene, broker) if meets(away, since, until)]
    times = (*known.stops.get(broker, ()), *known.cuts.get(broker, ()))
    found += [one.cause for one in times if meets(one, since, until)]
    for held in registry_of(scene).of(broker):
        if since <= held.until <= until:
            found += why_ended(scene, held)
    found += [one.cause for one in known.outages_of(scene, broker) if meets(one, since, until)]
    return tuple(dict.fromkeys(found))


def why_silent(scene: Scene, broker: str, time: int) -> tuple[Cause, ...]:
    """
    Return the pause of *broker* at *time*.

    Without one, return the loss of a session before which its log was silent at that time: it may have stood still.
    """
    known = happenings_of(scene)
    pauses = (away for away in absences(scene, broker) if away.is_pause and away.covers(time))
    found = [known.of_absence[broker, away.since] for away in pauses]
    for cut in known.cuts.get(broker, ()) if not found else ():
        lost = max(cite(seen).time for seen in cut.evidence)
        if lost - silent_before(scene, broker, lost) <= time <= lost:
            found.append(cut.cause)
    return tuple(found)


def why_unregistered(scene: Scene, broker: str, since: int, until: int) -> tuple[Cause, ...]:
    """
    Return why *broker* was not registered at *since*, unless it had been for longer than the in-flight wait by *until*.

    No lookup is answered with an unregistered broker, not even by itself (``ExtensibleLoadManagerImpl.assign`` looks
    the owner up, since 4.0.6 ``getActiveOwnerAsync`` does), and a lookup that waits meanwhile waits on
    when it is again.
    """
    registered = registry_of(scene).of(broker)
    last = next((held for held in reversed(registered) if held.since <= since), None)
    again = min((held.since for held in registered if held.since > since), default=until)
    if last is None or last.until > since or until > again + scene.limits.in_flight_wait:
        return ()
    return why_ended(scene, last)


def why_forced(scene: Scene, step: Step) -> tuple[Cause, ...]:
    """
    Return why a record was forced: a party of the replaced entry was gone, or about to go, or reached no other.

    The broker that gets the unit may be about to go as well, as where two brokers stop at once.
    """
    record = step.record
    if not record.force:
        return ()
    held = step.held
    parties = brokers_named(held) if is_in_flight(held) else (str(owner(held)), str(record.source))
    involved = (*parties, str(record.destination))
    gone = dict.fromkeys(why_gone(scene, broker, step.time) for broker in involved)
    return tuple(cause for cause in gone if cause is not None) or unconnected_among(scene, involved, step.time)


def unconnected_among(scene: Scene, brokers: Sequence[str], time: int) -> tuple[Cause, ...]:
    """Return the times in which one of *brokers* reached no other, over by *time* for an unload time-out at most."""
    apart = (one for one in happenings_of(scene).found.values() if one.cause.kind == HappeningKind.UNCONNECTED)
    near = (one.cause for one in apart if meets(one, time - scene.limits.unload, time))
    return tuple(cause for cause in near if cause.subject in brokers)
