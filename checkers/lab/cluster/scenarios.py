"""What is done to a cluster while it is recorded."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Final

from oneowner.checkers.lab.cluster.recording import Recording, Scenario


def healthy(run: Recording) -> None:
    """Nothing fails; three bundles are unloaded, then one is split."""
    ids = run.cluster.ids
    for namespace, bundle in (
        ("lab/a", "0x00000000_0x40000000"),
        ("lab/a", "0x40000000_0x80000000"),
        ("lab/b", "0x80000000_0xc0000000"),
    ):
        run.recorder.call(
            "unload", ids[0], "PUT", f"/admin/v2/namespaces/{namespace}/{bundle}/unload", bundle=f"{namespace}/{bundle}"
        )
        run.wait(5)
    bundle = "0xc0000000_0xffffffff"
    path = f"/admin/v2/namespaces/lab/b/{bundle}/split?unload=true"
    run.recorder.call("split", ids[1], "PUT", path, bundle=f"lab/b/{bundle}")
    run.wait(12)


def kill_owner(run: Recording) -> None:
    """A follower that owns bundles is killed with kill -9; its session ends, others take over; it is started again."""
    number = run.follower_that_owns()
    run.signal(number, signal.SIGKILL)
    run.wait(25)
    run.restart(number)
    run.wait(10)


def resumed_owner(run: Recording) -> None:
    """A follower that owns bundles stands still until its session has ended and others own them; then it goes on."""
    number = run.follower_that_owns()
    run.signal(number, signal.SIGSTOP)
    run.wait(28)
    run.event("SIGCONT", process=f"broker-{number}")
    run.cluster.brokers[number - 1].signal(signal.SIGCONT)
    run.wait(25)


def graceful_stop(run: Recording) -> None:
    """The leader is asked to end (SIGTERM); it unloads its bundles, another is elected; it is started again."""
    number = run.leader() or 1
    run.signal(number, signal.SIGTERM)
    run.wait(15)
    run.restart(number)
    run.wait(10)


SHED: Final = tuple(f"persistent://lab/c/t{number}" for number in range(16))


def shedding(run: Recording) -> None:
    """The leader sheds by itself for eight minutes; a machine's loopback has no bandwidth, so heap is the load."""
    run.namespace("lab/c", 12, SHED)
    run.sends(5, {topic: 1000 * (number + 1) for number, topic in enumerate(SHED)})
    for _ in range(8):
        run.event("owners", owners={f"broker-{number}": run.owned(number) for number in (1, 2, 3)})
        run.wait(60)


OF_SCENARIO: Final[Mapping[str, Mapping[str, object]]] = {
    "shedding": {
        "loadBalancerSheddingEnabled": "true",
        "loadBalancerBrokerLoadTargetStd": 0.01,
        "loadBalancerSheddingConditionHitCountThreshold": 1,
        "loadBalancerSheddingGracePeriodMinutes": 3,
        "loadBalanceSheddingDelayInSeconds": 30,
        "loadBalancerReportUpdateMinIntervalMillis": 2000,
        "loadBalancerReportUpdateThresholdPercentage": 1,
        "statsUpdateFrequencyInSecs": 10,
        "loadBalancerHistoryResourcePercentage": 0.5,
        "loadBalancerCPUResourceWeight": 0.0,
        "loadBalancerMemoryResourceWeight": 1.0,
        "loadBalancerAutoBundleSplitEnabled": "false",
    },
}
"""Settings without which a scenario would show nothing."""

SCENARIOS: Final[dict[str, Scenario]] = {
    "healthy": healthy,
    "kill-owner": kill_owner,
    "resumed-owner": resumed_owner,
    "graceful-stop": graceful_stop,
    "shedding": shedding,
}
