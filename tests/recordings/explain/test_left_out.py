"""Behaviour of Pulsar outside the model is unknown, and named; similar behaviour that is none of it is refused."""

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, UnitVerdict, judge
from oneowner.checkers.recordings.explain.recording import Recording, Waits
from oneowner.checkers.recordings.explain.steps_left_out import CLOCKS, START
from oneowner.model.channel.rules import Storage
from tests.recordings.explain.crafted import recording

ASSIGNED = ("1: Assigning(2) v1", "2: Owned(2) v2")
MOVED = (*ASSIGNED, "1: Releasing(3, from 2) v3", "2: Assigning(3, from 2) v4", "3: Owned(3, from 2) v5")
GONE = "2: Assigning(1) v1", "1: Owned(1) v2", "1: Releasing(3, from 1) v3", "expire 3"
FREED = (*ASSIGNED, "2: Releasing(from 2) v3", "2: Free(from 2) v4")
UNKNOWN, REFUSED, ACCEPTED = Acceptance.UNKNOWN, Acceptance.REFUSED, Acceptance.ACCEPTED


def of(crafted: Recording) -> UnitVerdict:
    (unit,) = judge(crafted).units
    return unit


def answer(*lines: str) -> tuple[Acceptance, str, str]:
    unit = of(recording(*lines))
    return unit.answer, unit.place, unit.why


def timed(*lines: str, **times: int) -> Recording:
    """Return a recording with other times: ``at_3=500`` of the third line."""
    crafted = recording(*lines)
    at = {f"0:{name.removeprefix('at_')}": time for name, time in times.items()}
    return replace(
        crafted,
        records=tuple(one._replace(time=at.get(one.place, one.time)) for one in crafted.records),
        steps=tuple(one._replace(time=at.get(one.place, one.time)) for one in crafted.steps),
    )


def test_unit_with_an_entry_before_the_first_record_of_the_channel_is_unknown() -> None:
    """Compaction and retention leave no older one; behind a first version a missing record is refused, as ever."""
    why = "not modelled: the channel begins late: before Releasing(3, from 2) v3 it held an entry of the unit"
    assert answer(*MOVED[2:]) == (UNKNOWN, "0:1", why)
    assert answer(*MOVED[:1], *MOVED[2:])[:2] == (REFUSED, "0:2")


STOPPED = "1: Assigning(1) v1", "1: Owned(1) v2", "unregister 2", "stop 2", "unregister 3", "stop 3"


def test_last_broker_that_shuts_down_frees_its_units() -> None:
    """``overrideOwnership`` finds nobody: Free by force, which the broker answers itself (P11)."""
    last = "1: Free(from 1) v3 forced", "1: nothing", "unregister 1"
    assert answer(*STOPPED, *last)[0] == ACCEPTED
    assert answer(*STOPPED, "unregister 1")[:2] == (REFUSED, "0:7")


def test_shutdown_that_finds_no_broker_frees_its_units() -> None:
    """A namespace that is isolated to one broker."""
    lines = *ASSIGNED, "2: Free(from 2) v3 forced", "2: nothing", "unregister 2"
    assert answer(*lines)[0] == ACCEPTED
    assert answer(*lines[:4], "unregister 3")[:2] == (REFUSED, "0:5")
    assert answer(*MOVED, "2: Free(from 2) v6 forced", "unregister 2")[:2] == (REFUSED, "0:6")


def test_hand_over_that_ends_with_nobody_to_take_it_is_unknown() -> None:
    lines = *ASSIGNED, "1: Releasing(from 2) v3", "1: Free(from 2) v4 forced"
    why = "not modelled: end_flight(broker=1) finds no broker to give the unit to"
    assert answer(*lines) == (UNKNOWN, "0:4", why)
    assert answer(*lines[:3], "3: Free(from 2) v4 forced")[:2] == (REFUSED, "0:4")
    young = replace(recording(*lines), waits=Waits(30_000, 0))
    assert (of(young).answer, of(young).place) == (REFUSED, "0:4")


def test_node_of_a_living_broker_that_is_deleted_is_unknown_from_there_on() -> None:
    why = "not modelled: a node of broker 1, which goes on, is deleted by another session"
    assert answer(*ASSIGNED, "vacate 1", "elect 3", "3: Releasing(from 2) v3") == (UNKNOWN, "0:3", why)
    assert answer(*ASSIGNED, "elect 3")[:2] == (REFUSED, "0:3")


def test_broker_that_is_named_before_it_first_registers_is_unknown() -> None:
    crafted = recording(*ASSIGNED)
    late = of(replace(crafted, joined=(0, 5_001, 0)))
    assert (late.answer, late.place) == (UNKNOWN, "0:1")
    assert late.why == "not modelled: Assigning(2) v1 names broker 2 5000 ms before it first registers"
    assert of(replace(crafted, joined=(0, 1, 9_000))).answer == ACCEPTED


