"""The bundles of topics in a recorded run, and the owners of these (``oneowner where TOPIC DIR``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oneowner.checkers.cli.recorded_input import refuse_other
from oneowner.checkers.recordings.fold.runs import Options, find_run
from oneowner.checkers.recordings.owners.ownership import ownership_at, parties
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.lock_nodes import locks_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.topics import Topics, is_outside
from oneowner.checkers.times import iso
from oneowner.checkers.topics.topic_names import ListedTopic, namespace_of
from oneowner.model.pulsar.boundaries import topic_hash

NO_OWNER = (
    "no owner is recorded: the folder lacks channel*.jsonl, or zookeeper*.jsonl of a cluster with locks or with the"
    " channel in the metadata store; oneowner record writes the first, oneowner script dump_zookeeper the second"
)


def recorded_rows(
    topics: Sequence[ListedTopic], path: Path, at: int | None
) -> tuple[list[dict[str, Any]], list[str], bool]:
    """
    Return the bundle and the owner of each topic at a time, the end of the run if it is None.

    Also return remarks, and whether all that they rest on could be read.
    """
    refuse_other(str(path), "where")
    scene, _ = gather(find_run(str(path), Options()), Options())
    time = scene.end if at is None else at
    if time is None:
        return [_row(scene, Topics(scene), one, 0) for one in topics], [f"{path}: nothing is recorded in it"], False
    remarks = []
    if scene.start is not None and time < scene.start:
        remarks.append(f"{iso(time)} is before the recording begins, at {iso(scene.start)}")
    if scene.end is not None and time > scene.end:
        remarks.append(f"{iso(time)} is after the recording ends, at {iso(scene.end)}: its last state is shown")
    placed = Topics(scene)
    rows = [_row(scene, placed, one, time) for one in topics]
    remarks += damaged(scene)
    is_by_logs = bool(scene.channel.units) and Source.CHANNEL not in scene.present
    remarks += (
        ["owners are those of records that brokers' logs print; a later one may be missing"] if is_by_logs else []
    )
    for row in rows:
        if row["unit"] is None:
            remarks.append(f"{row['topic']}: {_why_unknown(scene, row['topic'], path)}")
    if any(row["unit"] is not None and "state" not in row for row in rows):
        remarks.append(
            NO_OWNER if not scene.channel.units else "no record of a bundle: nobody had looked it up by then"
        )
    return rows, remarks, not damaged(scene) and not is_by_logs


def _row(scene: Scene, placed: Topics, topic: ListedTopic, time: int) -> dict[str, Any]:
    unit = placed.unit(topic.name, time)
    row: dict[str, Any] = {"topic": topic.name, "hash": f"0x{topic_hash(topic.name):08x}", "unit": unit}
    owned = None if unit is None else ownership_at(scene, unit, time)
    if owned is not None:
        row |= {"owner": owned.owner, "state": owned.state, "since": owned.since}
        row |= {"handOver": parties(owned)} if parties(owned) else {}
    return row | ({"listedAt": topic.broker} if topic.broker else {})


def damaged(scene: Scene) -> list[str]:
    """Return what could not be read of the sources of ownership."""
    return [words[0] for source, words in sorted(scene.damage.items()) if source in OF_OWNERSHIP and words]


OF_OWNERSHIP = (Source.CHANNEL, Source.ZOOKEEPER, Source.LOCKS, Source.BUNDLES)


def _why_unknown(scene: Scene, topic: str, path: Path) -> str:
    if is_outside(topic):
        return "the load manager assigns it to no broker: each broker, or the leader, serves its own"
    units = [*scene.channel.by_namespace, *(unit.rpartition("/")[0] for unit in locks_of(scene).held)]
    there = sorted({*scene.boundaries, *units})
    return (
        f"the bundles of {namespace_of(topic)} are unknown: {path} has those of {', '.join(there[:NAMED]) or 'none'}"
        " (bundles.json, or records of them; oneowner record writes both); --bundles N, without the path, assumes N"
        " equal ones"
    )


NAMED = 5
"""Namespaces that a reason names."""
