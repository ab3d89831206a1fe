"""One scenario on a cluster of its own: started with gates, driven, reported, ended."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from oneowner.checkers.lab.cluster.distribution import distribution
from oneowner.checkers.lab.cluster.named import Named, take_down
from oneowner.checkers.lab.cluster.processes import free_ports
from oneowner.checkers.lab.cluster.start import Wanted, start
from oneowner.checkers.lab.drive import free
from oneowner.checkers.lab.drive.brokers import Parted
from oneowner.checkers.lab.drive.driver import Driver
from oneowner.checkers.lab.drive.events import storage_of
from oneowner.checkers.lab.drive.free import Free
from oneowner.checkers.lab.drive.look import predicted
from oneowner.checkers.lab.drive.outcome import Done, Driven
from oneowner.checkers.lab.drive.plan import Plan
from oneowner.checkers.lab.drive.real_event import Kind
from oneowner.checkers.lab.drive.report import done_in_words
from oneowner.checkers.lab.drive.restore import restore
from oneowner.checkers.lab.drive.watch import watch
from oneowner.checkers.lab.gates.agent import prepared, told_to_cluster
from oneowner.checkers.verdict import EngineError, Verdict

SETTINGS: Final[Mapping[str, object]] = {
    "metadataStoreSessionTimeoutMillis": 10_000,
    "loadBalancerServiceUnitStateMonitorIntervalInSeconds": 1,
    "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis": 3_600_000,
    "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": 3_600,
    "namespaceBundleUnloadingTimeoutMs": 45_000,
    "topicLevelPoliciesEnabled": "false",
}
"""
No timer fires by itself between steps: the monitor runs often, and its gate releases a run on request. But a close of a
broker that is cut off ZooKeeper ends only by its timeout, which is shorter than that of a step.
"""
CLUSTER: Final = "drive"
ALL: Final = "all {} steps: the cluster is as the model says after each"
SEEN: Final = "seen: the cluster came to what the model says of the end"
LEAVES: Final = (Kind.SIGNAL, Kind.RELAY)
"""Kinds of events that change a broker permanently."""


def driven(
    plans: Sequence[Plan],
    cache: Path,
    home: Path,
    out: Path | None,
    seconds: float,
    told: Callable[[str], None],
    watch_for: float = 0.0,
    gated: bool = True,
) -> Iterator[Driven]:
    """
    Drive one plan after another, and report each step; on any failure all processes are ended.

    A cluster is used again, with a namespace of its own for each plan, as long as it agreed with the model and one
    broker is unchanged; the others are started anew.

    :param gated: release one real event a step at a gate; or only cause events that need none, and look for the end.
    :param watch_for: the time, in seconds, to watch the ending after the last step, if the scenario has one.
    :param out: the folder for the traces of all gates, a folder a cluster; None: no traces.
    :raises EngineError: the cluster does not start, or does not answer.
    """
    clusters, left, ended = cache / "lab", list(plans), 0
    while left:
        plan = left[0]
        if why := plan.against or ("" if plan.steps else "it has no step") or ("" if gated else _missing(plan)):
            left.pop(0)
            told(f"{plan.name} on Pulsar {plan.release}: {why}")
            yield Driven(plan, Verdict.UNKNOWN, why)
            continue
        with tempfile.TemporaryDirectory() as place:
            cluster = _start(left[0], clusters, home, Path(place), seconds, told, gated)
            try:
                yield from _use(clusters, cluster, left, seconds, told, gated, watch_for)
            finally:
                take_down(clusters, cluster, told)
                ended += 1
                if out is not None:
                    shutil.copytree(place, out / str(ended))


def _missing(plan: Plan) -> str:
    """Return the reason that *plan* has events that can neither be caused nor come by themselves, if so."""
    return "" if plan.drivable else plan.words


def _start(
    plan: Plan, clusters: Path, home: Path, place: Path, seconds: float, told: Callable[[str], None], gated: bool
) -> Named:
    bounds = plan.scenario.bounds
    pulsar = distribution(plan.release, home)
    jar, classes = prepared(pulsar, home, plan.repairs)
    traces = [place / f"gates-{at}.jsonl" for at in range(1, bounds.brokers + 1)]
    ports = free_ports(bounds.brokers)
    gates = told_to_cluster(jar, classes, traces, ports, plan.repairs)
    storage = storage_of(bounds)
    settings = SETTINGS if gated else {**SETTINGS, **free.SETTINGS}
    wanted = Wanted(
        clusters, CLUSTER, pulsar, plan.release, bounds.brokers, storage, "extensible", settings, gates, ports
    )
    return start(wanted, told, seconds, stays=False)


def _use(
    home: Path,
    cluster: Named,
    left: list[Plan],
    seconds: float,
    told: Callable[[str], None],
    gated: bool,
    watch_for: float,
) -> Iterator[Driven]:
    """Drive plans of *left* on one cluster, and remove them from it, until one needs another cluster."""
    number, shape = 0, _shape(left[0])
    while left and _shape(left[0]) == shape and not left[0].against:
        number, plan = number + 1, left.pop(0)
        driver = (Driver if gated else Free)(cluster, plan, number)
        done: list[Done] = []
        watched = None
        try:
            verdict, why = (_drive if gated else _look)(driver, plan, done, told)
            if gated and watch_for and verdict is Verdict.VALID and plan.loop is not None:
                watched = watch(driver, plan, watch_for)
                told(f"      {watched.words}")
                if watched.parted:
                    verdict, why = Verdict.INVALID, f"they part after the last step: {watched.words}"
        except EngineError as error:
            verdict, why = Verdict.UNKNOWN, str(error)
        told(why or (ALL.format(len(plan.steps)) if gated else SEEN))
        yield Driven(plan, verdict, why, tuple(done), watched)
        changed = [one.event.broker for one in plan.steps if one.event is not None and one.event.kind in LEAVES]
        broken = sorted(
            {at for broker in changed for at in ([driver.real[broker]] if broker else driver.real.values())}
        )
        if (verdict is not Verdict.VALID if gated else not done) or len(broken) == len(cluster.brokers):
            return
        if left:
            driver.open(broken)
            cluster = restore(home, cluster, broken, seconds, told) if broken else cluster


def _shape(plan: Plan) -> tuple[object, ...]:
    return plan.release, plan.scenario.bounds.brokers, storage_of(plan.scenario.bounds), plan.repairs


def _drive(driver: Driver, plan: Plan, done: list[Done], told: Callable[[str], None]) -> tuple[Verdict, str]:
    """Drive one plan, and add its steps to *done*; return the outcome, and the reason that it is not valid."""
    driver.prepare()
    if apart := driver.start():
        return Verdict.UNKNOWN, f"the start state is not the model's: {'; '.join(apart)}"
    told(f"{plan.name} on Pulsar {plan.release}: the start state is the model's")
    before = predicted(plan.steps[0].before)
    try:
        for one in driver.run():
            done.append(one)
            for line in done_in_words(one, before):
                told(line)
            if one.differences:
                return Verdict.INVALID, f"they part after step {one.planned.number}: {'; '.join(one.differences)}"
            before = one.model
    except Parted as parted:
        return Verdict.INVALID, f"they part at step {len(done) + 1}: {parted}"
    if plan.stops is not None:
        return Verdict.UNKNOWN, plan.words
    if not before:
        return Verdict.UNKNOWN, "no broker runs after the last step: there was nothing to compare with the model"
    for line in driver.topics():
        told(line)
    return Verdict.VALID, ""


def _look(driver: Driver, plan: Plan, done: list[Done], told: Callable[[str], None]) -> tuple[Verdict, str]:
    """
    Cause the events that need no gate; return the verdict on the end of *plan*: valid if seen, else unknown, and why.
    """
    driver.prepare()
    if apart := driver.start():
        return Verdict.UNKNOWN, f"the start state is not the model's: {'; '.join(apart)}"
    told(f"{plan.name} on Pulsar {plan.release}, gates open: the start state is the model's")
    try:
        done.extend(driver.run())
    except Parted as parted:
        return Verdict.UNKNOWN, f"not seen: {parted}"
    apart = [line for one in done for line in one.differences]
    return (Verdict.UNKNOWN, f"not seen: {'; '.join(apart)}") if apart else (Verdict.VALID, "")
