"""Every witness is reached by the last step of a short scenario, and by no step before it."""

from typing import Any

import pytest

from oneowner.checkers.scenarios.scenario import find_action
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.system import initial_states, step
from oneowner.spec.channel.registry import WITNESSES

ASSIGNED = "look_up(broker=1); assign(broker=1, destination=2); append(broker=1); consume(broker=2); append(broker=2)"
RIVALS = "look_up(broker=1); look_up(broker=2); assign(broker=1, destination=1); append(broker=1)"
ASKED = (
    "transfer(broker=1, destination=2); append(broker=1); consume(broker=1); close(broker=1); append(broker=1);"
    " consume(broker=2); consume(broker=2); open_lookup(broker=2)"
)
SPLIT = "split(broker=1); append(broker=1); consume(broker=1); append(broker=1); append(broker=1)"
NESTED = (
    f"{SPLIT}; move_boundaries(broker=1, number=1); consume(broker=1); consume(broker=1); split_child(broker=1);"
    " append(broker=1)"
)
NESTING = {"owner": 1, "units": 5, "pending": 3, "splits": 1, "nested_splits": 1, "window": 9}
DIES_SPLITTING = (
    "split(broker=2); append(broker=2); consume(broker=2); crash(broker=2); expire(broker=2);"
    " notice(observer=1, broker=2); lose(broker=2); lose(broker=2); consume(broker=1);"
    " override(broker=1, unit=1, destination=1); append(broker=1);"
    " consume(broker=1); append(broker=1); append(broker=1); move_boundaries(broker=1)"
)
OVERRIDDEN = "expire(broker=2); notice(observer=1, broker=2); override(broker=1, destination=1)"
FREE = "unload(broker=1); append(broker=1); consume(broker=1); close(broker=1); append(broker=1); consume(broker=1)"
DELETED = f"{FREE}; tombstone(broker=1); append(broker=1)"

