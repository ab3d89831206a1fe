"""Crafted states and steps for the laws of deletions, operators that wait, dead brokers and second copies."""

from oneowner.model.channel.operators import NONE
from oneowner.model.channel.parts import Message, Order, Progress, Publish, Run
from oneowner.model.channel.record import DELETED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    BROKEN,
    FREE_1,
    KEPT,
    OWNED_1,
    RELEASING_1,
    SILENT,
    UNLOADED_1,
    Crafted,
    cluster,
    edited,
    model_step,
    publishing,
    state,
)

DELETING = {"owner": 1, "unloads": 1, "removals": 1, "pending": 2}


def deletion(force: bool) -> Crafted:
    """A deletion is asked for behind an older publish, which nobody forced."""
    older, asks = Publish(2, FREE_1, OWNED_1), Publish(1, Record(RELEASING, 0, 1, force, 3), OWNED_1)
    at = where(cluster(**DELETING), outbox={1: [older]})
    return edited(at, "remove(broker=1, unit=1)", outbox={1: [older, asks]})


BROKEN["deletion-is-forced"] |= {"a deletion asks like an unload": lambda: deletion(force=False)}
KEPT["deletion-is-forced"] |= {"a deletion takes the unit by force": lambda: deletion(force=True)}

SPLITTING = {"units": 3, "splits": 1, "unloads": 1, "pending": 2, "operators": 1}
IN_VAIN, CARRIED = Order(Progress.WAITING, False, 0), Order(Progress.WAITING, True, 0)


def waiting(unload: Order = NONE, split: Order = NONE) -> State:
    """Return a cluster in which operators wait at broker 1 for an unload and a split of the parent."""
    return where(cluster(**SPLITTING), unloading={(1, 1): unload}, dividing={(1, 1): split})


BROKEN["refusal-is-told"] |= {
    "who asked for a split waits for nothing": lambda: state(waiting(split=IN_VAIN)),
    "who asked for an unload waits for nothing": lambda: state(waiting(unload=IN_VAIN)),
}
KEPT["refusal-is-told"] |= {
    "what was asked for is being carried out": lambda: state(waiting(CARRIED, CARRIED)),
    "the broker has yet to read what was asked for": lambda: state(
        waiting(unload=IN_VAIN), log=[Message(1, RELEASING_1)]
    ),
}
SILENT["refusal-is-told"] |= {"no operator waits": lambda: state(waiting())}


def waits_end(before: State) -> Crafted:
    """Return a step after which nobody waits at broker 1 any more."""
    return edited(before, "consume(broker=1)", unloading={(1, 1): NONE}, dividing={(1, 1): NONE})


BROKEN["done-as-asked"] |= {
    "an unload is told done that nobody carried out": lambda: waits_end(waiting(unload=IN_VAIN)),
    "a split is told done that nobody carried out": lambda: waits_end(waiting(CARRIED, IN_VAIN)),
}
KEPT["done-as-asked"] |= {"what is told done was carried out": lambda: waits_end(waiting(CARRIED, CARRIED))}
SILENT["done-as-asked"] |= {"nobody is told anything": lambda: edited(waiting(CARRIED, IN_VAIN), "consume(broker=1)")}


def ended(unload: Order, unload_after: Order, *, by_record: bool = True) -> Crafted:
    """Return a step in which broker 1 reads Free and *unload* comes to something, or in which it reads nothing."""
    before = where(waiting(unload), view={(1, 1): UNLOADED_1})
    if by_record:
        return edited(before, "consume(broker=1)", view={(1, 1): FREE_1}, unloading={(1, 1): unload_after})
    return edited(before, "append(broker=1)", unloading={(1, 1): unload_after})


def split_ended(split_after: Order) -> Crafted:
    """Return a step in which broker 1 reads a tombstone, while an operator waits for a split that was carried out."""
    before = where(waiting(split=CARRIED), view={(1, 1): Record(DELETED, 0, 1, version=4)})
    return edited(before, "consume(broker=1)", view={(1, 1): TOMBSTONE}, dividing={(1, 1): split_after})


SENT, DROPPED = Order(Progress.SENT, False, 0), Order(Progress.DROPPED, True, 0)

BROKEN["done-is-told"] |= {
    "an unload ends and who waits for it is told nothing": lambda: ended(CARRIED, CARRIED),
    "an unload ends and who was dropped is told nothing": lambda: ended(DROPPED, DROPPED),
    "a split ends and who waits for it is told nothing": lambda: split_ended(CARRIED),
}
KEPT["done-is-told"] |= {
    "an unload ends and who waits for it is told": lambda: ended(CARRIED, NONE),
    "a split ends and who waits for it is told": lambda: split_ended(NONE),
}
SILENT["done-is-told"] |= {
    "an unload ends that nobody carried out": lambda: ended(IN_VAIN, IN_VAIN),
    "nothing is read": lambda: ended(CARRIED, CARRIED, by_record=False),
}

BROKEN["told-by-an-end"] |= {"a command is told done as soon as it is sent": lambda: ended(SENT, NONE, by_record=False)}
KEPT["told-by-an-end"] |= {"a command is told done by what is read": lambda: ended(CARRIED, NONE)}
SILENT["told-by-an-end"] |= {"a command begins to wait": lambda: ended(SENT, IN_VAIN, by_record=False)}


def selecting(destination: int, run: Run = Run.DOWN) -> Crafted:
    """Return a step by which a lookup at broker 1 selects *destination*; broker 2 may be gone."""
    at = where(cluster(owner=0, assigns=1, crashes=1), asking={(1, 1): True}, run={2: run})
    return model_step(at, f"assign(broker=1, destination={destination})")


BROKEN["selected-runs"] |= {"a dead broker is selected": lambda: selecting(2)}
KEPT["selected-runs"] |= {"a living broker is selected beside a dead one": lambda: selecting(1)}
SILENT["selected-runs"] |= {"everybody lives": lambda: selecting(2, Run.UP)}


def sending(held: Record, is_resent: bool = True) -> Crafted:
    """Return a step by which broker 2 sends Releasing once more, where the channel holds *held* by now."""
    at = publishing(UNLOADED_1, unloads=1, resends=1, sequence_ids=1)
    return model_step(where(at, base={1: held}, resent={2: is_resent}), "append(broker=2)")


BROKEN["resent-is-refused"] |= {"a second copy comes behind a tombstone": lambda: sending(TOMBSTONE)}
KEPT["resent-is-refused"] |= {"a second copy is refused by its version": lambda: sending(FREE_1)}
SILENT["resent-is-refused"] |= {"a first copy comes behind a tombstone": lambda: sending(TOMBSTONE, is_resent=False)}
