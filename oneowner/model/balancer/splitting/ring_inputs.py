"""Inputs of the ring: the first number of bundles of a namespace, the bundle of a hash, the result of a split."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from oneowner.model.balancer.splitting.split_bundles import split_bundles
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose, Thrown
from oneowner.model.pulsar.boundaries import find_bundle, topic_hash
from oneowner.model.pulsar.bundles import RING_END, Range


@dataclass(frozen=True, slots=True)
class RingSizes(Bounds):
    """The size of a namespace."""

    hashes: int = size(6, "how far from 0 its boundaries lie, before the end of the ring", least=1)
    bundles: int = size(4, "how many bundles it has at most", least=1)


@dataclass(frozen=True, slots=True)
class CutSizes(RingSizes):
    """The same, and how it is split."""

    cuts: int = size(2, "how many boundaries a split is given at most", least=1)


@dataclass(frozen=True, slots=True)
class CountSizes(Bounds):
    """The number of bundles that a namespace is to have."""

    bundles: int = size(64, "how many bundles it begins with at most", least=1)


class Lookup(NamedTuple):
    """The boundaries of a namespace, and the hash whose bundle is sought."""

    namespace: tuple[int, ...]
    point: int


class Split(NamedTuple):
    """The boundaries of a namespace, the bundle to be split, and where."""

    namespace: tuple[int, ...]
    parent: Range
    boundaries: tuple[int, ...]


# ---- all inputs ----


def some_namespace(choose: Choose, sizes: RingSizes) -> tuple[int, ...]:
    """Return the boundaries of a namespace: those inside the ring are near 0."""
    inner = choose(0, min(sizes.bundles - 1, sizes.hashes))
    found = [0]
    for left in range(inner - 1, -1, -1):
        found.append(choose(found[-1] + 1, sizes.hashes - left))
    return (*found, RING_END)


def some_hash(choose: Choose, sizes: RingSizes, least: int = 0) -> int:
    """Return a hash from *least* on that is near 0, or one of the last two of the ring."""
    near = max(sizes.hashes + 1 - least, 0)
    ends = [end for end in (RING_END - 1, RING_END) if end >= max(least, sizes.hashes + 1)]
    number = choose(0, near + len(ends) - 1)
    return least + number if number < near else ends[number - near]


def some_count(choose: Choose, sizes: CountSizes) -> int:
    """Return how many bundles a namespace is to have."""
    return choose(1, sizes.bundles)


def some_lookup(choose: Choose, sizes: RingSizes) -> Lookup:
    return Lookup(some_namespace(choose, sizes), some_hash(choose, sizes))


def some_split(choose: Choose, sizes: CutSizes) -> Split:
    """Return a split of a bundle, or of several that are taken for one; its boundaries ascend, and may lie anywhere."""
    namespace = some_namespace(choose, sizes)
    low = choose(0, len(namespace) - 2)
    high = choose(low + 1, len(namespace) - 1)
    cuts: list[int] = []
    for _ in range(choose(1, sizes.cuts)):
        cuts.append(some_hash(choose, sizes, cuts[-1] if cuts else 0))
    return Split(namespace, Range(namespace[low], namespace[high]), tuple(cuts))


# ---- what is decided ----


def find(asked: Lookup) -> int:
    """Return the number of the bundle in which Pulsar looks for the hash; BEHIND if it throws."""
    return find_bundle(asked.namespace, len(asked.namespace) - 1, asked.point)


def cut(asked: Split) -> tuple[int, ...] | Thrown | None:
    """Return the boundaries of the namespace after the split."""
    return split_bundles(asked.namespace, asked.parent, asked.boundaries)


# ---- inputs from facts ----


def read_count(row: Mapping[str, Any]) -> int:
    """Return the input that a fact gives as ``bundles``."""
    return int(row["bundles"])


def read_lookup(row: Mapping[str, Any]) -> Lookup:
    """Return the input that a fact gives as ``namespace`` and ``topic``."""
    return Lookup(tuple(row["namespace"]), topic_hash(row["topic"]))


def read_split(row: Mapping[str, Any]) -> Split:
    """Return the input that a fact gives as ``namespace``, ``bundle`` and ``boundaries``."""
    return Split(tuple(row["namespace"]), Range(*row["bundle"]), tuple(row["boundaries"]))
