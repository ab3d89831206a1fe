"""Crafted recordings: explained ones, their explanations, and those without."""

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.explain import state_set_search as search
from oneowner.checkers.recordings.explain.decided_switches import refuted
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, UnitVerdict, judge
from oneowner.checkers.recordings.explain.unit_groups import Append
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.rules import Storage
from tests.recordings.explain.crafted import recording

ASSIGNED = ("1: Assigning(2) v1", "2: Owned(2) v2")
TRANSFERRED = ("2: Releasing(3, from 2) v3", "2: Assigning(3, from 2) v4", "3: Owned(3, from 2) v5")


def explained(*lines: str, storage: Storage = Storage.SYSTEM_TOPIC) -> UnitVerdict:
    (unit,) = judge(recording(*lines, storage=storage)).units
    return unit


def test_transfer_is_explained_step_by_step() -> None:
    unit = explained(*ASSIGNED, *TRANSFERRED)
    assert unit.answer == Acceptance.ACCEPTED
    assert unit.trail[:3] == ("look_up(broker=1, unit=1)", "assign(broker=1, unit=1, destination=2)",
                              "append(broker=1)  # 0:1")  # fmt: skip
    assert unit.inferred == len(unit.trail) - 5


def test_transfer_is_explained_in_the_metadata_store() -> None:
    assert explained(*ASSIGNED, *TRANSFERRED, storage=Storage.METADATA_STORE).answer == Acceptance.ACCEPTED


def test_record_that_lost_its_race_is_explained_as_a_late_one() -> None:
    rivals = "1: Assigning(2) v1", "3: Assigning(3) v1", "2: Owned(2) v2", "1: Assigning(3) v2"
    assert explained(*rivals).answer == Acceptance.ACCEPTED  # broker 1 asked twice before it read its own record
    unit = explained(*rivals[:3], "1: Assigning(3) v4")
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:4")  # no view has held version 3
    assert "assign(broker=1, unit=1, destination=3) would publish Assigning(3) v3" in unit.why


def test_override_needs_an_owner_that_is_gone() -> None:
    override = "1: Owned(3, from 2) v3 forced"
    assert explained(*ASSIGNED, "crash 2", "expire 2", override).answer == Acceptance.ACCEPTED
    unit = explained(*ASSIGNED, override)
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:3")
    assert "needs: the entry names a broker that is gone for the leader" in unit.why


def test_override_by_a_follower_is_refused() -> None:
    unit = explained(*ASSIGNED, "crash 2", "expire 2", "3: Owned(3, from 2) v3 forced")
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:5")
    assert "the broker is the leader" in unit.why


DEPOSED = "expire 1", "elect 3"
BY_THE_DEPOSED = "1: Owned(3, from 2) v3 forced"


@pytest.mark.parametrize("gone", [("expire 2",), ("crash 2", "expire 2")])
def test_override_by_a_former_leader_is_a_clean_up_that_it_scheduled_before(gone: tuple[str, ...]) -> None:
    """late-clean-up 19:0."""
    unit = explained(*ASSIGNED, *gone, *DEPOSED, BY_THE_DEPOSED)
    assert unit.answer == Acceptance.ACCEPTED
    ended = next(step for step in unit.trail if step.startswith("expire(broker=1)"))
    assert unit.trail.index("notice(observer=1, broker=2)") < unit.trail.index(ended)


def test_override_by_a_former_leader_that_scheduled_nothing_is_refused() -> None:
    unit = explained(*ASSIGNED, *DEPOSED, "expire 2", BY_THE_DEPOSED)
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:6")
    assert "override(broker=1, unit=1, destination=3) needs: the entry names a broker that is gone" in unit.why


def test_override_by_a_former_leader_is_refused_where_clean_ups_ask_who_leads() -> None:
    crafted = recording(*ASSIGNED, "expire 2", *DEPOSED, BY_THE_DEPOSED)
    (unit,) = judge(crafted, rules=replace(crafted.rules, clean_up_asks_leader=True)).units
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:6")
    assert "needs: the broker is the leader" in unit.why


