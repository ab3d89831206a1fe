"""The model's brokers, units and records in a cluster: ids, bundles, topics."""

import zlib
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, Final

from oneowner.checkers.lab.gates.client import Read
from oneowner.model.channel.record import NOBODY, TOMBSTONE, Record, ServiceUnitState

TENANT: Final = "lab"
WHOLE: Final = (0, 0xFFFFFFFF)


def ranges(bounds: Any) -> list[tuple[int, int]]:
    """
    Return the hash range of each unit: equal parts of the namespace, or a parent and its halves.

    A half of a half follows the halves, as the model numbers them; Pulsar halves at the middle, rounded down.
    """
    if not bounds.splits:
        edges = [at * (2**32 // bounds.units) for at in range(bounds.units)] + [WHOLE[1]]
        return list(pairwise(edges))
    found = [WHOLE]
    for at in range((bounds.units - 1) // 2):
        low, high = found[at]
        found += [(low, (low + high) // 2), ((low + high) // 2, high)]
    return found


def bundle(part: tuple[int, int]) -> str:
    """
    Return the name of a range's bundle in Pulsar.

    >>> bundle((0, 2**32 - 1))
    '0x00000000_0xffffffff'
    """
    return "_".join(f"0x{edge:08x}" for edge in part)


def topic_in(namespace: str, part: tuple[int, int]) -> str:
    """Return a topic of a namespace that lies in a range (``NamespaceBundleFactory``: CRC-32)."""
    names = (f"persistent://{namespace}/t{at}" for at in count())
    return next(name for name in names if part[0] <= zlib.crc32(name.encode()) < part[1])


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the model's brokers and units in the cluster; brokers by their ids, in order."""

    namespace: str
    brokers: tuple[str, ...]
    parts: tuple[tuple[int, int], ...]

    def broker(self, number: int) -> str:
        """Return the id of a broker."""
        return self.brokers[number - 1]

    def unit(self, number: int) -> str:
        """Return the key of a unit in the channel."""
        return f"{self.namespace}/{bundle(self.parts[number - 1])}"

    def topic(self, unit: int) -> str:
        """Return the topic of a unit; that of a parent lies in its first half."""
        is_parent = len(self.parts) > 1 and self.parts[0] == WHOLE and unit == 1
        return topic_in(self.namespace, self.parts[1 if is_parent else unit - 1])

    def number(self, broker: str) -> int:
        """Return the number of a broker; for an unknown broker, a number beyond ours."""
        if not broker:
            return NOBODY
        return self.brokers.index(broker) + 1 if broker in self.brokers else len(self.brokers) + 1

    def record(self, read: Read) -> Record:
        """Return a broker's record as a record of the model."""
        if read.state == "nothing":
            return TOMBSTONE
        named = self.number(read.destination), self.number(read.source)
        return Record(ServiceUnitState(read.state), *named, read.force, read.version)
