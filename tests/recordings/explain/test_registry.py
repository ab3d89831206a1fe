"""Processes in a ZooKeeper history; a process that died is inferred from the one that comes after it."""

import json

import pytest

from oneowner.checkers.recordings.explain.recording import RegistryStep
from oneowner.checkers.recordings.explain.registry_steps import RegistryHistory, history_of, with_crashes
from oneowner.checkers.recordings.explain.unit_groups import UnitGroup, registered_first
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.verdict import UnreadableInput
from tests.recordings.laws.crafted import write

NODE, LEADER = "/loadbalance/brokers/", "/loadbalance/extension/leader"


def registers(time: int, session: str, broker: str, start: int, op: str = "create") -> NodeWrite:
    return write(time, time, op, NODE + broker, session, json.dumps({"startTimestamp": start}))


def elected(time: int, session: str, broker: str) -> NodeWrite:
    return write(time, time, "create", LEADER, session, json.dumps({"brokerId": broker}))


def closed(time: int, session: str) -> NodeWrite:
    return write(time, time, "closeSession", session=session)


START = [registers(1, "s1", "a", 1), elected(2, "s1", "a"), registers(3, "s2", "b", 3)]


def read(*writes: NodeWrite) -> RegistryHistory:
    return history_of(writes, lambda origin: f"zookeeper.jsonl:{origin.line}")


def steps(*writes: NodeWrite, last_sent: dict[tuple[str, int], int] | None = None) -> list[str]:
    history = read(*START, *writes)
    return [f"{event.action} {event.broker}" for event in with_crashes(history, last_sent or {})]


def test_start_of_the_cluster_is_no_step() -> None:
    history = read(*START)
    assert (history.leader, history.brokers, history.events) == ("a", ["a", "b"], [])
    assert history.sessions == {"s1": ("a", 0), "s2": ("b", 0)}


def test_process_that_never_returns_may_live() -> None:
    assert steps(closed(10, "s2")) == ["expire b"]


def test_process_died_before_its_session_if_another_one_follows() -> None:
    assert steps(closed(10, "s2"), registers(20, "s3", "b", 19)) == ["crash b", "expire b", "restart b"]


def test_process_that_published_after_its_session_died_later() -> None:
    writes = closed(10, "s2"), registers(20, "s3", "b", 19)
    assert steps(*writes, last_sent={("b", 0): 15}) == ["expire b", "crash b", "restart b"]


def test_same_process_registers_again() -> None:
    assert steps(closed(10, "s2"), registers(20, "s3", "b", 3)) == ["expire b", "register b"]


def test_node_that_is_overwritten_belongs_to_the_session_that_made_it() -> None:
    """run.G10."""
    writes = registers(10, "s3", "b", 9, op="setData"), closed(16, "s2"), registers(17, "s3", "b", 9)
    assert steps(*writes) == ["crash b", "restart b", "expire b", "register b"]


def test_graceful_stop_unregisters_first() -> None:
    unregisters = write(10, 10, "delete", NODE + "a", "s1")
    assert steps(unregisters, elected(11, "s2", "b"), closed(12, "s1")) == ["unregister a", "elect b", "stop a"]


def test_node_that_somebody_else_deletes_is_no_shutdown() -> None:
    by_hand = write(10, 10, "delete", NODE + "b", "s9"), write(11, 11, "delete", LEADER, "s9")
    assert steps(*by_hand, elected(12, "s2", "b")) == ["vacate b", "vacate a", "elect b"]
    assert steps(write(10, 10, "delete", LEADER, "s1"), elected(12, "s2", "b")) == ["vacate a", "elect b"]


def test_new_process_deletes_the_leaders_node_of_its_old_one() -> None:
    writes = registers(10, "s3", "a", 9, op="setData"), write(11, 11, "delete", LEADER, "s3"), elected(12, "s3", "a")
    assert steps(*writes, closed(16, "s1")) == ["crash a", "restart a", "elect a", "expire a"]


def test_who_unregisters_gives_the_lead_up() -> None:
    leaves = write(10, 10, "delete", NODE + "a", "s1"), write(11, 11, "delete", LEADER, "s1"), elected(12, "s2", "b")
    assert steps(*leaves) == ["unregister a", "elect b"]


def test_session_of_a_leader_ends_both_of_its_nodes_in_one_step() -> None:
    assert steps(closed(10, "s1"), elected(11, "s2", "b")) == ["expire a", "elect b"]


def test_step_of_a_broker_that_no_line_registers_is_unreadable() -> None:
    with pytest.raises(UnreadableInput, match=r"^zookeeper.jsonl:4: broker refused: c; no line of the history"):
        read(*START, elected(4, "s9", "c"))
    with pytest.raises(UnreadableInput, match=r"^zookeeper.jsonl:4: broker refused: c; "):
        read(*START, write(4, 4, "delete", NODE + "c", "s9"))


@pytest.mark.parametrize(
    ("session", "time", "order"),
    [
        ("s9", 165, ["register", "elect"]),
        ("s8", 165, ["elect", "register"]),  # who was elected in another session did not register with that one
        ("s9", 1_101, ["elect", "register"]),
    ],
)
def test_registration_of_the_session_that_was_elected_comes_first(session: str, time: int, order: list[str]) -> None:
    elect = RegistryStep("zxid:1", 100, "elect", 1, "s9")
    group = UnitGroup(("u",), (elect, RegistryStep("zxid:2", time, "register", 1, session)))
    steps = registered_first(group).timeline
    assert [step.action for step in steps if isinstance(step, RegistryStep)] == order


def test_steps_tell_whose_writes_they_are() -> None:
    found = read(*START, closed(4, "s1"), elected(5, "s3", "a"), registers(6, "s3", "a", 1))
    assert [(one.action, one.session) for one in found.events] == [
        ("expire", "s1"),
        ("elect", "s3"),
        ("register", "s3"),
    ]
