"""
Topics that their owner keeps fenced: units that were given back by force, and lines that refuse clients.

A close fences a topic when it starts, and the source of a hand-over keeps the closed object (PIP-307). A broker that
gets the unit back by force opens nothing anew, and every client meets that object (``BrokerService.getTopic``). The
record that is overridden may be the Assigning, which the source publishes when it has closed, or the Releasing, whose
handler closes (``handleReleaseEvent``): only the source's log proves that it ran. Where the topic is the namespace's
``__change_events``, no broker can read the policies, and none can open a topic of the namespace.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.channel_laws import GIVEN_BACK_BY_FORCE, is_handed_over
from oneowner.checkers.recordings.fold.recorded_law import Harm, excuse
from oneowner.checkers.recordings.laws.scene_law import BOUNDARIES, CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.serving.overridden_releases import closing_line, is_returned
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.explanations import why_forced, why_gone
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import Stay, stays
from oneowner.checkers.recordings.scene.timeline import END, is_at, meets
from oneowner.checkers.recordings.scene.topics import Topics, namespace_of
from oneowner.checkers.times import lasting
from oneowner.model.channel.record import next_version
from oneowner.model.kernel.law import Severity

LEFT_FENCED = "topic-stays-fenced"
FENCED: Final = ("producer-meets-fence", "consumer-meets-fence")
UNREAD: Final = "policies-not-read"
OPENED: Final = "topic-created"
POLICIES: Final = "/__change_events"
"""The end of the name of the topic that holds the topic policies of its namespace."""


class GivenBack(NamedTuple):
    """Some time for which a broker owned a unit that it had closed for another one, and has not opened since."""

    unit: str
    broker: str
    step: Step
    """The forced Owned."""
    since: int
    until: int
    """Its next record, or the start of the broker's next process: then its topics open anew. END: neither came."""
    refused: tuple[LogEvent, ...]
    """Lines of the broker that refuse clients of the unit's topics as fenced."""
    is_of_policies: bool
    """True if one of them is for the topic policies of the namespace."""
    closing: LogEvent | None = None
    """The line by which the broker logs that it took the Releasing; None: the overridden record is its Assigning."""

    @property
    def words(self) -> str:
        """The words for the override, and for its signs."""
        seen = f", which refused {len(self.refused)} clients as fenced" if self.refused else ""
        return f"{self.step.message_id} gave {self.unit} back by force to {self.broker}{seen}"


def given_back(scene: Scene) -> list[GivenBack]:
    """Return all units that were given back by force, in the order of their units."""
    return scene.once(_given_back)


def _given_back(scene: Scene) -> list[GivenBack]:
    topics, found, channel = Topics(scene), list[GivenBack](), scene.channel
    forced = {step.key for step in channel.at(channel.columns.forced())}
    for unit in () if scene.is_one_phase else [unit for unit in channel.units if unit in forced]:
        for stay in stays(channel.units[unit]):
            step = stay.step
            if not is_returned(step) or _may_follow_others(scene, step):
                continue
            broker, closing = str(step.record.destination), None
            if not is_handed_over(step.held):
                closing = closing_line(scene, stay)
                if closing is None:
                    continue
            starts = [life.start for life in scene.lives.get(broker, ())[1:] if life.start > stay.since]
            until = min([stay.until, *starts])
            refused = [
                line for topic, line in _refusals(scene, broker)
                if stay.since <= line.time < until and topics.unit(topic, line.time) == unit
            ]  # fmt: skip
            of_policies = any(_topic(line).endswith(POLICIES) for line in refused)
            found.append(GivenBack(unit, broker, step, stay.since, until, tuple(refused), of_policies, closing))
    return found


def _may_follow_others(scene: Scene, step: Step) -> bool:
    """Return whether records before it may be missing, where logs alone show any."""
    if scene.logged is None:
        return False
    return step.key in scene.logged.unsettled or step.record.version != next_version(step.held)


def _refusals(scene: Scene, broker: str) -> Iterator[tuple[str, LogEvent]]:
    for line in of_kinds(scene.said.get(broker, ()), *FENCED):
        yield _topic(line), line


def _topic(line: LogEvent) -> str:
    return str(line.values.get("topic", ""))


def cause_of(scene: Scene, unit: str, since: int, until: int) -> GivenBack | None:
    """Return the unit given back that kept *unit* from its clients then: itself, or the policies of its namespace."""
    there = [one for one in given_back(scene) if meets(one, since, until)]
    own = [one for one in there if one.unit == unit]
    hostage = [one for one in there if one.is_of_policies and one.unit.rpartition("/")[0] == unit.rpartition("/")[0]]
    return next(iter([*own, *hostage]), None)


def giving_back(scene: Scene, one: GivenBack) -> tuple[Cause, ...]:
    """
    Return the causes of a unit's return: its destination was gone, and so it was forced.

    A broker that is itself about to stop keeps nothing fenced: then its stop is all that happened.
    """
    behind = why_forced(scene, one.step)
    return behind if _is_going(scene, one) else (_giving_back(scene, one).cause, *behind)


def _is_going(scene: Scene, one: GivenBack) -> bool:
    return why_gone(scene, one.broker, one.since) is not None


