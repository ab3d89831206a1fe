"""
Boundaries say where the bundles of a namespace begin and end, and in which of them a topic lies.

A namespace has boundaries ``P[0] .. P[n]``, counted from 0 as Pulsar counts them: bundle i is ``[P[i], P[i+1])``, and
the last one is closed on the right, for the last boundary is the greatest hash (policies.1.2, NamespaceBundles). A
division is no step that a tracer could follow: what is divided is given beside its quotient, with what makes it that.
"""

import zlib
from typing import Final

from oneowner.model.pulsar.bundles import RING_END, Range

HASHES: Final = RING_END + 1
"""The number of hashes: CRC-32 has 32 bits."""
MOST_BUNDLES: Final = 1 << 20
"""The limit of bundles here: few enough to list. Pulsar's own is the number of hashes (``Policies.MAX_BUNDLES``)."""
BEHIND: Final = -1
"""The hash was sought and there is no bundle of that number: Pulsar throws ``IndexOutOfBoundsException``."""


def topic_hash(topic: str) -> int:
    """
    Return the hash of a topic by its complete name, with its domain and the number of its partition.

    CRC-32 of the name in UTF-8 (policies.1.1, NamespaceBundleFactory.getLongHashCode).

    >>> f"{topic_hash('persistent://public/default/my-topic'):08x}"
    '2bad45f7'
    """
    return zlib.crc32(topic.encode())


def includes(bundle: Range, point: int) -> bool:
    """
    Return whether a hash lies in a bundle: half-open, but the last bundle of a namespace is closed.

    The range of a bundle's keys (policies.1.2, NamespaceBundle.includes, NamespaceBundleFactory.getRange).

    >>> includes(Range(0, 8), 8), includes(Range(8, RING_END), RING_END)
    (False, True)
    """
    return bundle.low <= point and (point < bundle.high or bundle.high == RING_END)


def times(bundle: Range, point: int) -> int:
    """Return how often a hash lies in *bundle*, for adding up: 0 or 1."""
    return 1 if includes(bundle, point) else 0


# ---- the boundaries that a namespace begins with ----


def divides_ring(count: int, segment: int) -> bool:
    """*segment* is 2^32 divided by *count*, rounded down."""
    return count * segment <= HASHES and count * segment + count > HASHES


def boundary(number: int, count: int, segment: int) -> int:
    """
    Return boundary *number* of a namespace that begins with *count* bundles.

    policies.1.4, PoliciesUtil.getBundles: the last bundle gets what is left over.
    """
    return number * segment if number < count else RING_END


def initial_bundle(number: int, count: int, segment: int) -> Range:
    """Return bundle *number*, counted from 0, of a namespace that begins with *count* bundles."""
    return Range(boundary(number, count, segment), boundary(number + 1, count, segment))


def initial_boundaries(count: int) -> tuple[int, ...]:
    """
    Return the boundaries of a namespace that begins with *count* bundles, one or more.

    >>> [f"{boundary:x}" for boundary in initial_boundaries(3)]
    ['0', '55555555', 'aaaaaaaa', 'ffffffff']
    """
    return tuple([boundary(number, count, HASHES // count) for number in range(count + 1)])


# ---- the bundle of a hash ----


def found_at(boundaries: tuple[int, ...], last: int, point: int) -> int:
    """
    Return the index of the greatest boundary that is not above *point*; *last* is that of the last one.

    policies.1.2, NamespaceBundles.getBundle: ``Arrays.binarySearch`` finds the hash itself, or else tells where it
    would have to be, and one before that is taken.

    >>> found_at((0, 8, 16), 2, 7), found_at((0, 8, 16), 2, 8), found_at((0, 8, 16), 2, 16)
    (0, 1, 2)
    """
    low, high = 0, last
    for _ in range(last + 1):  # a binary search is over sooner
        if low <= high:
            middle = (low + high) // 2
            if boundaries[middle] < point:
                low = middle + 1
            elif boundaries[middle] > point:
                high = middle - 1
            else:
                return middle
    return low - 1


def find_bundle(boundaries: tuple[int, ...], last: int, point: int) -> int:
    """
    Return the number of the bundle in which Pulsar looks for a topic of this hash; BEHIND if it throws.

    The last boundary is found as itself, and there is no bundle of its number, although the last bundle includes that
    hash (policies.1.2; ConsistentHashingTopicBundleAssigner, in 2.9.2 NamespaceBundles.findBundle).
    """
    found = found_at(boundaries, last, point)
    return BEHIND if found == last else found


def intended_bundle(boundaries: tuple[int, ...], last: int, point: int) -> int:
    """Return the number of the bundle that includes the hash, as was meant: the last one for the last boundary, too."""
    found = found_at(boundaries, last, point)
    return last - 1 if found == last else found
