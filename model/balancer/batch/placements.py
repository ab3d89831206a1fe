"""Lines that ask the modular manager's strategies who is given a bundle, in cycles; one strategy lives through them."""

from __future__ import annotations

from typing import Any, Final

from oneowner.model.balancer.batch.modular import load_data, weights
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.local_broker_data import LOAD_RULES, LoadRules
from oneowner.model.balancer.placement import least_long_term, least_usage_modular, round_robin
from oneowner.model.kernel.batch import Algorithm, Row
from oneowner.model.kernel.decision import Thrown

__traced__ = False  # inputs of decisions, concrete

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


def answer_round_robin(row: Row, rules: LoadRules) -> dict[str, Any]:
    """Return who is chosen in each cycle."""
    answers, found = [], round_robin.Choice(None, 0, ())
    for told in row["cycles"]:
        found = round_robin.round_robin(round_robin.Turn(candidates_of(told), found.turns, found.listed))
        answers.append({"chosen": found.chosen})
    return {"cycles": answers}


def candidates_of(told: Row) -> tuple[str, ...]:
    """Return the candidates of a cycle: all brokers, if none are named."""
    return tuple(told["candidates"] if "candidates" in told else (one["id"] for one in told["brokers"]))


def drawn(admissible: tuple[str, ...] | Thrown) -> dict[str, Any]:
    """Return who may be drawn as a file gives it."""
    return {"error": admissible.exception} if isinstance(admissible, Thrown) else {"admissible": list(admissible)}


FROM_3: Final = {release: rules for release, rules in LOAD_RULES.items() if not release.startswith("2.")}
"""The releases that have more than one strategy."""
LEAST_LONG_TERM: Final = Algorithm(answer_least_long_term, LOAD_RULES)
LEAST_USAGE: Final = Algorithm(answer_least_usage, FROM_3)
ROUND_ROBIN: Final = Algorithm(answer_round_robin, FROM_3)