def test_record_of_a_process_that_has_died_was_under_way() -> None:
    late = "2: Releasing(from 2) v3"
    unit = explained(*ASSIGNED, "crash 2", late)
    assert unit.answer == Acceptance.ACCEPTED
    assert unit.trail.index("unload(broker=2, unit=1)") < unit.trail.index("crash(broker=2)  # 0:3")


def test_record_of_a_process_that_does_not_run_is_refused() -> None:
    crafted = recording(*ASSIGNED, "2: Releasing(from 2) v3")
    early = replace(crafted, records=(*crafted.records[:2], crafted.records[2]._replace(process=1)))
    (unit,) = judge(early).units
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:3")


def test_override_may_be_under_way_while_others_publish() -> None:
    """The leader flushed before a record that comes first in the log: only the wide search finds it."""
    lines = *ASSIGNED, "crash 2", "expire 2", "3: Releasing(from 2) v3", "1: Owned(3, from 2) v3 forced"
    unit = explained(*lines)
    assert (unit.answer, unit.is_wide) == (Acceptance.ACCEPTED, True)


def test_broker_without_session_acts_by_what_it_was_told_before() -> None:
    """It took 3 for gone when it began; that 3 is back it must have heard before its session ended, and not after."""
    begun = "crash 3", "expire 3", "crash 2", "expire 2", "restart 2", "restart 3"
    unit = explained(*begun, *ASSIGNED, "expire 2", "expire 3", TRANSFERRED[0])
    assert (unit.answer, unit.is_wide) == (Acceptance.ACCEPTED, True)
    assert unit.trail.index("notice(observer=2, broker=3)") < unit.trail.index("expire(broker=2)  # 0:9")


def test_publish_that_overtakes_is_found() -> None:
    """Compaction 482:5: the answer to Assigning was made before a lookup published, and came after it."""
    lines = "3: Assigning(2) v1", "2: Assigning(2) v2", "2: Owned(2) v2"
    unit = explained(*lines)
    assert unit.answer == Acceptance.ACCEPTED
    assert "overtake(broker=2)  # 0:2" in unit.trail


def test_hand_over_that_took_too_long_is_the_last_resort() -> None:
    unit = explained("1: Assigning(2) v1", "1: Owned(3) v2 forced")
    assert (unit.answer, unit.is_timed) == (Acceptance.ACCEPTED, True)


SPLIT = *ASSIGNED, "2: Splitting(from 2) v3"


def explained_split(last: str) -> UnitVerdict:
    crafted = recording(*SPLIT, last)
    children = "t/n/0x0_0x8", "t/n/0x8_0x1"
    (unit,) = judge(replace(crafted, records=tuple(one._replace(children=children) for one in crafted.records))).units
    return unit


def test_split_that_took_too_long_is_ended_by_the_monitor() -> None:
    """split-crash 0:24: the leader's monitor forces Splitting while both brokers live."""
    unit = explained_split("1: Splitting(from 3) v4 forced")
    assert (unit.answer, unit.is_timed) == (Acceptance.ACCEPTED, True)
    assert any(step.startswith("end_flight(broker=1, unit=1, destination=3)") for step in unit.trail)


@pytest.mark.parametrize("last", ["1: Splitting(from 3) v5 forced", "3: Splitting(from 3) v4 forced"])
def test_forced_split_that_no_monitor_publishes_is_refused(last: str) -> None:
    unit = explained_split(last)
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:4")


DEATH = "crash 3", "expire 3"
LEAVES = "2: Releasing(1, from 2) v3 forced", "2: Assigning(1, from 2) v4", "1: Owned(1, from 2) v5"
"""Broker 2, which owns the unit, gives it to broker 1 and shuts down."""


