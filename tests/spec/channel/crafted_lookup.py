"""Crafted states and steps for the laws of lookups and of graceful shutdown."""

from __future__ import annotations

from oneowner.model.channel.lookup_parts import Outcome, Reply, Request, Stage
from oneowner.model.channel.parts import Node
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    KEPT,
    OWNED_1,
    RELEASING_1,
    Crafted,
    breaks,
    cluster,
    edited,
    keeps,
    publishing,
    state,
    taken,
)


def asking(request: Request = Request.WAITING, **bounds: int) -> State:
    """Return a cluster in which a lookup is open at broker 2, whose view is in flight to it."""
    at = cluster(**{"lookups": 2, "shutdowns": 1, **bounds})
    at.request[2, 1] = request
    at.view[2, 1] = ASSIGNING_2
    at.registered_then[2, 1] = at.registered_then[2, 2] = True
    return at


def told(before: State, owner: int, version: int = 4) -> Crafted:
    """Return a step that answers the lookup at broker 2 with *owner*."""

    def edit(after: State) -> None:
        after.request[2, 1] = Request.NONE
        after.reply[2, 1] = Reply(Outcome.OWNER, owner, version)

    return edited(before, "time_out(broker=2)", edit)


BROKEN["prefix-answer"] |= {"an answer that the view never named": lambda: told(asking(), 1)}


@keeps("prefix-answer")
def an_answer_that_the_view_named_before() -> Crafted:
    before = asking()
    before.named[2, 1] = True
    return told(before, 1)


@breaks("monotonic-answers")
def an_answer_by_an_older_entry_than_the_last() -> Crafted:
    before = asking()
    before.reply[2, 1] = Reply(Outcome.OWNER, 2, 5)
    return told(before, 2)


@keeps("monotonic-answers")
def an_answer_by_the_same_entry_as_the_last() -> Crafted:
    before = asking()
    before.reply[2, 1] = Reply(Outcome.OWNER, 2, 4)
    return told(before, 2)


@breaks("answer-is-listed")
def an_answer_that_the_cache_does_not_list() -> Crafted:
    before = asking()
    before.known[2, 2] = False
    return told(before, 2)


KEPT["answer-is-listed"] |= {"an answer that the cache lists": lambda: told(asking(), 2)}


@breaks("active-at-some-instant")
def an_answer_that_was_never_registered() -> Crafted:
    before = asking()
    before.registered_then[2, 1], before.node[1] = False, Node.ABSENT
    return told(before, 1)


@keeps("active-at-some-instant")
def an_answer_that_was_registered_when_the_lookup_was_opened() -> Crafted:
    before = asking()
    before.node[1] = Node.ABSENT
    return told(before, 1)


def opened(held: Record, request: Request) -> Crafted:
    """Return a step that opens a lookup at broker 2, whose view is *held*, and leaves it in *request*."""
    before = asking(Request.NONE)
    before.view[2, 1] = held

    def edit(after: State) -> None:
        after.request[2, 1] = request

    return edited(before, "open_lookup(broker=2)", edit)


BROKEN["deferral-discipline"] |= {
    "a lookup waits that is none of this brokers business": lambda: opened(
        Record(RELEASING, 1, 2, version=3), Request.WAITING
    ),
    "a lookup at the destination does not wait": lambda: opened(ASSIGNING_2, Request.NONE),
}


@breaks("deferral-discipline")
def a_lookup_does_not_wait_although_the_owner_is_not_listed() -> Crafted:
    made = opened(OWNED_1, Request.NONE)
    made.before.known[2, 1] = False
    return made


KEPT["deferral-discipline"] |= {
    "a lookup waits at the destination": lambda: taken(
        opened(ASSIGNING_2, Request.NONE).before, "open_lookup(broker=2)"
    ),
    "a lookup is sent to the owner": lambda: taken(opened(OWNED_1, Request.NONE).before, "open_lookup(broker=2)"),
}


