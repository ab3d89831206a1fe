"""Which class that Pulsar serialises, or which of its answers to an administrator, a JSON value is: by its keys."""

import re
from enum import StrEnum
from typing import Any, Final

BROKER: Final = re.compile(r"\[?[\w.-]+\]?:\d{2,5}")
"""The id of a broker: host and port of its web service."""
BUNDLE: Final = re.compile(r"0x[0-9a-fA-F]{8}")
LOOKED_UP: Final = re.compile(r"(?:non-)?persistent://\S+\s+(?:pulsar(?:\+ssl)?|https?)://\S+")
"""A line of ``pulsar-admin topics partitioned-lookup``: a partition and its broker."""


class Kind(StrEnum):
    """The serialised class, or the administrator's term without one."""

    REPORT = "LocalBrokerData"
    LOAD = "BrokerLoadData"
    TOP_BUNDLES = "TopBundlesLoadData"
    BUNDLE = "BundleData"
    AVERAGE = "TimeAverageBrokerData"
    LOOKUP = "BrokerLookupData"
    METRICS = "Metrics"
    CONFIGURATION = "configuration"
    ISOLATION = "NamespaceIsolationData"
    BROKERS = "brokers list"
    BOUNDARIES = "BundlesData"
    LOOKED_UP = "topics lookup"
    OWNER = "LookupData"
    OWNED = "NamespaceOwnershipStatus"
    LEADER = "BrokerInfo"
    STATE = "ServiceUnitStateData"
    REFUSED = "ErrorData"
    OTHER = "another kind"


_BY_KEY: Final = (
    ("weightedMaxEMA", Kind.LOAD),
    ("topBundlesLoadData", Kind.TOP_BUNDLES),
    ("longTermData", Kind.BUNDLE),
    ("longTermMsgRateIn", Kind.AVERAGE),
    ("lastStats", Kind.REPORT),
    ("versionId", Kind.STATE),
    ("loadBalancerEnabled", Kind.CONFIGURATION),
    ("auto_failover_policy", Kind.ISOLATION),
    ("boundaries", Kind.BOUNDARIES),
    ("webServiceUrl", Kind.LOOKUP),
    ("webServiceUrlTls", Kind.LOOKUP),
    ("loadManagerClassName", Kind.CONFIGURATION),
    ("brokerUrl", Kind.OWNER),
)


def kind_of(value: Any) -> Kind | None:
    """
    Return the kind of a value, or None if it is none of Pulsar.

    >>> kind_of({"topBundlesLoadData": []}), kind_of({"reason": "500"}), kind_of({"brokers": []})
    (<Kind.TOP_BUNDLES: 'TopBundlesLoadData'>, <Kind.REFUSED: 'ErrorData'>, None)
    >>> kind_of(["b1.example.org:8080"]), kind_of({"persistent://t/n/a-partition-0": "pulsar://b1:6650"})
    (<Kind.BROKERS: 'brokers list'>, <Kind.LOOKED_UP: 'topics lookup'>)
    """
    if isinstance(value, list):
        if value and all(isinstance(one, dict) and "dimensions" in one for one in value):
            return Kind.METRICS
        texts = [one for one in value if isinstance(one, str)]
        return Kind.BROKERS if texts and len(texts) == len(value) and all(map(BROKER.fullmatch, texts)) else None
    if not isinstance(value, dict):
        return None
    for key, kind in _BY_KEY:
        if key in value:
            return kind
    if isinstance(value.get("bundles"), dict) and "boundaries" in value["bundles"]:
        return Kind.BOUNDARIES  # of all policies of a namespace
    if value and all(map(is_policy, value.values())):
        return Kind.ISOLATION
    if value and all(LOOKED_UP.fullmatch(f"{topic} {url}") for topic, url in value.items()):
        return Kind.LOOKED_UP
    if value and all(is_owned(bundle, status) for bundle, status in value.items()):
        return Kind.OWNED
    if "serviceUrl" in value and value.keys() <= {"serviceUrl", "brokerId"}:
        return Kind.LEADER
    return Kind.REFUSED if set(value) == {"reason"} else None


def is_owned(bundle: str, status: Any) -> bool:
    """Return whether a bundle and its status are one of ``brokers namespaces``, the bundles that a broker owns."""
    return BUNDLE.match(bundle.rpartition("/")[2]) is not None and isinstance(status, dict) and "is_active" in status


def is_policy(value: Any) -> bool:
    """Return whether a value is one policy of ``ns-isolation-policy list``, which answers all by name."""
    return isinstance(value, dict) and {"namespaces", "primary"} <= value.keys()
