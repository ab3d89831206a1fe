"""
Units given back by force: their broker has closed them, opens nothing anew, and keeps their topics fenced.

A close fences a topic when it starts, and the source of a hand-over keeps the closed object (PIP-307). A broker that
gets the unit back by force opens nothing anew, and every client meets that object (``BrokerService.getTopic``). The
record that is overridden may be the Assigning, which the source publishes when it has closed, or the Releasing, whose
handler closes (``handleReleaseEvent``): only the source's log proves that it ran.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.channel_laws import GIVEN_BACK_BY_FORCE, is_handed_over
from oneowner.checkers.recordings.laws.scene_law import finding
from oneowner.checkers.recordings.laws.serving.overridden_releases import closing_line, is_returned
from oneowner.checkers.recordings.read.events import Cause, Finding, Window
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.explanations import why_forced, why_gone
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.stays import stays
from oneowner.checkers.recordings.scene.timeline import meets
from oneowner.checkers.recordings.scene.topics import Topics
from oneowner.model.channel.record import next_version
from oneowner.model.kernel.law import Severity

FENCED: Final = ("producer-meets-fence", "consumer-meets-fence")
POLICIES: Final = "/__change_events"
"""The end of the name of the topic that holds the topic policies of its namespace."""


def refusals(scene: Scene, broker: str) -> Iterator[tuple[str, LogEvent]]:
    """Yield the lines by which a broker refuses clients as fenced, each with its topic."""
    for line in of_kinds(scene.said.get(broker, ()), *FENCED):
        yield topic_of(line), line


def topic_of(line: LogEvent) -> str:
    """Return the topic of a line."""
    return str(line.values.get("topic", ""))


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
                line for topic, line in refusals(scene, broker)
                if stay.since <= line.time < until and topics.unit(topic, line.time) == unit
            ]  # fmt: skip
            of_policies = any(topic_of(line).endswith(POLICIES) for line in refused)
            found.append(GivenBack(unit, broker, step, stay.since, until, tuple(refused), of_policies, closing))
    return found


def _may_follow_others(scene: Scene, step: Step) -> bool:
    """Return whether records before it may be missing, where logs alone show any."""
    if scene.logged is None:
        return False
    return step.key in scene.logged.unsettled or step.record.version != next_version(step.held)


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
    return behind if is_going(scene, one) else (happening_of(scene, one).cause, *behind)


def is_going(scene: Scene, one: GivenBack) -> bool:
    return why_gone(scene, one.broker, one.since) is not None


def happening_of(scene: Scene, one: GivenBack) -> Happening:
    """Report all units that one clean-up gave back to one broker as one happening."""
    behind = why_forced(scene, one.step)
    alike = [
        other for other in given_back(scene)
        if other.broker == one.broker and why_forced(scene, other.step) == behind and (behind or other == one)
    ]  # fmt: skip
    how = "reached no other" if behind and behind[0].kind == HappeningKind.UNCONNECTED else "was gone"
    gone = f", when {behind[0].subject} {how}" if behind else ""
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


def given_back_while_closing(scene: Scene) -> list[Finding]:
    """Return the finding of ``given-back-by-force`` for an overridden Releasing: the channel alone does not show it."""
    found = []
    for one in given_back(scene):
        if one.closing is not None and not is_going(scene, one):
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
