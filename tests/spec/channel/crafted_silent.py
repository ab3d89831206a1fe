"""Crafted states and steps that give a law no occasion to fail: they must not count as exercised."""

from __future__ import annotations

from oneowner.model.channel.parts import Node, Phase, Publish, Ring, Run
from oneowner.model.channel.record import ASSIGNING, FREE, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.rules import Dialect, Rules
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    MS,
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    SILENT,
    Crafted,
    both_serve,
    cluster,
    gives_no_occasion,
    logged,
    publishing,
    state,
    taken,
)
from tests.spec.channel.crafted_compaction import compacted
from tests.spec.channel.crafted_split import CHILD_1, CHILD_2, CUT, DELETED_1, SPLITTING_1, moved, parent

FORCED = Record(OWNED, 2, 1, True, 3)

SILENT["append-only"] |= {
    "a step leaves the channel alone": lambda: taken(logged(RELEASING_1, brokers=3), "consume(broker=2)"),
    "a refused write leaves the node alone": lambda: taken(publishing(OWNED_2, storage=MS), "append(broker=2)"),
}


@gives_no_occasion("view-is-prefix-fold-always")
@gives_no_occasion("view-is-prefix-fold")
def nobody_has_read_anything() -> Crafted:
    return state(cluster(owner=0))


@gives_no_occasion("view-is-prefix-fold-always")
@gives_no_occasion("view-is-prefix-fold")
def only_a_dead_broker_has_read_something() -> Crafted:
    at = cluster()
    at.run[1] = at.run[2] = Run.DOWN
    return state(at)


SILENT["version-chain"] |= {
    "a first record wins": lambda: taken(
        publishing(Record(ASSIGNING, 2, version=5), TOMBSTONE, owner=0), "append(broker=2)"
    ),
    "a record loses": lambda: taken(publishing(Record(RELEASING, 2, 1, version=2)), "append(broker=2)"),
    "a tombstone wins": lambda: taken(publishing(TOMBSTONE), "append(broker=2)"),
}

SILENT["legal-step"] |= {
    "a forced record wins": lambda: taken(publishing(FORCED), "append(broker=2)"),
    # models.S5 holds under its guard p.ver + 1 = m.ver; behind a gap the system topic accepts any move.
    "an illegal move wins behind a gap": lambda: taken(publishing(Record(OWNED, 2, version=5)), "append(broker=2)"),
}


@gives_no_occasion("legal-step")
def an_old_record_wins() -> Crafted:
    stale = Record(OWNED, 2, version=2)
    return taken(publishing(stale, rules=Rules(version_check=False, broker_check=False)), "append(broker=2)")


SILENT["unique-winner"] |= {
    "a record of a version that won loses": lambda: taken(
        publishing(Record(RELEASING, 2, 1, version=2)), "append(broker=2)"
    ),
    "a tombstone has no version": lambda: taken(publishing(TOMBSTONE), "append(broker=2)"),
}

SILENT["accepted-is-cas"] |= {
    "a record computed from an older entry loses": lambda: taken(
        publishing(Record(RELEASING, 2, 1, version=2), TOMBSTONE), "append(broker=2)"
    ),
    "a record is read": lambda: taken(logged(RELEASING_1), "consume(broker=2)"),
}


@gives_no_occasion("one-owner-always")
@gives_no_occasion("one-owner")
def nobody_owns_the_unit() -> Crafted:
    return state(cluster(owner=0))


@gives_no_occasion("one-owner-always")
@gives_no_occasion("one-owner")
def only_one_broker_lives() -> Crafted:
    at = cluster()
    at.run[2] = Run.DOWN
    return state(at)


@gives_no_occasion("serve-implies-view")
def nobody_serves() -> Crafted:
    at = cluster()
    at.serving[1, 1] = False
    return state(at)


@gives_no_occasion("single-server")
def only_a_tainted_unit_is_served() -> Crafted:
    at = both_serve(units=2)
    at.serving[1, 2] = False
    at.tainted[1] = True
    return state(at)


SILENT["single-server-always"] |= {"no unit is served": lambda: state(cluster(owner=0))}

SILENT["dual-serving-explained"] |= {"one broker serves": lambda: state(cluster())}


@gives_no_occasion("dual-serving-explained")
def two_brokers_serve_a_unit_each() -> Crafted:
    at = both_serve(units=2)
    at.serving[1, 1] = False
    return state(at)


SILENT["quiescent-agreement"] |= {
    "a publish is under way": lambda: state(publishing(RELEASING_1)),
    "a record is unread": lambda: state(logged(RELEASING_1)),
}


@gives_no_occasion("quiescent-agreement")
def a_close_is_under_way() -> Crafted:
    made = taken(logged(RELEASING_1), "consume(broker=1)")
    return state(made.after)


@gives_no_occasion("quiescent-agreement")
def a_notification_waits() -> Crafted:
    at = cluster(storage=MS)
    at.changed[2, 1] = True
    return state(at)


@gives_no_occasion("quiescent-agreement")
def all_is_quiet_and_nobody_serves() -> Crafted:
    at = cluster()
    at.base[1] = at.view[1, 1] = at.view[2, 1] = Record(FREE, 0, 1, version=4)
    at.serving[1, 1] = False
    return state(at)


