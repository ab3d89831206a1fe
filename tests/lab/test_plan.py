"""The plan on real brokers for each saved counterexample, and the reasons that some cannot be driven."""

from pathlib import Path

import pytest

from oneowner.checkers.lab.drive.events import EVENTS, event
from oneowner.checkers.lab.drive.look import differences, predicted
from oneowner.checkers.lab.drive.namespace import Names, bundle, ranges, topic_in
from oneowner.checkers.lab.drive.plan import plan_of
from oneowner.checkers.lab.drive.real_event import Kind
from oneowner.checkers.lab.gates.client import Read, read_record
from oneowner.checkers.places import TOP
from oneowner.checkers.scenarios.scenario import find_action, read_scenario
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.record import OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.kernel.system import actions, initial_states, step
from tests.command_line import COUNTEREXAMPLES, oneowner, refused
from tools import lab_tables
from tools.lab_tables import PAGE, plans, written

GIVEN_BACK = COUNTEREXAMPLES / "transfer-given-back" / "owner-can-serve.yaml"


def test_every_step_has_an_event_or_a_reason() -> None:
    assert len(plans()) > 180
    for plan in plans().values():
        assert len(plan.steps) == len(plan.scenario.steps)
        assert all((one.event is None) == bool(one.why) for one in plan.steps)
        assert plan.drivable == (plan.words == "can be driven")


def test_page_has_the_tables_of_what_can_be_driven_and_what_was() -> None:
    assert PAGE.read_text(encoding="utf-8") == written()


def test_page_without_a_place_for_a_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab.md").write_text(PAGE.read_text(encoding="utf-8").replace("<!-- end -->", "", 1))
    monkeypatch.setattr(lab_tables, "PAGE", tmp_path / "lab.md")
    with pytest.raises(ValueError, match="3 places for tables are needed"):
        written()


def test_every_kind_of_event_is_used_and_every_action_of_the_table_is_one() -> None:
    names = {
        action.name
        for action in actions(Bounds(brokers=2, owner=1, assigns=1, splits=1, units=3, pending=2, crashes=1))
    }
    assert {"append", "consume", "crash", "split", "look_up"} <= names & set(EVENTS)
    assert {one.event.kind for plan in plans().values() for one in plan.steps if one.event} == set(Kind)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cas_retry_keeps_value/version-chain", "4.0.6 goes another way at step "),
        ("pip-192-unload/dual-serving-explained", "no release speaks the dialect pip-192"),
        ("wrap-around/version-chain", "the versions at the start are the last ones"),
        ("shutdown/no-waiter-leak", "stops at step 9, restart: no gate is at what makes it real"),
        ("split-lookup/single-server-always", "brokers read new boundaries by themselves"),
        ("compaction-crash/no-ledger-leaks", "stops at step 3, start_compaction: no gate is at what makes it real"),
        ("shutdown-unload/shutting-down-closes", "stops at step 3, disable: a reader that is held keeps the broker"),
        ("safe-mode/safe-mode-quiet", "stops at step 6, reconnect: in an outage ZooKeeper is out of reach and runs on"),
        ("leader_read_from_cache/clean-only-by-leader", "stops at step 3, expire: nobody is left who is told"),
    ],
)
def test_what_cannot_be_driven_says_why(name: str, words: str) -> None:
    assert words in plans()[name].words
    assert not plans()[name].drivable


def test_fault_that_a_release_has_can_be_driven_there() -> None:
    path = COUNTEREXAMPLES / "returned_unit_stays_fenced" / "owner-can-serve.yaml"
    assert plan_of(read_scenario(path), "4.0.6").drivable


def test_plan_of_one_scenario_tells_each_step() -> None:
    outcome = oneowner("drive", "--plan", GIVEN_BACK)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "transfer-given-back/owner-can-serve on Pulsar 4.0.6: can be driven"
    assert "admin call at broker 1: unload bundle 1 to broker 2" in lines[1]
    assert "gate monitor of broker 1: let a run go for which every hand-over is too old" in lines[5]
    assert len(lines) == 13


