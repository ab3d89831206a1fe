"""
A law of publishers: every record comes from a broker that may publish it (channel.5, P1 to P14).

Refused records count too: a broker that loses a race was entitled to run it. The resolver decides whether the record
fits the unit's entry; here only the publisher is judged, by the names in the record itself and in the unit's history.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.scene_law import CLUSTER, LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, NOBODY, NOTHING, OWNED, RELEASING, Record
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

CHANNEL_TOPIC: Final = "loadbalancer-service-unit-state"
CREATED: Final = "producer-created"
LEADS: Final = ("elected", "plays-leader", "leader-monitor-started")
FOUND_LEADER: Final = "channel-leader-found"
MOST_SHOWN: Final = 4


class Published(NamedTuple):
    """A record with its publisher and the other inputs of the catalogue."""

    step: Step
    broker: str
    leaders: frozenset[str]
    """Brokers that have led by then: a job that was begun as leader may end later."""
    sources: frozenset[str]
    """Brokers that the unit's Deleted and Free records named as source by then."""

    @property
    def record(self) -> Record:
        return self.step.record

    @property
    def destination(self) -> str:
        return str(self.record.destination or "")

    @property
    def source(self) -> str:
        return str(self.record.source or "")


# ---- the rows: a record (unforced, forced), and its possible publishers ----


def is_assignment(one: Published) -> bool:
    """P5: Assigning that goes on with a transfer; P1, without source, is anybody's who serves a lookup."""
    return one.record.state == ASSIGNING and one.record.source != NOBODY and not one.record.force


def is_ownership(one: Published) -> bool:
    """P2 and P8: a broker that was assigned, or that split, publishes its ownership."""
    return one.record.state == OWNED and not one.record.force


def is_release(one: Published) -> bool:
    """P6: the source of an unload frees the unit, also when a deletion forced it to release."""
    return one.record.state == FREE and not one.record.force


def is_end_of_split(one: Published) -> bool:
    """P9: the splitter publishes that the parent is gone."""
    return one.record.state == DELETED and not one.record.force


def is_handover(one: Published) -> bool:
    """P13, graceful: a departing broker gives a unit of its own to another; without destination: P3, a deletion."""
    return one.record.state == RELEASING and one.record.force and one.record.destination != NOBODY


def is_override(one: Published) -> bool:
    """P13: the leader, or a departing broker, overrides an entry."""
    return one.record.force and one.record.state not in (NOTHING, RELEASING)


def is_removal(one: Published) -> bool:
    """P10, P11, P12: a tombstone."""
    return one.record.state == NOTHING


def by_destination(one: Published) -> bool:
    """Only the destination may."""
    return one.broker == one.destination


def by_source(one: Published) -> bool:
    """Only the source may."""
    return one.broker == one.source


def by_leader_or_party(one: Published) -> bool:
    """Only a leader may, or a broker that the overridden entry or the record itself names."""
    held = one.step.held
    return one.broker in one.leaders or one.broker in (str(held.destination), str(held.source), one.source)


def by_leader_or_former_source(one: Published) -> bool:
    """Only the source of the unit's Deleted or Free may, or a leader, whose monitor removes old entries."""
    return one.broker in one.leaders or one.broker in one.sources


CATALOGUE: Final[tuple[tuple[str, Callable[[Published], bool], Callable[[Published], bool], str], ...]] = (
    ("P2", is_ownership, by_destination, "only the new owner itself"),
    ("P5", is_assignment, by_source, "only the source, when it has closed its topics"),
    ("P6", is_release, by_source, "only the source, when it has closed its topics"),
    ("P9", is_end_of_split, by_source, "only the splitter"),
    ("P13", is_handover, by_source, "only the departing owner itself"),
    ("P13", is_override, by_leader_or_party, "only the leader, or a departing broker for its own units"),
    ("P10-P12", is_removal, by_leader_or_former_source, "only the splitter, the source of a Free, or the leader"),
)
"""
Any broker may publish the others: P1 after a lookup, P3, P4, P7 after an admin call.

P14, a copy of a record in the other storage, is the leader's where a syncer is configured (channel.11).
"""

NEED_LEADERS: Final = (by_leader_or_party, by_leader_or_former_source)


@excuse("an election shortly after the record, by clocks that differ by the known skew")
def clock_skew(scene: Scene) -> int:
    return scene.limits.clock_skew


@excuse("a tombstone with which a dump begins: it removes an unknown entry")
def removes_unknown(scene: Scene, step: Step) -> bool:
    return step.is_tombstone and scene.channel.units[step.key].steps[0].place == step.place


@excuse("a record that only a leader may publish, in a run that shows no leader")
def no_leader(scene: Scene, leads: dict[str, int], may: Callable[[Published], bool]) -> bool:
    return not leads and (scene.is_synced or may in NEED_LEADERS)


