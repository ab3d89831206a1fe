"""Crafted states and steps for the laws of lookups and of graceful shutdown."""

from typing import Any

from oneowner.model.channel.parts import Node, Outcome, Publish, Reply, Request, Run, Stage
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    FORCED_2,
    FREE_1,
    HANDED_OVER,
    KEPT,
    OWNED_1,
    RELEASING_1,
    SILENT,
    Crafted,
    cluster,
    edited,
    model_step,
    publishing,
    state,
)


def asking(request: Request = Request.WAITING, view: Record = ASSIGNING_2, **cells: Any) -> State:
    """Return a cluster in which a lookup is open at broker 2, whose view is in flight to it."""
    at = where(cluster(lookups=2, shutdowns=1), request={(2, 1): request}, view={(2, 1): view})
    return where(where(at, registered_then={(2, 1): True, (2, 2): True}), **cells)


def answered(before: State, reply: Reply, **cells: Any) -> Crafted:
    """Return a step that answers the lookup at broker 2."""
    return edited(before, "time_out(broker=2)", request={(2, 1): Request.NONE}, reply={(2, 1): reply}, **cells)


def lookup_answer(owner: int, **cells: Any) -> Crafted:
    """Return a step that answers the lookup at broker 2 with *owner*, in a cluster of some cells."""
    return answered(asking(**cells), Reply(Outcome.OWNER, owner, 4))


def failed() -> Crafted:
    return answered(asking(), Reply(Outcome.FAILED, 0, 4))


BROKEN["prefix-answer"] |= {"an answer that the view never named": lambda: lookup_answer(1)}
KEPT["prefix-answer"] |= {"an answer that the view named before": lambda: lookup_answer(1, named={(2, 1): True})}
SILENT["prefix-answer"] |= {"a lookup fails": failed}

BROKEN["monotonic-answers"] |= {
    "an answer by an older entry than the last": lambda: lookup_answer(2, reply={(2, 1): Reply(Outcome.OWNER, 2, 5)})
}
KEPT["monotonic-answers"] |= {
    "an answer by the same entry as the last": lambda: lookup_answer(2, reply={(2, 1): Reply(Outcome.OWNER, 2, 4)})
}
SILENT["monotonic-answers"] |= {"a lookup is the first to be answered": failed}

BROKEN["answer-is-listed"] |= {
    "an answer that the cache does not list": lambda: lookup_answer(2, known={(2, 2): False})
}
KEPT["answer-is-listed"] |= {"an answer that the cache lists": lambda: lookup_answer(2)}
SILENT["answer-is-listed"] |= {"a lookup that fails names nobody": failed}

BROKEN["active-at-some-instant"] |= {
    "an answer that was never registered": lambda: lookup_answer(
        1, registered_then={(2, 1): False}, node={1: Node.ABSENT}
    )
}
KEPT["active-at-some-instant"] |= {
    "an answer that was registered when the lookup was opened": lambda: lookup_answer(1, node={1: Node.ABSENT})
}
SILENT["active-at-some-instant"] |= {
    "a lookup dies with its broker": lambda: answered(asking(), Reply(Outcome.OWNER, 2, 4), run={2: Run.DOWN})
}


def opened(held: Record, request: Request, **cells: Any) -> Crafted:
    """Return a step that opens a lookup at broker 2, whose view is *held*, and leaves it in *request*."""
    return edited(asking(Request.NONE, held, **cells), "open_lookup(broker=2)", request={(2, 1): request})


def opens(held: Record) -> Crafted:
    """Return the step of the model that opens a lookup at broker 2, whose view is *held*."""
    return model_step(asking(Request.NONE, held), "open_lookup(broker=2)")


BROKEN["deferral-discipline"] |= {
    "a lookup waits that is none of this brokers business": lambda: opened(
        Record(RELEASING, 1, 2, version=3), Request.WAITING
    ),
    "a lookup at the destination does not wait": lambda: opened(ASSIGNING_2, Request.NONE),
    "a lookup does not wait although the owner is not listed": lambda: opened(
        OWNED_1, Request.NONE, known={(2, 1): False}
    ),
}
KEPT["deferral-discipline"] |= {
    "a lookup waits at the destination": lambda: opens(ASSIGNING_2),
    "a lookup is sent to the owner": lambda: opens(OWNED_1),
}
SILENT["deferral-discipline"] |= {"a lookup finds no owner": lambda: opens(FREE_1)}


def asks_one_that_shuts_down(reply: Reply, stage: Stage = Stage.UNREGISTERED) -> Crafted:
    """Return a step by which a lookup at broker 2, which shuts down, is answered; its view names broker 1."""
    at = stopping(asking(Request.NONE, OWNED_1), 2)
    return edited(where(at, stage={2: stage}), "open_lookup(broker=2)", reply={(2, 1): reply})


