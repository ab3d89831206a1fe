"""Crafted steps for the laws on records: publication, arrival, and a broker's duties for them."""

from typing import Any

from oneowner.model.channel.parts import Message, Publish, Ring, SplitJob, Stage
from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, OWNED, RELEASING, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.rules import Dialect
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    FORCED_2,
    FREE_1,
    HANDED_OVER,
    KEPT,
    MS,
    OWNED_1,
    RELEASING_1,
    SILENT,
    UNLOADED_1,
    Crafted,
    cluster,
    edited,
    logged,
    model_step,
    state,
)

FORCED_FREE = Record(FREE, 0, 1, True, 3)
SPLITTING_1 = Record(SPLITTING, 0, 1, version=3)
DELETED_1 = Record(DELETED, 0, 1, version=4)
SPLIT: dict[str, Any] = {"splits": 1, "units": 3, "pending": 2}

# ---- what is published ----


def sends(record: Record, basis: Record, broker: int = 1, unit: int = 1, **bounds: Any) -> Crafted:
    """Return a state in which *broker* has published *record*, which it made of *basis*."""
    return state(cluster(**{"transfers": 1, "brokers": 3, **bounds}), outbox={broker: [Publish(unit, record, basis)]})


BY_RULE = {
    "an assignment by a lookup": sends(Record(ASSIGNING, 2, version=1), TOMBSTONE),
    "an answer of the destination": sends(HANDED_OVER, ASSIGNING_2, 2),
    "an answer of the source of a transfer": sends(ASSIGNING_2, RELEASING_1),
    "an answer of the source of an unload": sends(FREE_1, UNLOADED_1),
    "a command": sends(RELEASING_1, OWNED_1, 3),
    "a split": sends(SPLITTING_1, OWNED_1, 3, **SPLIT),
    "a child": sends(Record(OWNED, 1, version=1), TOMBSTONE, 1, 2, **SPLIT),
    "the end of a parent": sends(DELETED_1, SPLITTING_1, **SPLIT),
    "a tombstone of what is deleted": sends(TOMBSTONE, DELETED_1, **SPLIT),
    "an override": sends(Record(OWNED, 2, 1, True, 3), OWNED_1, 3),
    "an override of a hand over that goes back": sends(Record(OWNED, 1, 0, True, 4), RELEASING_1, 3),
    "an override of a split": sends(Record(SPLITTING, 0, 2, True, 4), SPLITTING_1, 3, **SPLIT),
    "an orphan that becomes free": sends(FORCED_FREE, OWNED_1, 3),
    "a deletion": sends(Record(RELEASING, 0, 1, True, 3), OWNED_1, 3),
    "a unit that is given away at a shutdown": sends(Record(RELEASING, 2, 1, True, 3), OWNED_1),
}
NOT_BY_RULE = {
    "an assignment to nobody": sends(Record(ASSIGNING, 0, 1, version=1), TOMBSTONE),
    "an assignment that names a source": sends(Record(ASSIGNING, 2, 1, version=1), TOMBSTONE),
    "a version that is skipped": sends(Record(RELEASING, 2, 1, version=4), OWNED_1),
    "an answer of another broker": sends(HANDED_OVER, ASSIGNING_2, 3),
    "an answer that forgets the source": sends(Record(OWNED, 2, 0, version=5), ASSIGNING_2, 2),
    "an answer to a transfer that frees the unit": sends(Record(FREE, 0, 1, version=4), RELEASING_1),
    "a command that takes the unit from another one": sends(Record(RELEASING, 3, 2, version=3), OWNED_1, 3),
    "a command of what is in flight": sends(Record(RELEASING, 3, 1, version=4), RELEASING_1),
    "a transfer by force that another broker asks for": sends(Record(RELEASING, 2, 1, True, 3), OWNED_1, 3),
    "a child for another broker": sends(Record(OWNED, 2, version=1), TOMBSTONE, 1, 2, **SPLIT),
    "a parent that is deleted by another broker": sends(Record(DELETED, 0, 2, version=4), SPLITTING_1, 2, **SPLIT),
    "a tombstone of what is owned": sends(TOMBSTONE, OWNED_1),
    "an override that names nobody": sends(Record(OWNED, 2, 0, True, 3), OWNED_1, 3),
    "an override of what is free": sends(Record(OWNED, 2, 1, True, 5), FREE_1, 3),
    "an orphan that is freed in nobodys name": sends(Record(FREE, 0, 0, True, 3), OWNED_1, 3),
}
BROKEN["publishes-by-rule"] |= {what: lambda made=made: made for what, made in NOT_BY_RULE.items()}  # type: ignore[misc]
KEPT["publishes-by-rule"] |= {what: lambda made=made: made for what, made in BY_RULE.items()}  # type: ignore[misc]
SILENT["publishes-by-rule"] |= {
    "brokers speak the text of the design": lambda: sends(RELEASING_1, OWNED_1, dialect=Dialect.PIP_192),
}

# ---- what a broker owes ----


def read(record: Record, broker: int = 1, **cells: Any) -> Crafted:
    """Return the step by which *broker* reads *record* and changes nothing but *cells*."""
    before = logged(record, closings=2, pending=2, transfers=1)
    held = {(broker, 1): record}
    return edited(before, f"consume(broker={broker})", cursor={broker: 1}, view=held, **cells)


