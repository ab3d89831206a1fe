"""
Pairs of events on two clocks, of which the first certainly came first: each bounds the difference of the clocks.

- A record is published before a view takes or drops it, and after its publisher has read the record that it replaces.
- A node is created after its creator logs the start, and before it logs the end; an override is logged before its node
  is written.
- An admin call begins before its record is published, and ends after it; no broker names an owner, or lists a bundle as
  its own, before the record that assigns it.

Records that are merely near each other in the topic show nothing: their publishers may have waited.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.laws.views.joined_lines import JoinedLines
from oneowner.checkers.recordings.laws.views.line_record_join import View, views
from oneowner.checkers.recordings.laws.views.record_places import Places, places_of
from oneowner.checkers.recordings.read.clock_leads import ZOOKEEPER
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.observations import LogEvent, NodeWrite
from oneowner.checkers.recordings.read.zookeeper import BROKERS, LEADERS
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.making_times import making_times
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, NOBODY, OWNED
from oneowner.model.channel.rules import Storage

GRAIN: Final = 5
"""Milliseconds by which stamps of one clock differ: a line is written after the event in it was stamped."""
WIDE: Final = 1_000
"""Milliseconds by which clocks may differ unsuspected."""
SAID_LATE: Final = 500
"""The same for a line that one thread writes while another publishes the record in it."""
TIMES: Final = 32
"""The parts of a run for which the least difference is kept, so that a clock that drifts shows."""
SAYS: Final = ("registering", "registered", "elected")


class Machine(NamedTuple):
    """The owner of a clock."""

    kind: str
    """broker, producer, or file: of the kind of file that *name* is, zookeeper or an observer's."""
    name: str


HISTORY: Final = Machine("file", ZOOKEEPER)
NO_MACHINE: Final = Machine("", "")


class Pair(NamedTuple):
    """Two events, the first of which came first, and their clocks."""

    first: Machine
    then: Machine
    gap: int
    """The stamp of the later event less that of the earlier one: as much as the later clock can be ahead, at most."""
    time: int
    """The stamp of the earlier one."""
    earlier: Citable | None
    """None: the pair is ordinary, and its lines are not looked up."""
    later: Citable | None
    line: LogEvent | None = None
    """The one of them that is a line, if the other one is none."""
    writer: str = ""
    """The session that must be the broker's, if the pair is one for this broker alone."""


class Pairs(NamedTuple):
    """The pairs of some logs, the closest of each kind and time."""

    number: int
    """The number of lines that were compared."""
    closest: dict[tuple[Machine, Machine, str, int], Pair]
    """By the two clocks, the session on which it depends, and the part of the run."""


def pairs_of(scene: Scene) -> Pairs:
    """Return the pairs of lines of some brokers with the channel and with ZooKeeper's history."""
    found = Pairs(0, {})
    for number, pairs in (*_of_views(scene), *_of_zookeeper(scene)):
        found = found._replace(number=found.number + number)
        keep(scene, found, pairs)
    return found


def keep(scene: Scene, found: Pairs, pairs: Iterable[Pair]) -> None:
    """Keep the closest of *pairs* for each part of the run."""
    for pair in pairs:
        key = pair.first, pair.then, pair.writer, int(_part(scene, np.array(pair.time)))
        before = found.closest.get(key)
        if before is None or pair.gap < before.gap:
            found.closest[key] = pair


def of_both(one: Pairs, other: Pairs) -> Pairs:
    """Put the pairs of two parts of a run together."""
    for key, pair in other.closest.items():
        before = one.closest.get(key)
        if before is None or pair.gap < before.gap:
            one.closest[key] = pair
    return Pairs(one.number + other.number, one.closest)


def _part(scene: Scene, times: Array) -> Array:
    """Return the part of the run in which some moments lie."""
    run = scene.whole or scene
    start, end = run.start or 0, run.end or 0
    part: Array = (times - start) * TIMES // max(1, end - start + 1)
    return part


# ---- records and lines ----


