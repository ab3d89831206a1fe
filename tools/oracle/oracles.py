"""``ORACLES`` lists the algorithms that can be compared: the source of inputs, and the harness of the classes."""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.model.balancer.batch.algorithms import ALGORITHMS as BALANCER
from oneowner.model.kafka.batch.algorithms import ALGORITHMS as KAFKA
from oneowner.model.kernel.batch import Algorithm
from tools.oracle.admitted import admitted
from tools.oracle.drawn.assignors import assignors, racks, series
from tools.oracle.drawn.bundles import top_k
from tools.oracle.drawn.callers import load_shedding_task, unload_scheduler
from tools.oracle.drawn.extensible import broker_load, least_usage_extensible
from tools.oracle.drawn.filters import anti_affinity, filters, isolation
from tools.oracle.drawn.placements import avg_placement, placement, select_extensible, turns
from tools.oracle.drawn.reports import report_extensible, report_modular
from tools.oracle.drawn.selection import select_modular
from tools.oracle.drawn.shedders import avg, overload, threshold, uniform
from tools.oracle.drawn.splitting import (
    split_boundaries,
    split_trigger_extensible,
    split_trigger_modular,
    topic_bundle,
)
from tools.oracle.drawn.streams_group import reconcile, sticky
from tools.oracle.drawn.transfer import transfer
from tools.oracle.drawn.values import Row
from tools.oracle.jars import classpath
from tools.oracle.kafka_jars import kafka_classpath

SCHEDULER: Final = "org.apache.pulsar.broker.loadbalance.extensions.scheduler"
MODULAR: Final = "org.apache.pulsar.broker.loadbalance.impl"
"""A harness lies in the package of a class whose members it needs."""


class Oracle(NamedTuple):
    """The comparison of an algorithm with the classes of a release."""

    draw: Callable[[random.Random], Row]
    """Returns an input without id and algorithm."""
    harness: str
    """The Java class that answers, a file of ``java/``."""
    classes: Callable[[str, str, Path], str] = classpath
    """Returns the class path of a release with the harness, by the folder where jars are kept."""
    allows: Callable[[Row, Row], bool] = lambda row, answer: False
    """True if an answer other than ours to an input is allowed, where the class leaves something open."""


ORACLES: Final[Mapping[str, Oracle]] = {
    "transfer": Oracle(transfer, f"{SCHEDULER}.TransferOracle"),
    "least_usage_extensible": Oracle(least_usage_extensible, "oneowner.oracle.ExtensibleOracle"),
    "broker_load": Oracle(broker_load, "oneowner.oracle.ExtensibleOracle"),
    "top_k": Oracle(top_k, "oneowner.oracle.TopBundlesOracle"),
    "least_long_term": Oracle(placement, "oneowner.oracle.PlacementsOracle"),
    "least_usage": Oracle(placement, "oneowner.oracle.PlacementsOracle"),
    "round_robin": Oracle(turns, "oneowner.oracle.PlacementsOracle"),
    "select_modular": Oracle(select_modular, f"{MODULAR}.SelectionOracle"),
    "avg_placement": Oracle(avg_placement, "oneowner.oracle.PlacementsOracle"),
    "select_extensible": Oracle(select_extensible, "oneowner.oracle.ExtensibleSelectionOracle"),
    "anti_affinity": Oracle(anti_affinity, "oneowner.oracle.PoliciesOracle"),
    "isolation": Oracle(isolation, "oneowner.oracle.PoliciesOracle"),
    "filters": Oracle(filters, "oneowner.oracle.FiltersOracle"),
    "overload": Oracle(overload, "oneowner.oracle.SheddersOracle"),
    "threshold": Oracle(threshold, "oneowner.oracle.SheddersOracle"),
    "uniform": Oracle(uniform, "oneowner.oracle.SheddersOracle"),
    "avg": Oracle(avg, "oneowner.oracle.SheddersOracle"),
    "split_trigger_modular": Oracle(split_trigger_modular, "oneowner.oracle.ModularSplitOracle"),
    "split_trigger_extensible": Oracle(split_trigger_extensible, "oneowner.oracle.ExtensibleSplitOracle"),
    "split_boundaries": Oracle(split_boundaries, "oneowner.oracle.SplitBoundariesOracle"),
    "unload_scheduler": Oracle(unload_scheduler, f"{SCHEDULER}.UnloadSchedulerOracle"),
    "load_shedding_task": Oracle(load_shedding_task, f"{MODULAR}.SheddingTaskOracle"),
    "report_modular": Oracle(report_modular, "oneowner.oracle.ReportsOracle"),
    "report_extensible": Oracle(report_extensible, "oneowner.oracle.ExtensibleReportsOracle"),
    "topic_bundle": Oracle(topic_bundle, "oneowner.oracle.TopicBundleOracle"),
    "assignors": Oracle(assignors, "oneowner.oracle.AssignorsOracle", kafka_classpath),
    "racks": Oracle(racks, "oneowner.oracle.RacksOracle", kafka_classpath),
    "series": Oracle(series, "oneowner.oracle.AssignorsOracle", kafka_classpath),
    "reconcile": Oracle(reconcile, "oneowner.oracle.StreamsGroupOracle", kafka_classpath),
    "sticky": Oracle(sticky, "oneowner.oracle.StreamsGroupOracle", kafka_classpath, admitted),
}
ALGORITHMS: Final[Mapping[str, Algorithm]] = {**BALANCER, **KAFKA}
RELEASES: Final = tuple(dict.fromkeys(release for one in ALGORITHMS.values() for release in one.rules))


def inputs(algorithm: str, count: int, seed: int) -> Iterator[Row]:
    """Yield *count* inputs of an algorithm."""
    chance = random.Random(f"{algorithm} {seed}")
    for number in range(count):
        yield {"id": f"{algorithm}-{seed}-{number}", "algorithm": algorithm, **ORACLES[algorithm].draw(chance)}
