"""
Fields of load data: each value is of a class that Pulsar serialises.

Jackson omits nulls, and writes non-numbers as texts (``NaN``). Keys are those of 3.0.7 and 4.0.6;
keys of later releases are counted, named, and ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from oneowner.checkers.documents import shown
from oneowner.checkers.inputs.pulsar_json import Kind
from oneowner.checkers.verdict import Misuse

Value = Mapping[str, Any]


TRAFFIC: Final = ("msgThroughputIn", "msgThroughputOut", "msgRateIn", "msgRateOut")
RESOURCES: Final = ("cpu", "memory", "directMemory", "bandwidthIn", "bandwidthOut")
_URLS: Final = ("webServiceUrl", "webServiceUrlTls", "pulsarServiceUrl", "pulsarServiceUrlTls")
_SERVED: Final = (
    *_URLS, "persistentTopicsEnabled", "nonPersistentTopicsEnabled", "protocols", "advertisedListeners",
    "loadManagerClassName", "startTimestamp",
)  # fmt: skip
KEYS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(keys)
    for name, keys in {
        Kind.REPORT: (
            *_SERVED, *RESOURCES, *TRAFFIC, "lastUpdate", "lastStats", "numTopics", "numBundles", "numConsumers",
            "numProducers", "bundles", "lastBundleGains", "lastBundleLosses", "brokerVersionString",
            "maxResourceUsage", "loadReportType", "bundleStats",
        ),
        Kind.LOAD: (
            *RESOURCES, *TRAFFIC, "bundleCount", "topics", "maxResourceUsage", "weightedMaxEMA", "msgThroughputEMA",
            "updatedAt", "reportedAt",
        ),
        Kind.TOP_BUNDLES: ("topBundlesLoadData",),
        Kind.BUNDLE: ("shortTermData", "longTermData", "topics"),
        Kind.AVERAGE: [f"{term}{key[0].upper()}{key[1:]}" for term in ("shortTerm", "longTerm") for key in TRAFFIC],
        Kind.LOOKUP: (*_SERVED, "brokerVersion", "properties"),
        "BundleLoadData": ("bundleName", "stats"),
        "ResourceUsage": ("usage", "limit"),
        "NamespaceBundleStats": (*TRAFFIC, "consumerCount", "producerCount", "topics", "cacheSize"),
        "TimeAverageMessageData": (*TRAFFIC, "maxSamples", "numSamples"),
    }.items()
}  # fmt: skip
"""The keys of every class, by its name."""
_INSIDE: Final = {
    **dict.fromkeys(RESOURCES, "ResourceUsage"),
    **dict.fromkeys(("shortTermData", "longTermData"), "TimeAverageMessageData"),
    "stats": "NamespaceBundleStats",
}
"""The class of the value under a key."""


def unknown_keys(kind: str, value: Value) -> Iterator[str]:
    """
    Yield every key that the class lacks, as often as it stands there, with the name of its class.

    >>> list(unknown_keys("BrokerLoadData", {"cpu": {"usage": 1.0, "limit": 2.0, "unit": "%"}, "heat": 3}))
    ['ResourceUsage.unit', 'BrokerLoadData.heat']
    """
    for key, inside in value.items():
        if key not in KEYS[kind]:
            yield f"{kind}.{key}"
        elif key == "topBundlesLoadData" and isinstance(inside, list):
            for one in inside:
                yield from unknown_keys("BundleLoadData", one if isinstance(one, dict) else {})
        elif isinstance(inside, dict) and key == "lastStats":
            for one in inside.values():
                yield from unknown_keys("NamespaceBundleStats", one if isinstance(one, dict) else {})
        elif isinstance(inside, dict) and key in _INSIDE:
            yield from unknown_keys(_INSIDE[key], inside)


def told_unknown(keys: Counter[str]) -> Iterator[str]:
    """Yield one line if there are unknown keys."""
    if keys:
        named = ", ".join(sorted(keys))
        yield f"{keys.total()} values under keys that 4.0.6 does not have are not read: {named}"


class Fields:
    """The fields of one value; a value of a wrong type is refused by file, line and key."""

    def __init__(self, value: Any, where: str, key: str = "") -> None:
        self._where, self._key = where, key
        if not isinstance(value, dict):
            raise self.refuse(value, "it is an object")
        self.value: dict[str, Any] = value

    def refuse(self, value: Any, allowed: str, key: str = "") -> Misuse:
        """Return a Misuse about a value."""
        name = ".".join(part for part in (self._key, key) if part) or "value"
        return Misuse(f"{self._where}: {name} refused: {shown(value)}; {allowed}")

    def number(self, key: str, default: float | None = 0.0) -> float:
        """Return a number; one that is missing is *default*, and refused if that is None."""
        value = self.value.get(key)
        if value is None and default is not None:
            return default
        if value in ("NaN", "Infinity", "-Infinity"):
            return float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(value, "it is a number", key)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; one that is missing is *default*, and refused if that is None."""
        value = self.value.get(key, default)
        if not isinstance(value, str):
            raise self.refuse(value, "it is a text", key)
        return value

    def names(self, key: str) -> list[str]:
        """Return a list of texts; one that is missing is empty."""
        value = self.value.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.refuse(value, "it is a list of texts", key)
        return value

    def texts(self) -> dict[str, str]:
        """Return all values, which are texts."""
        return {key: self.text(key) for key in self.value}

    def inside(self, key: str) -> Fields:
        """Return the fields of the value under a key; nothing, if it is missing."""
        return self.of(self.value.get(key, {}), key)

    def of(self, value: Any, key: str) -> Fields:
        """Return the fields of a part."""
        return Fields(value, self._where, f"{self._key}.{key}" if self._key else key)

    def parts(self, key: str) -> list[Fields]:
        """Return the fields of every member of a list; of a list that is missing, none."""
        value = self.value.get(key, [])
        if not isinstance(value, list):
            raise self.refuse(value, "it is a list", key)
        return [self.of(one, f"{key}.{number}") for number, one in enumerate(value)]

    def traffic(self) -> dict[str, float]:
        """Return bytes and messages a second, in and out."""
        return {key: self.number(key) for key in TRAFFIC}

    def usages(self) -> dict[str, list[float]]:
        """Return the usage and the limit of every resource."""
        found = {}
        for key in RESOURCES:
            inside = self.inside(key)
            found[key] = [inside.number("usage"), inside.number("limit")]
        return found
