"""``ALGORITHMS`` lists what a line of a batch may ask for, by its ``algorithm``: one line each."""

from collections.abc import Mapping
from typing import Any, Final

from oneowner.model.balancer.batch.bundles import TOP_K
from oneowner.model.balancer.batch.callers import LOAD_SHEDDING_TASK, UNLOAD_SCHEDULER
from oneowner.model.balancer.batch.extensible import BROKER_LOAD, LEAST_USAGE_EXTENSIBLE
from oneowner.model.balancer.batch.filters import ANTI_AFFINITY, FILTERS, ISOLATION
from oneowner.model.balancer.batch.placements import (
    AVG_PLACEMENT,
    LEAST_LONG_TERM,
    LEAST_USAGE,
    ROUND_ROBIN,
    SELECT_EXTENSIBLE,
)
from oneowner.model.balancer.batch.reports import REPORT_EXTENSIBLE, REPORT_MODULAR
from oneowner.model.balancer.batch.selection import SELECT_MODULAR
from oneowner.model.balancer.batch.shedders import SHEDDERS, algorithm_of
from oneowner.model.balancer.batch.splitting import (
    SPLIT_BOUNDARIES,
    SPLIT_TRIGGER_EXTENSIBLE,
    SPLIT_TRIGGER_MODULAR,
    TOPIC_BUNDLE,
)
from oneowner.model.balancer.batch.transfer import TRANSFER
from oneowner.model.kernel.batch import Algorithm, Row

ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "transfer": TRANSFER,
    "least_usage_extensible": LEAST_USAGE_EXTENSIBLE,
    "broker_load": BROKER_LOAD,
    "top_k": TOP_K,
    "least_long_term": LEAST_LONG_TERM,
    "least_usage": LEAST_USAGE,
    "round_robin": ROUND_ROBIN,
    "select_modular": SELECT_MODULAR,
    "avg_placement": AVG_PLACEMENT,
    "select_extensible": SELECT_EXTENSIBLE,
    "anti_affinity": ANTI_AFFINITY,
    "isolation": ISOLATION,
    "filters": FILTERS,
    **{name: algorithm_of(shedder) for name, shedder in SHEDDERS.items()},
    "unload_scheduler": UNLOAD_SCHEDULER,
    "load_shedding_task": LOAD_SHEDDING_TASK,
    "report_modular": REPORT_MODULAR,
    "report_extensible": REPORT_EXTENSIBLE,
    "split_trigger_modular": SPLIT_TRIGGER_MODULAR,
    "split_trigger_extensible": SPLIT_TRIGGER_EXTENSIBLE,
    "split_boundaries": SPLIT_BOUNDARIES,
    "topic_bundle": TOPIC_BUNDLE,
}
RELEASES: Final = tuple(dict.fromkeys(release for one in ALGORITHMS.values() for release in one.rules))
"""Every release of which some algorithm is known."""


def answer(row: Row, release: str) -> dict[str, Any]:
    """
    Return the answer to a line by the rules of a release.

    Raises KeyError for an algorithm or a release that is not known, and what the function raises for an input that is
    none.
    """
    algorithm = ALGORITHMS[row["algorithm"]]
    return algorithm.answer(row, algorithm.rules[release])