@pytest.mark.parametrize(
    "lines",
    [
        (*DEATH, *LEAVES, "unregister 2", "stop 2"),
        (*LEAVES, "unregister 2", "crash 3", "stop 2", "expire 3"),
        (LEAVES[0], "crash 1", "expire 1", "elect 3", *LEAVES[1:2], "unregister 2", "3: Owned(3, from 2) v5 forced"),
        (LEAVES[0], "unregister 2", *LEAVES[1:], "crash 3"),  # the close lasts for longer than disableBroker
        ("expire 2", "register 2", *LEAVES, "unregister 2"),
        (LEAVES[0], "crash 2", "expire 2", "1: Owned(1, from 2) v4 forced", "restart 2"),  # killed amid its shutdown
        (*DEATH, "unregister 2", LEAVES[0], "stop 2"),  # its flush took more than 5 s
        (*DEATH, "unregister 1", "elect 2", "2: Free(from 2) v3 forced", "2: nothing", "unregister 2"),
        (*DEATH, "2: Free(from 2) v3 forced", "unregister 2", "2: nothing"),  # the policies may refuse the others
        (*LEAVES[:1], "unregister 2", "stop 2", "1: Owned(1, from 2) v4 forced", "crash 1", "restart 2", "expire 1"),
        ("crash 3", "restart 3", "unregister 3", "stop 3", "restart 3"),  # a start that fails
    ],
    ids=" ".join,
)
def test_shutdown_beside_a_crash_or_a_lost_session_is_explained(lines: tuple[str, ...]) -> None:
    unit = explained(*ASSIGNED, *lines)
    assert (unit.answer, unit.why) == (Acceptance.ACCEPTED, "")


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ((*DEATH, "unregister 2"), "0:5"),  # it owns the unit, somebody leads, and it gives nothing away
        ((*DEATH, "unregister 1", "2: Free(from 2) v3 forced", "unregister 2"), "0:6"),  # nobody leads
        ((*DEATH, *LEAVES, "unregister 2", "elect 2"), "0:9"),
        (("expire 2", "unregister 2"), "0:4"),  # its node is gone
        ((*DEATH, *LEAVES[:1], "stop 2"), "0:5"),
        (("1: Releasing(from 1) v3", *DEATH, "unregister 2"), "0:3"),
        (("crash 3", "restart 3", "unregister 3", "3: Owned(3) v3"), "0:6"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_step_that_no_shutdown_takes_beside_a_crash_is_refused(lines: tuple[str, ...], place: str) -> None:
    unit = explained(*ASSIGNED, *lines)
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, place)


@pytest.mark.parametrize("is_at_once", [False, True])
def test_broker_registers_again_once_its_session_has_ended(is_at_once: bool) -> None:
    """Seen on 4.2.4, where a session event registers the broker (#24932), and on 4.0.6, where another thread does."""
    crafted = recording(*ASSIGNED, "expire 3", "register 3")
    rules = replace(crafted.rules, registers_with_session=is_at_once)
    (unit,) = judge(crafted, rules=rules).units
    assert unit.answer == Acceptance.ACCEPTED
    assert sum(step.startswith(("register", "reestablish")) for step in unit.trail) == (1 if is_at_once else 2)
    (unit,) = judge(recording(*ASSIGNED, "register 3"), rules=rules).units  # it has its node
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:3")
    (unit,) = judge(recording(*ASSIGNED, "expire 3", "register 3", "register 3"), rules=rules).units
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:5")


def test_broker_that_a_session_event_registers_may_be_elected_just_before() -> None:
    """zk-restart on 4.2.4: 65 ms."""
    crafted = recording(*ASSIGNED, "expire 1", "elect 3", "expire 3", "elect 3", "register 3", "crash 2")
    rules = replace(crafted.rules, registers_with_session=True, unregistered_may_lead=False)
    (unit,) = judge(crafted, rules=rules).units
    assert unit.answer == Acceptance.ACCEPTED
    late = replace(crafted, steps=tuple(step._replace(time=9_000 + step.time) if step.action == "register" else step
                                        for step in crafted.steps[:-1]))  # fmt: skip
    (unit,) = judge(late, rules=rules).units
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:6")


RELEASED = *ASSIGNED, "2: Releasing(from 2) v3"


