"""``AVG_SHEDDER`` judges what the busiest brokers unload, and which idle ones it is planned for."""

from __future__ import annotations

from typing import Any

from oneowner.model.balancer.batch.modular import weights
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import AVG
from oneowner.model.balancer.local_broker_data import LoadRules
from oneowner.model.balancer.shedding.avg_shedder import Memory, Rules, Settings, planned, shed
from oneowner.model.balancer.shedding.load_shedding import Outcome
from oneowner.model.balancer.shedding.modular_inputs import Given, ModularSizes, decide_avg, of_throughput, some_cycle
from oneowner.model.kernel.decision import Choose, Decision, InputLaw
from oneowner.model.kernel.law import Status
from oneowner.spec.balancer.shedding.shedding_laws import loads_told, shedding_laws, told, unloads

__traced__ = False  # laws of decisions, concrete

CLASS = "AvgShedder.findBundlesForUnloading"


def draw(choose: Choose, sizes: ModularSizes) -> Given:
    at_once, later = Settings(low_hits=1, high_hits=1), Settings(low_hits=2, high_hits=1)
    return some_cycle(choose, sizes, of_throughput(5, 50, 50.5), (at_once, Memory()), (later, Memory()))


def plan(given: Given, found: Outcome) -> dict[str, str]:
    """Return which broker is planned for each bundle of the cycle."""
    known = dict(found.memory.plan)
    every = {bundle.name: known.get(planned(bundle, Rules())) for bundle in given.loads.bundles}
    return {bundle: broker for bundle, broker in every.items() if broker is not None}


def plans_what_is_unloaded(given: Given, found: Outcome) -> bool:
    return set(plan(given, found)) >= {bundle for bundle, _ in found.moves}


def plans_nothing_else(given: Given, found: Outcome) -> bool:
    return set(plan(given, found)) <= {bundle for bundle, _ in found.moves}


def plans_for_somebody_else(given: Given, found: Outcome) -> bool:
    return all(plan(given, found).get(bundle) != broker for bundle, broker in found.moves)


def has_three(given: Given, found: Outcome) -> bool:
    return len(given.loads.brokers) > 2


def decides_as_with_an_order(given: Given, found: Outcome) -> bool:
    return shed(given.loads, given.settings, Rules(cuts_differences=False), given.memory).moves == found.moves


def read(row: dict[str, Any]) -> Given:
    """Return the input that a fact gives as ``conf`` and a cycle of a batch."""
    conf = row.get("conf") or {}
    settings = configured(Settings(weights=weights(conf, LoadRules())), conf, AVG)
    return Given(loads_told(row), settings, Memory())


BROKEN = {
    "a-bundle-stays": "It may have none: the only one goes, if its average is within what should go.",
    "order-decides-nothing": "It does: of brokers whose scores differ by less than 1, the last one sheds.",
}

AVG_SHEDDER = Decision(
    "balancer/avg-shedder",
    "Which bundles busy brokers unload for idle ones (AvgShedder)",
    ModularSizes,
    draw,
    decide_avg,
    (
        *shedding_laws(CLASS, decide_avg, BROKEN),
        InputLaw("unloaded-bundle-is-planned", "A broker is planned for each bundle that is unloaded.",
                 "AvgShedder.selectBundleForUnloading", unloads, plans_what_is_unloaded),
        InputLaw("plan-is-for-another", "No bundle is planned for the broker that unloads it.",
                 "AvgShedder.selectBundleForUnloading", unloads, plans_for_somebody_else),
        InputLaw("nothing-else-is-planned", "No bundle has a plan but those that are unloaded. (Others have: a bundle"
                 " of the same traffic is the same to the plan, #26246.)", "AvgShedder.selectBundleForUnloading",
                 unloads, plans_nothing_else, Status.DOCUMENTED),
        InputLaw("scores-are-put-in-order", "The busiest broker is paired with the idlest. (It need not be: scores that"
                 " differ by less than 1 count as equal, which is no order; of 32 brokers Java may throw. #24954 mends"
                 " it in 4.0.8.)", "AvgShedder.calculateScoresAndSort", has_three, decides_as_with_an_order,
                 Status.DOCUMENTED),
    ),
    read,
    told=told,
)  # fmt: skip
