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


@gives_no_occasion("append-only")
def a_step_leaves_the_channel_alone() -> Crafted:
    return taken(logged(RELEASING_1, brokers=3), "consume(broker=2)")


@gives_no_occasion("append-only")
def a_refused_write_leaves_the_node_alone() -> Crafted:
    return taken(publishing(OWNED_2, storage=MS), "append(broker=2)")


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


@gives_no_occasion("version-chain")
def a_first_record_wins() -> Crafted:
    return taken(publishing(Record(ASSIGNING, 2, version=5), TOMBSTONE, owner=0), "append(broker=2)")


@gives_no_occasion("version-chain")
def a_record_loses() -> Crafted:
    return taken(publishing(Record(RELEASING, 2, 1, version=2)), "append(broker=2)")


@gives_no_occasion("version-chain")
def a_tombstone_wins() -> Crafted:
    return taken(publishing(TOMBSTONE), "append(broker=2)")


@gives_no_occasion("legal-step")
def a_forced_record_wins() -> Crafted:
    return taken(publishing(FORCED), "append(broker=2)")


@gives_no_occasion("legal-step")
def an_illegal_move_wins_behind_a_gap() -> Crafted:
    """models.S5 holds under its guard p.ver + 1 = m.ver; behind a gap the system topic accepts any move."""
    return taken(publishing(Record(OWNED, 2, version=5)), "append(broker=2)")


@gives_no_occasion("legal-step")
def an_old_record_wins() -> Crafted:
    stale = Record(OWNED, 2, version=2)
    return taken(publishing(stale, rules=Rules(version_check=False, broker_check=False)), "append(broker=2)")


@gives_no_occasion("unique-winner")
def a_record_of_a_version_that_won_loses() -> Crafted:
    return taken(publishing(Record(RELEASING, 2, 1, version=2)), "append(broker=2)")


@gives_no_occasion("unique-winner")
def a_tombstone_has_no_version() -> Crafted:
    return taken(publishing(TOMBSTONE), "append(broker=2)")


@gives_no_occasion("accepted-is-cas")
def a_record_computed_from_an_older_entry_loses() -> Crafted:
    return taken(publishing(Record(RELEASING, 2, 1, version=2), TOMBSTONE), "append(broker=2)")


@gives_no_occasion("accepted-is-cas")
def a_record_is_read() -> Crafted:
    return taken(logged(RELEASING_1), "consume(broker=2)")


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


@gives_no_occasion("single-server-always")
def no_unit_is_served() -> Crafted:
    return state(cluster(owner=0))


@gives_no_occasion("dual-serving-explained")
def one_broker_serves() -> Crafted:
    return state(cluster())


@gives_no_occasion("dual-serving-explained")
def two_brokers_serve_a_unit_each() -> Crafted:
    at = both_serve(units=2)
    at.serving[1, 1] = False
    return state(at)


@gives_no_occasion("quiescent-agreement")
def a_publish_is_under_way() -> Crafted:
    return state(publishing(RELEASING_1))


@gives_no_occasion("quiescent-agreement")
def a_record_is_unread() -> Crafted:
    return state(logged(RELEASING_1))


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


@gives_no_occasion("override-names-the-gone")
def nothing_is_overridden() -> Crafted:
    return taken(publishing(FORCED), "append(broker=2)")


@gives_no_occasion("no-lost-override")
def an_override_is_accepted() -> Crafted:
    return taken(publishing(FORCED), "append(broker=2)")


@gives_no_occasion("no-lost-override")
def a_plain_record_is_refused() -> Crafted:
    return taken(publishing(Record(OWNED, 2, version=1)), "append(broker=2)")


@gives_no_occasion("tombstone-safe")
def a_tombstone_finds_nothing() -> Crafted:
    return taken(publishing(TOMBSTONE, owner=0), "append(broker=2)")


@gives_no_occasion("begins-at-one")
def a_record_replaces_another() -> Crafted:
    return taken(publishing(RELEASING_1), "append(broker=2)")


# ---- transfer-handshake, leader-caught-up, same-tables ----


def opened(record: Record) -> Crafted:
    at = cluster()
    at.view[2, 1] = record
    return taken(at, "open(broker=2)")


@gives_no_occasion("transfer-handshake")
def an_owner_opens_what_it_was_assigned() -> Crafted:
    return opened(Record(OWNED, 2, version=4))


@gives_no_occasion("transfer-handshake")
def an_owner_opens_what_it_got_by_force() -> Crafted:
    return opened(FORCED)


@gives_no_occasion("transfer-handshake")
def a_tainted_unit_is_opened() -> Crafted:
    at = cluster()
    at.view[2, 1], at.tainted[1] = Record(OWNED, 2, 1, False, 5), True
    return taken(at, "open(broker=2)")


@gives_no_occasion("leader-caught-up")
def nobody_overrides() -> Crafted:
    return taken(logged(RELEASING_1), "consume(broker=2)")


@gives_no_occasion("same-tables")
def two_have_read_different_prefixes() -> Crafted:
    return taken(logged(RELEASING_1), "consume(broker=2)")


@gives_no_occasion("same-tables")
def nothing_is_held() -> Crafted:
    return state(cluster(owner=0))


@gives_no_occasion("version-chain")
@gives_no_occasion("unique-winner")
def a_record_of_the_design_text_has_no_version() -> Crafted:
    return taken(publishing(Record(ASSIGNING, 2, 1), dialect=Dialect.PIP_192), "append(broker=2)")


@gives_no_occasion("kept-is-fold")
def nothing_was_ever_compacted() -> Crafted:
    return state(cluster(compactions=2))


@gives_no_occasion("compaction-at-once")
def readers_are_given_what_they_were_given() -> Crafted:
    return taken(compacted(), "expire(broker=2)")


@gives_no_occasion("no-ledger-leaks")
def a_compaction_is_under_way() -> Crafted:
    return state(compacted(Phase.SAVED))


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


@gives_no_occasion("two-believers")
def nobody_plays_the_leader() -> Crafted:
    return state(cluster())


@gives_no_occasion("registry-owner")
def nobody_who_lives_is_listed() -> Crafted:
    at = cluster()
    at.node[1] = at.node[2] = Node.ABSENT
    return state(at)


@gives_no_occasion("no-overlapping-owners")
def two_brokers_own_the_two_children() -> Crafted:
    return state(parent(DELETED_1, CHILD_1, CHILD_2))


@gives_no_occasion("no-overlapping-owners")
def units_that_no_split_relates_are_owned() -> Crafted:
    return state(cluster(units=3))


@gives_no_occasion("boundaries-only-refined")
def a_parent_is_asked_to_split() -> Crafted:
    return taken(parent(), "split(broker=1)")


@gives_no_occasion("children-before-boundaries")
def other_boundaries_are_moved() -> Crafted:
    return moved(parent(), Ring(False, 1))


@gives_no_occasion("boundaries-before-deleted")
def the_parent_is_still_split() -> Crafted:
    return state(parent(SPLITTING_1, CHILD_1, CHILD_1))


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
