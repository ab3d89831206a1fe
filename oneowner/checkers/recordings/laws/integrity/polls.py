"""
A report on polls: a broker's list is its own, and lies between the list before it and the one after it.

A broker lists its own heartbeat namespaces, and nobody else does (``NamespaceService.getHeartbeatNamespace``). Its view
of the channel and its idea of the leader only go on (``TableViewImpl``, ``LeaderElectionImpl``): an entry that two
polls agree on and nothing changed meanwhile is in every poll between them. Innocent, and not reported: a view that is
filled anew, of a new process or after a lost session, a poll without an answer, an entry that a record of the channel
touches near by, and polls before a channel that begins late or after the end of a dump that is older.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from oneowner.checkers.recordings.laws.answers.dump_end import dump_end
from oneowner.checkers.recordings.laws.integrity.contradictions import (
    Contradiction,
    Contradictions,
    gathered,
    told_of_all,
)
from oneowner.checkers.recordings.laws.scene_law import InParts, SceneLaw, Scope
from oneowner.checkers.recordings.read.companion_files import broker_of
from oneowner.checkers.recordings.read.observations import Poll, Source
from oneowner.checkers.recordings.scene.broker_processes import STARTING
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.parts import brokers_of
from oneowner.checkers.recordings.scene.registry import Held, written
from oneowner.checkers.recordings.scene.registry_from_logs import SESSION
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso
from oneowner.model.channel.record import FIRST_VERSION, owner
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity

LAW: Final = "polls-go-on"
OK: Final = 200
LAG: Final = 30_000
"""Milliseconds by which a view may lag: a poll may show a record of that time before it."""


def _polls_go_on(scene: Scene) -> Contradictions:
    answered: dict[str, list[Poll]] = defaultdict(list)
    for poll in scene.polls:
        if poll.status == OK:
            answered[poll.asked].append(poll)
    found: list[Contradiction] = []
    leaders = scene.of_run(_leaders)
    for broker in brokers_of(scene):
        polls = answered[broker]
        found += [one for poll in polls for one in _of_another(poll)]
        anew = sorted(line.time for line in of_kinds(scene.said.get(broker, ()), STARTING, SESSION))
        for before, poll, after in zip(polls, polls[1:], polls[2:], strict=False):
            if bisect_left(anew, before.start - LAG) == bisect_right(anew, after.end):
                found += [*_left_out(scene, before, poll, after), *_led(leaders, before, poll, after)]
    return gathered(sum(map(len, answered.values())), found)


def _leaders(scene: Scene) -> list[Held]:
    return written(scene.writes).leaders if Source.ZOOKEEPER in scene.present else []


def _of_another(poll: Poll) -> Iterator[Contradiction]:
    if poll.heartbeats and poll.asked not in poll.heartbeats:
        other = poll.heartbeats[0]
        why = f"owned.jsonl: a poll of {poll.asked} at {iso(poll.start)} lists the heartbeat namespace of {other}"
        yield Contradiction(why, (poll,), (poll.asked, other))


def _left_out(scene: Scene, before: Poll, poll: Poll, after: Poll) -> Iterator[Contradiction]:
    """Yield units that only the poll in the middle lacks."""
    missing = sorted(set(before.claims) & set(after.claims) - set(poll.claims))
    if scene.storage == Storage.METADATA_STORE or Source.CHANNEL not in scene.present or scene.migration:
        return
    if (end := dump_end(scene)) is not None and after.end > end:
        return
    for unit in missing:
        history = scene.channel.units.get(unit)
        steps = history.accepted if history is not None else []
        if steps and steps[0].record.version != FIRST_VERSION and before.start <= steps[0].time:
            continue
        owners = [str(owner(step.record) or "") for step in steps]
        times = sum(one == poll.asked != last for last, one in zip(["", *owners], owners, strict=False))
        # a lagging view may list in between an entry that was its own twice
        if steps and times == 1 and not any(before.start - LAG <= step.time <= after.end for step in steps):
            why = f"owned.jsonl: {poll.asked} lists {unit} at {iso(before.start)} and {iso(after.start)}, and not at "
            why += f"{iso(poll.start)}, though no record of it came near by"
            yield Contradiction(why, (before, poll, after), (poll.asked,), unit)


def _led(leaders: Sequence[Held], before: Poll, poll: Poll, after: Poll) -> Iterator[Contradiction]:
    """Yield a leader that only the poll in the middle names, and not elected between two terms of the other."""
    leader, other = broker_of(poll.leader or ""), broker_of(before.leader or "")
    if not leader or not other or leader == other or before.leader != after.leader:
        return
    names = [held.broker for held in leaders if held.since <= after.end]
    if names and not _in_this_order(names, (other, leader, other)):
        why = f"owned.jsonl: {poll.asked} names {leader} as leader at {iso(poll.start)}, and {other} before and after"
        yield Contradiction(why, (before, poll, after), (poll.asked, leader))


def _in_this_order(names: Sequence[str], wanted: Sequence[str]) -> bool:
    rest = iter(names)
    return all(name in rest for name in wanted)


LAWS: Final = (
    SceneLaw(
        LAW,
        "A broker's list is its own, and what two polls agree on and nothing changed is in those between them.",
        "NamespaceService.getHeartbeatNamespace, TableViewImpl, LeaderElectionImpl",
        needs=(Source.POLLS,),
        judge=InParts(_polls_go_on, lambda _, parts: told_of_all(LAW, parts)),
        scope=Scope.BROKER,
        uses=(Source.CHANNEL, Source.ZOOKEEPER, Source.LOGS),
        severity=Severity.WARNING,
    ),
)