def test_split_that_was_asked_before_its_unit_was_given_up_is_unknown_and_named() -> None:
    """split on 5.0.0-M1, 0:63:-1:1."""
    unit = explained(*RELEASED, "2: Free(from 2) v4", "2: Splitting(from 2) v4")
    assert (unit.answer, unit.place) == (Acceptance.UNKNOWN, "0:5")
    assert unit.why == "not modelled: split(broker=2) asked before the unit was given up, and published after it"


@pytest.mark.parametrize("last", ["2: Splitting(from 2) v6", "3: Splitting(from 2) v4", "2: Splitting(from 2) v2"])
def test_split_that_is_not_too_late_or_of_another_is_refused(last: str) -> None:
    unit = explained(*RELEASED, "2: Free(from 2) v4", last)
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:5")


DRAINED = *ASSIGNED, "expire 3", "2: Releasing(1, from 2) v3 forced"


def test_broker_that_shuts_down_may_give_units_away_and_never_leave() -> None:
    """It may be killed, or the recording ends."""
    assert explained(*DRAINED).answer == Acceptance.ACCEPTED
    assert explained(*DRAINED, "unregister 2").answer == Acceptance.ACCEPTED


@pytest.mark.parametrize(
    "lines",
    [
        (*ASSIGNED, "expire 3", "1: Releasing(1, from 2) v3 forced"),
        (*ASSIGNED, "expire 3", "2: Releasing(2, from 2) v3 forced", "unregister 2"),
        (*ASSIGNED, "expire 3", "2: Releasing(1, from 2) v4", "unregister 2"),
    ],
)
def test_what_it_does_not_publish_then_is_refused(lines: tuple[str, ...]) -> None:
    unit = explained(*lines)
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, f"0:{len(DRAINED)}")


def test_session_of_an_unregistered_leader_ends() -> None:
    """Seen where zk-partition-livelock was recorded anew: only the leader's node goes with that session."""
    election = "expire 3", "expire 1", "elect 3"
    assert explained(*ASSIGNED, *election, "expire 3", "elect 2").answer == Acceptance.ACCEPTED
    unit = explained(*ASSIGNED, *election, "expire 1")  # a follower that is not registered holds no node
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:6")
    assert unit.why == "expire(broker=1) cannot come next"


def test_unregistered_broker_that_is_elected_beside_a_crash_is_unknown_from_there_on() -> None:
    """run.G2 is a matter of roles, and those of processes that die are not modelled."""
    election = "expire 3", "expire 1", "elect 3"
    assert explained(*ASSIGNED, *election).answer == Acceptance.ACCEPTED
    for lines, place in (((*election, "crash 2"), "0:6"), (("crash 2", *election), "0:6")):
        unit = explained(*ASSIGNED, *lines)
        assert (unit.answer, unit.place) == (Acceptance.UNKNOWN, place)
        assert (
            unit.why
            == "not modelled: bounds refused: crashes with beliefs; roles of processes that die are not modelled yet"
        )


@pytest.mark.parametrize("back", [("expire 2", "register 2"), ("crash 2", "expire 2", "restart 2")])
def test_override_by_a_check_from_before_the_owner_came_back_is_unknown_and_named(back: tuple[str, ...]) -> None:
    unit = explained(*ASSIGNED, *back, "1: Owned(3, from 2) v3 forced")
    assert (unit.answer, unit.place) == (Acceptance.UNKNOWN, f"0:{len(back) + 3}")
    assert unit.why == f"not modelled: override 1 ms after {back[-1].split()[0]}(broker=2): health was asked before"


@pytest.mark.parametrize("last", ["1: Owned(3, from 2) v4 forced", "3: Owned(3, from 2) v3 forced"])
def test_override_that_no_check_from_before_explains_is_refused(last: str) -> None:
    unit = explained(*ASSIGNED, "expire 2", "register 2", last)
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:5")


