"""Crafted states and steps for the laws of ``spec/channel/channel.py`` about the record that wins."""

from __future__ import annotations

from oneowner.model.channel.record import ASSIGNING, INIT, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.rules import Dialect, Rules
from tests.cells import where
from tests.spec.channel.crafted import (
    BROKEN,
    FIRST_2,
    FORCED_2,
    FREE_1,
    KEPT,
    MS,
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    SILENT,
    appended,
    edited,
    logged,
    publishing,
    taken,
)

BROKEN["version-chain"] |= {
    "a record wins behind a gap": lambda: appended(Record(RELEASING, 2, 1, version=5)),
    "an old record wins": lambda: appended(Record(RELEASING, 2, 1, version=2), rules=Rules(version_check=False)),
    "a node skips a version": lambda: edited(
        publishing(Record(RELEASING, 2, 1, version=4), storage=MS),
        "append(broker=2)",
        base={1: Record(RELEASING, 2, 1, version=4)},
    ),
}
KEPT["version-chain"] |= {
    "the next version wins": lambda: appended(RELEASING_1),
    "a forced record with the next version wins": lambda: appended(FORCED_2),
}
SILENT["version-chain"] |= {
    "a first record wins": lambda: appended(Record(ASSIGNING, 2, version=5), TOMBSTONE, owner=0),
    "a record loses": lambda: appended(Record(RELEASING, 2, 1, version=2)),
    "a tombstone wins": lambda: appended(TOMBSTONE),
    "a record of the design text has no version": lambda: appended(Record(ASSIGNING, 2, 1), dialect=Dialect.PIP_192),
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
KEPT["legal-step"] |= {
    "a topic takes a move that only the topic knows": lambda: taken(
        where(publishing(Record(OWNED, 2, version=3)), base={1: Record(INIT, 1, version=2)}), "append(broker=2)"
    ),
    "the owner releases the unit": lambda: appended(RELEASING_1),
}
SILENT["legal-step"] |= {
    "a forced record wins": lambda: appended(FORCED_2),
    # models.S5 holds under its guard p.ver + 1 = m.ver; behind a gap the system topic accepts any move.
    "an illegal move wins behind a gap": lambda: appended(Record(OWNED, 2, version=5)),
    "an old record wins": lambda: appended(
        Record(OWNED, 2, version=2), rules=Rules(version_check=False, broker_check=False)
    ),
}

BROKEN["unique-winner"] |= {
    "a version wins twice": lambda: taken(where(publishing(RELEASING_1), won={(1, 3): True}), "append(broker=2)"),
    "the first version wins again without a tombstone": lambda: taken(
        where(publishing(FIRST_2, TOMBSTONE, owner=0), won={(1, 1): True}), "append(broker=2)"
    ),
}
KEPT["unique-winner"] |= {"a version wins once": lambda: appended(RELEASING_1)}
SILENT["unique-winner"] |= {
    "a record of a version that won loses": lambda: appended(Record(RELEASING, 2, 1, version=2)),
    "a tombstone has no version": lambda: appended(TOMBSTONE),
    "a record of the design text has no version": lambda: appended(Record(ASSIGNING, 2, 1), dialect=Dialect.PIP_192),
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
KEPT["accepted-is-cas"] |= {
    "a record wins that was computed from the entry": lambda: appended(RELEASING_1),
    "a first record wins that was computed from nothing": lambda: appended(FIRST_2, TOMBSTONE, owner=0),
}
SILENT["accepted-is-cas"] |= {
    "a record computed from an older entry loses": lambda: appended(Record(RELEASING, 2, 1, version=2), TOMBSTONE),
    "a record is read": lambda: taken(logged(RELEASING_1), "consume(broker=2)"),
}

BROKEN["tombstone-safe"] |= {
    "a tombstone deletes an owner": lambda: appended(TOMBSTONE),
    "a tombstone deletes an assignment": lambda: taken(
        where(publishing(TOMBSTONE, storage=MS), base={1: Record(ASSIGNING, 1, version=5)}), "append(broker=2)"
    ),
}
KEPT["tombstone-safe"] |= {
    "a tombstone deletes a free entry": lambda: taken(
        where(publishing(TOMBSTONE), base={1: FREE_1}), "append(broker=2)"
    )
}
SILENT["tombstone-safe"] |= {"a tombstone finds nothing": lambda: appended(TOMBSTONE, owner=0)}

BROKEN["begins-at-one"] |= {"a late record revives a unit": lambda: appended(Record(ASSIGNING, 2, version=5), owner=0)}
KEPT["begins-at-one"] |= {"a unit begins at one": lambda: appended(FIRST_2, TOMBSTONE, owner=0)}
SILENT["begins-at-one"] |= {"a record replaces another": lambda: appended(RELEASING_1)}