BROKEN["disabled-answers"] |= {
    "one that shuts down fails a lookup though it knows the owner": lambda: asks_one_that_shuts_down(
        Reply(Outcome.FAILED, 0, 2)
    ),
    "one that shuts down names another than the owner": lambda: asks_one_that_shuts_down(Reply(Outcome.OWNER, 2, 2)),
}
KEPT["disabled-answers"] |= {
    "one that shuts down names the owner": lambda: asks_one_that_shuts_down(Reply(Outcome.OWNER, 1, 2))
}
SILENT["disabled-answers"] |= {
    "a broker fails a lookup that does not shut down": lambda: asks_one_that_shuts_down(
        Reply(Outcome.FAILED, 0, 2), Stage.RUNNING
    )
}
KEPT["deferral-discipline"] |= {
    "one that shuts down does not wait for an owner who is not listed": lambda: opened(
        OWNED_1, Request.NONE, known={(2, 1): False}, stage={2: Stage.DRAINING}
    )
}
BROKEN["deferral-discipline"] |= {
    "one that shuts down waits for an owner whom it knows": lambda: opened(
        OWNED_1, Request.WAITING, stage={2: Stage.DRAINING}
    )
}

BROKEN["no-waiter-leak"] |= {"a lookup waits although its owner is known": lambda: state(asking(view=OWNED_1))}
KEPT["no-waiter-leak"] |= {"a lookup waits for a hand over": lambda: state(asking())}
SILENT["no-waiter-leak"] |= {"a lookup selects a broker": lambda: state(asking(Request.SELECTING, OWNED_1))}

BROKEN["waiter-is-told"] |= {
    "a lookup waits for an owner whom its quiet broker knows": lambda: state(asking(view=OWNED_1))
}
KEPT["waiter-is-told"] |= {
    "a lookup waits at a quiet broker for an owner who is not listed": lambda: state(
        asking(view=OWNED_1), known={(2, 1): False}
    )
}
SILENT["waiter-is-told"] |= {
    "a lookup waits at a broker that publishes": lambda: state(
        asking(view=OWNED_1), outbox={2: [Publish(1, OWNED_1, OWNED_1)]}
    ),
    "a lookup waits after a broker was away": lambda: state(asking(view=OWNED_1), shutdowns_left=0),
}

# ---- graceful shutdown ----

DRAIN = "drain(broker=1, destination=2)"


def stopping(before: State, broker: int = 1, **cells: Any) -> State:
    return where(before, stage={broker: Stage.DRAINING}, **cells)


def unregisters(held: Record) -> Crafted:
    views = {(1, 1): held, (2, 1): held}
    at = stopping(cluster(shutdowns=1), base={1: held}, view=views, drained={(1, 1): True})
    return model_step(at, "unregister(broker=1)")


BROKEN["unregistered-owns-nothing"] |= {"an owner unregisters": lambda: unregisters(OWNED_1)}
KEPT["unregistered-owns-nothing"] |= {
    "a broker unregisters that is being assigned": lambda: unregisters(Record(ASSIGNING, 1, version=3))
}

BROKEN["drain-before-unregister"] |= {"a destination unregisters": lambda: unregisters(Record(OWNED, 1, version=3))}
KEPT["drain-before-unregister"] |= {"a former owner unregisters": lambda: unregisters(HANDED_OVER)}


def assigned(destination: int) -> Crafted:
    before = publishing(Record(OWNED, 2, 1, version=4), RELEASING_1, shutdowns=1)
    held = Record(ASSIGNING, 2, 1, version=3)
    return model_step(stopping(before, destination, base={1: held}), "append(broker=2)")


BROKEN["no-assign-to-disabled"] |= {"a unit goes to a broker that shuts down": lambda: assigned(2)}
KEPT["no-assign-to-disabled"] |= {"a unit goes to another broker than the one that shuts down": lambda: assigned(1)}

BROKEN["closes-before-hand-over"] |= {
    "an owner makes another the owner": lambda: edited(
        stopping(cluster(shutdowns=1)), DRAIN, outbox={1: [Publish(1, FORCED_2, OWNED_1)]}, drained={(1, 1): True}
    )
}

BROKEN["shutting-down-closes"] |= {
    "one that shuts down serves what it does not own": lambda: state(
        stopping(cluster(shutdowns=1)), view={(1, 1): RELEASING_1}
    )
}
KEPT["shutting-down-closes"] |= {
    "one that shuts down serves what it owns": lambda: state(stopping(cluster(shutdowns=1)))
}
SILENT["shutting-down-closes"] |= {
    "another broker than the one that shuts down serves": lambda: state(
        cluster(shutdowns=1), stage={2: Stage.UNREGISTERED}
    )
}


def publishes_when_cleaned_up(destination: int) -> Crafted:
    """Return a step that appends what broker 2 assigns after its clean-up has dealt with the unit."""
    before = publishing(Record(ASSIGNING, destination, version=1), TOMBSTONE, owner=0, shutdowns=1)
    return model_step(stopping(before, 2, drained={(2, 1): True}), "append(broker=2)")


BROKEN["cleaned-up-stays-away"] |= {"a broker that is cleaned up assigns itself": lambda: publishes_when_cleaned_up(2)}
KEPT["cleaned-up-stays-away"] |= {"a broker that is cleaned up assigns another": lambda: publishes_when_cleaned_up(1)}
