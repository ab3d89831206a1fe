"""For ``spec/channel/types.py``, and the laws of ``spec/channel/channel.py`` about the log and its readers."""

from __future__ import annotations

from oneowner.model.channel.parts import Message, Publish, Run
from oneowner.model.channel.record import OWNED, TOMBSTONE, Record
from tests.cells import where
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    FREE_1,
    KEPT,
    MS,
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    SILENT,
    appended,
    cluster,
    edited,
    logged,
    publishing,
    state,
    taken,
)

BROKEN["type-ok"] |= {
    "a view names a broker that does not exist": lambda: state(cluster(), view={(1, 1): Record(OWNED, 3, version=2)}),
    "a handler met the unexpected": lambda: state(cluster(), poisoned=True),
}
KEPT["type-ok"] |= {"the initial state": lambda: state(cluster())}

BROKEN["append-only"] |= {
    "a reader rewrites the log": lambda: edited(logged(RELEASING_1), "consume(broker=2)", log=[Message(1, OWNED_2)]),
    "a reader appends": lambda: edited(logged(RELEASING_1), "consume(broker=2)", log=[Message(1, RELEASING_1)] * 2),
    "a record vanishes unfolded": lambda: edited(logged(RELEASING_1), "consume(broker=2)", log=[]),
    "a refused record is folded": lambda: edited(
        logged(OWNED_1), "consume(broker=2)", log=[], base={1: Record(OWNED, 2, version=2)}
    ),
    "the fold changes by itself": lambda: edited(cluster(), "consume(broker=2)", base={1: OWNED_2}),
    "another record than the published one is appended": lambda: edited(
        publishing(RELEASING_1), "append(broker=2)", log=[Message(1, OWNED_2)]
    ),
    "a node changes without a write": lambda: edited(cluster(storage=MS), "notify(broker=2)", base={1: OWNED_2}),
    # The channel changes only by appending the record that a broker published; a node is such a channel.
    "a node takes another record than the written one": lambda: edited(
        publishing(RELEASING_1, storage=MS), "append(broker=2)", base={1: OWNED_2}
    ),
    "a publish jumps the queue": lambda: edited(
        where(logged(RELEASING_1), outbox={2: [Publish(1, ASSIGNING_2, RELEASING_1)]}),
        "append(broker=2)",
        log=[Message(1, ASSIGNING_2), Message(1, RELEASING_1)],
    ),
    "a write changes the node of another unit": lambda: edited(
        publishing(RELEASING_1, storage=MS, units=2), "append(broker=2)", base={2: OWNED_2}
    ),
}
KEPT["append-only"] |= {
    "a publish is appended": lambda: appended(RELEASING_1),
    "a node takes the written record": lambda: appended(RELEASING_1, storage=MS),
    "a consumed record is folded": lambda: taken(
        where(logged(RELEASING_1, ASSIGNING_2), cursor={1: 1}), "consume(broker=2)"
    ),
}
SILENT["append-only"] |= {
    "a step leaves the channel alone": lambda: taken(logged(RELEASING_1, brokers=3), "consume(broker=2)"),
    "a refused write leaves the node alone": lambda: appended(OWNED_2, storage=MS),
}

BROKEN["view-is-prefix-fold"] |= {
    "a view is ahead of its cursor": lambda: state(logged(RELEASING_1), view={(2, 1): RELEASING_1}),
    "a view misses what was consumed": lambda: state(logged(RELEASING_1, ASSIGNING_2), cursor={2: 1}),
    "a view holds a refused record": lambda: state(
        logged(Record(OWNED, 2, version=2)), cursor={2: 1}, view={(2, 1): Record(OWNED, 2, version=2)}
    ),
    "a view differs from the node and nothing tells it": lambda: state(
        cluster(storage=MS), base={1: RELEASING_1}, changed={(1, 1): True}
    ),
}
KEPT["view-is-prefix-fold"] |= {
    "one view is ahead of the other": lambda: state(
        logged(RELEASING_1, ASSIGNING_2), cursor={2: 1}, view={(2, 1): RELEASING_1}
    ),
    "a notification waits at the view that differs": lambda: state(
        cluster(storage=MS), base={1: RELEASING_1}, changed={(1, 1): True, (2, 1): True}
    ),
    "a dead broker has no view": lambda: taken(cluster(crashes=1), "crash(broker=1)"),
}
SILENT["view-is-prefix-fold"] |= {
    "nobody has read anything": lambda: state(cluster(owner=0)),
    "only a dead broker has read something": lambda: state(cluster(), run={1: Run.DOWN, 2: Run.DOWN}),
}

BROKEN["one-owner"] |= {
    "two brokers at the same record name two owners": lambda: state(cluster(), view={(2, 1): OWNED_2}),
    "one of two brokers at the same record knows no owner": lambda: state(cluster(), view={(2, 1): FREE_1}),
    "two brokers that were both told name two owners": lambda: state(cluster(storage=MS), view={(2, 1): OWNED_2}),
}
KEPT["one-owner"] |= {
    "two brokers at different records name two owners": lambda: state(
        cluster(brokers=3), log=[Message(1, OWNED_2)], cursor={3: 1}, view={(3, 1): OWNED_2}
    ),
    "a dead broker names nobody": lambda: state(cluster(brokers=3), run={3: Run.DOWN}, view={(3, 1): TOMBSTONE}),
    "a broker that was not told yet names the old owner": lambda: state(
        cluster(storage=MS, brokers=3), view={(3, 1): OWNED_2}, changed={(3, 1): True}
    ),
}
SILENT["one-owner"] |= {
    "nobody owns the unit": lambda: state(cluster(owner=0)),
    "only one broker lives": lambda: state(cluster(), run={2: Run.DOWN}),
}
