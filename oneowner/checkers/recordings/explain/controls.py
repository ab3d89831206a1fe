"""Controls change one thing in a recording, so that no run of the model shows it any more."""

from collections.abc import Callable
from dataclasses import replace

from oneowner.checkers.recordings.explain.recording import PublishedRecord, Recording
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.record import NOBODY


def corrupted(recording: Recording, kind: str, place: str) -> Recording:
    """Return *recording* with the record (or the step of the registry) at *place* corrupted in the way of *kind*."""
    steps = tuple(step for step in recording.steps if step.place != place)
    if kind == "dropped" and len(steps) < len(recording.steps):
        return replace(recording, steps=steps)
    places = [written.place for written in recording.records]
    if kind not in CORRUPTIONS or place not in places:
        raise Misuse(f"corruption refused: {kind} {place}; kinds are {', '.join(CORRUPTIONS)}, a place is of the run")
    records = list(recording.records)
    CORRUPTIONS[kind](records, places.index(place), len(recording.brokers))
    return replace(recording, records=tuple(records))


def _change_broker(records: list[PublishedRecord], index: int, brokers: int) -> None:
    """Another broker in place of the destination, or of the source where there is none."""
    record = records[index].record
    if record.destination != NOBODY:
        changed = record._replace(destination=record.destination % brokers + 1)
    else:
        changed = record._replace(source=record.source % brokers + 1)
    records[index] = records[index]._replace(record=changed)


def _raise_version(records: list[PublishedRecord], index: int, brokers: int) -> None:
    """The version after its own."""
    record = records[index].record
    records[index] = records[index]._replace(record=record._replace(version=record.version + 1))


def _drop(records: list[PublishedRecord], index: int, brokers: int) -> None:
    """No such record."""
    del records[index]


def _swap(records: list[PublishedRecord], index: int, brokers: int) -> None:
    """Its unit's next record before it."""
    key = records[index].key
    following = next((i for i in range(index + 1, len(records)) if records[i].key == key), None)
    if following is None:
        raise Misuse(f"corruption refused: swapped {records[index].place}; it is the last record of {key}")
    one, other = records[index], records[following]
    records[index] = other._replace(time=one.time)
    records[following] = one._replace(time=other.time)


def _name_stranger(records: list[PublishedRecord], index: int, brokers: int) -> None:
    """A broker that never registered in it."""
    records[index] = records[index]._replace(foreign=STRANGER)


STRANGER = "stranger:8080"

CORRUPTIONS: dict[str, Callable[[list[PublishedRecord], int, int], None]] = {
    "broker": _change_broker,
    "version": _raise_version,
    "dropped": _drop,
    "swapped": _swap,
    "foreign": _name_stranger,
}
