"""The mappings on steps made by hand: their abstract steps, and steps that no abstract action explains."""

import pytest

from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import DELETED, SPLITTING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from oneowner.model.handoff.requirement import Flight
from oneowner.model.kernel.refinement import Refinement
from oneowner.spec.channel.refinement import CHANNEL, CHANNEL_UNLESS_TAINTED, NODE, NOTIFICATIONS, VIEWS, ownership
from tests.cells import where
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    FORCED_2,
    FREE_1,
    HANDED_OVER,
    MS,
    OWNED_1,
    RELEASING_1,
    UNLOADED_1,
    cluster,
    logged,
)

SPLITTING_1, DELETED_1 = Record(SPLITTING, 0, 1, version=3), Record(DELETED, 0, 1, version=4)

START, STORE = cluster(), cluster(storage=MS)
ERASED = logged(TOMBSTONE)
FREE = where(cluster(), base={1: FREE_1})
DEAD = where(cluster(), run={1: Run.DOWN})
WRITTEN = logged(RELEASING_1, ASSIGNING_2)


def reading(broker: int, view: Record, cursor: int, *log: Record) -> State:
    """The log holds *log*, of which *broker* has read *cursor* records."""
    return where(logged(*log), view={(broker, 1): view}, cursor={broker: cursor})


def notified(node: Record, *views: Record, changed: tuple[bool, bool]) -> State:
    """The node holds *node*, and the brokers *views*; a notification waits at some."""
    cells = dict(enumerate(changed, 1))
    return where(
        STORE,
        base={1: node},
        view={(broker, 1): view for broker, view in enumerate(views, 1)},
        changed={(broker, 1): waits for broker, waits in cells.items()},
    )


ONCE = notified(RELEASING_1, RELEASING_1, OWNED_1, changed=(False, True))
TWICE = notified(ASSIGNING_2, ASSIGNING_2, OWNED_1, changed=(False, True))
NOT_LOOKED = notified(RELEASING_1, OWNED_1, OWNED_1, changed=(True, True))
NOT_LOOKED_TWICE = notified(ASSIGNING_2, OWNED_1, OWNED_1, changed=(True, True))

