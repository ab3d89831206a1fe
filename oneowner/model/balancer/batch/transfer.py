"""Lines that ask what ``TransferShedder`` moves: cycles, each a snapshot of loads; one shedder lives through them."""

from collections.abc import Sequence
from typing import Any, Final

from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.shedding.transfer_cycle import Broker, Bundle, Cycle, Outcome, Rules, Settings
from oneowner.model.balancer.shedding.transfer_shedder import shed
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.pulsar.variants import VARIANTS

SETTINGS: Final = {
    "loadBalancerBrokerLoadTargetStd": "target_deviation",
    "loadBalancerBrokerOverloadedThresholdPercentage": "overloaded",
    "loadBalancerSheddingConditionHitCountThreshold": "hits",
    "loadBalancerMaxNumberOfBrokerSheddingPerCycle": "most_brokers",
    "loadBalancerBrokerLoadDataTTLInSeconds": "time_to_live",
    "loadBalanceSheddingDelayInSeconds": "delay",
    "loadBalancerTransferEnabled": "transfers",
    "loadBalancerSheddingBundlesWithPoliciesEnabled": "with_policies",
    "loadBalancerDebugModeEnabled": "debug",
    "loadBalancerSheddingExcludedNamespaces": "excluded",
}
READ: Final = {
    "3.0.0": Rules(idle_bundles_stay=False, compares_throughput=False),
    "3.0.7": Rules(idle_bundles_stay=False),
    **dict.fromkeys(("3.3.6", "4.0.6", "4.0.7", "4.0.8"), Rules()),
    **dict.fromkeys(("4.2.4", "5.0.0-M1"), Rules(excludes_namespaces=True)),
}
"""The rules of every release of which the class was read."""
RULES: Final = VARIANTS.extended(READ, "TransferShedder", "TransferShedder's thresholds")
"""With the releases whose class is equal."""


def lacks(release: str) -> bool:
    """Return whether a release has no such class."""
    return VARIANTS.lacks(release, "TransferShedder")


def transfer(row: Row, rules: Rules) -> dict[str, Any]:
    """Return what TransferShedder decides in one cycle after another."""
    settings = configured(Settings(), row.get("conf", {}), SETTINGS)
    answers, before = [], Outcome((), None, 0, 0.0, 0.0, 0.0)
    for told in row["cycles"]:
        before = shed(cycle_of(told, settings, rules), before)
        answers.append(outcome_of(told, before))
    return {"cycles": answers}


def cycle_of(told: Row, settings: Settings, rules: Rules) -> Cycle:
    """Return a cycle as a file gives it."""
    brokers: Sequence[Row] = told["brokers"]
    return Cycle(
        brokers=tuple(broker_of(one) for one in brokers if one.get("load") is not None),
        available=tuple(one["id"] for one in brokers if one.get("available", True)),
        bundles=tuple(
            (broker, tuple(Bundle(name, taken_in + given_out) for name, taken_in, given_out in bundles))
            for broker, bundles in (told.get("top_bundles") or {}).items()
        ),
        settings=settings,
        rules=rules,
        unloaded_bundles=frozenset(told.get("recent_bundles") or ()),
        unloaded_brokers=tuple((told.get("recent_brokers") or {}).items()),
        not_owned=frozenset(told.get("not_owned") or ()),
        with_policies=frozenset([*(told.get("isolated") or ()), *(told.get("anti_affine") or ())]),
        barred=tuple((bundle, frozenset(barred)) for bundle, barred in (told.get("barred") or {}).items()),
        filters_fail=bool(told.get("filter_fails")),
    )


def broker_of(told: Row) -> Broker:
    """Return a broker's report as a file gives it."""
    throughput = told.get("throughput_in", 0.0) + told.get("throughput_out", 0.0)
    return Broker(told["id"], told["load"], told.get("throughput_ema", 0.0), throughput, told.get("age_s", 0))


def outcome_of(told: Row, found: Outcome) -> dict[str, Any]:
    """Return what a cycle decided as a file gives it."""
    moves = [
        {"bundle": one.bundle, "source": one.source, "destination": one.destination or None, "reason": str(one.reason)}
        for one in found.moves
    ]
    return {
        "decisions": moves,
        "counted": {f"Skip/{found.skipped}": 1} if found.skipped is not None else {},
        "hits": found.hits,
        "avg": found.average,
        "std": found.deviation,
        "std_after": found.deviation_after,
        "recent_brokers_left": sorted(set(told.get("recent_brokers") or ()) - found.forgotten),
    }


TRANSFER: Final = Algorithm(transfer, RULES, lacks)
