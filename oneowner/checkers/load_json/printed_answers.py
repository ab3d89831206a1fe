"""Lists that ``pulsar-admin`` prints in lines, and metrics in Prometheus' format, become JSON of the same answer."""

import re
from collections.abc import Iterator
from typing import Any, Final

from oneowner.checkers.inputs.kinds import BROKERS, LOOKUPS, METRICS, POLICIES, InputKind

TOPIC: Final = re.compile(r"(?:non-)?persistent://[^\s\",\]\[]+")
URL: Final = re.compile(r"(?:pulsar(?:\+ssl)?|https?)://[^\s\",\]\[]+")
SAMPLE: Final = re.compile(r"(?:brk|pulsar)_lb_(?P<name>\w+)\{(?P<labels>[^}]*)\}\s+(?P<value>\S+)")
LABEL: Final = re.compile(r'(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"')
POLICY: Final = re.compile(
    r"(?P<name>\S+)\s+NamespaceIsolationData\w*\(namespaces=\[(?P<namespaces>.*?)\], primary=\[(?P<primary>.*?)\],"
    r" secondary=\[(?P<secondary>.*?)\], autoFailoverPolicy=\w+\(policyType=(?P<type>\w+), parameters=\{(?P<more>.*?)\}"
)
"""A line of ``ns-isolation-policy list``."""
SCRAPED: Final = re.compile(r"# broker (\S+:\d+)")
"""The comment of a recording before the metrics of each broker; brokers of one host have the same label."""
LOADS: Final = re.compile(r"resource_usage|(?:cpu|memory|directMemory|bandwidth_in|bandwidth_out)_usage")


def value_of(kind: InputKind, text: str) -> Any:
    """Return what the text of a *kind* says as JSON would; None if that is nothing about load."""
    lines = [line.strip().strip('",') for line in text.splitlines() if line.strip()]
    if kind is BROKERS:
        return lines
    if kind is LOOKUPS:
        return {topic: url[0] for line in lines if (url := URL.search(line)) for topic in TOPIC.findall(line)}
    if kind is POLICIES:
        return {found["name"].strip('"'): policy_of(found) for found in map(POLICY.search, lines) if found} or None
    return list(rows_of(text)) or None if kind is METRICS else None


def policy_of(found: re.Match[str]) -> dict[str, Any]:
    """Return a policy as JSON has it."""
    lists = {key: [one for one in found[key].split(", ") if one] for key in ("namespaces", "primary", "secondary")}
    pairs = (one.partition("=") for one in found["more"].split(", "))
    parameters = {key: value for key, _, value in pairs if key}
    return {**lists, "auto_failover_policy": {"policy_type": found["type"], "parameters": parameters}}


def rows_of(text: str) -> Iterator[dict[str, Any]]:
    """
    Yield the rows of load in metrics, as ``broker-stats monitoring-metrics`` has them.

    >>> list(rows_of('brk_lb_cpu_usage{cluster="c",broker="b1",metric="loadBalancing"} 26.5'))
    [{'metrics': {'brk_lb_cpu_usage': 26.5}, 'dimensions': {'broker': 'b1', 'metric': 'loadBalancing'}}]
    """
    rows: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}
    broker = ""
    for line in text.splitlines():
        if scraped := SCRAPED.match(line):
            broker = scraped[1]
        sample = SAMPLE.match(line)
        if sample is None or not LOADS.fullmatch(sample["name"]):
            continue
        labels = {name: value for name, value in LABEL.findall(sample["labels"]) if name in DIMENSIONS}
        labels |= {"broker": broker} if broker else {}
        try:
            value = float(sample["value"])
        except ValueError:
            continue  # the sample is no number, and says nothing about load
        key = tuple(sorted(labels.items()))
        row = rows.setdefault(key, {"metrics": {}, "dimensions": labels})
        row["metrics"][f"brk_lb_{sample['name']}"] = value
    yield from rows.values()


DIMENSIONS: Final = ("broker", "metric", "feature")