SCENARIOS: dict[str, tuple[dict[str, Any], str]] = {
    "assignment-ends": ({"assigns": 1}, ASSIGNED),
    "unload-ends": (
        {"owner": 1, "unloads": 1},
        "unload(broker=2); append(broker=2); consume(broker=1); close(broker=1); append(broker=1)",
    ),
    "transfer-ends": (
        {"owner": 1, "transfers": 1},
        "transfer(broker=2, destination=2); append(broker=2); consume(broker=1); close(broker=1); append(broker=1);"
        " consume(broker=2); consume(broker=2); append(broker=2)",
    ),
    "version-refuses": ({"assigns": 2}, f"{RIVALS}; assign(broker=2, destination=2); append(broker=2)"),
    "transition-refuses": (
        {"assigns": 2},
        f"{RIVALS}; consume(broker=2); assign(broker=2, destination=2); append(broker=2)",
    ),
    "broker-refuses": (
        {"owner": 1, "unloads": 1, "assigns": 1},
        "unload(broker=2); append(broker=2); consume(broker=2); look_up(broker=2); assign(broker=2, destination=2);"
        " append(broker=2)",
    ),
    "resent-record-refused": (
        {"assigns": 1, "resends": 1},
        "look_up(broker=1); assign(broker=1, destination=2); append_unacknowledged(broker=1); append(broker=1)",
    ),
    "dead-broker-assigned": (
        {"assigns": 1, "crashes": 1},
        "look_up(broker=1); crash(broker=2); assign(broker=1, destination=2); append(broker=1)",
    ),
    "override-wins": ({"owner": 2, "expiries": 1, "closings": 2}, f"{OVERRIDDEN}; append(broker=1)"),
    "override-loses": (
        {"owner": 2, "expiries": 1, "unloads": 1},
        f"unload(broker=2); {OVERRIDDEN}; append(broker=2); append(broker=1)",
    ),
    "untainted-served-after-fault": ({"owner": 2, "expiries": 1}, "expire(broker=1)"),
    "tombstone-deletes": ({"owner": 1, "unloads": 1, "tombstones": 1}, DELETED),
    "begins-anew": (
        {"owner": 1, "unloads": 1, "tombstones": 1, "assigns": 1, "window": 5},
        f"{DELETED}; consume(broker=1); look_up(broker=1); assign(broker=1, destination=1); append(broker=1)",
    ),
    "gap-accepted": (
        {"owner": 1, "unloads": 1, "tombstones": 1, "assigns": 2, "window": 5},
        f"{FREE}; consume(broker=2); consume(broker=2); look_up(broker=2); assign(broker=2, destination=2);"
        " tombstone(broker=1); append(broker=1); consume(broker=1); look_up(broker=1); assign(broker=1, destination=1);"
        " append(broker=1); append(broker=2)",
    ),
    "freed-by-force": (
        {"owner": 2, "expiries": 1, "unplaced": 1},
        "expire(broker=2); notice(observer=1, broker=2); free_orphan(broker=1); append(broker=1)",
    ),
    "reader-carried-over": (
        {"owner": 2, "expiries": 1, "unloads": 1, "compactions": 1},
        f"{OVERRIDDEN}; append(broker=1); consume(broker=1); unload(broker=1); append(broker=1);"
        " start_compaction(broker=1); write_ledger(broker=1); show_ledger(broker=1); jump(broker=2)",
    ),
    "tombstone-missed": (
        {"owner": 2, "unloads": 1, "tombstones": 1, "compactions": 1},
        "unload(broker=1); append(broker=1); consume(broker=1); consume(broker=2); close(broker=2); append(broker=2);"
        " consume(broker=1); tombstone(broker=1); append(broker=1);"
        " start_compaction(broker=1); write_ledger(broker=1); show_ledger(broker=1); jump(broker=1)",
    ),
    "safe-mode-begins": ({"outages": 1, "safe_mode": 1}, "stop_zookeeper; lose_session(broker=1)"),
    "safe-mode-is-over": (
        {"outages": 1, "safe_mode": 1},
        "stop_zookeeper; lose_session(broker=1); start_zookeeper; reconnect(broker=1); settle(broker=1)",
    ),
    "clean-up-called-off": (
        {"expiries": 1, "safe_mode": 1},
        "expire(broker=2); notice(observer=1, broker=2); lose_session(broker=2); reconnect(broker=2);"
        " register(broker=2); notice(observer=1, broker=2)",
    ),
    "clean-up-in-safe-mode": (
        {"owner": 2, "expiries": 1, "outages": 1, "safe_mode": 1},
        "expire(broker=2); notice(observer=1, broker=2); stop_zookeeper; lose_session(broker=1);"
        " start_zookeeper; reconnect(broker=1); override(broker=1, destination=1)",
    ),
    "monitor-finds-orphan": (
        {"owner": 2, "expiries": 1, "crashes": 1, "safe_mode": 1},
        "crash(broker=1); expire(broker=2); lose_session(broker=2); reconnect(broker=2); restart(broker=1);"
        " elect(broker=1); monitor(broker=1, gone=2)",
    ),
    "two-play-the-leader": ({"expiries": 1, "beliefs": 1}, "expire(broker=1); elect(broker=2); play_leader(broker=2)"),
    "unregistered-leader": (
        {"expiries": 2, "beliefs": 1},
        "expire(broker=2); reestablish(broker=2); expire(broker=1); elect(broker=2)",
    ),
    "unregistered-lead-ends": (
        {"expiries": 2, "beliefs": 1},
        "expire(broker=1); reestablish(broker=1); elect(broker=1); expire(broker=1)",
    ),
    "split-is-over": (
        {"owner": 1, "units": 3, "pending": 2, "splits": 1},
        f"{SPLIT}; move_boundaries(broker=1); delete_parent(broker=1); consume(broker=1); consume(broker=1);"
        " consume(broker=2); consume(broker=2); append(broker=1); consume(broker=1); append(broker=1)",
    ),
    "child-splits-early": (NESTING, NESTED),
    "nested-split-is-over": (
        NESTING,
        f"{NESTED}; consume(broker=1); append(broker=1); append(broker=1); move_boundaries(broker=1, number=2);"
        " delete_parent(broker=1, number=2); append(broker=1); consume(broker=1); consume(broker=1);"
        " consume(broker=1); append(broker=1)",
    ),
    "kept-clients-sent-on": (
        {"owner": 1, "transfers": 1, "multi_phase": 1},
        "transfer(broker=1, destination=2); append(broker=1); consume(broker=1); close(broker=1); append(broker=1);"
        " consume(broker=2); consume(broker=2); append(broker=2); consume(broker=1); consume(broker=1);"
        " close(broker=1)",
    ),
    "split-taken-over": (
        {"owner": 2, "units": 3, "pending": 2, "splits": 1, "crashes": 1},
        f"{DIES_SPLITTING}; delete_parent(broker=1)",
    ),
    "split-meets-stale-boundaries": (
        {"owner": 1, "units": 3, "pending": 2, "splits": 1, "other_splits": 1},
        f"{SPLIT}; split_elsewhere(broker=2); reload_boundaries(broker=1)",
    ),
    "dual-serving-heals": (
        {"owner": 2, "expiries": 1},
        f"{OVERRIDDEN}; append(broker=1); consume(broker=1); open(broker=1); consume(broker=2); close(broker=2)",
    ),
    "unit-given-away": (
        {"owner": 1, "shutdowns": 1},
        "disable(broker=1); drain(broker=1, destination=2); append(broker=1); consume(broker=1); close(broker=1);"
        " append(broker=1); consume(broker=2); consume(broker=2); append(broker=2)",
    ),
    "two-given-away-at-once": (
        {"owner": 1, "units": 2, "shutdowns": 1, "late_handlers": 1, "pending": 2},
        "disable(broker=1); drain(broker=1, unit=1, destination=2); hurry(broker=1);"
        " drain(broker=1, unit=2, destination=2)",
    ),
    "deferred-lookup-answered": (
        {"owner": 1, "transfers": 1, "lookups": 1},
        f"{ASKED}; append(broker=2); consume(broker=2)",
    ),
    "lookup-times-out": ({"owner": 1, "transfers": 1, "lookups": 1}, f"{ASKED}; time_out(broker=2)"),
    "shutdown-fails-lookup": (
        {"owner": 1, "transfers": 1, "lookups": 1, "shutdowns": 1},
        f"{ASKED}; disable(broker=2); append(broker=2); consume(broker=2)",
    ),
}