def clocks_of_records(scene: Scene) -> tuple[Array, list[Machine]]:
    """Return a number for each record of the channel, and the clocks that stamped records, by these numbers."""
    columns = scene.channel.columns
    if scene.storage == Storage.METADATA_STORE and scene.logged is None:
        return np.zeros(len(columns), np.int64), [HISTORY]
    if scene.logged is None:
        names = columns.producers.names
        return columns.array("producer"), [Machine("producer", name) if name else NO_MACHINE for name in names]
    own = [author_of(step.record[:-1]) for step in scene.channel.timeline]
    names = sorted(set(own))
    number = {name: at for at, name in enumerate(names)}
    machines = [Machine("broker", name) if name else NO_MACHINE for name in names]
    return np.array([number[name] for name in own], np.int64), machines


def author_of(shape: Sequence[Any]) -> str:
    """
    Return the broker that alone publishes a record (channel.5: P2, P5, P6, P9); empty if several may.

    *shape* has the fields of the record but its version.
    """
    state, destination, source, is_forced = shape
    by = NOBODY
    if not is_forced and state in (OWNED, ASSIGNING, FREE, DELETED):
        by = destination if state == OWNED else source
    return "" if by == NOBODY else str(by)


def _of_views(scene: Scene) -> Iterator[tuple[int, list[Pair]]]:
    """Yield for each view the number of its lines that are compared, and the closest pairs."""
    places = places_of(scene)
    clock, machines = clocks_of_records(scene)
    published = scene.channel.columns.array("time")
    is_by_nodes = scene.storage == Storage.METADATA_STORE and scene.logged is None
    following = _following(scene) if is_by_nodes else np.zeros(0, np.int64)
    for view in views(scene):
        reader, number = Machine("broker", view.life.broker), 0
        found = list[Pair]()
        for lines in (view.taken, view.skipped):
            record = lines.table["first"].astype(np.int64)
            for line in (lines.table["number"] > 1).nonzero()[0].tolist():
                own = lines.steps_of(line)
                record[line] = min(own, key=lambda place: published[place])
            number += int((lines.table["number"] > 0).sum())
            found += _received(scene, lines, record, (clock, machines, published), reader)
        if is_by_nodes:
            found += _answered(scene, view.requests, following, published, reader)
            overridden = [*_overridden(view, places, reader)]
            number += len(overridden)
            found += overridden
        yield number, found


def _received(
    scene: Scene, lines: JoinedLines, record: Array, records: tuple[Array, list[Machine], Array], reader: Machine
) -> Iterator[Pair]:
    """Yield the closest pairs of records and the lines of a view that has received them."""
    clock, machines, published = records
    at = np.flatnonzero(record >= 0)
    place, time = record[at], lines.table["time"][at]
    gap = time - published[place]
    for row in _closest(gap, clock[place], _part(scene, published[place])).tolist():
        own = machines[int(clock[place[row]])]
        if own not in (NO_MACHINE, reader):
            step = scene.channel.timeline[int(place[row])]
            line = lines[int(at[row])].said if is_odd(int(gap[row])) else None
            yield Pair(own, reader, int(gap[row]), step.time, step, line, line)


def is_odd(gap: int) -> bool:
    """Return whether the clocks of a pair may differ, so that its lines may have to be shown."""
    return gap < -GRAIN or gap > WIDE


def _closest(gap: Array, clock: Array, part: Array) -> Array:
    """Return the rows with the least gap for each clock and part."""
    order = np.lexsort((gap, part, clock))
    is_first = np.ones(len(order), bool)
    is_first[1:] = (clock[order][1:] != clock[order][:-1]) | (part[order][1:] != part[order][:-1])
    return order[is_first]


def _following(scene: Scene) -> Array:
    """Return for each accepted record the one that its unit accepted next; -1: there is none."""
    following = np.full(len(scene.channel.columns), -1, np.int64)
    before, after = accepted_pairs(scene)
    following[before] = after
    return following


