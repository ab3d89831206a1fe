"""Crafted states and steps for laws of what a real cluster did: operators that wait, dead brokers, second copies."""

from __future__ import annotations

from oneowner.model.channel.operators import NONE
from oneowner.model.channel.parts import Message, Order, Progress, Publish, Run
from oneowner.model.channel.record import FREE, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    BROKEN,
    KEPT,
    OWNED_1,
    RELEASING_1,
    SILENT,
    Crafted,
    cluster,
    edited,
    keeps,
    state,
    taken,
)

SPLITTING = {"units": 3, "splits": 1, "unloads": 1, "pending": 2, "operators": 1}
IN_VAIN, CARRIED = Order(Progress.WAITING, False, 0), Order(Progress.WAITING, True, 0)


def waiting(unload: Order = NONE, split: Order = NONE) -> State:
    """Return a cluster in which operators wait at broker 1 for an unload and a split of the parent."""
    at = cluster(**SPLITTING)
    at.unloading[1, 1], at.dividing[1, 1] = unload, split
    return at


def told(before: State) -> Crafted:
    """Return a step after which nobody waits at broker 1 any more."""

    def edit(after: State) -> None:
        after.unloading[1, 1] = after.dividing[1, 1] = NONE

    return edited(before, "consume(broker=1)", edit)


BROKEN["refusal-is-told"] |= {
    "who asked for a split waits for nothing": lambda: state(waiting(split=IN_VAIN)),
    "who asked for an unload waits for nothing": lambda: state(waiting(unload=IN_VAIN)),
}

KEPT["refusal-is-told"] |= {"what was asked for is being carried out": lambda: state(waiting(CARRIED, CARRIED))}


@keeps("refusal-is-told")
def the_broker_has_yet_to_read_what_was_asked_for() -> Crafted:
    at = waiting(unload=IN_VAIN)
    at.log = Sequence([Message(1, RELEASING_1)])
    return state(at)


SILENT["refusal-is-told"] |= {"no operator waits": lambda: state(waiting())}

BROKEN["done-as-asked"] |= {
    "an unload is told done that nobody carried out": lambda: told(waiting(unload=IN_VAIN)),
    "a split is told done that nobody carried out": lambda: told(waiting(CARRIED, IN_VAIN)),
}

KEPT["done-as-asked"] |= {"what is told done was carried out": lambda: told(waiting(CARRIED, CARRIED))}

SILENT["done-as-asked"] |= {
    "nobody is told anything": lambda: edited(waiting(CARRIED, IN_VAIN), "consume(broker=1)", lambda after: None)
}


def selecting(run: Run = Run.DOWN) -> State:
    """Return a cluster in which a lookup at broker 1 selects a broker, and broker 2 may be gone."""
    at = cluster(owner=0, assigns=1, crashes=1)
    at.asking[1, 1], at.run[2] = True, run
    return at


BROKEN["selected-runs"] |= {"a dead broker is selected": lambda: taken(selecting(), "assign(broker=1, destination=2)")}

KEPT["selected-runs"] |= {
    "a living broker is selected beside a dead one": lambda: taken(selecting(), "assign(broker=1, destination=1)")
}

SILENT["selected-runs"] |= {"everybody lives": lambda: taken(selecting(Run.UP), "assign(broker=1, destination=2)")}


def sending(held: Record, is_resent: bool = True) -> Crafted:
    """Return a step by which broker 2 sends Releasing once more, where the channel holds *held* by now."""
    at = cluster(unloads=1, resends=1, sequence_ids=1)
    at.base[1] = held
    at.outbox[2] = Sequence([Publish(1, Record(RELEASING, 0, 1, version=3), OWNED_1)])
    at.resent[2] = is_resent
    return taken(at, "append(broker=2)")


BROKEN["resent-is-refused"] |= {"a second copy comes behind a tombstone": lambda: sending(TOMBSTONE)}

KEPT["resent-is-refused"] |= {"a second copy is refused by its version": lambda: sending(Record(FREE, 0, 1, version=4))}

SILENT["resent-is-refused"] |= {"a first copy comes behind a tombstone": lambda: sending(TOMBSTONE, is_resent=False)}