@breaks("no-waiter-leak")
def a_lookup_waits_although_its_owner_is_known() -> Crafted:
    at = asking()
    at.view[2, 1] = OWNED_1
    return state(at)


BROKEN["waiter-is-told"] |= {
    "a lookup waits for an owner whom its quiet broker knows": lambda: a_lookup_waits_although_its_owner_is_known()
}


@keeps("waiter-is-told")
def a_lookup_waits_at_a_quiet_broker_for_an_owner_who_is_not_listed() -> Crafted:
    made = a_lookup_waits_although_its_owner_is_known()
    made.after.known[2, 1] = False
    return made


KEPT["no-waiter-leak"] |= {"a lookup waits for a hand over": lambda: state(asking())}


# ---- graceful shutdown ----


def stopping(before: State, broker: int = 1) -> State:
    before.stage[broker] = Stage.DRAINING
    return before


def unregisters(held: Record) -> Crafted:
    before = stopping(cluster(shutdowns=1))
    before.base[1] = before.view[1, 1] = before.view[2, 1] = held
    before.drained[1, 1] = True
    return taken(before, "unregister(broker=1)")


BROKEN["unregistered-owns-nothing"] |= {"an owner unregisters": lambda: unregisters(OWNED_1)}

KEPT["unregistered-owns-nothing"] |= {
    "a broker unregisters that is being assigned": lambda: unregisters(Record(ASSIGNING, 1, version=3))
}

BROKEN["drain-before-unregister"] |= {"a destination unregisters": lambda: unregisters(Record(OWNED, 1, version=3))}

KEPT["drain-before-unregister"] |= {"a former owner unregisters": lambda: unregisters(Record(OWNED, 2, 1, version=5))}


def assigned(destination: int) -> Crafted:
    before = stopping(publishing(Record(OWNED, 2, 1, version=4), RELEASING_1, shutdowns=1), destination)
    before.base[1] = Record(ASSIGNING, 2, 1, version=3)
    return taken(before, "append(broker=2)")


BROKEN["no-assign-to-disabled"] |= {"a unit goes to a broker that shuts down": lambda: assigned(2)}

KEPT["no-assign-to-disabled"] |= {"a unit goes to another broker than the one that shuts down": lambda: assigned(1)}


@breaks("closes-before-hand-over")
def an_owner_makes_another_the_owner() -> Crafted:
    made = a_broker_gives_its_unit_up()
    late = made.after.outbox[1][1]
    forced = late._replace(record=Record(OWNED, 2, 1, True, 3))
    made.after.outbox[1] = made.after.outbox[1].without(1).plus(forced)
    return made


@keeps("closes-before-hand-over")
def a_broker_gives_its_unit_up() -> Crafted:
    return taken(stopping(cluster(shutdowns=1)), "drain(broker=1, destination=2)")


@breaks("shutting-down-closes")
def one_that_shuts_down_serves_what_it_does_not_own() -> Crafted:
    at = stopping(cluster(shutdowns=1))
    at.view[1, 1] = RELEASING_1
    return state(at)


KEPT["shutting-down-closes"] |= {
    "one that shuts down serves what it owns": lambda: state(stopping(cluster(shutdowns=1)))
}


def publishes_when_cleaned_up(destination: int) -> Crafted:
    """Return a step that appends what broker 2 assigns after its clean-up has dealt with the unit."""
    before = publishing(Record(ASSIGNING, destination, version=1), TOMBSTONE, owner=0, shutdowns=1)
    before.drained[2, 1] = True
    return taken(stopping(before, 2), "append(broker=2)")


BROKEN["cleaned-up-stays-away"] |= {"a broker that is cleaned up assigns itself": lambda: publishes_when_cleaned_up(2)}

KEPT["cleaned-up-stays-away"] |= {"a broker that is cleaned up assigns another": lambda: publishes_when_cleaned_up(1)}
