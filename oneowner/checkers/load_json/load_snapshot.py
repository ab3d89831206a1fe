"""
Values of load data become a snapshot for a shedder of either load manager, with notes on assumptions.

Brokers and bundles are in the order in which the leader's maps list them. The time of a snapshot is that of the newest
report in it: ages are counted from there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from oneowner.checkers.inputs.pulsar_json import Kind
from oneowner.checkers.load_json.average_facts import silent_brokers
from oneowner.checkers.load_json.isolation_facts import isolation_facts, policies_in
from oneowner.checkers.load_json.pulsar_values import KEYS, Fields, told_unknown, unknown_keys
from oneowner.checkers.load_json.snapshot_files import Named
from oneowner.checkers.load_json.topic_facts import topic_facts
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Misuse
from oneowner.model.java.concurrent_hash_map import listed

SHEDDER_CLASSES: Final = {
    "TransferShedder": "transfer",
    "OverloadShedder": "overload",
    "ThresholdShedder": "threshold",
    "UniformLoadShedder": "uniform",
    "AvgShedder": "avg",
}
"""Names of ``--shedder`` by the class that ``loadBalancerLoadSheddingStrategy`` names."""
METRIC_OF: Final = {
    "cpu": "brk_lb_cpu_usage",
    "memory": "brk_lb_memory_usage",
    "directMemory": "brk_lb_directMemory_usage",
    "bandwidthIn": "brk_lb_bandwidth_in_usage",
    "bandwidthOut": "brk_lb_bandwidth_out_usage",
}
"""In percent."""


NAMED_BESIDE: Final = (Kind.LOAD, Kind.TOP_BUNDLES, Kind.BUNDLE, Kind.AVERAGE, Kind.ISOLATION, Kind.BOUNDARIES)
"""Kinds whose values lack their name: it is the key of the message, the path of the node or the name of the file."""


LOADS: Final = {Kind.LOAD, Kind.REPORT, Kind.METRICS, Kind.TOP_BUNDLES, Kind.BUNDLE}
"""Kinds that show a load, or what may be unloaded."""


class Snapshot(NamedTuple):
    """The input of a shedder."""

    row: dict[str, Any]
    """A snapshot as in the YAML of ``oneowner decide``; without brokers if there is no load data."""
    shedder: str
    remarks: tuple[str, ...]
    """Notes on the source, and on assumed values."""
    facts: tuple[str, ...] = ()
    """Conclusions that need no shedder: of isolation policies, looked-up topics, averages."""


def snapshot_of(values: Sequence[Named], shedder: str | None) -> Snapshot:
    """Return the snapshot for a shedder; None is the one that the configuration names, or else the load manager's."""
    by_kind = kinds_of(values)
    conf = configuration(by_kind.get(Kind.CONFIGURATION, {}).values())
    strategy = str(conf.pop("loadBalancerLoadSheddingStrategy", "")).rpartition(".")[2]
    usual = "threshold" if Kind.REPORT in by_kind and Kind.LOAD not in by_kind else "transfer"
    asked = shedder or SHEDDER_CLASSES.get(strategy, usual)
    row = extensible(by_kind) if asked == "transfer" else modular(by_kind)
    unknown = Counter(key for value in values if value.kind in KEYS for key in unknown_keys(value.kind, value.value))
    counted = ", ".join(f"{len(by_kind[kind])} {kind}" for kind in Kind if kind in by_kind and kind != Kind.OTHER)
    has_loads = not LOADS.isdisjoint(by_kind)
    remarks = [
        f"read: {counted or 'nothing'}{'' if shedder or not has_loads else f'; the shedder is {asked}'}",
        *(f"left out: {one.where}: {one.value}" for one in by_kind.get(Kind.OTHER, {}).values()),
        *(f"{one.where}: the broker refused: {one.value['reason']}" for one in by_kind.get(Kind.REFUSED, {}).values()),
        *(["records of the channel are ignored; assumed: the reporting broker owns a bundle"]
          if Kind.STATE in by_kind else []),
        *told_unknown(unknown),
        *taken_for_granted(by_kind, asked, bool(conf)),
    ]  # fmt: skip
    facts = tuple(facts_of(by_kind, conf))
    return Snapshot({**row, **({"conf": conf} if conf else {})}, asked, tuple(remarks), facts)