SILENT["override-names-the-gone"] |= {"nothing is overridden": lambda: taken(publishing(FORCED), "append(broker=2)")}

SILENT["no-lost-override"] |= {
    "an override is accepted": lambda: taken(publishing(FORCED), "append(broker=2)"),
    "a plain record is refused": lambda: taken(publishing(Record(OWNED, 2, version=1)), "append(broker=2)"),
}

SILENT["tombstone-safe"] |= {
    "a tombstone finds nothing": lambda: taken(publishing(TOMBSTONE, owner=0), "append(broker=2)")
}

SILENT["begins-at-one"] |= {"a record replaces another": lambda: taken(publishing(RELEASING_1), "append(broker=2)")}


# ---- transfer-handshake, leader-caught-up, same-tables ----


def opened(record: Record) -> Crafted:
    at = cluster()
    at.view[2, 1] = record
    return taken(at, "open(broker=2)")


SILENT["transfer-handshake"] |= {
    "an owner opens what it was assigned": lambda: opened(Record(OWNED, 2, version=4)),
    "an owner opens what it got by force": lambda: opened(FORCED),
}


@gives_no_occasion("transfer-handshake")
def a_tainted_unit_is_opened() -> Crafted:
    at = cluster()
    at.view[2, 1], at.tainted[1] = Record(OWNED, 2, 1, False, 5), True
    return taken(at, "open(broker=2)")


SILENT["leader-caught-up"] |= {"nobody overrides": lambda: taken(logged(RELEASING_1), "consume(broker=2)")}

SILENT["same-tables"] |= {
    "two have read different prefixes": lambda: taken(logged(RELEASING_1), "consume(broker=2)"),
    "nothing is held": lambda: state(cluster(owner=0)),
}


@gives_no_occasion("version-chain")
@gives_no_occasion("unique-winner")
def a_record_of_the_design_text_has_no_version() -> Crafted:
    return taken(publishing(Record(ASSIGNING, 2, 1), dialect=Dialect.PIP_192), "append(broker=2)")


SILENT["kept-is-fold"] |= {"nothing was ever compacted": lambda: state(cluster(compactions=2))}

SILENT["compaction-at-once"] |= {
    "readers are given what they were given": lambda: taken(compacted(), "expire(broker=2)")
}

SILENT["no-ledger-leaks"] |= {"a compaction is under way": lambda: state(compacted(Phase.SAVED))}


@gives_no_occasion("serve-implies-view-always")
@gives_no_occasion("quiescent-agreement-always")
def nobody_serves_anything() -> Crafted:
    return state(cluster(owner=0))


@gives_no_occasion("leader-caught-up")
@gives_no_occasion("clean-only-by-leader")
@gives_no_occasion("safe-mode-quiet")
@gives_no_occasion("one-elected")
@gives_no_occasion("outage-no-interrupt")
@gives_no_occasion("suspect-grace")
def a_record_is_written() -> Crafted:
    return taken(publishing(FORCED, safe_mode=1), "append(broker=2)")


@gives_no_occasion("safe-mode-quiet")
def a_leader_overrides_where_safe_mode_is_not_modelled() -> Crafted:
    at = cluster(owner=2, expiries=1)
    at.known[1, 2], at.node[2] = False, Node.ABSENT
    return taken(at, "override(broker=1, destination=1)")


SILENT["two-believers"] |= {"nobody plays the leader": lambda: state(cluster())}


@gives_no_occasion("registry-owner")
def nobody_who_lives_is_listed() -> Crafted:
    at = cluster()
    at.node[1] = at.node[2] = Node.ABSENT
    return state(at)


SILENT["no-overlapping-owners"] |= {
    "two brokers own the two children": lambda: state(parent(DELETED_1, CHILD_1, CHILD_2)),
    "units that no split relates are owned": lambda: state(cluster(units=3)),
}

SILENT["boundaries-only-refined"] |= {"a parent is asked to split": lambda: taken(parent(), "split(broker=1)")}

SILENT["children-before-boundaries"] |= {"other boundaries are moved": lambda: moved(parent(), Ring(False, 1))}

SILENT["boundaries-before-deleted"] |= {
    "the parent is still split": lambda: state(parent(SPLITTING_1, CHILD_1, CHILD_1))
}


@gives_no_occasion("boundaries-before-deleted")
def a_unit_is_deleted_that_no_split_relates() -> Crafted:
    at = cluster(units=3)
    at.base[1] = DELETED_1
    return state(at)


@gives_no_occasion("parent-stays-deleted")
def a_child_is_written_after_the_split() -> Crafted:
    at = parent(DELETED_1, CHILD_1, CHILD_1)
    at.ring = CUT
    at.outbox[2] = Sequence([Publish(2, Record(RELEASING, 0, 1, False, 2), CHILD_1)])
    return taken(at, "append(broker=2)")


@gives_no_occasion("parent-stays-deleted")
def the_parent_is_released_before_the_split() -> Crafted:
    at = parent()
    at.outbox[2] = Sequence([Publish(1, Record(RELEASING, 0, 1, False, 3), OWNED_1)])
    return taken(at, "append(broker=2)")