Explained = tuple[str, ...] | None
STEPS: dict[str, tuple[Refinement, list[State], list[Explained]]] = {
    # R1: the log
    "records of a transfer are a transfer and its end": (
        CHANNEL,
        [START, logged(RELEASING_1), WRITTEN, logged(RELEASING_1, ASSIGNING_2, HANDED_OVER)],
        [("Transfer",), (), ("Own",)],
    ),
    "a tombstone of an owned unit is no action of R0": (CHANNEL, [START, ERASED], [None]),
    "a tombstone of a unit in flight is no action of R0": (
        CHANNEL,
        [START, logged(RELEASING_1), logged(RELEASING_1, TOMBSTONE)],
        [("Transfer",), None],
    ),
    "a unit that is not tainted may not change as it likes": (CHANNEL_UNLESS_TAINTED, [START, ERASED], [None]),
    "a tainted unit may change as it likes": (
        CHANNEL_UNLESS_TAINTED,
        [START, where(ERASED, tainted={1: True})],
        [("Break",)],
    ),
    "what R0 explains needs no taint": (CHANNEL_UNLESS_TAINTED, [START, logged(RELEASING_1)], [("Transfer",)]),
    "the taint of one unit excuses no other": (
        CHANNEL_UNLESS_TAINTED,
        [cluster(units=2), where(logged(TOMBSTONE, units=2), tainted={2: True})],
        [None],
    ),
    # R0 does not see whether the giver has closed its topics: a tombstone then is too early, and for R0 just in time.
    "a tombstone of a unit that was let go of for nobody looks like its end": (
        CHANNEL,
        [logged(UNLOADED_1), logged(UNLOADED_1, TOMBSTONE)],
        [("Free",)],
    ),
    "a tombstone of a free unit is a stutter": (CHANNEL, [FREE, where(ERASED, base={1: FREE_1})], [()]),
    "a record that is refused is a stutter": (CHANNEL, [START, logged(OWNED_1)], [()]),
    "a record behind a gap may be no action of R0": (CHANNEL, [START, logged(HANDED_OVER)], [None]),
    "a split keeps its owner until the parent is deleted": (
        CHANNEL,
        [START, logged(SPLITTING_1), logged(SPLITTING_1, DELETED_1)],
        [("SplitAt",), ("Retire",)],
    ),
    "a failure is remembered when the broker is back": (
        CHANNEL,
        [START, DEAD, START, logged(FORCED_2)],
        [("Fail",), (), ("Lose",)],
    ),
    "a unit is not lost without a failure": (CHANNEL, [START, logged(FORCED_2)], [None]),
    "a broker that is not registered has failed": (CHANNEL, [START, where(START, node={1: Node.ABSENT})], [("Fail",)]),
    # R1: nodes
    "nodes are ownership as the log is": (
        NODE,
        [STORE, where(STORE, base={1: UNLOADED_1}), where(STORE, base={1: TOMBSTONE})],
        [("Release",), ("Free",)],
    ),
    "a node of an owned unit is not deleted": (NODE, [STORE, where(STORE, base={1: TOMBSTONE})], [None]),
    # R2: readers
    "a reader reads one record at a time": (
        VIEWS,
        [
            START,
            logged(RELEASING_1),
            WRITTEN,
            reading(1, RELEASING_1, 1, RELEASING_1, ASSIGNING_2),
            reading(1, ASSIGNING_2, 2, RELEASING_1, ASSIGNING_2),
        ],
        [("Write",), ("Write",), ("Read",), ("Read",)],
    ),
    **{
        f"a reader is not explained: {why}": (
            VIEWS,
            [WRITTEN, reading(1, view, cursor, RELEASING_1, ASSIGNING_2)],
            [None],
        )
        for why, view, cursor in (
            ("it skips a record", ASSIGNING_2, 2),
            ("it reads ahead of its cursor", ASSIGNING_2, 1),
            ("it moves on and shows what it showed", OWNED_1, 1),
            ("it shows what was never written", HANDED_OVER, 1),
            ("it forgets", TOMBSTONE, 0),
        )
    },
    "a reader that goes back is not explained": (
        VIEWS,
        [reading(1, RELEASING_1, 1, RELEASING_1), logged(RELEASING_1)],
        [None],
    ),
    "a new process shows the last entries": (
        VIEWS,
        [logged(RELEASING_1), where(logged(RELEASING_1), run={2: Run.DOWN}), reading(2, RELEASING_1, 1, RELEASING_1)],
        [("Stop",), ("Start",)],
    ),
    "a new process that shows older entries is not explained": (
        VIEWS,
        [where(logged(RELEASING_1), run={2: Run.DOWN}), logged(RELEASING_1)],
        [None],
    ),
    # R5: notifications
    "a notification stands for all reads that it passes over": (
        NOTIFICATIONS,
        [STORE, ONCE, TWICE, notified(ASSIGNING_2, ASSIGNING_2, ASSIGNING_2, changed=(False, False))],
        [("Write", "Read"), ("Write", "Read"), ("Read", "Read")],
    ),
    **{
        f"a notification is not explained: {why}": (
            NOTIFICATIONS,
            [STORE, NOT_LOOKED, NOT_LOOKED_TWICE, notified(ASSIGNING_2, OWNED_1, view, changed=(True, False))],
            [("Write",), ("Write",), None],
        )
        for why, view in (("it is told and does not look", OWNED_1), ("it shows what is old", RELEASING_1))
    },
    "a write that nobody is told of is not explained": (
        NOTIFICATIONS,
        [STORE, where(STORE, base={1: RELEASING_1})],
        [None],
    ),
}


@pytest.mark.parametrize(("refinement", "states", "explained"), STEPS.values(), ids=list(STEPS))
def test_steps_are_explained_by_abstract_ones(
    refinement: Refinement, states: list[State], explained: list[Explained]
) -> None:
    abstract = refinement.start(refinement.observe(states[0]))
    found = []
    for state in states[1:]:
        before, abstract = abstract, refinement.follow(abstract, refinement.observe(state))
        found.append(refinement.explain(before, abstract))
    assert found == explained


def test_splitting_unit_is_owned_and_in_flight_to_nobody() -> None:
    splitting = ownership(logged(SPLITTING_1))
    assert (splitting.own, splitting.flight) == ((1,), (Flight(1, 0),))


def test_states_are_told_in_words() -> None:
    tainted = CHANNEL_UNLESS_TAINTED.observe(where(ERASED, tainted={1: True}))
    assert str(tainted).endswith("failed so far: none; unit 1 is tainted")
    one_reads = where(logged(RELEASING_1), run={2: Run.DOWN})
    assert str(VIEWS.observe(one_reads)) == (
        "written last: Releasing(2, from 1) v3; broker 1 shows Owned(1) v2 and has to read Releasing(2, from 1) v3"
    )
    assert str(VIEWS.observe(where(one_reads, log=[]))).endswith("nothing")
