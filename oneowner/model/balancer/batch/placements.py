"""Lines that ask the modular manager's strategies who is given a bundle, in cycles; one strategy lives through them."""

from typing import Any, Final

from oneowner.model.balancer.batch.extensible import READ, weights
from oneowner.model.balancer.batch.modular import bundle_data, load_data
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import SHEDDERS
from oneowner.model.balancer.local_broker_data import LOAD_RULES, LoadRules
from oneowner.model.balancer.placement import (
    avg_placement,
    extensible_selection,
    least_long_term,
    least_usage_modular,
    round_robin,
)
from oneowner.model.balancer.shedding import avg_shedder
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.kernel.decision import Thrown
from oneowner.model.pulsar.variants import VARIANTS

OVERLOADED: Final = {"loadBalancerBrokerOverloadedThresholdPercentage": "overloaded"}
DIFFERENCE: Final = {"loadBalancerAverageResourceUsageDifferenceThresholdPercentage": "difference"}


def answer_least_long_term(row: Row, rules: LoadRules) -> dict[str, Any]:
    """Return who may be drawn in each cycle."""
    return {
        "cycles": [drawn(least_long_term.least_long_term(long_term_of(row, told, rules))) for told in row["cycles"]]
    }


def long_term_of(row: Row, told: Row, rules: LoadRules) -> least_long_term.Candidates:
    """Return what a cycle asks."""
    conf = row.get("conf", {})
    asked = least_long_term.Candidates(
        load_data(told, rules).brokers, candidates_of(told), weights(conf, rules), rules=rules
    )
    return configured(asked, conf, OVERLOADED)


def answer_least_usage(row: Row, rules: LoadRules) -> dict[str, Any]:
    """Return who may be drawn in each cycle, and the averages that are remembered then."""
    answers, history = [], tuple[tuple[str, float], ...]()
    for told in row["cycles"]:
        if "active" in told:
            history = tuple((name, usage) for name, usage in history if name in told["active"])
        found = least_usage_modular.least_usage(usage_of(row, told, rules)._replace(history=history))
        history = found.history
        answers.append({**drawn(found.admissible), "brokerAvgResourceUsageWithWeight": dict(history)})
    return {"cycles": answers}


def usage_of(row: Row, told: Row, rules: LoadRules) -> least_usage_modular.Candidates:
    """Return what a cycle asks, with nothing remembered."""
    conf = row.get("conf", {})
    asked = least_usage_modular.Candidates(
        load_data(told, rules).brokers, candidates_of(told), weights=weights(conf, rules), rules=rules
    )
    return configured(asked, conf, DIFFERENCE)


def answer_round_robin(row: Row, rules: None) -> dict[str, Any]:
    """Return who is chosen in each cycle."""
    answers, found = [], round_robin.Choice(None, 0, ())
    for told in row["cycles"]:
        found = round_robin.round_robin(round_robin.Turn(candidates_of(told), found.turns, found.listed))
        answers.append({"chosen": found.chosen})
    return {"cycles": answers}


def answer_avg_placement(row: Row, rules: avg_shedder.Rules) -> dict[str, Any]:
    """Return who may be drawn, sorted."""
    found = avg_placement.avg_placement(avg_candidates_of(row, rules))
    return drawn(found if isinstance(found, Thrown) else tuple(sorted(found)))


def avg_candidates_of(row: Row, rules: avg_shedder.Rules) -> avg_placement.Candidates:
    """Return what a line asks: ``candidates``, a ``bundle``, and the ``plan``, bundles that have a ``broker`` too."""
    plan = tuple((bundle_data(one), one["broker"]) for one in row["plan"])
    return avg_placement.Candidates(tuple(row["candidates"]), bundle_data(row["bundle"]), plan, rules)


def answer_select_extensible(row: Row, rules: None) -> dict[str, Any]:
    """Return who is left, sorted."""
    return {"left": sorted(extensible_selection.left(extensible_selection_of(row)))}


def extensible_selection_of(row: Row) -> extensible_selection.Selection:
    """Return a line's question: brokers ``available`` and not ``excluded``, and ``filters`` by their effect."""
    excluded = row.get("excluded") or ()
    filters = tuple(
        extensible_selection.Filter(
            None if one.get("keeps") is None else tuple(one["keeps"]),
            None if one.get("counts") is None else tuple(one["counts"].items()),
            one.get("answers", 0),
            bool(one.get("fails")),
        )
        for one in row["filters"]
    )
    return extensible_selection.Selection(tuple(one for one in row["available"] if one not in excluded), filters)


def candidates_of(told: Row) -> tuple[str, ...]:
    """Return the candidates of a cycle: all brokers, if none are named."""
    return tuple(told["candidates"] if "candidates" in told else (one["id"] for one in told["brokers"]))


def drawn(admissible: tuple[str, ...] | Thrown) -> dict[str, Any]:
    """Return who may be drawn as a file gives it."""
    return {"error": admissible.exception} if isinstance(admissible, Thrown) else {"admissible": list(admissible)}


FROM_3: Final = {release: rules for release, rules in LOAD_RULES.items() if not release.startswith("2.")}
"""The releases that have more than one strategy."""
LEAST_LONG_TERM: Final = Algorithm(
    answer_least_long_term,
    VARIANTS.extended(LOAD_RULES, "LeastLongTermMessageRate", "LocalBrokerData", "weights", "thresholds"),
)
LEAST_USAGE: Final = Algorithm(
    answer_least_usage,
    VARIANTS.extended(
        FROM_3, "LeastResourceUsageWithWeight", "LocalBrokerData", "weights", "thresholds", "placement thresholds"
    ),
    lambda release: VARIANTS.lacks(release, "LeastResourceUsageWithWeight"),
)
AVG_PLACEMENT: Final = Algorithm(answer_avg_placement, SHEDDERS["avg"].rules, SHEDDERS["avg"].lacks)
SELECT_EXTENSIBLE: Final = Algorithm(answer_select_extensible, READ)
ROUND_ROBIN: Final = Algorithm(
    answer_round_robin,
    VARIANTS.extended(dict.fromkeys(FROM_3), "RoundRobinBrokerSelector"),
    lambda release: VARIANTS.lacks(release, "RoundRobinBrokerSelector"),
)
