"""Crafted states and steps for laws of what a real cluster did: operators that wait, dead brokers, second copies."""

from __future__ import annotations

from oneowner.model.channel.operators import NONE
from oneowner.model.channel.parts import Message, Order, Progress, Publish, Run
from oneowner.model.channel.record import FREE, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    OWNED_1,
    RELEASING_1,
    Crafted,
    breaks,
    cluster,
    edited,
    gives_no_occasion,
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


@breaks("refusal-is-told")
def who_asked_for_a_split_waits_for_nothing() -> Crafted:
    return state(waiting(split=IN_VAIN))


@breaks("refusal-is-told")
def who_asked_for_an_unload_waits_for_nothing() -> Crafted:
    return state(waiting(unload=IN_VAIN))


@keeps("refusal-is-told")
def what_was_asked_for_is_being_carried_out() -> Crafted:
    return state(waiting(CARRIED, CARRIED))


@keeps("refusal-is-told")
def the_broker_has_yet_to_read_what_was_asked_for() -> Crafted:
    at = waiting(unload=IN_VAIN)
    at.log = Sequence([Message(1, RELEASING_1)])
    return state(at)


@gives_no_occasion("refusal-is-told")
def no_operator_waits() -> Crafted:
    return state(waiting())


@breaks("done-as-asked")
def an_unload_is_told_done_that_nobody_carried_out() -> Crafted:
    return told(waiting(unload=IN_VAIN))


@breaks("done-as-asked")
def a_split_is_told_done_that_nobody_carried_out() -> Crafted:
    return told(waiting(CARRIED, IN_VAIN))


@keeps("done-as-asked")
def what_is_told_done_was_carried_out() -> Crafted:
    return told(waiting(CARRIED, CARRIED))


@gives_no_occasion("done-as-asked")
def nobody_is_told_anything() -> Crafted:
    return edited(waiting(CARRIED, IN_VAIN), "consume(broker=1)", lambda after: None)


def selecting(run: Run = Run.DOWN) -> State:
    """Return a cluster in which a lookup at broker 1 selects a broker, and broker 2 may be gone."""
    at = cluster(owner=0, assigns=1, crashes=1)
    at.asking[1, 1], at.run[2] = True, run
    return at


@breaks("selected-runs")
def a_dead_broker_is_selected() -> Crafted:
    return taken(selecting(), "assign(broker=1, destination=2)")


@keeps("selected-runs")
def a_living_broker_is_selected_beside_a_dead_one() -> Crafted:
    return taken(selecting(), "assign(broker=1, destination=1)")


@gives_no_occasion("selected-runs")
def everybody_lives() -> Crafted:
    return taken(selecting(Run.UP), "assign(broker=1, destination=2)")


def sending(held: Record, is_resent: bool = True) -> Crafted:
    """Return a step by which broker 2 sends Releasing once more, where the channel holds *held* by now."""
    at = cluster(unloads=1, resends=1, sequence_ids=1)
    at.base[1] = held
    at.outbox[2] = Sequence([Publish(1, Record(RELEASING, 0, 1, version=3), OWNED_1)])
    at.resent[2] = is_resent
    return taken(at, "append(broker=2)")


@breaks("resent-is-refused")
def a_second_copy_comes_behind_a_tombstone() -> Crafted:
    return sending(TOMBSTONE)


@keeps("resent-is-refused")
def a_second_copy_is_refused_by_its_version() -> Crafted:
    return sending(Record(FREE, 0, 1, version=4))


@gives_no_occasion("resent-is-refused")
def a_first_copy_comes_behind_a_tombstone() -> Crafted:
    return sending(TOMBSTONE, is_resent=False)
