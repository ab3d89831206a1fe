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
    SILENT,
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


SILENT["prefix-answer"] |= {"a lookup fails": lambda: failed()}

SILENT["answer-is-listed"] |= {"a lookup that fails names nobody": lambda: failed()}


@gives_no_occasion("active-at-some-instant")
def a_lookup_dies_with_its_broker() -> Crafted:
    made = failed()
    made.after.reply[2, 1] = Reply(Outcome.OWNER, 2, 4)
    made.after.run[2] = Run.DOWN
    return made


SILENT["monotonic-answers"] |= {"a lookup is the first to be answered": lambda: failed()}


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


SILENT["unregistered-owns-nothing"] |= {
    "a broker is told to shut down": lambda: taken(cluster(shutdowns=1), "disable(broker=1)")
}

SILENT["drain-before-unregister"] |= {
    "a broker begins to give its units away": lambda: taken(
        stopping(cluster(shutdowns=1)), "drain(broker=1, destination=2)"
    )
}

SILENT["no-assign-to-disabled"] |= {
    "a unit is released while a broker shuts down": lambda: taken(
        stopping(publishing(Record(RELEASING, 2, 1, version=3), shutdowns=1)), "append(broker=2)"
    ),
    "a unit is owned anew while all brokers run": lambda: taken(
        publishing(Record(OWNED, 2, 1, True, 3), shutdowns=1), "append(broker=2)"
    ),
}


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


SILENT["keep-connections"] |= {"a broker serves and keeps nothing": lambda: state(cluster(multi_phase=1))}


@gives_no_occasion("clients-sent-on")
def topics_are_closed_for_the_first_time() -> Crafted:
    before = cluster(multi_phase=1)
    before.closing[1] = Sequence([Message(1, RELEASING_1)])
    return taken(before, "close(broker=1)")


SILENT["one-redirect"] |= {"a broker is sent clients by another view": lambda: state(with_views(OWNED_1, RELEASING_1))}

SILENT["no-redirect-cycle"] |= {"clients are redirected once": lambda: state(with_views(OWNED_1, OWNED_1))}

SILENT["lookup-in-boundaries"] |= {
    "a bundle is unloaded not looked up": lambda: taken(parent(OWNED_1, unloads=1), "unload(broker=1, unit=1)")
}

SILENT["lookup-in-boundaries-always"] |= {
    "nothing is ever split": lambda: taken(cluster(owner=0, assigns=1), "look_up(broker=1)")
}

SILENT["listed-is-owned"] |= {
    "a broker has read the node again": lambda: state(
        taken(taken(cut(2), "reconnect(broker=2)").after, "fill(broker=2)").after
    )
}


@gives_no_occasion("listed-is-owned")
def a_broker_on_the_topic_loses_its_session() -> Crafted:
    at = taken(cluster(expiries=1, safe_mode=1), "expire(broker=2)").after
    return state(taken(at, "lose_session(broker=2)").after)


SILENT["stores-agree"] |= {"there is one storage": lambda: state(cluster())}


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


SILENT["cleaned-up-stays-away"] |= {
    "a broker that shuts down publishes before its clean up": lambda: taken(
        stopping(publishing(Record(OWNED, 2, 1, True, 3), shutdowns=1), 2), "append(broker=2)"
    )
}

SILENT["admin-call-ends"] |= {
    "an admin call waits at every broker": lambda: state(
        with_views(Record(FREE, 0, 1, version=4), Record(FREE, 0, 1, version=4))
    )
}


@gives_no_occasion("owner-is-loaded")
def an_owner_is_down() -> Crafted:
    at = cluster(listeners=1)
    at.run[1] = Run.DOWN
    return state(at)


SILENT["owner-is-loaded-always"] |= {"nobody listens": lambda: state(cluster())}
