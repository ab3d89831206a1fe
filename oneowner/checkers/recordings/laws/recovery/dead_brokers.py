"""
A law of the dead: no unit is given to a broker that is dead but still registered (run.G7).

Between the death of a process and the end of its session every lookup may choose it, for all registered brokers are
asked for (``selectAsync``, channel.7). Such a unit stands until the leader overrides it.
"""

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.absences import Absence, absences
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.registry import Held, registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, stays
from oneowner.checkers.recordings.scene.timeline import END, is_at
from oneowner.checkers.times import lasting
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, is_in_flight
from oneowner.model.kernel.law import Severity

DEAD = "assigned-to-the-dead"


def _judge_dead(scene: Scene) -> LawOutcome:
    judged = LawOutcome()
    registry, end = registry_of(scene), scene.end or 0
    for broker in scene.brokers:
        for away in absences(scene, broker):
            if away.is_pause:
                continue
            back = end if away.until == END else away.until
            histories = [stays(unit) for unit in scene.channel.units.values()]
            given = [s for history in histories for s in history if _is_given(s, away, back)]
            caught = [s for history in histories for s in history if _is_caught(s, away)]
            judged.exercised += 1
            if given:
                _report_dead(scene, registry.of(broker), away, given, caught, judged)
    return judged


def _is_given(stay: Stay, away: Absence, back: int) -> bool:
    """The unit was given to the broker after its last sign of life; its own Owned would be a sign of life."""
    record = stay.record
    is_others = record.state in (ASSIGNING, RELEASING) or (record.state == OWNED and record.force)
    return is_others and str(record.destination) == away.broker and away.since < stay.since < back


def _is_caught(stay: Stay, away: Absence) -> bool:
    """The unit was on its way to the broker, or from it, when that died."""
    return is_at(stay, away.since) and is_in_flight(stay.record) and away.broker in stay.parties


def _report_dead(
    scene: Scene, held: list[Held], away: Absence, given: list[Stay], caught: list[Stay], judged: LawOutcome
) -> None:
    end = scene.end or 0
    ones = sorted([*given, *caught], key=lambda stay: stay.since)
    longest = max(ones, key=lambda s: min(s.until, end) - max(s.since, away.since))
    listed = [one for one in held if is_at(one, away.since)]
    if listed:
        still = f"but was still registered for {lasting(min(listed[0].until, end) - away.since)}"
    elif Source.ZOOKEEPER in scene.present:
        still = "and not registered"
    else:  # by its own lines a broker is registered as long as it speaks
        still = "(how long it was still registered, its log cannot tell)"
    last = max(min(stay.until, end) for stay in ones)
    stood = min(longest.until, end) - max(longest.since, away.since)
    judged.findings.append(
        finding(
            DEAD,
            Severity.WARNING,
            f"{away.broker} was dead {still}: {len(given)} times a unit was given to it, and {len(caught)} were on "
            f"their way when it died; they stood up to {lasting(stood)}.",
            [
                *away.evidence[:2],
                ones[0].step,
                longest.step,
                ones[-1].step,
                *(held.ended for held in listed if held.ended is not None),
            ],
            unit=longest.step.key if len(ones) == 1 else None,
            brokers=(away.broker,),
            step=given[0].step,
            window=Window(ones[0].since, last, away.since, last),
            guard="a unit is given to a broker that lives",
            repair="a broker that does not answer is left out of the choice before its session ends",
            causes=(happenings_of(scene).of_absence[away.broker, away.since],),
            units=[stay.step.key for stay in ones],
        )
    )


LAWS = (
    SceneLaw(
        DEAD,
        "No unit is given to a broker whose process is dead.",
        "ExtensibleLoadManagerImpl.selectAsync; seen in traces/real/kill-mid-transfer",
        order=55,
        harm=Harm.UNUSABLE,
        needs=(Source.CHANNEL,),
        judge=_judge_dead,
        uses=CLUSTER,
        severity=Severity.WARNING,
    ),
)