def facts_of(by_kind: Mapping[Kind, Mapping[str, Named]], conf: Mapping[str, str]) -> Iterator[str]:
    """Yield what follows of isolation policies, looked-up topics and averages, without a shedder."""
    brokers = ids_of(by_kind)
    yield from isolation_facts(policies_in(by_kind.get(Kind.ISOLATION, {})), brokers)
    looked_up = {
        topic: url
        for one in by_kind.get(Kind.LOOKED_UP, {}).values()
        for topic, url in Fields(one.value, one.where).texts().items()
    }
    boundaries = {
        name: (told.inside("bundles") if "bundles" in told.value else told).names("boundaries")
        for name, one in by_kind.get(Kind.BOUNDARIES, {}).items()
        for told in [Fields(one.value, one.where)]
    }
    yield from topic_facts(looked_up, boundaries, conf.get("defaultNumberOfNamespaceBundles"), brokers)
    yield from silent_brokers(
        {name: Fields(one.value, one.where) for name, one in by_kind.get(Kind.AVERAGE, {}).items()}
    )


def ids_of(by_kind: Mapping[Kind, Mapping[str, Named]]) -> list[str]:
    """Return the brokers that are there: those of a list, else those with a registration or a report."""
    listed_ids = [broker for one in by_kind.get(Kind.BROKERS, {}).values() for broker in one.value]
    known = [*by_kind.get(Kind.LOOKUP, {}), *by_kind.get(Kind.REPORT, {}), *by_kind.get(Kind.LOAD, {})]
    return list(dict.fromkeys(listed_ids or known))


def kinds_of(values: Iterable[Named]) -> dict[Kind, dict[str, Named]]:
    """Return values by kind and by whose they are; raise Misuse for two of one broker or bundle."""
    found: dict[Kind, dict[str, Named]] = {}
    for value in values:
        name = value.name if value.kind in NAMED_BESIDE else value.where
        if value.kind in (Kind.REPORT, Kind.LOOKUP):
            name = broker_of(value)
        before = found.setdefault(value.kind, {}).setdefault(name, value)
        if before is not value:
            raise Misuse(f"{value.where}: a second {value.kind} of {name} refused; the first stands at {before.where}")
    return found


def configuration(values: Iterable[Named]) -> dict[str, Any]:
    """Return the present keys of broker.conf, as brokers report them; lists are in brackets."""
    return {key: told.strip("[]") for one in values for key, told in Fields(one.value, one.where).value.items()
            if isinstance(told, str)}  # fmt: skip


def taken_for_granted(by_kind: Mapping[Kind, Any], shedder: str, is_configured: bool) -> Iterator[str]:
    """Yield notes on missing values and assumptions; none without any load."""
    if LOADS.isdisjoint(by_kind):
        return
    if not is_configured:
        yield "configuration is missing; assumed: the release's defaults"
    if shedder == "transfer":
        if Kind.LOAD in by_kind:
            yield f"ages of reports are counted from the newest, {iso(time_of(by_kind))}"
        if Kind.LOAD in by_kind and Kind.LOOKUP not in by_kind:
            yield "registrations are missing; assumed: every broker with a report is registered"
        if Kind.LOAD not in by_kind and Kind.METRICS in by_kind:
            yield "metrics have only loads; assumed: throughputs of 0; ports are missing"
        if Kind.TOP_BUNDLES not in by_kind:
            yield "top bundles are missing; assumed: none"
        yield "bundles in flight or recently unloaded, policies and anti-affinity groups are missing; assumed: none"
        if Kind.ISOLATION in by_kind:
            yield "isolation policies are explained, but not applied to moves"
        return
    if Kind.BUNDLE not in by_kind:
        yield "averages of bundles are missing; assumed: those of the last report, as after a start"
    yield "bundles unloaded or reassigned since the last report are missing; assumed: none"


def extensible(by_kind: Mapping[Kind, Mapping[str, Named]]) -> dict[str, Any]:
    """Return the load data of the extensible load manager's leader."""
    lookups = set(by_kind.get(Kind.LOOKUP, {}))
    reports = {name: Fields(one.value, one.where) for name, one in by_kind.get(Kind.LOAD, {}).items()}
    now = time_of(by_kind)
    brokers = [
        {
            "id": name,
            "load": told.number("weightedMaxEMA", None),
            "throughput_in": told.number("msgThroughputIn"),
            "throughput_out": told.number("msgThroughputOut"),
            "throughput_ema": told.number("msgThroughputEMA"),
            "age_s": (now - told.number("updatedAt", None)) / 1000,
            "available": not lookups or name in lookups,
        }
        for name, told in ((name, reports[name]) for name in listed(reports))
    ]
    known = set(reports) | {name.rpartition(":")[0] for name in reports}
    brokers += [{"id": name, "load": load} for name, load in usage_of(by_kind) if name not in known]
    brokers += [{"id": name} for name in sorted(lookups - {broker["id"] for broker in brokers})]
    top = {name: top_bundles(Fields(one.value, one.where)) for name, one in by_kind.get(Kind.TOP_BUNDLES, {}).items()}
    return {"brokers": brokers, "top_bundles": top}


