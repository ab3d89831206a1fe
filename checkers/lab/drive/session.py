"""One scenario on a cluster of its own: started with gates, driven, told, ended."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from oneowner.checkers.lab.cluster.distribution import distribution
from oneowner.checkers.lab.cluster.named import Named, take_down
from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.lab.cluster.start import Wanted, start
from oneowner.checkers.lab.drive.driver import Driver, Parted
from oneowner.checkers.lab.drive.events import Kind, storage_of
from oneowner.checkers.lab.drive.look import predicted
from oneowner.checkers.lab.drive.plan import Plan
from oneowner.checkers.lab.drive.report import done_in_words, name_of
from oneowner.checkers.lab.gates.agent import prepared, told_to_cluster
from oneowner.checkers.verdict import EngineError, Verdict

SETTINGS: Final[Mapping[str, object]] = {
    "metadataStoreSessionTimeoutMillis": 10_000,
    "loadBalancerServiceUnitStateMonitorIntervalInSeconds": 1,
    "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis": 3_600_000,
    "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": 3_600,
    "topicLevelPoliciesEnabled": "false",
}
"""No timer fires by itself while one steps: the monitor runs often, and its gate lets a run go when a step asks."""
CLUSTER: Final = "drive"
LEAVES: Final = (Kind.SIGNAL, Kind.RELAY)
"""After these kinds of events a cluster is not as it was."""


def driven(
    plans: Sequence[Plan], cache: Path, home: Path, out: Path | None, seconds: float, told: Callable[[str], None]
) -> list[Verdict]:
    """
    Drive one plan after another, and tell each step; whatever happens, nothing is left running.

    A cluster is used again, with a namespace of its own for each plan, as long as all was as the model says and every
    process and relay is as it was.

    :param out: where the traces of all gates go, a folder a cluster; None: nowhere.
    :raises EngineError: the cluster does not come up, or does not answer.
    """
    clusters, verdicts, left = cache / "lab", list[Verdict](), list(plans)
    while left:
        if left[0].against or not left[0].steps:
            plan = left.pop(0)
            told(f"{name_of(plan)} on Pulsar {plan.release}: {plan.against or 'it has no step'}")
            verdicts.append(Verdict.UNKNOWN)
            continue
        with tempfile.TemporaryDirectory() as place:
            cluster = _start(left[0], clusters, home, Path(place), seconds, told)
            try:
                verdicts += _use(cluster, left, told)
            finally:
                take_down(clusters, cluster, told)
                if out is not None:
                    shutil.copytree(place, out / str(len(verdicts)))
    return verdicts


def _start(plan: Plan, clusters: Path, home: Path, place: Path, seconds: float, told: Callable[[str], None]) -> Named:
    bounds = plan.scenario.bounds
    pulsar = distribution(plan.release, home)
    jar, classes = prepared(pulsar, home)
    traces = [place / f"gates-{at}.jsonl" for at in range(1, bounds.brokers + 1)]
    ports = free_ports(bounds.brokers)
    gates = told_to_cluster(jar, classes, traces, ports)
    storage = storage_of(bounds)
    wanted = Wanted(
        clusters, CLUSTER, pulsar, plan.release, bounds.brokers, storage, "extensible", SETTINGS, gates, ports
    )
    return start(wanted, told, seconds, stays=False)


def _use(cluster: Named, left: list[Plan], told: Callable[[str], None]) -> Iterator[Verdict]:
    """Drive plans of *left* on one cluster, and take them off, until one needs another."""
    number, shape = 0, _shape(left[0])
    while left and _shape(left[0]) == shape and not left[0].against:
        number, plan = number + 1, left.pop(0)
        driver = Driver(cluster, plan, number)
        try:
            verdict = _drive(driver, plan, told)
        except EngineError as error:
            told(str(error))
            verdict = Verdict.UNKNOWN
        yield verdict
        if verdict is not Verdict.VALID or any(one.event and one.event.kind in LEAVES for one in plan.steps):
            return
        driver.open()


def _shape(plan: Plan) -> tuple[str, int, str]:
    return plan.release, plan.scenario.bounds.brokers, storage_of(plan.scenario.bounds)


def _drive(driver: Driver, plan: Plan, told: Callable[[str], None]) -> Verdict:
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
    if not before:
        told("no broker runs after the last step: there was nothing to compare with the model")
        return Verdict.UNKNOWN
    for line in driver.topics():
        told(line)
    told(f"all {len(plan.steps)} steps: the cluster is as the model says after each")
    return Verdict.VALID
