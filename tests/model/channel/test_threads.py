"""A thread that waits does nothing of what runs on it, and everything else goes on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Wait
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import MANAGES, RUNS_ON, Thread
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step
from tests.model.channel.cluster import Cluster, start

SHEDDING = {"brokers": 2, "owner": 2, "sheddings": 1, "crashes": 1, "restarts": 0}
SHED = ("begin_shedding(broker=1)", "shed(broker=1, destination=1)")
STOPPING = {"units": 2, "owner": 1, "shutdowns": 1, "restarts": 0, "role_races": 1}

TRIMMED = Bounds(
    brokers=2, owner=2, unloads=1, compactions=1, trims=1, window=4, rules=Rules(reconnect_reads_kept=False)
)
REACHED = (
    Bounds(
        owner=2, sheddings=1, crashes=1, restarts=0, expiries=1, unplaced=1, transfers=1, flight_timer=1, closings=2
    ),
    Bounds(owner=2, sheddings=1, expiries=1, unloads=1, safe_mode=1, tombstones=1, closings=2),
    Bounds(owner=2, sheddings=1, expiries=1, beliefs=1, closings=2),
    Bounds(brokers=2, owner=2, sheddings=1, expiries=1, refused=1, closings=2),
    Bounds(owner=2, crashes=1, restarts=0, role_races=1, unloads=1, assigns=1, closings=2),
    TRIMMED,
)
"""Bounds whose walks enable, together, everything that runs on a thread."""


def walked(bounds: Bounds) -> Iterator[State]:
    """Yield the states of some random walks, of TRIMMED from where the log is trimmed."""
    chance = random.Random(1)
    for _ in range(25):
        state = initial_states(bounds)[0]
        if bounds == TRIMMED:
            compacted = ("start_compaction", "write_ledger", "show_ledger", "save_cursor")
            unloaded = Cluster(state).do("unload(broker=1)", "append(broker=1)")
            state = unloaded.do(*(f"{name}(broker=1)" for name in compacted), "trim()").state
        while state is not None:
            yield state
            ways = list(actions(bounds))
            chance.shuffle(ways)
            state = next((after for after in map(partial(after_step, state), ways) if after is not None), None)


def after_step(state: State, action: Action) -> State | None:
    """Return the state after *action*, None where it is not enabled."""
    try:
        return step(state, action)
    except Disabled:
        return None


def refused_by(state: State, action: Action, broker: int) -> Iterator[Thread]:
    """Yield the threads of *broker* without which *action* is not enabled."""
    for thread in Thread:
        waits = state.copy()
        if thread == Thread.READER:
            waits.held_up[broker] = True
        else:
            waits.waits_for[broker] = Wait.UNLOAD
        if after_step(waits, action) is None:
            yield thread


def test_thread_that_waits_holds_up_what_runs_on_it_and_nothing_else() -> None:
    refused: dict[Thread, set[str]] = {thread: set() for thread in Thread}
    for bounds in REACHED:
        for state in walked(bounds):
            for action in actions(bounds):
                broker = dict(action.arguments).get("broker", 0)
                if not broker or state.waits_for[broker] != Wait.NOTHING or state.held_up[broker]:
                    continue
                if after_step(state, action) is not None:
                    for thread in refused_by(state, action, broker):
                        refused[thread].add(action.name)
    assert refused == {thread: set(names) for thread, names in RUNS_ON.items()}


def test_load_manager_waits_for_the_transfer_of_its_round_and_overrides_nothing_meanwhile() -> None:
    cluster = start(**SHEDDING).do(*SHED, "crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)")
    assert cluster.guard("override(broker=1, destination=1)") == MANAGES
    assert cluster.do("stop_waiting(broker=1)").guard("override(broker=1, destination=1)") != MANAGES


def test_round_with_a_thread_of_its_own_holds_nothing_up() -> None:
    cluster = start(**SHEDDING, rules=Rules(recovery_has_its_thread=True)).do(*SHED)
    assert cluster.guard("stop_waiting(broker=1)") == "the load manager's thread waits for an unload"


def test_round_ends_with_its_process() -> None:
    cluster = start(**SHEDDING).do("begin_shedding(broker=1)", "crash(broker=1)")
    assert not any(cluster.state.shedding)


def owning_after_an_election(**rules: bool) -> Cluster:
    """Broker 1 has shut down; broker 2 was elected, and has yet to read that it owns unit 1."""
    cluster = start(**STOPPING, rules=Rules(**rules)).do("disable(broker=1)")
    for unit in (1, 2):
        cluster.do(f"drain(broker=1, unit={unit}, destination=2)", "append(broker=1)", "consume(broker=1)")
        cluster.do("consume(broker=2)", "close(broker=1)", "append(broker=1)", "consume(broker=1)")
        cluster.do("consume(broker=2)", "append(broker=2)", "consume(broker=1)")
        if cluster.guard("close(broker=1)") == "":
            cluster.do("close(broker=1)")
        if unit == 1:
            cluster.do("consume(broker=2)")
    return cluster.do("unregister(broker=1)", "stop(broker=1)", "notice(observer=2, broker=1)", "elect(broker=2)")


def test_role_that_changes_while_its_broker_comes_to_own_a_unit_stops_both_threads() -> None:
    """run.G12, apache/pulsar#26243."""
    cluster = owning_after_an_election().do("deadlock(broker=2)")
    assert list(cluster.state.held_up) == [False, True]
    assert str(cluster.state.view[2, 2]).startswith("Owned(2")
    assert cluster.guard("play_role(broker=2)") == MANAGES


def test_role_that_has_been_played_meets_no_handler() -> None:
    cluster = owning_after_an_election().do("play_role(broker=2)")
    assert cluster.guard("deadlock(broker=2)") == "the broker has a role to play"


def test_store_that_closes_without_waiting_ends_no_thread() -> None:
    """apache/pulsar#26243."""
    cluster = owning_after_an_election(store_closes_blocking=False)
    assert "waits until it is closed" in cluster.guard("deadlock(broker=2)")


def test_record_of_another_broker_writes_no_load_data() -> None:
    cluster = start(owner=1, transfers=1, expiries=1, role_races=1, closings=2)
    cluster.do("expire(broker=1)", "reestablish(broker=1)", "register(broker=1)", "elect(broker=1)")
    cluster.do("transfer(broker=1, destination=2)", "append(broker=1)")
    assert cluster.guard("deadlock(broker=1)") == "the record is Owned"


def test_broker_whose_load_data_is_locked_selects_nobody() -> None:
    cluster = start(assigns=1, expiries=1, role_races=1).do("look_up(broker=2)")
    cluster.state.waits_for[2] = Wait.READER
    assert cluster.guard("assign(broker=2, destination=1)") == "nobody holds the lock of the load data for ever"
