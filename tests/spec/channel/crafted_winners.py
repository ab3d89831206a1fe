"""Crafted states and steps for the laws of ``spec/channel/channel.py`` about the record that wins."""

from __future__ import annotations

from oneowner.model.channel.record import ASSIGNING, FREE, INIT, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.rules import Rules
from tests.spec.channel.crafted import (
    BROKEN,
    KEPT,
    MS,
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    Crafted,
    breaks,
    edited,
    keeps,
    publishing,
    sets,
    taken,
)

# ---- version-chain, legal-step ----

BROKEN["version-chain"] |= {
    "a record wins behind a gap": lambda: taken(publishing(Record(RELEASING, 2, 1, version=5)), "append(broker=2)")
}


@breaks("version-chain")
def an_old_record_wins() -> Crafted:
    stale = Record(RELEASING, 2, 1, version=2)
    return taken(publishing(stale, rules=Rules(version_check=False)), "append(broker=2)")


@breaks("version-chain")
def a_node_skips_a_version() -> Crafted:
    skipping = Record(RELEASING, 2, 1, version=4)
    return edited(publishing(skipping, storage=MS), "append(broker=2)", sets(base=skipping))


KEPT["version-chain"] |= {
    "the next version wins": lambda: taken(publishing(RELEASING_1), "append(broker=2)"),
    "a forced record with the next version wins": lambda: taken(
        publishing(Record(OWNED, 2, 1, True, 3)), "append(broker=2)"
    ),
}

BROKEN["legal-step"] |= {
    "an owner is replaced without a hand over": lambda: edited(
        publishing(OWNED_2), "append(broker=2)", sets(base=OWNED_2)
    )
}


@breaks("legal-step")
def somebody_else_releases_the_unit() -> Crafted:
    foreign = Record(RELEASING, 1, 2, version=3)
    return taken(publishing(foreign, rules=Rules(broker_check=False)), "append(broker=2)")


@breaks("legal-step")
def a_node_takes_a_move_that_only_the_topic_knows() -> Crafted:
    """Init to Owned is legal on the system topic alone (channel.1)."""
    owned = Record(OWNED, 2, version=3)
    before = publishing(owned, storage=MS)
    before.base[1] = Record(INIT, 1, version=2)
    return edited(before, "append(broker=2)", sets(base=owned))


@keeps("legal-step")
def a_topic_takes_a_move_that_only_the_topic_knows() -> Crafted:
    before = publishing(Record(OWNED, 2, version=3))
    before.base[1] = Record(INIT, 1, version=2)
    return taken(before, "append(broker=2)")


KEPT["legal-step"] |= {"the owner releases the unit": lambda: taken(publishing(RELEASING_1), "append(broker=2)")}


# ---- unique-winner, accepted-is-cas ----


@breaks("unique-winner")
def a_version_wins_twice() -> Crafted:
    before = publishing(RELEASING_1)
    before.won[1, 3] = True
    return taken(before, "append(broker=2)")


@breaks("unique-winner")
def the_first_version_wins_again_without_a_tombstone() -> Crafted:
    before = publishing(Record(ASSIGNING, 2, version=1), TOMBSTONE, owner=0)
    before.won[1, 1] = True
    return taken(before, "append(broker=2)")


KEPT["unique-winner"] |= {"a version wins once": lambda: taken(publishing(RELEASING_1), "append(broker=2)")}

BROKEN["accepted-is-cas"] |= {
    "a record wins that was computed from an older entry": lambda: taken(
        publishing(RELEASING_1, Record(ASSIGNING, 1, version=1)), "append(broker=2)"
    ),
    # channel.D1: an old publish is accepted from nothing, whatever its version.
    "a late first record wins after a tombstone": lambda: taken(
        publishing(Record(RELEASING, 0, 1, version=7), OWNED_1, owner=0), "append(broker=2)"
    ),
}


@breaks("accepted-is-cas")
def a_record_wins_that_was_computed_from_an_entry_long_gone() -> Crafted:
    """The entry has been Free and assigned to the same broker since: equal but for its version."""
    stale = Record(RELEASING, 0, 1, version=7)
    before = publishing(stale, Record(OWNED, 1, version=6))
    return taken(before, "append(broker=2)")


KEPT["accepted-is-cas"] |= {
    "a record wins that was computed from the entry": lambda: taken(publishing(RELEASING_1), "append(broker=2)"),
    "a first record wins that was computed from nothing": lambda: taken(
        publishing(Record(ASSIGNING, 2, version=1), TOMBSTONE, owner=0), "append(broker=2)"
    ),
}


# ---- tombstone-safe, begins-at-one ----

BROKEN["tombstone-safe"] |= {"a tombstone deletes an owner": lambda: taken(publishing(TOMBSTONE), "append(broker=2)")}


@breaks("tombstone-safe")
def a_tombstone_deletes_an_assignment() -> Crafted:
    before = publishing(TOMBSTONE, storage=MS)
    before.base[1] = Record(ASSIGNING, 1, version=5)
    return taken(before, "append(broker=2)")


@keeps("tombstone-safe")
def a_tombstone_deletes_a_free_entry() -> Crafted:
    before = publishing(TOMBSTONE)
    before.base[1] = Record(FREE, 0, 1, version=4)
    return taken(before, "append(broker=2)")


BROKEN["begins-at-one"] |= {
    "a late record revives a unit": lambda: taken(
        publishing(Record(ASSIGNING, 2, version=5), owner=0), "append(broker=2)"
    )
}

KEPT["begins-at-one"] |= {
    "a unit begins at one": lambda: taken(
        publishing(Record(ASSIGNING, 2, version=1), TOMBSTONE, owner=0), "append(broker=2)"
    )
}
