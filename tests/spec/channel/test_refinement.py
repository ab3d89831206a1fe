"""The mappings on steps made by hand: what they see, and steps that no abstract action explains."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Message, Node, Run
from oneowner.model.channel.record import DELETED, FREE, RELEASING, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.handoff.requirement import Flight
from oneowner.model.kernel.language import Sequence
from oneowner.model.kernel.refinement import Refinement
from oneowner.model.kernel.system import initial_states
from oneowner.spec.channel.refinement import CHANNEL, CHANNEL_UNLESS_TAINTED, NODE, NOTIFICATIONS, VIEWS, ownership
from tests.spec.channel.crafted import ASSIGNING_2, OWNED_1, RELEASING_1

OWNED_2 = Record(ASSIGNING_2.state, 2, 1, version=5)._replace(state=OWNED_1.state)


def cluster(storage: Storage = Storage.SYSTEM_TOPIC) -> State:
    return initial_states(Bounds(owner=1, storage=storage))[0]


def explained(refinement: Refinement, *states: State) -> list[tuple[str, ...] | None]:
    """Return how each step from one state to the next is explained."""
    abstract = refinement.start(refinement.observe(states[0]))
    found = []
    for state in states[1:]:
        before, abstract = abstract, refinement.follow(abstract, refinement.observe(state))
        found.append(refinement.explain(before, abstract))
    return found


def after(state: State, *changes: Callable[[State], object]) -> State:
    twin = state.copy()
    for change in changes:
        change(twin)
    return twin


def logs(record: Record) -> Callable[[State], object]:
    return lambda state: setattr(state, "log", state.log.plus(Message(1, record)))


def shows(broker: int, record: Record, cursor: int) -> Callable[[State], object]:
    def change(state: State) -> None:
        state.view[broker, 1] = record
        state.cursor[broker] = cursor

    return change


def holds(record: Record) -> Callable[[State], object]:
    def change(state: State) -> None:
        state.base[1] = record
        state.changed[1, 1] = state.changed[2, 1] = True

    return change


def sees(broker: int, record: Record) -> Callable[[State], object]:
    def change(state: State) -> None:
        state.view[broker, 1] = record
        state.changed[broker, 1] = False

    return change


# ---- R1 ----


def test_records_of_a_transfer_are_a_transfer_and_its_end() -> None:
    states = [cluster()]
    for record in (RELEASING_1, ASSIGNING_2, OWNED_2):
        states.append(after(states[-1], logs(record)))
    assert explained(CHANNEL, *states) == [("Transfer",), (), ("Own",)]


def test_tombstone_of_an_active_entry_is_no_action_of_r0() -> None:
    start = cluster()
    assert explained(CHANNEL, start, after(start, logs(TOMBSTONE))) == [None]
    releasing = after(start, logs(RELEASING_1))
    assert explained(CHANNEL, start, releasing, after(releasing, logs(TOMBSTONE))) == [("Transfer",), None]


def test_tainted_unit_may_change_as_it_likes_and_others_may_not() -> None:
    start = cluster()
    erased = after(start, logs(TOMBSTONE))
    tainted = after(erased, lambda state: state.tainted.__setitem__(1, True))
    assert explained(CHANNEL_UNLESS_TAINTED, start, erased) == [None]
    assert explained(CHANNEL_UNLESS_TAINTED, start, tainted) == [("Break",)]
    assert explained(CHANNEL_UNLESS_TAINTED, start, after(start, logs(RELEASING_1))) == [("Transfer",)]
    assert str(CHANNEL_UNLESS_TAINTED.observe(tainted)).endswith("failed so far: none; unit 1 is tainted")


def test_taint_of_one_unit_excuses_no_other() -> None:
    start = initial_states(Bounds(owner=1, units=2))[0]
    erased = after(start, logs(TOMBSTONE), lambda state: state.tainted.__setitem__(2, True))
    assert explained(CHANNEL_UNLESS_TAINTED, start, erased) == [None]


def test_tombstone_of_a_unit_that_was_let_go_of_for_nobody_looks_like_its_end() -> None:
    # R0 does not see whether the giver has closed its topics: a tombstone then is too early, and for R0 just in time.
    releasing = after(cluster(), logs(Record(RELEASING, 0, 1, version=3)))
    assert explained(CHANNEL, releasing, after(releasing, logs(TOMBSTONE))) == [("Free",)]


def test_tombstone_of_a_free_unit_is_a_stutter() -> None:
    start = cluster()
    start.base[1] = Record(FREE, 0, 1, version=4)
    assert explained(CHANNEL, start, after(start, logs(TOMBSTONE))) == [()]


def test_record_that_is_refused_is_a_stutter() -> None:
    start = cluster()
    assert explained(CHANNEL, start, after(start, logs(OWNED_1))) == [()]


def test_record_behind_a_gap_may_be_no_action_of_r0() -> None:
    start = cluster()
    assert explained(CHANNEL, start, after(start, logs(OWNED_2))) == [None]


def test_split_keeps_its_owner_until_the_parent_is_deleted() -> None:
    start = cluster()
    splitting = after(start, logs(Record(SPLITTING, 0, 1, version=3)))
    assert ownership(splitting).own == (1,)
    assert ownership(splitting).flight == (Flight(1, 0),)
    deleted = after(splitting, logs(Record(DELETED, 0, 1, version=4)))
    assert explained(CHANNEL, start, splitting, deleted) == [("SplitAt",), ("Retire",)]


def test_failure_is_remembered_when_the_broker_is_back() -> None:
    start = cluster()
    dead = after(start, lambda state: state.run.__setitem__(1, Run.DOWN))
    forced = Record(OWNED_1.state, 2, 1, True, 3)
    assert explained(CHANNEL, start, dead, start, after(start, logs(forced))) == [("Fail",), (), ("Lose",)]
    assert explained(CHANNEL, start, after(start, logs(forced))) == [None]
    unregistered = after(start, lambda state: state.node.__setitem__(1, Node.ABSENT))
    assert explained(CHANNEL, start, unregistered) == [("Fail",)]


def test_nodes_are_ownership_as_the_log_is() -> None:
    start = cluster(Storage.METADATA_STORE)
    releasing = after(start, holds(Record(RELEASING, 0, 1, version=3)))
    assert explained(NODE, start, releasing, after(releasing, holds(TOMBSTONE))) == [("Release",), ("Free",)]
    assert explained(NODE, start, after(start, holds(TOMBSTONE))) == [None]


# ---- R2 ----


def test_reader_reads_one_record_at_a_time() -> None:
    start = cluster()
    written = after(start, logs(RELEASING_1))
    more = after(written, logs(ASSIGNING_2))
    first, second = after(more, shows(1, RELEASING_1, 1)), after(more, shows(1, ASSIGNING_2, 2))
    assert explained(VIEWS, start, written, more, first, second) == [("Write",), ("Write",), ("Read",), ("Read",)]


@pytest.mark.parametrize(
    ("why", "view", "cursor"),
    [
        ("it skips a record", ASSIGNING_2, 2),
        ("it reads ahead of its cursor", ASSIGNING_2, 1),
        ("it moves on and shows what it showed", OWNED_1, 1),
        ("it shows what was never written", OWNED_2, 1),
        ("it forgets", TOMBSTONE, 0),
    ],
)
def test_reader_that_does_anything_else_is_not_explained(why: str, view: Record, cursor: int) -> None:
    written = after(cluster(), logs(RELEASING_1), logs(ASSIGNING_2))
    assert explained(VIEWS, written, after(written, shows(1, view, cursor))) == [None], why


def test_reader_that_goes_back_is_not_explained() -> None:
    written = after(cluster(), logs(RELEASING_1), shows(1, RELEASING_1, 1))
    assert explained(VIEWS, written, after(written, shows(1, OWNED_1, 0))) == [None]


def test_new_process_shows_the_last_entries() -> None:
    written = after(cluster(), logs(RELEASING_1))
    dead = after(written, lambda state: state.run.__setitem__(2, Run.DOWN))
    back = after(written, shows(2, RELEASING_1, 1))
    assert explained(VIEWS, written, dead, back) == [("Stop",), ("Start",)]
    assert explained(VIEWS, dead, written) == [None]


# ---- R5 ----


def test_notification_stands_for_all_reads_that_it_passes_over() -> None:
    start = cluster(Storage.METADATA_STORE)
    once = after(start, holds(RELEASING_1), sees(1, RELEASING_1))
    twice = after(once, holds(ASSIGNING_2), sees(1, ASSIGNING_2))
    told = after(twice, sees(2, ASSIGNING_2))
    found = explained(NOTIFICATIONS, start, once, twice, told)
    assert found == [("Write", "Read"), ("Write", "Read"), ("Read", "Read")]


@pytest.mark.parametrize(("why", "view"), [("it is told and does not look", OWNED_1), ("of old", RELEASING_1)])
def test_notification_that_shows_another_entry_is_not_explained(why: str, view: Record) -> None:
    start = cluster(Storage.METADATA_STORE)
    once = after(start, holds(RELEASING_1))
    twice = after(once, holds(ASSIGNING_2))
    assert explained(NOTIFICATIONS, start, once, twice, after(twice, sees(2, view)))[-1] is None, why


def test_write_that_nobody_is_told_of_is_not_explained() -> None:
    start = cluster(Storage.METADATA_STORE)
    assert explained(NOTIFICATIONS, start, after(start, lambda state: state.base.__setitem__(1, RELEASING_1))) == [None]


def test_states_of_readers_are_told_in_words() -> None:
    written = after(cluster(), logs(RELEASING_1), lambda state: state.run.__setitem__(2, Run.DOWN))
    assert str(VIEWS.observe(written)) == (
        "written last: Releasing(2, from 1) v3; broker 1 shows Owned(1) v2 and has to read Releasing(2, from 1) v3"
    )
    assert str(VIEWS.observe(after(written, lambda state: setattr(state, "log", Sequence())))).endswith("nothing")