def _giving_back(scene: Scene, one: GivenBack) -> Happening:
    """Report all units that one clean-up gave back to one broker as one happening."""
    behind = why_forced(scene, one.step)
    alike = [
        other for other in given_back(scene)
        if other.broker == one.broker and why_forced(scene, other.step) == behind and (behind or other == one)
    ]  # fmt: skip
    gone = f", when {behind[0].subject} was gone" if behind else ""
    words = (
        f"{len(alike)} bundles were given back by force to {one.broker}, which had closed them{gone}: their topics "
        f"stay fenced there"
    )
    units = ", ".join(other.unit for other in alike)
    return Happening(
        Cause(HappeningKind.GIVEN_BACK, one.broker, min(other.since for other in alike)),
        max(other.until for other in alike),
        words if len(alike) > 1 else words.replace("1 bundles were", "1 bundle was"), (one.broker,),
        tuple(other.step for other in alike), behind, f"unload {units} at {one.broker}, or restart that broker",
    )  # fmt: skip


def _judge_fenced(scene: Scene) -> LawOutcome:
    """
    Warn of clients that were refused as fenced for longer than a close may take, by one owner in one stay.

    A close under way fences too, of a hand-over or of a deletion: it is over, or given up, after the unload timeout. A
    broker that does not own the unit any more may refuse as long as it likes: clients do not stay there.
    """
    judged, topics = LawOutcome(), Topics(scene)
    judged.happenings += [_giving_back(scene, one) for one in given_back(scene) if not _is_going(scene, one)]
    for broker in scene.said:
        refused: dict[str, list[LogEvent]] = {}
        for topic, line in _refusals(scene, broker):
            refused.setdefault(topic, []).append(line)
        judged.exercised += len(refused)
        for topic, lines in refused.items():
            unit = topics.unit(topic, lines[0].time)
            is_owner = False
            for stay in stays(scene.channel.units.get(unit or "")):
                own = [line for line in lines if stay.owner == broker and is_at(stay, line.time)]
                is_owner = is_owner or bool(own)
                if _is_long(scene, own):
                    _report_fenced(scene, unit or "", stay, topic, own, judged)
            if not is_owner and Source.CHANNEL not in scene.present and not scene.migration:
                own = lines[: len(lines) - len(opened_elsewhere.of(scene, topic, lines))]
                _report_owner_unknown(scene, unit, broker, topic, own, judged)
    return judged


def _is_long(scene: Scene, lines: Sequence[LogEvent]) -> bool:
    """Return whether refusals as fenced span more time than a close may take."""
    return bool(lines) and lines[-1].time - lines[0].time > scene.limits.unload


@excuse("a topic that another broker opened, where no record shows the owner: clients go there")
def opened_elsewhere(scene: Scene, topic: str, lines: Sequence[LogEvent]) -> list[LogEvent]:
    """Return the refusals that came after another broker had opened the topic."""
    opened = [line.time for line in scene.lines(OPENED) if _topic(line) == topic and line.broker != lines[0].broker]
    until = min((time for time in opened if time >= lines[0].time), default=END)
    return [line for line in lines if line.time >= until]


def given_back_while_closing(scene: Scene) -> list[Finding]:
    """Return the finding of ``given-back-by-force`` for an overridden Releasing: the channel alone does not show it."""
    found = []
    for one in given_back(scene):
        if one.closing is not None and not _is_going(scene, one):
            closer, held = one.broker, one.step.held
            words = (
                f"{one.step.record} gives the unit back to {closer}, which closes it for {held}: it does not open it "
                f"again, so its topics stay cached and fenced until {closer} unloads the unit or restarts"
            )
            found.append(
                finding(
                    GIVEN_BACK_BY_FORCE.name, Severity.WARNING if scene.is_partial else Severity.VIOLATION, words,
                    [one.closing, one.step, *one.refused[:2]], unit=one.unit, brokers=(closer, str(held.destination)),
                    step=one.step, window=Window(one.since, one.until, one.since, one.until), time=one.since,
                    guard=f"another owner with {closer} as source",
                    repair=f"unload the bundle at {closer}, or restart that broker", causes=giving_back(scene, one),
                )
            )  # fmt: skip
    return found


def _report_owner_unknown(
    scene: Scene, unit: str | None, broker: str, topic: str, lines: Sequence[LogEvent], judged: LawOutcome
) -> None:
    """Report a broker that refuses clients for long, where logs alone are there and show no record of its bundle."""
    if not _is_long(scene, lines):
        return
    since, until = lines[0].time, lines[-1].time
    judged.findings.append(
        finding(
            LEFT_FENCED, Severity.WARNING,
            f"{broker} has refused {len(lines)} clients of {topic} as fenced for {lasting(until - since)}, longer than "
            f"a close may take; no record shows who owns its bundle.",
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
        if topic.endswith(POLICIES) and since <= line.time and namespace_of(_topic(line)) == namespace
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
            Severity.WARNING,
            f"{stay.owner} owns {unit} and has refused {len(lines)} clients of {topic} as fenced for "
            f"{lasting(until - since)}, longer than a close may take{hostage}.",
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
        excuses=(opened_elsewhere,),
        needs=(Source.LOGS,),
        of_channel=True,
        by_logs=True,
        judge=_judge_fenced,
        uses=(*CLUSTER, *BOUNDARIES, Source.CHANNEL),
        severity=Severity.WARNING,
    ),
)