def test_plan_of_several_is_a_table_and_unknown_if_one_cannot_be_driven() -> None:
    outcome = oneowner("drive", "--plan", GIVEN_BACK, COUNTEREXAMPLES / "shutdown" / "no-waiter-leak.yaml")
    assert outcome.code == 3
    assert outcome.out.splitlines()[0].split()[1:] == ["12", "of", "12", "can", "be", "driven"]
    assert "stops at step 9, restart" in outcome.out.splitlines()[1]


def test_release_without_a_gate_at_a_step_cannot_be_driven() -> None:
    scenario = read_scenario(TOP / "traces" / "driven" / "split-crash" / "child-written-first.yaml")
    assert plan_of(scenario, "4.0.6").drivable
    assert plan_of(scenario, "4.0.4").words == (
        "stops at step 10, override: 4.0.4 overrides several bundles in one call, which nobody can hold"
    )


def test_misuse_is_one_line(tmp_path: Path) -> None:
    other = next(COUNTEREXAMPLES.glob("votes_twice/*.yaml"))
    refused(oneowner("drive", "--plan", other), "a scenario of another system")
    refused(oneowner("drive", GIVEN_BACK, "--out", tmp_path), "exists; --out takes a new folder")
    with pytest.raises(Misuse, match="release"):
        plan_of(read_scenario(GIVEN_BACK), "2.10.5")


@pytest.mark.parametrize("wait", ["-1", "0", "nan", "inf"])
@pytest.mark.parametrize("verb", [("drive", GIVEN_BACK), ("drive", "--plan", GIVEN_BACK), ("lab", "up")])
def test_wait_that_is_no_time_is_refused_before_anything_starts(verb: tuple[object, ...], wait: str) -> None:
    refused(oneowner(*verb, "--wait", wait), f"--wait refused: {wait}; a positive number of seconds is required")


def test_event_of_an_append_names_the_record_that_is_under_way() -> None:
    bounds = Bounds(brokers=2, owner=1, transfers=1)
    state = initial_states(bounds)[0]
    ask, send = find_action(bounds, "transfer(broker=1, destination=2)"), find_action(bounds, "append(broker=1)")
    assert event(step(state, ask), send).words == "gate append of broker 1: let bundle 1 Releasing(2, from 1) v3 go"


def test_units_are_equal_parts_or_halves_of_a_parent() -> None:
    assert [bundle(part) for part in ranges(Bounds(brokers=2, owner=1, units=2))] == [
        "0x00000000_0x80000000",
        "0x80000000_0xffffffff",
    ]
    halves = [bundle(part) for part in ranges(Bounds(brokers=2, owner=1, units=3, splits=1, pending=2))]
    assert halves == ["0x00000000_0xffffffff", "0x00000000_0x7fffffff", "0x7fffffff_0xffffffff"]


def test_topic_lies_in_its_range() -> None:
    low, high = ranges(Bounds(brokers=2, owner=1, units=2))
    found = {topic_in("lab/drive", low), topic_in("lab/drive", high)}
    assert len(found) == 2
    assert "persistent://lab/drive/t0" in found


PRINTED = (
    "lab/drive/0x0_0x1 ServiceUnitStateData[state=Releasing, dstBroker=b:2, sourceBroker=b:1, "
    "splitServiceUnitToDestBroker=null, force=true, timestamp=1, versionId=3] @5:0:-1"
)


def test_record_is_read_as_pulsar_prints_it() -> None:
    assert read_record(PRINTED) == Read("Releasing", "b:2", "b:1", True, 3)
    names = Names("lab/drive", ("b:1", "b:2"), ((0, 1),))
    assert names.record(read_record(PRINTED)) == Record(RELEASING, 2, 1, True, 3)
    assert names.record(read_record("lab/drive/0x0_0x1 null")) == TOMBSTONE
    assert names.record(Read("Owned", "b:9", "", False, 2)) == Record(OWNED, 3, 0, False, 2)


def test_difference_is_told_and_what_is_not_seen_is_one() -> None:
    state = initial_states(Bounds(brokers=2, owner=1))[0]
    model = predicted(state)
    assert not differences(model, dict(model))
    (line,) = differences(model, {what: said for what, said in model.items() if what != "broker 1 serves"})
    assert line == "broker 1 serves: bundle 1 by the model, unseen in the cluster"