BROKEN["owed-is-begun"] |= {
    "the source of a transfer goes on serving": lambda: read(RELEASING_1),
    "the source of a transfer answers and leaves its topics open": lambda: read(
        RELEASING_1, outbox={1: [Publish(1, ASSIGNING_2, RELEASING_1)]}
    ),
    "the owner that is overruled goes on serving": lambda: read(FORCED_2),
    "the owner whose unit is freed by force goes on serving": lambda: read(FORCED_FREE),
    "the destination answers nothing": lambda: read(Record(ASSIGNING, 1, version=3)),
    "a broker answers for another": lambda: read(
        Record(ASSIGNING, 1, version=3),
        2,
        outbox={2: [Publish(1, Record(OWNED, 2, version=4), Record(ASSIGNING, 1, version=3))]},
    ),
    "a broker that shuts down closes for what is not forced": lambda: edited(
        where(logged(RELEASING_1, shutdowns=1, closings=2), stage={1: Stage.DRAINING}),
        "consume(broker=1)",
        view={(1, 1): RELEASING_1},
        closing={1: [Message(1, RELEASING_1)]},
    ),
    "who splits has no split under way": lambda: edited(
        logged(SPLITTING_1, **SPLIT), "consume(broker=1)", view={(1, 1): SPLITTING_1}
    ),
    "who splits gives itself one child": lambda: edited(
        logged(SPLITTING_1, **SPLIT),
        "consume(broker=1)",
        view={(1, 1): SPLITTING_1},
        splitting={1: [SplitJob(SPLITTING_1, False)]},
        outbox={1: [Publish(2, Record(OWNED, 1, version=1), TOMBSTONE)]},
    ),
    "who deleted a parent leaves its entry": lambda: edited(
        logged(DELETED_1, **SPLIT), "consume(broker=1)", view={(1, 1): DELETED_1}
    ),
}
KEPT["owed-is-begun"] |= {
    "a bystander does nothing": lambda: read(RELEASING_1, 2),
}


def closing(record: Record, **cells: Any) -> State:
    """Broker 1 closes its topics on behalf of *record*."""
    at = cluster(closings=2, transfers=1, slow_closes=1)
    return where(at, serving={(1, 1): False}, closing={1: [Message(1, record)]}, view={(1, 1): record}, **cells)


CLOSES = "close(broker=1, number=1)"
BROKEN["close-is-followed-up"] |= {
    "nothing follows on the close of a transfer": lambda: edited(closing(RELEASING_1), CLOSES, closing={1: []}),
    "a forced free stays": lambda: edited(closing(FORCED_FREE), CLOSES, closing={1: []}),
    "topics linger behind a close in time": lambda: edited(
        closing(FORCED_2, lingering={(1, 1): True}), CLOSES, closing={1: []}
    ),
    "something follows on the close of a unit that is taken": lambda: edited(
        closing(FORCED_2), CLOSES, closing={1: []}, outbox={1: [Publish(1, FREE_1, FORCED_2)]}
    ),
}


def split_begun(moved: bool, **cells: Any) -> State:
    """Broker 1 splits its unit, which it serves."""
    job = SplitJob(SPLITTING_1, moved)
    at = where(cluster(**SPLIT), view={(1, 1): SPLITTING_1}, splitting={1: [job]}, **cells)
    return where(at, ring=Ring(True), boundaries={1: Ring(True)}) if moved else at


BROKEN["split-goes-by-steps"] |= {
    "the boundaries stay where they were": lambda: edited(
        split_begun(False),
        "move_boundaries(broker=1)",
        boundaries={1: Ring(True)},
        splitting={1: [SplitJob(SPLITTING_1, True)]},
    ),
    "a parent is not deleted": lambda: edited(split_begun(True), "delete_parent(broker=1)", splitting={1: []}),
    "topics stay booked under the parent": lambda: edited(
        split_begun(True),
        "delete_parent(broker=1)",
        splitting={1: []},
        outbox={1: [Publish(1, DELETED_1, SPLITTING_1)]},
    ),
    "topics of a parent are booked nowhere": lambda: edited(
        split_begun(True),
        "delete_parent(broker=1)",
        splitting={1: []},
        outbox={1: [Publish(1, DELETED_1, SPLITTING_1)]},
        serving={(1, 1): False},
    ),
}


def about_to_send(**bounds: Any) -> State:
    return where(cluster(**{"unloads": 1, **bounds}), outbox={1: [Publish(1, UNLOADED_1, OWNED_1)]})


BROKEN["publishes-arrive"] |= {
    "the topic drops a record": lambda: edited(about_to_send(), "append(broker=1)", outbox={1: []}),
    "a record that has arrived is sent again": lambda: edited(
        about_to_send(), "append(broker=1)", log=[Message(1, UNLOADED_1)]
    ),
    "a record whose acknowledgement is lost is not": lambda: edited(
        about_to_send(resends=1), "append_unacknowledged(broker=1)", log=[Message(1, UNLOADED_1)], outbox={1: []}
    ),
    "nobody is told of a node": lambda: edited(
        about_to_send(storage=MS), "append(broker=1)", base={1: UNLOADED_1}, outbox={1: []}
    ),
}
SILENT["publishes-arrive"] |= {
    "an unload is served": lambda: model_step(cluster(unloads=1), "unload(broker=1, unit=1)")
}