def accepted_pairs(scene: Scene) -> tuple[Array, Array]:
    """Return the places of accepted records and those of the next version of their units, made with them in view."""
    columns = scene.channel.columns
    accepted = np.flatnonzero(columns.array("is_refused") == 0)
    key, shape, version = (columns.array(name)[accepted] for name in ("key", "shape", "version"))
    order = np.argsort(key, kind="stable")
    one, other = order[:-1], order[1:]
    is_next = (key[one] == key[other]) & (shape[one] != 0) & (shape[other] != 0) & (version[other] == version[one] + 1)
    return accepted[one[is_next]], accepted[other[is_next]]


def _answered(scene: Scene, requests: JoinedLines, following: Array, written: Array, reader: Machine) -> Iterator[Pair]:
    """Yield the closest pairs of a record that a broker begins to handle, and of the one by which it replaces that."""
    place = requests.table["place"].astype(np.int64)
    at = np.flatnonzero((place >= 0) & (requests.table["number"] == 1))
    at = at[following[place[at]] >= 0]
    answer, time = following[place[at]], requests.table["time"][at]
    gap = written[answer] - time + SAID_LATE
    sessions = scene.channel.columns.array("producer")
    for row in _closest(gap, sessions[answer], _part(scene, time)).tolist():
        step = scene.channel.timeline[int(answer[row])]
        line = requests[int(at[row])].said if is_odd(int(gap[row])) else None
        yield Pair(reader, HISTORY, int(gap[row]), int(time[row]), line, step, line, step.producer)


def _overridden(view: View, places: Places, reader: Machine) -> Iterator[Pair]:
    for said in of_kinds(view.lines, "override"):
        if said.unit and said.values.get("override") is not None:
            steps = places.equal(said.unit, said.values["override"])
            if steps:
                yield Pair(reader, HISTORY, steps[-1].time + SAID_LATE - said.time, said.time, said, steps[-1], said)


# ---- the registry ----


def _of_zookeeper(scene: Scene) -> Iterator[tuple[int, list[Pair]]]:
    """Yield the pairs of lines and writes; they pair in order, so both must be equally many."""
    for broker in scene.said:
        lines = [said for life in all_lives(scene) if life.broker == broker for said in lines_of(scene, life, *SAYS)]
        nodes = [one for one in scene.writes if one.op in ("create", "setData")]
        own = [one for one in nodes if one.path == f"{BROKERS}{broker}"]
        won = [one for one in nodes if one.path in LEADERS and broker in one.data]
        for event, writes in (("registered", own), ("registering", own), ("elected", won)):
            found = _paired([said for said in lines if said.event == event], writes, event == "registering")
            yield len(found), found


def _paired(lines: Sequence[LogEvent], writes: Sequence[NodeWrite], is_before: bool) -> list[Pair]:
    if len(lines) != len(writes):
        return []
    found = list[Pair]()
    for said, write in zip(lines, writes, strict=True):
        own = Machine("broker", said.broker)
        if is_before:
            found.append(Pair(own, HISTORY, write.time - said.time, said.time, said, write, said))
        else:
            found.append(Pair(HISTORY, own, said.time - write.time, write.time, write, said, said))
    return found


# ---- records and records ----


def of_versions(scene: Scene) -> Iterator[Pair]:
    """Yield the closest pairs of a record and the one that replaces it, which carries the time of its making."""
    if scene.storage == Storage.METADATA_STORE or scene.logged is not None or scene.is_synced or scene.migration:
        return
    columns, (clock, machines) = scene.channel.columns, clocks_of_records(scene)
    one, other = accepted_pairs(scene)
    time, made = columns.array("time"), making_times(scene)
    gap = np.where(made[other] != 0, np.maximum(made[other], 0), time[other]) - time[one]
    both = clock[one] * (len(machines) + 1) + clock[other]
    for row in _closest(gap, both, _part(scene, time[one])).tolist():
        first, then = machines[int(clock[one[row]])], machines[int(clock[other[row]])]
        if first != then and NO_MACHINE not in (first, then):
            before, after = (scene.channel.timeline[int(place[row])] for place in (one, other))
            yield Pair(first, then, int(gap[row]), before.time, before, after)
