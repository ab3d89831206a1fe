"""The page of a decision: the brokers as bars, beside the limits that the shedder compares them with, and the moves."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, NamedTuple

from oneowner.checkers.cli.decide_snapshot import SNAPSHOTS
from oneowner.checkers.cli.snapshot_documents import Given
from oneowner.checkers.results import Page, Result
from oneowner.checkers.verdict import Verdict
from oneowner.model.balancer.batch.extensible import weights
from oneowner.model.balancer.batch.modular import load_data
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.shedders import AVG, COMPARED, OVERLOAD, SHEDDERS, THRESHOLD, load_rules
from oneowner.model.balancer.batch.transfer import SETTINGS
from oneowner.model.balancer.local_broker_data import LoadData, max_usage_with_weight, overload
from oneowner.model.balancer.shedding import (
    avg_shedder,
    overload_shedder,
    threshold_shedder,
    transfer_cycle,
    uniform_load_shedder,
)
from oneowner.model.kernel.batch import Row

MEGA: Final = 1e6
Values = Mapping[str, float]
"""By broker."""
Moves = Sequence[tuple[str, str, str]]


class Measure(NamedTuple):
    """An amount that a shedder compares between brokers or with a limit."""

    title: str
    unit: str
    values: Values
    limits: Mapping[str, float]
    """By name, such as the key of broker.conf."""
    of_bundles: Values
    """The amounts of bundles, whose shares of all bundles of their broker are drawn; in any unit."""


def page(
    given: Given, releases: Sequence[str], bundle: str | None, before: Sequence[str], lines: Sequence[str], known: bool
) -> Result:
    """
    Return the decision as a result with a page: of the last of several *releases*, none if nothing can be decided.

    *before* and *lines* are those printed.
    """
    asked, data = SNAPSHOTS[given.shedder], given.document.data
    figures: dict[str, Any] = {"before": before, "lines": lines, "bars": [], "moves": []}
    if releases and bundle is None:
        rules = asked.rules[releases[-1]]
        moves = asked.answer(data, rules).moved
        measured = _transfer(data) if given.shedder == "transfer" else _modular(given.shedder, data, rules.shedder)
        figures |= {"bars": [bars(one, owned(data), moves) for one in measured], "moves": moves}
    asks = f"the placement of {bundle}" if bundle else given.shedder
    subject = f"{asks} in {' and '.join(releases)}" if releases else "a snapshot"
    return Result("decide", Verdict.VALID if known else Verdict.UNKNOWN, [], page=Page(subject, figures=figures))


def bars(measure: Measure, owned: Mapping[str, Sequence[str]], moves: Moves) -> dict[str, Any]:
    """Return a measure for the template: all widths are percent of the widest bar or limit."""
    there = {broker: value for broker, value in measure.values.items() if isfinite(value)}
    limits = {name: value for name, value in measure.limits.items() if isfinite(value)}
    top = max([*there.values(), *limits.values(), 1e-9])
    rows = []
    for broker in measure.values:
        total = sum(measure.of_bundles.get(name, 0.0) for name in owned.get(broker, ()))
        width, parts = max(0.0, 100 * there.get(broker, 0.0) / top), list[dict[str, Any]]()
        end = width
        for name, _, to in (move for move in moves if move[1] == broker):
            share = width * measure.of_bundles.get(name, 0.0) / total if total else 0.0
            end -= share
            parts.append({"bundle": name, "to": to, "from": end, "width": share})
        rows.append({"broker": broker, "value": there.get(broker), "width": width, "parts": parts})
    drawn = [{"name": name, "value": value, "at": 100 * value / top} for name, value in limits.items()]
    return {"title": measure.title, "unit": measure.unit, "limits": drawn, "rows": rows}


def owned(snapshot: Row) -> dict[str, list[str]]:
    """Return the bundles of each broker of which the snapshot has a load."""
    top = {broker: [name for name, *_ in some] for broker, some in (snapshot.get("top_bundles") or {}).items()}
    return top or {broker["id"]: list(broker.get("bundles") or ()) for broker in snapshot["brokers"]}


def _transfer(snapshot: Row) -> list[Measure]:
    settings = configured(transfer_cycle.Settings(), snapshot.get("conf") or {}, SETTINGS)
    loads = {one["id"]: 100 * float(one["load"]) for one in snapshot["brokers"] if one.get("load") is not None}
    limits = {
        "average": sum(loads.values()) / len(loads),
        "loadBalancerBrokerOverloadedThresholdPercentage": float(settings.overloaded),
    }
    bundles = {name: into + out for some in (snapshot.get("top_bundles") or {}).values() for name, into, out in some}
    return [Measure("Load (weightedMaxEMA)", "%", loads, limits, bundles)]


def _modular(shedder: str, snapshot: Row, rules: Any) -> list[Measure]:
    conf, loads = snapshot.get("conf") or {}, load_data(snapshot, load_rules(rules))
    if shedder == "uniform":
        return _uniform(conf, loads, rules)
    counted = weights(conf, loads.rules)
    usages = {one.name: max_usage_with_weight(one, counted, loads.rules) for one in loads.brokers}
    if shedder == "overload":
        usages = {one.name: overload(one, counted, loads.rules) for one in loads.brokers}
        limit = configured(overload_shedder.Settings(), conf, OVERLOAD).overloaded
        limits = {_key(OVERLOAD, "overloaded"): limit}
    elif shedder == "threshold":
        settled = SHEDDERS[shedder].waited(snapshot, conf, rules) if snapshot.get("settled", True) else None
        chosen = configured(threshold_shedder.Settings(weights=counted), conf, THRESHOLD)
        usages, average = threshold_shedder.updated(loads, chosen, rules, settled or {})
        above = f"average + {_key(THRESHOLD, 'threshold')}"
        limits = {"average": 100 * average, above: 100 * average + chosen.threshold}
    else:
        pair, least = configured(avg_shedder.Settings(), conf, AVG), 100 * min(usages.values())
        limits = {f"the least + {_key(AVG, name)}": least + getattr(pair, name) for name in ("low", "high")}
    percents = {name: 100 * usage for name, usage in usages.items()}
    by_throughput = {one.name: one.short_term.throughput for one in loads.bundles}
    return [Measure("Usage of the most used resource", "%", percents, limits, by_throughput)]


def _uniform(conf: Row, loads: LoadData, rules: uniform_load_shedder.Rules) -> list[Measure]:
    settings = configured(uniform_load_shedder.Settings(), conf, COMPARED)
    find = uniform_load_shedder.joint_extremes if rules.joint else uniform_load_shedder.extremes
    rate, throughput = (one.above_zero().least for one in find(loads.brokers))
    of_rate = {f"the least + {_key(COMPARED, 'rate_difference')}": rate * (1 + settings.rate_difference / 100)}
    of_throughput = {
        f"the least x {_key(COMPARED, 'throughput_factor')}": throughput / MEGA * settings.throughput_factor
    }
    return [
        Measure(
            "Messages",
            "msg/s",
            {one.name: one.traffic.rate for one in loads.brokers},
            of_rate if settings.rate_difference > 0 else {},
            {one.name: one.short_term.rate for one in loads.bundles},
        ),
        Measure(
            "Throughput",
            "MB/s",
            {one.name: one.traffic.throughput / MEGA for one in loads.brokers},
            of_throughput if settings.throughput_factor > 0 else {},
            {one.name: one.short_term.throughput for one in loads.bundles},
        ),
    ]


def _key(keys: Mapping[str, str], field: str) -> str:
    """Return the key of broker.conf that sets a field."""
    return next(key for key, name in keys.items() if name == field)
