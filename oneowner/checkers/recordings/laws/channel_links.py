"""
Causes of the findings of the channel's laws, where logs and ZooKeeper show them.

The fold sees records alone, and on many machines: it sees that a record was forced, and not the reason. Here each law
of the channel for which the scene adds a cause has a function of the scene and its finding.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.channel_laws import (
    GIVEN_BACK_BY_FORCE,
    OVERLAPPING_OWNERS,
    PARENT_REVIVED,
    STUCK,
    TOMBSTONE_OF_ACTIVE,
    is_stuck,
)
from oneowner.checkers.recordings.laws.answers.lookup_answers import ATTESTED
from oneowner.checkers.recordings.laws.recovery.put_off import put_off
from oneowner.checkers.recordings.laws.serving.given_back import given_back, given_back_while_closing, giving_back
from oneowner.checkers.recordings.laws.views.stale_boundaries import stale_boundaries, why_revived
from oneowner.checkers.recordings.read.events import Cause, Finding, Window, brokers_named
from oneowner.checkers.recordings.scene.channel_history import History, Step
from oneowner.checkers.recordings.scene.explanations import why_away, why_forced
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.times import lasting
from oneowner.model.channel.record import FREE, SPLITTING
from oneowner.model.pulsar.bundles import overlap


class Linked(NamedTuple):
    """The causes, time and excuse that the scene adds to a finding of the channel's laws."""

    causes: tuple[Cause, ...] = ()
    """Its causes."""
    told: tuple[Happening, ...] = ()
    """The happenings among these that no other law reports."""
    window: Window | None = None
    """The time for which it was so; None: its end is unknown."""
    excuse: str = ""
    """The reason that it is no violation after all; empty: it is one."""


NOTHING: Final = Linked()


def linked(scene: Scene, finding: Finding) -> Linked:
    """Return the causes of a finding of a law of the channel; nothing if it is of another law."""
    link = LINKS.get(finding.law)
    history = scene.channel.units.get(finding.unit or "")
    step = _step(history, finding) if history is not None else None
    return NOTHING if link is None or history is None or step is None else link(scene, history, step)


def of_channel(scene: Scene) -> list[Finding]:
    """Return findings of laws of the channel that the channel alone does not show."""
    return given_back_while_closing(scene)


def _step(history: History, finding: Finding) -> Step | None:
    return next((step for step in history.steps if step.position == finding.position), None)


def _given_back(scene: Scene, history: History, step: Step) -> Linked:
    one = next((one for one in given_back(scene) if one.step.position == step.position), None)
    return NOTHING if one is None else Linked(giving_back(scene, one), (), _window(scene, one.since, one.until))


def _window(scene: Scene, since: int, until: int) -> Window:
    return Window(since, (scene.end or since) if until == END else until, since, until)


def _next(history: History, step: Step) -> int:
    """Return the publish time of the unit's next record."""
    later = (one for one in history.accepted if one.position > step.position)
    return next((max(one.time, step.time) for one in later), END)


def _deleted(scene: Scene, history: History, step: Step) -> Linked:
    """Link a tombstone with the forced Free whose source writes it when it has closed, and that with its reason."""
    before = history.steps[: history.steps.index(step)]
    freed = [one for one in before if one.is_accepted and one.record.force and one.record.state == FREE]
    if not freed:
        return NOTHING
    source, reasons = str(freed[-1].record.source), why_forced(scene, freed[-1])
    since = min((cause.since for cause in reasons), default=freed[-1].time)
    cause = Cause(HappeningKind.DELETED, source, since)
    words = (
        f"late tombstones of {source} deleted entries that had been given to others: it had been forced to give these "
        f"bundles up, and writes a tombstone when its close is done, whatever came meanwhile"
    )
    repair = "look up a topic of each bundle: it is assigned again"
    told = Happening(cause, step.time, words, (source,), (freed[-1],), reasons, repair)
    return Linked((cause, *reasons), (told,), _window(scene, step.time, _next(history, step)))


def _overlapping(scene: Scene, history: History, step: Step) -> Linked:
    """Link two owners of overlapping units with the record that brought the parent back, or cut its split."""
    revived = why_revived(scene, history.key, step.time)
    if revived:
        return Linked(revived)
    for other in scene.channel.of_namespace(history.key.rpartition("/")[0]):
        if not overlap(other.range, history.range):
            continue
        split = [one for one in other.accepted if one.record.state == SPLITTING and not one.record.force]
        split = [one for one in split if one.time <= step.time]
        later = [one for one in other.accepted if split and one.position > split[-1].position]
        for forced in later[:1]:
            owner, reasons = str(split[-1].record.source), why_forced(scene, forced)
            if not reasons:
                continue
            cause = Cause(HappeningKind.SPLIT_CUT, other.key, split[-1].time)
            words = f"{owner} was gone amid the split of {other.key}: parent and children were given to several brokers"
            repair = f"unload {other.key} and its children, so that each range has one owner"
            told = Happening(cause, END, words, (owner,), (split[-1], forced), reasons, repair)
            return Linked((cause, *reasons), (told,))
    return Linked(why_forced(scene, step))


def _revived(scene: Scene, history: History, step: Step) -> Linked:
    """Link a parent that comes back with the boundaries by which its publisher went."""
    told = [one.happening for one in stale_boundaries(scene) if one.revived.position == step.position]
    causes = [cause for happening in told for cause in (happening.cause, *happening.behind)]
    return Linked(tuple(causes), tuple(told)) if told else NOTHING


def _stuck(scene: Scene, history: History, step: Step) -> Linked:
    since, until = step.time, _left(history, step)
    last, parties = (scene.end or since) if until == END else until, brokers_named(step.record)
    causes = tuple(cause for broker in parties for cause in why_away(scene, broker, since, last))
    return Linked(causes, (), Window(since, last, since, until), _excuse(scene, step, until, parties))


def _left(history: History, step: Step) -> int:
    """Return the time when the unit left the state in which it was in flight: one that is written again runs on."""
    later = (one for one in history.accepted if one.position > step.position and one.record.state != step.record.state)
    return next((max(one.time, step.time) for one in later), END)


def _excuse(scene: Scene, step: Step, until: int, parties: Sequence[str]) -> str:
    """Return why no broker had to end a state in flight, if it lasted no longer than the limit beside that time."""
    known = until
    if until == END:
        known = max(*(scene.channel.timeline.span()[-1:] or (step.time,)), ATTESTED.of(scene))
    off, limit = put_off(scene, step.time, known, parties).total, scene.limits.in_flight
    if is_stuck(step.time, known - off, limit):
        return ""
    why = f"of which nobody was to clean up for {lasting(off)}: the leader's session was over, lost or new"
    return why if off else f"which is not longer than {lasting(limit)}, by the settings that brokers print"


LINKS: Final[Mapping[str, Callable[[Scene, History, Step], Linked]]] = {
    GIVEN_BACK_BY_FORCE.name: _given_back,
    TOMBSTONE_OF_ACTIVE.name: _deleted,
    OVERLAPPING_OWNERS.name: _overlapping,
    PARENT_REVIVED.name: _revived,
    STUCK.name: _stuck,
}
"""By law; the causes of other laws are in no other source."""
