"""For ``spec/channel/types.py``, and the laws of ``spec/channel/channel.py`` about the log and its readers."""

from __future__ import annotations

from oneowner.model.channel.parts import Message, Publish, Run
from oneowner.model.channel.record import FREE, OWNED, TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    KEPT,
    MS,
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    Crafted,
    breaks,
    cluster,
    edited,
    keeps,
    logged,
    publishing,
    sets,
    state,
    taken,
)

# ---- type-ok ----


@breaks("type-ok")
def a_view_names_a_broker_that_does_not_exist() -> Crafted:
    at = cluster()
    at.view[1, 1] = Record(OWNED, 3, version=2)
    return state(at)


@breaks("type-ok")
def a_handler_met_the_unexpected() -> Crafted:
    at = cluster()
    at.poisoned = True
    return state(at)


KEPT["type-ok"] |= {"the initial state": lambda: state(cluster())}

BROKEN["append-only"] |= {
    "a reader rewrites the log": lambda: edited(
        logged(RELEASING_1), "consume(broker=2)", sets(log=[Message(1, OWNED_2)])
    ),
    "a reader appends": lambda: edited(
        logged(RELEASING_1), "consume(broker=2)", sets(log=[Message(1, RELEASING_1)] * 2)
    ),
    "a record vanishes unfolded": lambda: edited(logged(RELEASING_1), "consume(broker=2)", sets(log=[])),
    "a refused record is folded": lambda: edited(
        logged(OWNED_1), "consume(broker=2)", sets(log=[], base=Record(OWNED, 2, version=2))
    ),
    "the fold changes by itself": lambda: edited(cluster(), "consume(broker=2)", sets(base=OWNED_2)),
    "another record than the published one is appended": lambda: edited(
        publishing(RELEASING_1), "append(broker=2)", sets(log=[Message(1, OWNED_2)])
    ),
    "a node changes without a write": lambda: edited(cluster(storage=MS), "notify(broker=2)", sets(base=OWNED_2)),
    # The channel changes only by appending the record that a broker published; a node is such a channel.
    "a node takes another record than the written one": lambda: edited(
        publishing(RELEASING_1, storage=MS), "append(broker=2)", sets(base=OWNED_2)
    ),
}


@breaks("append-only")
def a_publish_jumps_the_queue() -> Crafted:
    before = logged(RELEASING_1)
    before.outbox[2] = Sequence([Publish(1, ASSIGNING_2, RELEASING_1)])
    return edited(before, "append(broker=2)", sets(log=[Message(1, ASSIGNING_2), Message(1, RELEASING_1)]))


@breaks("append-only")
def a_write_changes_the_node_of_another_unit() -> Crafted:
    def edit(after: State) -> None:
        after.base[2] = OWNED_2

    return edited(publishing(RELEASING_1, storage=MS, units=2), "append(broker=2)", edit)


KEPT["append-only"] |= {
    "a publish is appended": lambda: taken(publishing(RELEASING_1), "append(broker=2)"),
    "a node takes the written record": lambda: taken(publishing(RELEASING_1, storage=MS), "append(broker=2)"),
}


@keeps("append-only")
def a_consumed_record_is_folded() -> Crafted:
    before = logged(RELEASING_1, ASSIGNING_2)
    before.cursor[1] = 1
    return taken(before, "consume(broker=2)")


# ---- view-is-prefix-fold ----


@breaks("view-is-prefix-fold")
def a_view_is_ahead_of_its_cursor() -> Crafted:
    at = logged(RELEASING_1)
    at.view[2, 1] = RELEASING_1
    return state(at)


@breaks("view-is-prefix-fold")
def a_view_misses_what_was_consumed() -> Crafted:
    at = logged(RELEASING_1, ASSIGNING_2)
    at.cursor[2] = 1
    return state(at)


@breaks("view-is-prefix-fold")
def a_view_holds_a_refused_record() -> Crafted:
    refused = Record(OWNED, 2, version=2)
    at = logged(refused)
    at.cursor[2], at.view[2, 1] = 1, refused
    return state(at)


@breaks("view-is-prefix-fold")
def a_view_differs_from_the_node_and_nothing_tells_it() -> Crafted:
    at = cluster(storage=MS)
    at.base[1] = RELEASING_1
    at.changed[1, 1] = True
    return state(at)


@keeps("view-is-prefix-fold")
def one_view_is_ahead_of_the_other() -> Crafted:
    at = logged(RELEASING_1, ASSIGNING_2)
    at.cursor[2], at.view[2, 1] = 1, RELEASING_1
    return state(at)


@keeps("view-is-prefix-fold")
def a_notification_waits_at_the_view_that_differs() -> Crafted:
    at = cluster(storage=MS)
    at.base[1] = RELEASING_1
    at.changed[1, 1] = at.changed[2, 1] = True
    return state(at)


KEPT["view-is-prefix-fold"] |= {"a dead broker has no view": lambda: taken(cluster(crashes=1), "crash(broker=1)")}


# ---- one-owner ----


@breaks("one-owner")
def two_brokers_at_the_same_record_name_two_owners() -> Crafted:
    at = cluster()
    at.view[2, 1] = OWNED_2
    return state(at)


@breaks("one-owner")
def one_of_two_brokers_at_the_same_record_knows_no_owner() -> Crafted:
    at = cluster()
    at.view[2, 1] = Record(FREE, 0, 1, version=4)
    return state(at)


@breaks("one-owner")
def two_brokers_that_were_both_told_name_two_owners() -> Crafted:
    at = cluster(storage=MS)
    at.view[2, 1] = OWNED_2
    return state(at)


@keeps("one-owner")
def two_brokers_at_different_records_name_two_owners() -> Crafted:
    at = cluster(brokers=3)
    at.log = Sequence([Message(1, OWNED_2)])
    at.cursor[3], at.view[3, 1] = 1, OWNED_2
    return state(at)


@keeps("one-owner")
def a_dead_broker_names_nobody() -> Crafted:
    at = cluster(brokers=3)
    at.run[3], at.view[3, 1] = Run.DOWN, TOMBSTONE
    return state(at)


@keeps("one-owner")
def a_broker_that_was_not_told_yet_names_the_old_owner() -> Crafted:
    at = cluster(storage=MS, brokers=3)
    at.view[3, 1], at.changed[3, 1] = OWNED_2, True
    return state(at)