def test_every_witness_has_a_scenario() -> None:
    assert [witness.name for witness in WITNESSES if witness.name not in SCENARIOS] == []
    assert len(SCENARIOS) == len(WITNESSES)


@pytest.mark.parametrize("witness", WITNESSES, ids=lambda witness: witness.name)
def test_witness_is_reached_by_the_last_step_and_none_before(witness: Any) -> None:
    settings, words = SCENARIOS[witness.name]
    bounds = Bounds(**settings)
    (before,) = initial_states(bounds)
    reached = []
    for part in words.split("; "):
        action = find_action(bounds, part)
        after = step(before, action)
        reached.append(witness.reached(before, action, after))
        before = after
    assert reached == [False] * (len(reached) - 1) + [True]


def test_fault_at_the_server_itself_is_no_fault_elsewhere() -> None:
    """The witness shows an untainted unit served after a fault *elsewhere*."""
    witness = next(witness for witness in WITNESSES if witness.name == "untainted-served-after-fault")
    bounds = Bounds(owner=2, expiries=1)
    (before,) = initial_states(bounds)
    action = find_action(bounds, "expire(broker=2)")
    assert not witness.reached(before, action, step(before, action))


def test_no_witness_is_reached_by_a_plain_step() -> None:
    for storage in Storage:
        bounds = Bounds(owner=1, unloads=1, storage=storage)
        (before,) = initial_states(bounds)
        for words in ("unload(broker=2)", "append(broker=2)"):
            action = find_action(bounds, words)
            after = step(before, action)
            assert not [witness.name for witness in WITNESSES if witness.reached(before, action, after)]
            before = after
