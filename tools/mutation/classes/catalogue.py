"""``catalogue`` names the classes that are changed, their methods without mutants, and forty declared mutants."""

from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.documents import Part, read_document

FILE: Final = Path(__file__).with_name("declared.yaml")
CHANNEL: Final = "org/apache/pulsar/broker/loadbalance/extensions/channel"
CLASSES: Final = (
    *(
        f"{CHANNEL}/{name}"
        for name in (
            "ServiceUnitStateChannelImpl", "ServiceUnitStateDataConflictResolver", "ServiceUnitStateData",
            "ServiceUnitState", "ServiceUnitStateTableViewBase", "ServiceUnitStateTableViewImpl",
            "ServiceUnitStateMetadataStoreTableViewImpl", "StateChangeListeners",
        )
    ),
    "org/apache/pulsar/metadata/tableview/impl/MetadataStoreTableViewImpl",
)  # fmt: skip
BOUNDS: Final[dict[str, dict[str, Any]]] = {
    "removal": {"unloads": 0},
    "transfer": {"brokers": 2, "transfers": 1},
    "multi-phase": {"brokers": 2},
    "failure": {"brokers": 2, "assigns": 0, "owner": 2},
    "tombstone": {"assigns": 1},
    "lookup-tombstone": {},
    "split-lookup": {},
    "tombstone-metadata-store": {},
    "split-metadata-store": {},
    "failure-metadata-store": {"unloads": 0},
    "lookup": {"lookups": 1},
    "split-given-up": {"unloads": 0},
    "in-flight": {"crashes": 0},
    "expiry": {"unloads": 0, "assigns": 0},
    "forced-free": {"assigns": 0},
    "split-crash": {"brokers": 2},
}
"""The families that are walked, the smallest first, with bounds that are changed to make a graph smaller."""
WITHOUT: Final = {
    "start": "the harness sets what it would set, as it needs a tenant and a namespace",
    "close": "no step ends a process so",
    "createServiceUnitStateTableView": "part of start",
    "getMetrics": "numbers for operators",
    "printCleanupMetrics": "numbers for operators",
    "getTotalOwnedServiceUnitCnt": "numbers for operators",
    "getHandlerCounter": "numbers for operators",
    "getHandlerTotalCounter": "numbers for operators",
    "getHandlerFailureCounter": "numbers for operators",
    "log": "a log line",
    "debug": "log lines",
    "getLogEventTag": "a log line",
    "toString": "log lines",
    "hashCode": "no record is a key",
    "handleSkippedEvent": "nobody calls it since 4.0",
    "handleSkippedMessage": "its handler is that one",
    "setSkippedMsgHandler": "its handler is that one",
    "checkBrokers": "for Pulsar's own tests",
    "getSchema": "the scripted topic keeps objects",
}
"""Methods without mutants, with the reason."""


class Declared(NamedTuple):
    """A declared mutant: a mistake in words, and the families in which it should show."""

    name: str
    says: str
    families: tuple[str, ...]


def declared(path: Path = FILE) -> list[Declared]:
    """Return the declared mutants; raise Misuse for a malformed one."""
    found: list[Declared] = []
    for part in Part(document := read_document(path), document.data).items():
        keys = part.mapping(["mutant", "says", "families"], [])
        families = tuple(_family(one) for one in keys["families"].items())
        found.append(Declared(keys["mutant"].text(), keys["says"].text(), families))
    return found


def _family(part: Part) -> str:
    part.one_of(BOUNDS, "family")
    return part.text()
