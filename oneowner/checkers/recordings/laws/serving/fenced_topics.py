"""
A law of fenced topics: the owner of a unit refuses no client as fenced for longer than a close may take.

A close fences a topic when it starts. Where the topic is the namespace's ``__change_events``, no broker can read the
policies, and none can open a topic of the namespace. The broker's own log shows the harm: each refusal is a client that
a lookup led there.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from oneowner.checkers.recordings.fold.recorded_law import Harm, excuse
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.given_back import (
    POLICIES,
    given_back,
    giving_back,
    happening_of,
    is_going,
    refusals,
    topic_of,
)
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, stays
from oneowner.checkers.recordings.scene.timeline import END, is_at
from oneowner.checkers.recordings.scene.topics import Topics, namespace_of
from oneowner.checkers.times import lasting
from oneowner.model.kernel.law import Severity

LEFT_FENCED = "topic-stays-fenced"
UNREAD: Final = "policies-not-read"
OPENED: Final = "topic-created"
RETRY: Final = 90_000
"""Milliseconds within which a client that was refused certainly tries again: its longest back-off is a minute."""
NOT_PERSISTED: Final = "publish-not-persisted"


def _judge_fenced(scene: Scene) -> LawOutcome:
    """
    Report clients that were refused as fenced for longer than a close may take, by one owner in one stay.

    A close under way fences too, of a hand-over or of a deletion: it is over, or given up, after the unload timeout;
    one that takes longer than the in-flight wait is a warning. A broker that does not own the unit any more may refuse
    as long as it likes: clients do not stay there.
    """
    judged, topics = LawOutcome(), Topics(scene)
    judged.happenings += [happening_of(scene, one) for one in given_back(scene) if not is_going(scene, one)]
    for broker in scene.said:
        refused: dict[str, list[LogEvent]] = {}
        for topic, line in refusals(scene, broker):
            refused.setdefault(topic, []).append(line)
        judged.exercised += len(refused)
        for topic, lines in refused.items():
            for spell in _spells(scene, topic, lines):
                _judge_spell(scene, topics.unit(topic, spell[0].time), topic, spell, judged)
    return judged


def _judge_spell(scene: Scene, unit: str | None, topic: str, lines: list[LogEvent], judged: LawOutcome) -> None:
    """Judge the refusals of a broker between the times at which it opened a topic anew."""
    broker, is_known = lines[0].broker, False
    for stay in stays(scene.channel.units.get(unit or "")):
        own = [line for line in lines if stay.owner == broker and is_at(stay, line.time)]
        is_known = is_known or bool(own) or (stay.owner is not None and is_at(stay, lines[-1].time))
        if _is_long(scene, own):
            _report_fenced(scene, unit or "", stay, topic, own, judged)
    if not is_known and Source.CHANNEL not in scene.present and not scene.migration:
        own = lines[: len(lines) - len(opened_elsewhere.of(scene, topic, lines))]
        _report_owner_unknown(scene, unit, broker, topic, own, judged)


def _is_long(scene: Scene, lines: Sequence[LogEvent]) -> bool:
    """Return whether refusals as fenced span more time than a client may wait for a hand-over."""
    limits = scene.limits
    return bool(lines) and lines[-1].time - lines[0].time > min(limits.in_flight_wait, limits.unload)


def _spells(scene: Scene, topic: str, lines: Sequence[LogEvent]) -> Iterator[list[LogEvent]]:
    """Yield the refusals between the times at which the broker opened the topic anew."""
    opened = [line.time for line in of_kinds(scene.said[lines[0].broker], OPENED) if topic_of(line) == topic]
    for _, own in groupby(lines, lambda line: bisect_right(opened, line.time)):
        yield list(own)


def _severity(scene: Scene, topic: str, lines: Sequence[LogEvent]) -> Severity:
    """A violation is refused again and again for longer than a close takes; two refusals far apart may be of two."""
    since, is_long = lines[0].time, False
    for before, after in pairwise(lines):
        since = since if after.time - before.time <= RETRY else after.time
        is_long = is_long or after.time - since > scene.limits.unload
    return Severity.VIOLATION if is_long and not writes_fail.of(scene, topic, lines) else Severity.WARNING


@excuse("a topic whose writes fail, as while bookies are away: it is fenced until they do not")
def writes_fail(scene: Scene, topic: str, lines: Sequence[LogEvent]) -> bool:
    """Return whether the broker could not persist a message of the topic meanwhile, or shortly before."""
    since, until = lines[0].time - scene.limits.unload, lines[-1].time
    failed = of_kinds(scene.said[lines[0].broker], NOT_PERSISTED)
    return any(topic_of(line) == topic and since <= line.time <= until for line in failed)


@excuse("a topic that another broker opened, where no record shows the owner: clients go there")
def opened_elsewhere(scene: Scene, topic: str, lines: Sequence[LogEvent]) -> list[LogEvent]:
    """Return the refusals that came after another broker had opened the topic."""
    opened = [line.time for line in scene.lines(OPENED) if topic_of(line) == topic and line.broker != lines[0].broker]
    until = min((time for time in opened if time >= lines[0].time), default=END)
    return [line for line in lines if line.time >= until]


def _bound(scene: Scene) -> str:
    return f"a close takes {lasting(scene.limits.unload)} at most"


def _report_owner_unknown(
    scene: Scene, unit: str | None, broker: str, topic: str, lines: Sequence[LogEvent], judged: LawOutcome
) -> None:
    """Report a broker that refuses clients for long, where logs alone are there and show no record of its bundle."""
    if not _is_long(scene, lines):
        return
    since, until = lines[0].time, lines[-1].time
    judged.findings.append(
        finding(
            LEFT_FENCED, _severity(scene, topic, lines),
            f"{broker} has refused {len(lines)} clients of {topic} as fenced for {lasting(until - since)} "
            f"({_bound(scene)}); no record shows who owns its bundle.",
            [lines[0], lines[-1]], unit=unit, brokers=(broker,), window=Window(since, until, since, until), time=since,
            guard=f"a topic is fenced while it closes: at most {lasting(scene.limits.unload)}",
            repair=f"unload the topic's bundle at {broker}, or restart that broker",
        )
    )  # fmt: skip


def _report_fenced(
    scene: Scene, unit: str, stay: Stay, topic: str, lines: Sequence[LogEvent], judged: LawOutcome
) -> None:
    since, until, namespace = lines[0].time, lines[-1].time, namespace_of(topic)
    unread = [
        line for line in scene.lines(UNREAD)
        if topic.endswith(POLICIES) and since <= line.time and namespace_of(topic_of(line)) == namespace
    ]  # fmt: skip
    hostage = (
        f"; it holds the topic policies of {namespace}: {len(unread)} times no topic of that namespace could be opened "
        f"for it at {', '.join(sorted({line.broker for line in unread}))}"
        if unread
        else ""
    )
    judged.findings.append(
        finding(
            LEFT_FENCED,
            _severity(scene, topic, lines),
            f"{stay.owner} owns {unit} and has refused {len(lines)} clients of {topic} as fenced for "
            f"{lasting(until - since)} ({_bound(scene)}){hostage}.",
            [stay.step, lines[0], *lines[1:][-1:], *unread[:1]],
            unit=unit,
            brokers=(stay.owner or "",),
            step=stay.step,
            window=Window(since, until, stay.since, stay.until),
            time=since,
            guard=f"a topic is fenced while it closes: at most {lasting(scene.limits.unload)}",
            repair=f"unload the bundle at {stay.owner}, or restart that broker",
            causes=[
                cause
                for one in given_back(scene)
                if one.unit == unit and one.since == stay.since
                for cause in giving_back(scene, one)
            ],
        )
    )


LAWS = (
    SceneLaw(
        LEFT_FENCED,
        "The owner of a unit refuses no client as fenced for longer than a close takes.",
        "BrokerService.getTopic, which returns the topic that is cached",
        order=16,
        harm=Harm.UNUSABLE,
        excuses=(opened_elsewhere, writes_fail),
        needs=(Source.LOGS,),
        of_channel=True,
        by_logs=True,
        judge=_judge_fenced,
        uses=(*CLUSTER, *BOUNDARIES, Source.CHANNEL),
    ),
)
