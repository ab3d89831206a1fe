"""States and steps that break or keep the laws of the compaction of the channel's topic."""

from __future__ import annotations

from oneowner.model.channel.parts import Message, Phase
from oneowner.model.channel.record import FREE, OWNED, TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import BROKEN, KEPT, RELEASING_1, Crafted, breaks, cluster, keeps, state, taken

UNREAD = Record(OWNED, 2, version=2)  # what a reader must not be given: the channel holds Releasing


def compacted(phase: Phase = Phase.IDLE) -> State:
    """The log holds the release of unit 1, and all of it is kept, shown and saved."""
    at = cluster(compactions=2, expiries=1, unloads=1)
    at.log = at.log.plus(Message(1, RELEASING_1))
    at.phase = phase
    at.horizon = at.saved_horizon = 1
    at.ledger[1] = at.saved_ledger[1] = RELEASING_1
    return at


@breaks("kept-is-fold")
def readers_are_given_an_older_record() -> Crafted:
    at = compacted()
    at.ledger[1] = UNREAD
    return state(at)


@breaks("kept-is-fold")
def a_later_host_starts_from_an_older_record() -> Crafted:
    at = compacted()
    at.saved_ledger[1] = TOMBSTONE
    return state(at)


@breaks("kept-is-fold")
def the_compaction_under_way_keeps_an_older_record() -> Crafted:
    at = compacted(Phase.READ)
    at.read_to, at.result[1] = 1, UNREAD
    return state(at)


KEPT["kept-is-fold"] |= {"all that is kept is the last record": lambda: state(compacted())}


@breaks("compaction-at-once")
def the_horizon_moves_before_the_ledger() -> Crafted:
    made = shown()
    made.after.ledger[1] = made.before.ledger[1]
    return made


@breaks("compaction-at-once")
def a_reader_is_given_a_ledger_when_another_step_is_taken() -> Crafted:
    made = taken(compacted(), "expire(broker=2)")
    made.after.ledger[1] = UNREAD
    return made


KEPT["compaction-at-once"] |= {"a written ledger is shown with its horizon": lambda: shown()}


@keeps("compaction-at-once")
def a_new_host_goes_back_to_what_was_saved() -> Crafted:
    at = compacted(Phase.SHOWN)
    at.saved_horizon, at.saved_ledger[1] = 0, TOMBSTONE
    at.leader = 0
    return taken(at, "elect(broker=2)")


def shown() -> Crafted:
    """A compaction of all there is, the first one, is shown to readers."""
    at = compacted(Phase.WRITTEN)
    at.horizon = at.saved_horizon = 0
    at.ledger[1] = at.saved_ledger[1] = TOMBSTONE
    at.read_to, at.result[1] = 1, RELEASING_1
    return taken(at, "show_ledger(broker=1)")


@breaks("no-ledger-leaks")
def a_ledger_is_left_behind() -> Crafted:
    at = compacted()
    at.leaked = 1
    return state(at)


KEPT["no-ledger-leaks"] |= {"the cursor names the only ledger": lambda: state(compacted())}


def carried_over() -> State:
    """Broker 1 serves the unit; a compaction swallowed the record that told it to stop."""
    at = compacted()
    at.base[1] = at.view[1, 1] = at.view[2, 1] = Record(FREE, source=2, version=5)
    at.log, at.serving[1, 1], at.swallowed[1, 1] = Sequence(), True, True
    return at


@breaks("serve-implies-view-always")
@breaks("quiescent-agreement-always")
def a_broker_serves_on_because_it_was_never_told() -> Crafted:
    return state(carried_over())


@keeps("serve-implies-view")
@keeps("quiescent-agreement")
def a_broker_that_was_never_told_is_excused() -> Crafted:
    return state(carried_over())


@breaks("serve-implies-view")
@breaks("quiescent-agreement")
def a_broker_that_was_told_is_not_excused() -> Crafted:
    at = carried_over()
    at.swallowed[1, 1] = False
    return state(at)


@keeps("dual-serving-explained")
def one_of_two_servers_was_never_told() -> Crafted:
    at = carried_over()
    at.serving[2, 1] = True
    return state(at)


@keeps("serve-implies-view-always")
@keeps("quiescent-agreement-always")
def the_owner_serves_and_all_is_quiet() -> Crafted:
    return state(cluster())


def over_a_tombstone() -> State:
    """Both brokers have read all of the channel; a compaction carried broker 2 over the tombstone of a free unit."""
    at = cluster(compactions=2, tombstones=1, owner=0)
    at.view[2, 1], at.missed[2, 1] = Record(FREE, source=2, version=4), True
    return at


BROKEN["view-is-prefix-fold-always"] |= {"a broker holds what was deleted": lambda: state(over_a_tombstone())}

KEPT["view-is-prefix-fold"] |= {
    "a broker that was carried over a tombstone is excused": lambda: state(over_a_tombstone())
}


@breaks("view-is-prefix-fold")
def a_broker_that_read_the_tombstone_is_not_excused() -> Crafted:
    at = over_a_tombstone()
    at.missed[2, 1] = False
    return state(at)


@breaks("one-owner-always")
def one_of_two_refuses_the_next_life_of_a_unit() -> Crafted:
    at = over_a_tombstone()
    at.base[1] = at.view[1, 1] = UNREAD
    return state(at)


@keeps("view-is-prefix-fold-always")
@keeps("one-owner-always")
def both_hold_what_the_channel_does() -> Crafted:
    return state(compacted_and_read())


@keeps("single-server")
def one_of_two_servers_never_saw_the_end_of_the_unit() -> Crafted:
    at = over_a_tombstone()
    at.base[1] = at.view[1, 1] = UNREAD
    at.serving[1, 1] = at.serving[2, 1] = True
    return state(at)


@breaks("single-server")
def two_serve_and_neither_missed_anything() -> Crafted:
    at = compacted_and_read()
    at.serving[1, 1] = at.serving[2, 1] = True
    return state(at)


def compacted_and_read() -> State:
    at = cluster(compactions=2, tombstones=1)
    at.view[1, 1] = at.view[2, 1] = at.base[1]
    return at
