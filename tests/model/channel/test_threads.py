"""A thread that waits blocks everything that runs on it, and everything else goes on."""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Wait
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import MANAGES, RUNS_ON, Thread
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import initial_states, step
from tests.model.channel.cluster import Cluster, start
from tests.model.channel.strategies import enabled

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
)
"""Bounds whose walks enable, together with those from ``starts``, everything that runs on a thread."""


def starts() -> Iterator[State]:
    """Yield from where walks begin: at the start of REACHED, where a log is trimmed, and where two threads can stop."""
    for bounds in REACHED:
        yield initial_states(bounds)[0]
    compacted = ("start_compaction", "write_ledger", "show_ledger", "save_cursor")
    unloaded = Cluster(initial_states(TRIMMED)[0]).do("unload(broker=1)", "append(broker=1)")
    yield unloaded.do(*(f"{name}(broker=1)" for name in compacted), "trim()").state
    yield owning_after_an_election().state


def walked(begin: State) -> Iterator[tuple[State, list[Action]]]:
    """Yield each state of some random walks from *begin* once, with its enabled steps."""
    chance, seen = random.Random(1), dict[Any, list[tuple[Action, State]]]()
    for _ in range(25):
        state: State | None = begin
        while state is not None:
            ways = seen.get(state.key())
            if ways is None:
                ways = seen[state.key()] = enabled(state)
                yield state, [action for action, _ in ways]
            state = chance.choice(ways)[1] if ways else None


def while_waiting(state: State, thread: Thread, broker: int) -> State:
    """Return *state*, but that this *thread* of *broker* waits."""
    waits = state.copy()
    if thread == Thread.READER:
        waits.held_up[broker] = True
    else:
        waits.waits_for[broker] = Wait.UNLOAD
    return waits


def is_refused(state: State, action: Action) -> bool:
    try:
        step(state, action)
    except Disabled:
        return True
    return False


def test_thread_that_waits_holds_up_what_runs_on_it_and_nothing_else() -> None:
    refused: dict[Thread, set[str]] = {thread: set() for thread in Thread}
    for begin in starts():
        for state, ways in walked(begin):
            for thread, broker in product(Thread, brokers(state)):
                if state.waits_for[broker] != Wait.NOTHING or state.held_up[broker]:
                    continue
                waits = while_waiting(state, thread, broker)
                own = (action for action in ways if dict(action.arguments).get("broker") == broker)
                refused[thread] |= {
                    action.name for action in own if action.name not in refused[thread] and is_refused(waits, action)
                }
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
