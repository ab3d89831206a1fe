"""Lines that ask who is given a bundle by the modular load manager, all filters and the strategy together."""

from typing import Any, Final

from oneowner.model.balancer.batch.filters import asked_of, candidates_of, isolated_of
from oneowner.model.balancer.batch.placements import long_term_of
from oneowner.model.balancer.batch.row import value_like
from oneowner.model.balancer.batch.shedders import LOADS
from oneowner.model.balancer.filters import isolation, settings
from oneowner.model.balancer.local_broker_data import LoadRules
from oneowner.model.balancer.placement.modular_selection import Selection, select
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.variants import VARIANTS


def select_modular(row: Row, rules: LoadRules) -> dict[str, Any]:
    """Return who may be drawn, sorted."""
    found = select(selection_of(row, rules))
    return {"error": found.exception} if isinstance(found, Thrown) else {"admissible": sorted(found)}


def selection_of(row: Row, rules: LoadRules) -> Selection:
    """Return what a line asks: the keys of ``isolation``, ``anti_affinity``, ``filters`` and ``least_long_term``."""
    told = {**row, "candidates": row["available"]}
    known = [{**one, "preallocated": ()} for one in row["brokers"]]  # no topics are told of them
    evenly = value_like(True, row.get("conf", {}).get("loadBalancerDistributeBundlesEvenlyEnabled", True))
    return Selection(
        isolated_of(told, isolation.Rules()),
        asked_of(told),
        candidates_of({**told, "brokers": known}, settings.Rules()),
        long_term_of(row, told, rules),
        evenly,
    )


SELECT_MODULAR: Final = Algorithm(
    select_modular,
    VARIANTS.extended(
        {one: LOADS[one] for one in ("4.0.1", "4.0.6", "4.0.8", "4.2.4")},
        "selectBroker", "LeastLongTermMessageRate", "LocalBrokerData", "weights", "thresholds",
    ),
    lambda release: VARIANTS.lacks(release, "selectBroker"),
)  # fmt: skip
