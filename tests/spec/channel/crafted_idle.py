"""Crafted states and steps that give the laws of lookups, shutdown and storages no occasion to fail."""

from __future__ import annotations

from oneowner.model.channel.lookup_parts import Outcome, Reply, Request, Stage
from oneowner.model.channel.parts import Message, Run
from oneowner.model.channel.record import FREE, OWNED, RELEASING, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    OWNED_1,
    RELEASING_1,
    Crafted,
    cluster,
    edited,
    gives_no_occasion,
    publishing,
    state,
    taken,
)
from tests.spec.channel.crafted_lookup import asking, stopping
from tests.spec.channel.crafted_redirects import with_views
from tests.spec.channel.crafted_split import parent
from tests.spec.channel.crafted_storages import cut


def failed() -> Crafted:
    def edit(after: State) -> None:
        after.request[2, 1] = Request.NONE
        after.reply[2, 1] = Reply(Outcome.FAILED, 0, 4)

    return edited(asking(), "time_out(broker=2)", edit)


@gives_no_occasion("prefix-answer")
def a_lookup_fails() -> Crafted:
    return failed()


@gives_no_occasion("answer-is-listed")
def a_lookup_that_fails_names_nobody() -> Crafted:
    return failed()


@gives_no_occasion("active-at-some-instant")
def a_lookup_dies_with_its_broker() -> Crafted:
    made = failed()
    made.after.reply[2, 1] = Reply(Outcome.OWNER, 2, 4)
    made.after.run[2] = Run.DOWN
    return made


@gives_no_occasion("monotonic-answers")
def a_lookup_is_the_first_to_be_answered() -> Crafted:
    return failed()


@gives_no_occasion("deferral-discipline")
def a_lookup_finds_no_owner() -> Crafted:
    before = asking(Request.NONE)
    before.view[2, 1] = Record(FREE, 0, 1, version=4)
    return taken(before, "open_lookup(broker=2)")


@gives_no_occasion("no-waiter-leak")
def a_lookup_selects_a_broker() -> Crafted:
    at = asking(Request.SELECTING)
    at.view[2, 1] = OWNED_1
    return state(at)


@gives_no_occasion("unregistered-owns-nothing")
def a_broker_is_told_to_shut_down() -> Crafted:
    return taken(cluster(shutdowns=1), "disable(broker=1)")


@gives_no_occasion("drain-before-unregister")
def a_broker_begins_to_give_its_units_away() -> Crafted:
    return taken(stopping(cluster(shutdowns=1)), "drain(broker=1, destination=2)")


@gives_no_occasion("no-assign-to-disabled")
def a_unit_is_released_while_a_broker_shuts_down() -> Crafted:
    return taken(stopping(publishing(Record(RELEASING, 2, 1, version=3), shutdowns=1)), "append(broker=2)")


@gives_no_occasion("no-assign-to-disabled")
def a_unit_is_owned_anew_while_all_brokers_run() -> Crafted:
    return taken(publishing(Record(OWNED, 2, 1, True, 3), shutdowns=1), "append(broker=2)")


@gives_no_occasion("closes-before-hand-over")
def a_unit_in_flight_is_given_away() -> Crafted:
    before = stopping(cluster(shutdowns=1))
    before.base[1] = before.view[1, 1] = Record(RELEASING, 2, 1, version=3)
    return taken(before, "drain(broker=1, destination=2)")


@gives_no_occasion("shutting-down-closes")
def another_broker_than_the_one_that_shuts_down_serves() -> Crafted:
    at = cluster(shutdowns=1)
    at.stage[2] = Stage.UNREGISTERED
    return state(at)


@gives_no_occasion("keep-connections")
def a_broker_serves_and_keeps_nothing() -> Crafted:
    return state(cluster(multi_phase=1))


@gives_no_occasion("clients-sent-on")
def topics_are_closed_for_the_first_time() -> Crafted:
    before = cluster(multi_phase=1)
    before.closing[1] = Sequence([Message(1, RELEASING_1)])
    return taken(before, "close(broker=1)")


@gives_no_occasion("one-redirect")
def a_broker_is_sent_clients_by_another_view() -> Crafted:
    return state(with_views(OWNED_1, RELEASING_1))


@gives_no_occasion("no-redirect-cycle")
def clients_are_redirected_once() -> Crafted:
    return state(with_views(OWNED_1, OWNED_1))


@gives_no_occasion("lookup-in-boundaries")
def a_bundle_is_unloaded_not_looked_up() -> Crafted:
    return taken(parent(OWNED_1, unloads=1), "unload(broker=1, unit=1)")


@gives_no_occasion("lookup-in-boundaries-always")
def nothing_is_ever_split() -> Crafted:
    return taken(cluster(owner=0, assigns=1), "look_up(broker=1)")


@gives_no_occasion("listed-is-owned")
def a_broker_has_read_the_node_again() -> Crafted:
    return state(taken(taken(cut(2), "reconnect(broker=2)").after, "fill(broker=2)").after)


@gives_no_occasion("listed-is-owned")
def a_broker_on_the_topic_loses_its_session() -> Crafted:
    at = taken(cluster(expiries=1, safe_mode=1), "expire(broker=2)").after
    return state(taken(at, "lose_session(broker=2)").after)


@gives_no_occasion("stores-agree")
def there_is_one_storage() -> Crafted:
    return state(cluster())


@gives_no_occasion("stores-agree")
def the_syncer_has_something_to_copy() -> Crafted:
    at = cluster(synced=1)
    at.nodes[1] = at.view[2, 1] = Record(RELEASING, 2, 1, version=3)
    at.noticed[1] = True
    return state(at)


@gives_no_occasion("waiter-is-told")
def a_lookup_waits_at_a_broker_that_publishes() -> Crafted:
    at = asking()
    at.view[2, 1] = OWNED_1
    at.outbox[2] = publishing(OWNED_1).outbox[2]
    return state(at)


@gives_no_occasion("waiter-is-told")
def a_lookup_waits_after_a_broker_was_away() -> Crafted:
    at = asking()
    at.view[2, 1] = OWNED_1
    at.shutdowns_left = 0
    return state(at)


@gives_no_occasion("cleaned-up-stays-away")
def a_broker_that_shuts_down_publishes_before_its_clean_up() -> Crafted:
    return taken(stopping(publishing(Record(OWNED, 2, 1, True, 3), shutdowns=1), 2), "append(broker=2)")


@gives_no_occasion("admin-call-ends")
def an_admin_call_waits_at_every_broker() -> Crafted:
    return state(with_views(Record(FREE, 0, 1, version=4), Record(FREE, 0, 1, version=4)))


@gives_no_occasion("owner-is-loaded")
def an_owner_is_down() -> Crafted:
    at = cluster(listeners=1)
    at.run[1] = Run.DOWN
    return state(at)


@gives_no_occasion("owner-is-loaded-always")
def nobody_listens() -> Crafted:
    return state(cluster())