@excuse("a leader's copy of a record of the other storage, where a syncer is configured")
def is_copy(scene: Scene, one: Published) -> bool:
    """Return whether a record may be a copy of one in the other storage (P14)."""
    return scene.is_synced and one.broker in one.leaders


def publisher_is_entitled(scene: Scene) -> LawOutcome:
    """Every record comes from a broker that may publish it, as far as its publisher is known."""
    judged = LawOutcome()
    known, doubts = publishers(scene)
    judged.doubts += doubts
    leads = _leading(scene)
    sources: dict[str, set[str]] = defaultdict(set)
    broken: dict[tuple[str, str], list[tuple[Published, str]]] = defaultdict(list)
    for step in scene.channel.timeline:
        record = step.record
        if record.state in (DELETED, FREE) and record.source != NOBODY:
            sources[step.key].add(str(record.source))
        shown = known.get(step.producer)
        if shown is None:
            continue
        until = step.time + clock_skew.of(scene)
        leaders = frozenset(broker for broker, since in leads.items() if since <= until)
        if removes_unknown.of(scene, step):
            continue
        one = Published(step, shown[0], leaders, frozenset(sources[step.key]))
        for label, is_meant, may, words in CATALOGUE:
            if is_meant(one) and not no_leader.of(scene, leads, may):
                judged.exercised += 1
                if not may(one) and not is_copy.of(scene, one):
                    broken[one.broker, label].append((one, words))
    for rows in broken.values():
        judged.findings.append(_not_entitled(rows, known[rows[0][0].step.producer][1]))
    return judged


def _not_entitled(rows: list[tuple[Published, str]], proof: LogEvent | NodeWrite) -> Finding:
    one, words = rows[0]
    more = f", and {len(rows) - 1} more such records" if len(rows) > 1 else ""
    what = "a tombstone" if one.step.is_tombstone else str(one.record)
    why = f"{one.broker} published {what} for {one.step.key}{more}, which {words} may"
    label = next(label for label, is_meant, _, said in CATALOGUE if said == words and is_meant(one))
    shown: list[Citable] = [row.step for row, _ in rows[:MOST_SHOWN]]
    return finding(
        "publisher-is-entitled", Severity.VIOLATION, why, [*shown, proof], unit=one.step.key,
        brokers=[one.broker, *(name for name in (one.destination, one.source) if name)], step=one.step,
        guard=f"ServiceUnitStateChannelImpl, channel.5 {label}", repair=f"{words} publishes it",
    )  # fmt: skip


# ---- the broker of each producer, and the first leadership of each broker ----


def publishers(scene: Scene) -> tuple[dict[str, tuple[str, LogEvent | NodeWrite]], list[str]]:
    """
    Return the broker of each producer, with the line that proves it, and the contradictions.

    Of the topic it is the broker in whose log the producer was created; of the metadata store the session that
    registered the broker.
    """
    found: dict[str, tuple[str, LogEvent | NodeWrite]] = {}
    doubts = []
    shown: list[tuple[str, str, LogEvent | NodeWrite]] = []
    if scene.storage == Storage.METADATA_STORE:
        shown += [(w.session, w.path.removeprefix(BROKERS), w) for w in scene.writes if _registers(w)]
    else:
        shown += [
            (str(said.values["producer"]), said.broker, said)
            for said in scene.lines(CREATED)
            if CHANNEL_TOPIC in str(said.values.get("topic")) and said.values["producer"] is not None
        ]
    for producer, broker, proof in shown:
        before = found.setdefault(producer, (broker, proof))
        if before[0] != broker:
            doubts.append(f"producer {producer} is both {before[0]} and {broker}: logs are mixed up")
    mixed = {words.split()[1] for words in doubts}
    return {name: one for name, one in found.items() if name not in mixed}, sorted(set(doubts))


def _registers(write: NodeWrite) -> bool:
    return write.path.startswith(BROKERS) and write.op not in ("delete", "error")


def _leading(scene: Scene) -> dict[str, int]:
    """Return the first time at which each broker led, by any source."""
    shown = [(held.broker, held.since) for held in registry_of(scene).leaders]
    shown += [(said.broker, said.time) for said in scene.lines(*LEADS)]
    found = [(said.values.get("leader"), said.time) for said in scene.lines(FOUND_LEADER)]
    shown += [(str(leader), time) for leader, time in found if leader]
    shown += [(poll.leader, poll.start) for poll in scene.polls if poll.leader]
    first: dict[str, int] = {}
    for broker, time in shown:
        first[broker] = min(time, first.get(broker, time))
    return first


LAWS: Final = (
    SceneLaw(
        "publisher-is-entitled",
        "Every record comes from a broker that may publish it.",
        "ServiceUnitStateChannelImpl.publishAssignEventAsync, publishUnloadEventAsync, publishSplitEventAsync",
        excuses=(clock_skew, removes_unknown, no_leader, is_copy),
        order=44,
        needs=(Source.CHANNEL,),
        judge=publisher_is_entitled,
        uses=CLUSTER,
    ),
)