def time_of(by_kind: Mapping[Kind, Mapping[str, Named]]) -> int:
    """Return the time of the newest report, or of the message that brought it; 0 if there is none."""
    times = [0]
    for one in by_kind.get(Kind.LOAD, {}).values():
        told = Fields(one.value, one.where)
        times += [int(told.number("updatedAt")), int(told.number("reportedAt")), one.published]
    return max(times)


def top_bundles(told: Fields) -> list[list[Any]]:
    """Return name, bytes in and bytes out a second of a broker's bundles, in its order: the lightest first."""
    return [
        [one.text("bundleName"), stats.number("msgThroughputIn"), stats.number("msgThroughputOut")]
        for one in told.parts("topBundlesLoadData")
        for stats in [one.inside("stats")]
    ]


def broker_of(one: Named) -> str:
    """Return the id of a broker from its addresses: host and port of its web service."""
    told = Fields(one.value, one.where)
    url = told.text("webServiceUrl", "") or told.text("webServiceUrlTls", "")
    if "://" not in url:
        raise told.refuse(url or None, "it is the address of the broker's web service", "webServiceUrl")
    return url.partition("://")[2].strip("/")


def usage_of(by_kind: Mapping[Kind, Mapping[str, Named]]) -> Iterator[tuple[str, float]]:
    """Yield the loads of brokers in metrics: the average of the extensible manager's weighted maximum."""
    for name, dimensions, metrics in metrics_of(by_kind):
        if dimensions.get("feature") == "max_ema":
            yield name, metrics.number("brk_lb_resource_usage", None)


def metrics_of(by_kind: Mapping[Kind, Mapping[str, Named]]) -> Iterator[tuple[str, Mapping[str, Any], Fields]]:
    """Yield the broker, the dimensions and the values of every row of metrics about load."""
    for one in by_kind.get(Kind.METRICS, {}).values():
        for part in Fields({"row": one.value}, one.where).parts("row"):
            dimensions = part.inside("dimensions")
            if dimensions.value.get("metric") in ("loadBalancing", "bundle"):
                yield dimensions.text("broker"), dimensions.value, part.inside("metrics")


def modular(by_kind: Mapping[Kind, Mapping[str, Named]]) -> dict[str, Any]:
    """Return the load data of the modular load manager's leader."""
    reports = {name: Fields(one.value, one.where) for name, one in by_kind.get(Kind.REPORT, {}).items()}
    averages = {name: Fields(one.value, one.where) for name, one in by_kind.get(Kind.AVERAGE, {}).items()}
    bundles: dict[str, dict[str, Any]] = {
        name: {"shortTerm": told.inside("shortTermData").traffic(), "longTerm": told.inside("longTermData").traffic()}
        for name, one in by_kind.get(Kind.BUNDLE, {}).items()
        for told in [Fields(one.value, one.where)]
    }
    for told in reports.values():
        stats = told.inside("lastStats")
        for name in stats.value:
            measured = stats.inside(name).traffic()
            bundles.setdefault(name, {"shortTerm": measured, "longTerm": measured})
    brokers = [
        {
            "id": name,
            **told.usages(),
            **told.traffic(),
            "bundles": told.names("bundles"),
            "topics": int(told.number("numTopics")),
            "version": told.value.get("brokerVersionString"),
            **({"load_manager": told.text("loadManagerClassName")} if "loadManagerClassName" in told.value else {}),
            **({"timeAverage": averages[name].value} if name in averages else {}),
        }
        for name, told in ((name, reports[name]) for name in listed(reports))
    ]
    hosts = set(reports) | {name.rpartition(":")[0] for name in reports}
    for name, dimensions, metrics in metrics_of(by_kind):
        if name not in hosts and "feature" not in dimensions and METRIC_OF["cpu"] in metrics.value:
            usages = {key: [metrics.number(metric), 100.0] for key, metric in METRIC_OF.items()}
            brokers.append({"id": name, **usages})
    brokers += [{"id": name} for name in ids_of(by_kind) if not reports and name not in {one["id"] for one in brokers}]
    policies = policies_in(by_kind.get(Kind.ISOLATION, {}))
    averaged = [{"name": name, **bundles[name]} for name in listed(bundles)]
    return {"brokers": brokers, "bundles": averaged, **({"policies": policies} if policies else {})}
