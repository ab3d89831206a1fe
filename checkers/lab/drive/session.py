"""One scenario on a cluster of its own: started with gates, driven, told, ended."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from oneowner.checkers.lab.cluster.distribution import distribution
from oneowner.checkers.lab.cluster.named import Named, take_down
from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.lab.cluster.start import Wanted, start
from oneowner.checkers.lab.drive.driver import Driver, Parted
from oneowner.checkers.lab.drive.events import storage_of
from oneowner.checkers.lab.drive.look import predicted
from oneowner.checkers.lab.drive.plan import Plan
from oneowner.checkers.lab.drive.report import done_in_words, name_of
from oneowner.checkers.lab.gates.agent import prepared, told_to_cluster
from oneowner.checkers.verdict import Verdict

SETTINGS: Final[Mapping[str, object]] = {
    "metadataStoreSessionTimeoutMillis": 10_000,
    "loadBalancerServiceUnitStateMonitorIntervalInSeconds": 1,
    "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis": 3_600_000,
    "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": 3_600,
    "topicLevelPoliciesEnabled": "false",
}
"""No timer fires by itself while one steps: the monitor runs often, and its gate lets a run go when a step asks."""
CLUSTER: Final = "drive"


def driven(
    plan: Plan, cache: Path, home: Path, out: Path | None, seconds: float, told: Callable[[str], None]
) -> Verdict:
    """
    Drive *plan* on a new cluster, and tell each step; whatever happens, nothing is left running.

    :param out: where the traces of all gates go, a file a broker; None: nowhere.
    :raises EngineError: the cluster does not come up, or does not answer.
    """
    if plan.against or not plan.steps:
        told(f"{name_of(plan)} on Pulsar {plan.release}: {plan.against or 'it has no step'}")
        return Verdict.UNKNOWN
    bounds = plan.scenario.bounds
    pulsar = distribution(plan.release, home)
    jar, classes = prepared(pulsar, home)
    clusters = cache / "lab"
    with tempfile.TemporaryDirectory() as place:
        traces = [Path(place) / f"gates-{at}.jsonl" for at in range(1, bounds.brokers + 1)]
        ports = free_ports(bounds.brokers)
        gates = told_to_cluster(jar, classes, traces, ports)
        wanted = Wanted(
            clusters,
            CLUSTER,
            pulsar,
            plan.release,
            bounds.brokers,
            storage_of(bounds),
            "extensible",
            SETTINGS,
            gates,
            ports,
        )
        cluster = start(wanted, told, seconds)
        try:
            return _drive(cluster, plan, told)
        finally:
            take_down(clusters, cluster, told)
            if out is not None:
                shutil.copytree(place, out)


def _drive(cluster: Named, plan: Plan, told: Callable[[str], None]) -> Verdict:
    driver = Driver(cluster, plan, told)
    driver.prepare()
    if apart := driver.start():
        told("the start state is not the model's:")
        for line in apart:
            told(f"  {line}")
        return Verdict.UNKNOWN
    told(f"{name_of(plan)} on Pulsar {plan.release}: the start state is the model's")
    before = predicted(plan.steps[0].before)
    try:
        for done in driver.run():
            for line in done_in_words(done, before):
                told(line)
            if done.differences:
                told(f"they part after step {done.planned.number}")
                return Verdict.INVALID
            before = done.model
    except Parted as parted:
        told(f"they part: {parted}")
        return Verdict.INVALID
    if plan.stops is not None:
        told(plan.words)
        return Verdict.UNKNOWN
    for line in driver.topics():
        told(line)
    told(f"all {len(plan.steps)} steps: the cluster is as the model says after each")
    return Verdict.VALID