def test_override_long_after_the_owner_came_back_is_refused() -> None:
    crafted = recording(*ASSIGNED, "expire 2", "register 2", "1: Owned(3, from 2) v3 forced")
    late = crafted.records[-1]._replace(time=crafted.steps[-1].time + 5_001)
    (unit,) = judge(replace(crafted, records=(*crafted.records[:-1], late))).units
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:5")


def test_answer_that_never_came_is_owed_by_a_living_broker() -> None:
    assert explained(*ASSIGNED, *TRANSFERRED).owing == ()
    assert explained(*ASSIGNED, *TRANSFERRED[:2]).owing == (3,)
    assert explained(*ASSIGNED, *TRANSFERRED[:2], "crash 3").owing == ()
    assert explained(*ASSIGNED, *TRANSFERRED[:2], storage=Storage.METADATA_STORE).owing == (3,)


def test_broker_that_shuts_down_may_be_named_once_its_clean_up_is_past_the_unit() -> None:
    """shutdown-together 0:89: broker 2 scanned before the other broker that shuts down gave it the unit."""
    given = "2: Releasing(3, from 2) v3 forced", "2: Assigning(3, from 2) v4", "unregister 2"
    unit = explained(*ASSIGNED, *given, "unregister 3")
    assert unit.answer == Acceptance.ACCEPTED
    assert unit.trail.index("pass_over(broker=3, unit=1)") < unit.trail.index("append(broker=2)  # 0:3")


def test_broker_that_owned_the_unit_all_along_does_not_unregister_with_it() -> None:
    unit = explained(*ASSIGNED, "unregister 2")
    assert (unit.answer, unit.place) == (Acceptance.REFUSED, "0:3")


def test_answer_that_was_under_way_when_its_broker_shut_down_is_explained() -> None:
    """The scan does not wait for it (``hurry``), and the broker leaves as owner."""
    lines = "1: Assigning(2) v1", "2: Owned(2) v2", "2: Owned(3) v2 forced", "unregister 2", "stop 2"
    unit = explained(*lines, "1: Owned(3, from 2) v3 forced")
    assert unit.answer == Acceptance.ACCEPTED, unit.why
    assert "hurry(broker=2)" in unit.trail


def test_deletion_is_explained() -> None:
    """delete-decommission 0:34, 0:37, 86:0."""
    lines = "2: Releasing(from 2) v3 forced", "2: Free(from 2) v4", "1: nothing"
    assert explained(*ASSIGNED, *lines).answer == Acceptance.ACCEPTED


def test_set_that_grows_too_big_leaves_the_unit_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST", 1)
    unit = explained(*ASSIGNED)
    assert unit.answer == Acceptance.UNKNOWN
    assert "more than 1 states at one place" in unit.why


def test_run_that_does_not_say_who_published_is_left_open() -> None:
    crafted = recording(*ASSIGNED)
    unsaid = replace(crafted, records=(crafted.records[0]._replace(broker=NOBODY), *crafted.records[1:]))
    (unit,) = judge(unsaid).units
    assert (unit.answer, unit.place) == (Acceptance.UNKNOWN, "0:1")
    assert "does not say who published Assigning(2) v1" in unit.why


def test_recording_is_judged_by_the_rules_of_its_release() -> None:
    """Before #20315 an override named no former owner."""
    crafted = recording(*ASSIGNED, "crash 2", "expire 2", "1: Owned(3, from 2) v3 forced")
    for release, answer in {"": "accepted", "4.0.6": "accepted", "3.0.0": "refused", "9.9.9": "accepted"}.items():
        assert judge(replace(crafted, release=release)).units[0].answer == answer


def test_unknown_release_is_judged_by_the_nearest_older_one_but_never_refused() -> None:
    crafted = replace(recording(*ASSIGNED, "2: Releasing(from 2) v4"), release="9.9.9")
    (unit,) = judge(crafted).units
    assert (unit.answer, unit.place) == (Acceptance.UNKNOWN, "0:3")
    assert unit.why.startswith("the rules of 5.0.1, not those of 9.9.9, refuse it: broker 2 does not publish")


