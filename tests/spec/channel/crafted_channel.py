"""Crafted states and steps for the laws of types, of the log and its readers, and of the record that wins."""

from oneowner.model.channel.parts import Message, Publish, Run
from oneowner.model.channel.record import ASSIGNING, INIT, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.rules import Rules
from tests.cells import where
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    FIRST_2,
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
    model_step,
    publishing,
    state,
)

BROKEN["type-ok"] |= {
    "a view names a broker that does not exist": lambda: state(cluster(), view={(1, 1): Record(OWNED, 3, version=2)}),
    "a handler met the unexpected": lambda: state(cluster(), poisoned=True),
}

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
SILENT["append-only"] |= {
    "a step leaves the channel alone": lambda: model_step(logged(RELEASING_1, brokers=3), "consume(broker=2)"),
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
    "only one broker lives": lambda: state(cluster(), run={2: Run.DOWN}),
}

BROKEN["version-chain"] |= {
    "a record wins behind a gap": lambda: appended(Record(RELEASING, 2, 1, version=5)),
    "an old record wins": lambda: appended(Record(RELEASING, 2, 1, version=2), rules=Rules(version_check=False)),
    "a node skips a version": lambda: edited(
        publishing(Record(RELEASING, 2, 1, version=4), storage=MS),
        "append(broker=2)",
        base={1: Record(RELEASING, 2, 1, version=4)},
    ),
}

BROKEN["legal-step"] |= {
    "an owner is replaced without a hand over": lambda: edited(
        publishing(OWNED_2), "append(broker=2)", base={1: OWNED_2}
    ),
    "somebody else releases the unit": lambda: appended(
        Record(RELEASING, 1, 2, version=3), rules=Rules(broker_check=False)
    ),
    # Init to Owned is legal on the system topic alone (channel.1).
    "a node takes a move that only the topic knows": lambda: edited(
        where(publishing(Record(OWNED, 2, version=3), storage=MS), base={1: Record(INIT, 1, version=2)}),
        "append(broker=2)",
        base={1: Record(OWNED, 2, version=3)},
    ),
}

BROKEN["unique-winner"] |= {
    "a version wins twice": lambda: model_step(where(publishing(RELEASING_1), won={(1, 3): True}), "append(broker=2)"),
    "the first version wins again without a tombstone": lambda: model_step(
        where(publishing(FIRST_2, TOMBSTONE, owner=0), won={(1, 1): True}), "append(broker=2)"
    ),
}

BROKEN["accepted-is-cas"] |= {
    "a record wins that was computed from an older entry": lambda: appended(
        RELEASING_1, Record(ASSIGNING, 1, version=1)
    ),
    # channel.D1: an old publish is accepted from nothing, whatever its version.
    "a late first record wins after a tombstone": lambda: appended(
        Record(RELEASING, 0, 1, version=7), OWNED_1, owner=0
    ),
    # The entry has been Free and assigned to the same broker since: equal but for its version.
    "a record wins that was computed from an entry long gone": lambda: appended(
        Record(RELEASING, 0, 1, version=7), Record(OWNED, 1, version=6)
    ),
}
SILENT["accepted-is-cas"] |= {
    "a record computed from an older entry loses": lambda: appended(Record(RELEASING, 2, 1, version=2), TOMBSTONE),
    "a record is read": lambda: model_step(logged(RELEASING_1), "consume(broker=2)"),
}

BROKEN["tombstone-safe"] |= {
    "a tombstone deletes an owner": lambda: appended(TOMBSTONE),
    "a tombstone deletes an assignment": lambda: model_step(
        where(publishing(TOMBSTONE, storage=MS), base={1: Record(ASSIGNING, 1, version=5)}), "append(broker=2)"
    ),
}

BROKEN["begins-at-one"] |= {"a late record revives a unit": lambda: appended(Record(ASSIGNING, 2, version=5), owner=0)}
