"""
A law of losses that a view of the metadata store misses: a broker that loses a unit takes a record of the loss.

A notification reports that a node changed, and the notified broker reads its value of that later time
(``MetadataStoreTableViewImpl.doHandleNotification``). A broker gives topics up where a forced Owned or Free names it as
the source, or the Owned that ends a hand-over of two phases (``ServiceUnitStateChannelImpl.handleOwnEvent``,
``handleFreeEvent``). If it reads a later record instead, it keeps its topics: those that are open while others serve
them, or that it has closed for a hand-over and gets back, fenced. Other records that name it close nothing there: the
Free of an unload, and the Owned after a hand-over of one phase, come when it has closed all. A view of the topic takes
every record in order: ``missed_records.py`` judges that.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.fold.recorded_law import Excuse, excuse
from oneowner.checkers.recordings.laws.scene_law import InParts, LawOutcome, SceneLaw, Scope, added, finding
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.laws.views.joined_lines import Joined
from oneowner.checkers.recordings.laws.views.line_record_join import View, named, views
from oneowner.checkers.recordings.laws.views.missed_records import line_lost, not_handling, shown_time, without_debug
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.registry_from_logs import LOST, SESSION
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.channel.record import FREE, NOBODY, OWNED, RELEASING
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

LOSS_IS_NOTICED: Final = "loss-is-noticed"
ANEW: Final = ("existing-node-applied", "invalidated-unloaded")
"""Lines of a view that is filled anew, as when it lost its session: then the broker closes its topics (#24478)."""


class Missed(NamedTuple):
    """A loss that a view passed over."""

    loss: Step
    later: Step
    """The next record of the unit that the view took."""
    until: int
    """The time when it took a record that had it close; END: not up to the end of its process."""

    def is_back(self, broker: str) -> bool:
        """Return whether the unit was on its way back to the broker by then."""
        return str(self.later.record.destination) == broker


@excuse("a record whose source has closed everything: the Free of an unload, the Owned of a one-phase hand-over")
def has_closed(scene: Scene, step: Step) -> bool:
    return not step.record.force and (step.record.state == FREE or scene.is_one_phase)


def is_loss(scene: Scene, step: Step, broker: str) -> bool:
    """Return whether a record takes a unit from a broker that closes topics by it, and by no earlier one."""
    return _names(step, broker) and step.record.state in (OWNED, FREE) and not has_closed.of(scene, step)


def closes_all(scene: Scene, step: Step, broker: str) -> bool:
    """Return whether a broker that handles a record closes every topic of the unit, and disconnects its clients."""
    record = step.record
    is_unload = record.state == RELEASING and (record.destination == NOBODY or scene.is_one_phase)
    return is_loss(scene, step, broker) or (is_unload and _names(step, broker))


def _names(step: Step, broker: str) -> bool:
    return not step.is_tombstone and str(step.record.source) == broker != str(step.record.destination)


@excuse("a view of the topic, which accepted-is-handled judges")
def of_topic(scene: Scene) -> bool:
    return scene.storage == Storage.SYSTEM_TOPIC


@excuse("a view that is filled again: the broker closes what it had")
def filled_again(scene: Scene, view: View, loss: Step, later: Step) -> bool:
    """Return whether it was filled again between the loss and *later*, or closed the unit as its session had ended."""
    until = _taking(view, later).said.time
    lines = of_kinds(view.lines, *ANEW)
    return any(line.unit == loss.key and loss.time <= line.time <= until for line in lines)


@excuse("a lost session, by which the view may be filled again, which is a doubt")
def lost_session(scene: Scene, view: View, loss: Step, later: Step) -> bool:
    since, until = loss.time - scene.limits.session, _taking(view, later).said.time
    ends = (line for line in of_kinds(view.lines, SESSION) if line.values.get("event") == LOST)
    return any(since <= line.time <= until for line in ends)


CLOSES_LATER = Excuse("a later record by which the broker closes everything, too", closes_all)


def _see(scene: Scene) -> LawOutcome:
    """Judge each process of brokers by the records of its units that it took."""
    judged = LawOutcome()
    for view in () if of_topic.of(scene) else views(scene):
        taken, shown, broker = _taken(scene, view), shown_time(scene, view), view.life.broker
        missed: list[Missed] = []
        for history in scene.channel.units.values():
            mine = taken.get(history.key, [])
            for step in history.accepted:
                if not mine or step.time not in shown or not is_loss(scene, step, broker):
                    continue
                later = [one for one in mine if one.place > step.place]
                judged.exercised += bool(later) or step in mine
                if step in mine or not later or CLOSES_LATER.of(scene, later[0], broker):
                    continue
                if filled_again.of(scene, view, step, later[0]):
                    continue
                if lack := _lack(scene, view, step, later[0]):
                    judged.doubts.append(f"{broker} shows nothing of {named(step)}: {lack}")
                else:
                    closes = (one.time for one in later if closes_all(scene, one, broker))
                    missed.append(Missed(step, later[0], min(closes, default=END)))
        _report(scene, view, missed, judged)
    return judged


def _taken(scene: Scene, view: View) -> dict[str, list[Step]]:
    """Return the records that the process's view took by its log, by unit, in the order of the channel."""
    found: dict[str, list[Step]] = defaultdict(list)
    for place in np.unique(view.requests.table["place"]).tolist():
        if place >= 0:
            step = scene.channel.timeline[place]
            found[step.key].append(step)
    return found


def _taking(view: View, step: Step) -> Joined:
    """Return the line by which a view took a record."""
    return view.requests.where(view.requests.table["place"] == step.place)[0]


def _lack(scene: Scene, view: View, loss: Step, later: Step) -> str:
    """Return why it may have noticed the loss all the same, before it took *later*; empty: it cannot have."""
    if line_lost.of(scene, loss, view):
        return "its log lacks lines"
    is_doubt = lost_session.of(scene, view, loss, later)
    return "it lost its session, and may have read anew" if is_doubt else ""


def _report(scene: Scene, view: View, missed: Sequence[Missed], judged: LawOutcome) -> None:
    """Report each loss that a process missed, as followed from one happening: its late notification."""
    if not missed:
        return
    broker = view.life.broker
    cause = Cause(HappeningKind.LOSS_UNSEEN, broker, min(one.loss.time for one in missed))
    judged.findings += [_finding(view, one, cause) for one in missed]
    until = max(one.until for one in missed)
    units = sorted({one.loss.key for one in missed})
    many = f"{len(units)} bundle{'s' if len(units) > 1 else ''}"
    is_back = all(one.is_back(broker) for one in missed)
    words = f"{broker} was not told in time that {many} had gone to others: " + (
        "they came back while it had closed them, and their topics stay fenced there"
        if is_back
        else "the value that it read came later and does not name it, so it keeps their topics"
    )
    evidence = tuple(step for one in missed[:2] for step in (one.loss, one.later))
    repair = _repair(units, broker, is_back)
    judged.happenings.append(Happening(cause, until, words, (broker,), evidence, (), repair))


def _repair(units: Sequence[str], broker: str, is_back: bool) -> str:
    """Return what ends it: an unload closes topics at the owner alone, so that a former owner needs a restart."""
    if is_back:
        return f"unload {', '.join(units)} at {broker}, or restart that broker"
    return f"restart {broker}, which serves what it lost: an unload reaches the owner alone"


def _finding(view: View, one: Missed, cause: Cause) -> Finding:
    broker = view.life.broker
    why = (
        f"{broker} never took {named(one.loss)}, which takes the unit from it, and went on with {one.later.record} "
        f"({one.later.message_id}): it keeps the topics that it had, open or fenced"
    )
    until = view.life.end if one.until == END else one.until
    window = Window(one.loss.time, until, one.loss.time, one.until)
    return finding(
        LOSS_IS_NOTICED, Severity.VIOLATION, why, [one.loss, one.later, _taking(view, one.later).said],
        unit=one.loss.key, brokers=[broker], step=one.loss, window=window, time=one.loss.time, causes=(cause,),
        repair=_repair([one.loss.key], broker, one.is_back(broker)),
        symptoms=[Symptom.BACK_AGAIN if one.is_back(broker) else Symptom.STAYED_AWAY],
    )  # fmt: skip


LOSSES: Final = InParts(_see, lambda scene, parts: added(parts))


def missed_loss(scene: Scene, unit: str, since: int, until: int) -> tuple[Cause, ...]:
    """Return the reasons that a broker kept topics of *unit* that it had lost, at some time of these."""
    return tuple(
        one.causes[0]
        for one in scene.of_run(LOSSES).findings
        if one.unit == unit and one.window is not None
        and one.window.possible_since <= until and one.window.possible_until >= since
    )  # fmt: skip


LAWS: Final = (
    SceneLaw(
        LOSS_IS_NOTICED,
        "A broker that loses a unit takes a record that says so before it takes a later one of the unit.",
        "MetadataStoreTableViewImpl.doHandleNotification; ServiceUnitStateChannelImpl.handleOwnEvent, handleFreeEvent",
        excuses=(
            *(of_topic, without_debug, not_handling, line_lost),
            *(has_closed, CLOSES_LATER, filled_again, lost_session),
        ),
        needs=(Source.CHANNEL, Source.LOGS, Source.DEBUG),
        by_logs=True,
        judge=LOSSES,
        scope=Scope.BROKER,
    ),
)
