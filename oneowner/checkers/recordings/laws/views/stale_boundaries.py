"""
Boundaries from before a split that a broker without a notification of it still uses.

A broker reads the boundaries of a namespace anew when it is notified that they changed, and at no other time, not even
in a new session (``NamespaceBundleFactory`` of 4.0.6, 4.2.4 and 5.0.0-M1). Its watches never report changes made while
it is disconnected: they are persistent ones (apache/zookeeper#1106). So a broker that was away while a bundle was split
uses the bundle that the split has deleted: it assigns that anew, beside its children, and serves no topic of a child.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from oneowner.checkers.recordings.laws.views.publishers import publishers
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.scene.channel_history import History, Step
from oneowner.checkers.recordings.scene.explanations import why_away
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.record import ASSIGNING, DELETED
from oneowner.model.pulsar.bundles import overlap


class Stale(NamedTuple):
    """A broker that assigned a bundle which a split had deleted."""

    unit: History
    revived: Step
    happening: Happening

    def is_of(self, unit: History) -> bool:
        """Return whether topics of *unit* may lie in the bundle that it uses."""
        same = self.unit.key.rpartition("/")[0] == unit.key.rpartition("/")[0]
        return same and overlap(self.unit.range, unit.range)


def stale_boundaries(scene: Scene) -> list[Stale]:
    """Return, for the whole run, the brokers that used boundaries from before a split that they missed."""
    return scene.of_run(_all)


def why_revived(scene: Scene, unit: str, until: int) -> tuple[Cause, ...]:
    """Return the brokers that brought *unit*, or one that overlaps it, back so by the time *until*, and the causes."""
    return _causes(one for one in _concerning(scene, unit) if one.revived.time <= until)


def why_elsewhere(scene: Scene, broker: str, unit: str, since: int, until: int) -> tuple[Cause, ...]:
    """Return why *broker* looked for another bundle than *unit* from *since* to *until*: a new process does no more."""
    return _causes(
        one
        for one in _concerning(scene, unit)
        if one.happening.cause.subject == broker and one.revived.time <= until and since <= one.happening.until
    )


def sent_away(scene: Scene, unit: str, since: int, until: int) -> tuple[Cause, ...]:
    """Return whose boundaries they are, if brokers refused the topics of *unit* meanwhile: each knew another bundle."""
    return tuple(
        one.happening.cause
        for one in _concerning(scene, unit)
        if since <= one.happening.until
        and any(
            line.broker == one.happening.cause.subject and line.unit == one.unit.key and since <= line.time <= until
            for line in scene.lines("not-served")
        )
    )


def _concerning(scene: Scene, unit: str) -> Iterator[Stale]:
    history = scene.channel.units.get(unit)
    return (one for one in stale_boundaries(scene) if history is not None and one.is_of(history))


def _causes(found: Iterable[Stale]) -> tuple[Cause, ...]:
    return tuple(dict.fromkeys(cause for one in found for cause in (one.happening.cause, *one.happening.behind)))


def _all(scene: Scene) -> list[Stale]:
    known, channel = publishers(scene)[0], scene.channel
    split = {step.key for step in channel.at(channel.columns.of_state(DELETED))}
    return [one for key, unit in channel.units.items() if key in split for one in _of_unit(scene, unit, known)]


def _of_unit(scene: Scene, unit: History, known: dict[str, tuple[str, LogEvent | NodeWrite]]) -> Iterator[Stale]:
    """Yield each assignment of a bundle behind its split, by a broker that is known and was away since."""
    deleted: Step | None = None
    for step in unit.accepted:
        if not step.is_tombstone and step.record.state == DELETED:
            deleted = step
        elif deleted is not None and not step.is_tombstone and step.record.state == ASSIGNING:
            broker, proof = known.get(str(step.message.producer), ("", None))
            since = deleted.time - scene.limits.session  # a new session has watches a while after its broker is back
            reasons = why_away(scene, broker, since, step.time) if broker else ()
            if reasons and proof is not None:
                yield Stale(unit, step, _happening(scene, unit.key, deleted, step, broker, proof, reasons))
            deleted = None


def _happening(
    scene: Scene, unit: str, deleted: Step, revived: Step, broker: str, proof: LogEvent | NodeWrite,
    reasons: tuple[Cause, ...],
) -> Happening:  # fmt: skip
    births = [life.start for life in scene.lives.get(broker, ()) if life.start > revived.time]
    words = (
        f"{broker} went on by boundaries of before the split of {unit}, of which it was not told, and assigned it "
        f"beside its children"
    )
    return Happening(
        Cause(HappeningKind.BOUNDARIES, broker, deleted.time), min(births, default=END), words, (broker,),
        (deleted, revived, proof), reasons, f"restart {broker}: it reads the boundaries anew; then unload {unit}",
    )  # fmt: skip