@pytest.mark.parametrize(
    ("lines", "command"),
    [
        ((*MOVED[:4], "1: Releasing(from 3) v5"), "unload"),  # of an assignment: getOwnerAsync names its destination
        ((*MOVED, "1: Releasing(3, from 2) v6"), "transfer"),  # its owner of before
        ((*MOVED, "3: Releasing(from 2) v3 forced"), "remove"),
        ((*ASSIGNED, "2: Assigning(3) v1"), "assign"),  # of another thread than the answer
        ((*GONE, "1: Assigning(3, from 1) v4", "1: Owned(2, from 1) v4 forced"), "override"),  # and of its own close
    ],
)
def test_record_that_was_computed_before_and_lost_is_unknown(lines: tuple[str, ...], command: str) -> None:
    unit = of(replace(recording(*lines), waits=Waits(30_000, 0)))
    why = unit.why
    assert unit.answer == UNKNOWN, why
    assert why.startswith(f"not modelled: {command}(broker=")
    assert why.endswith(", and published after it")


def test_record_that_lost_is_not_in_the_metadata_store() -> None:
    unit = of(recording(*ASSIGNED, "2: Assigning(3) v1", storage=Storage.METADATA_STORE))
    assert (unit.answer, unit.place) == (REFUSED, "0:3")


@pytest.mark.parametrize(
    "lines",
    [
        (*ASSIGNED, "1: Releasing(from 3) v3"),  # never an owner
        (*MOVED, "1: Releasing(from 2) v6", "3: Free(from 3) v7"),  # it has not lost: what follows is built on it
        (*MOVED, "1: Releasing(from 2) v8"),  # of no entry
        (*MOVED, "1: Releasing(2, from 2) v6"),  # to its owner, which is refused at once
        (*MOVED, "1: Owned(1, from 2) v3 forced"),  # nobody was gone
        (*GONE, "1: Assigning(3, from 1) v4", "2: Owned(2, from 1) v4 forced"),  # no leader
    ],
)
def test_record_that_nobody_computes_is_refused(lines: tuple[str, ...]) -> None:
    found, _, why = answer(*lines)
    assert found == REFUSED, why


BACK = (*ASSIGNED, "crash 2", "expire 2", "1: Owned(3, from 2) v3 forced", "restart 2")
FOUND = (*BACK, "1: Releasing(2, from 3) v4", "3: Assigning(2, from 3) v5", "1: Owned(2, from 3) v6 forced",
         "2: Releasing(from 2) v7", "2: Free(from 2) v8")  # fmt: skip


def test_assignment_that_a_start_finds_is_not_handled() -> None:
    """A broker is registered, and may be selected, before it reads the channel; 4.0.6 answers nothing of then."""
    found, place, why = answer(*FOUND)
    assert (found, place) == (UNKNOWN, "0:10"), why
    words = "broker 2 reads the channel more than 2 ms after restart(broker=2), and finds Assigning(2, from 3) v5"
    assert why == f"not modelled: {words}"
    late = {f"at_{place}": START + place for place in range(7, 12)}
    unit = of(timed(*FOUND, **late))
    assert (unit.answer, unit.place) == (REFUSED, "0:10")


def test_override_of_a_hand_over_that_is_younger_than_the_settings_say_is_unknown() -> None:
    lines = "1: Assigning(2) v1", "1: Owned(3) v2 forced"
    early = of(replace(timed(*lines, at_2=20_000), waits=Waits(30_000, 0)))
    assert (early.answer, early.place) == (UNKNOWN, "0:2")
    assert early.why.startswith("not modelled: end_flight(broker=1) before the entry is 30000 ms old")
    assert of(replace(timed(*lines, at_2=30_002), waits=Waits(30_000, 0))).answer == ACCEPTED


def test_tombstone_of_an_entry_that_is_younger_than_the_settings_say_is_unknown() -> None:
    early = of(replace(timed(*FREED, "1: nothing", at_5=50_000), waits=Waits(0, 60_000)))
    assert (early.answer, early.place) == (UNKNOWN, "0:5")
    assert early.why.startswith("not modelled: tombstone(broker=1) before the entry is 60000 ms old")
    assert of(replace(timed(*FREED, "1: nothing", at_5=60_004), waits=Waits(0, 60_000))).answer == ACCEPTED


def test_step_that_came_a_moment_later_by_another_clock_is_unknown() -> None:
    lines = *ASSIGNED, "1: Owned(3, from 2) v3 forced", "expire 2"
    found, place, why = answer(*lines)
    assert (found, place) == (UNKNOWN, "0:3")
    assert why == "not modelled: the clocks of two machines: expire(broker=2), 1 ms later by ZooKeeper's clock"
    assert of(timed(*lines, at_4=4 + CLOCKS)).answer == REFUSED