def test_switch_that_a_recording_needs_is_refuted_by_it() -> None:
    """Override records name the former owner since #20315; nothing here needs the gap rule."""
    lines = *ASSIGNED, "crash 2", "expire 2", "1: Owned(3, from 2) v3 forced"
    crafted = recording(*lines)
    assert refuted([crafted], "override_tells_owner").units == 1
    assert "would publish Owned(3) v3 forced" in refuted([crafted], "override_tells_owner").first
    assert refuted([crafted], "gap_rule").units == 0


def test_unit_that_is_left_open_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST", 1)
    found = refuted([recording(*ASSIGNED)], "gap_rule")
    assert (found.runs, found.units, found.unknown, found.first) == (0, 0, 1, "")


def test_child_that_is_split_amid_a_hand_over_is_explained_there_from_the_hand_over_on() -> None:
    """split on 5.0.0-M1: the answer to 0:52 comes after 0:53, the child's first Splitting."""
    parent, low, high, quarter = "t/n/0x0_0x8", "t/n/0x0_0x4", "t/n/0x4_0x8", ("t/n/0x0_0x2", "t/n/0x2_0x4")
    lines = (
        (parent, "1: Assigning(2) v1"), (parent, "2: Owned(2) v2"), (parent, "2: Splitting(from 2) v3"),
        (low, "2: Owned(2) v1"), (high, "2: Owned(2) v1"), (parent, "2: Deleted(from 2) v4"), (parent, "2: nothing"),
        (low, "2: Releasing(3, from 2) v2"), (low, "2: Splitting(from 2) v2"),
        (high, "2: Releasing(from 2) v2"), (low, "2: Assigning(3, from 2) v3"), (high, "2: Free(from 2) v3"),
        (low, "3: Owned(3, from 2) v4"),
    )  # fmt: skip
    crafted = recording(*(line for _, line in lines))
    children = {parent: (low, high), low: quarter}
    records = tuple(
        one._replace(key=key, children=children[key] if "Splitting" in line else ())
        for one, (key, line) in zip(crafted.records, lines, strict=True)
    )
    units = judge(replace(crafted, records=records)).units
    found = {unit.group.name: (unit.answer, unit.place, unit.why) for unit in units}
    assert found[parent] == (Acceptance.ACCEPTED, "", ""), found
    of_parent = next(unit.group for unit in units if unit.group.name == parent)
    assert [one.written.place for one in of_parent.timeline if isinstance(one, Append)][-3:] == ["0:7", "0:10", "0:12"]


@pytest.mark.parametrize(
    ("release", "by"),
    [("5.0.0-M1", "5.0.0"), ("4.2.4", "4.2.4"), ("9.9.9-M1", "5.0.1"), ("4.2.9", "4.2.5"), ("2.10.5", "3.0.0")],
)
def test_milestone_is_explained_by_the_rules_of_its_release_and_stays_unknown(release: str, by: str) -> None:
    crafted = replace(recording(*ASSIGNED), release=release)
    assert (crafted.judged_by.name, bool(crafted.judged_by.note)) == (by, release != by)


def test_what_a_milestone_explains_is_left_open_for_its_release() -> None:
    """A manifest calls 5.0.0-M1 5.0.0, too: its owners leave without an override, as those of 4.2.4 do (#26520)."""
    leaving = "2: Owned(3) v2 forced", "unregister 2", "stop 2", "1: Owned(3, from 2) v3 forced"
    crafted = recording(*ASSIGNED, *leaving)
    (own,) = judge(replace(crafted, release="4.2.4")).units
    (unit,) = judge(replace(crafted, release="5.0.0")).units
    assert own.answer == Acceptance.ACCEPTED
    assert unit.answer == Acceptance.UNKNOWN
    assert unit.why.startswith("a milestone of 5.0.0 goes by the rules of 4.2.4, which do not refuse it")
    (broken,) = judge(replace(recording(*ASSIGNED, "2: Owned(3) v7"), release="5.0.0")).units
    assert broken.answer == Acceptance.REFUSED
