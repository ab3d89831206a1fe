"""YARN: how much of a resource each pool is entitled to (``ComputeFairShares``)."""

from typing import NamedTuple

UNLIMITED = 2**31 - 1
STEPS = 25
"""Of the bisection (``COMPUTE_FAIR_SHARES_ITERATIONS``)."""


class Pool(NamedTuple):
    """A schedulable; ``least`` and ``most`` are in units of the resource."""

    weight: float = 1.0
    least: int = 0
    most: int = UNLIMITED


class Cluster(NamedTuple):
    """The resource to be shared, and the queues that share it."""

    total: int
    pools: tuple[Pool, ...]


def share(pool: Pool, ratio: float) -> int:
    return int(min(max(pool.weight * ratio, pool.least), pool.most))


def used(pools: tuple[Pool, ...], ratio: float) -> int:
    return sum(share(pool, ratio) for pool in pools)


def fair_shares(cluster: Cluster) -> tuple[int, ...]:
    """
    Return the share of each pool, at the ratio of shares to weights that a bisection finds to use up the total.

    >>> fair_shares(Cluster(40, (Pool(), Pool(most=50), Pool(most=11), Pool(most=3))))
    (13, 13, 11, 3)
    """
    total = min(cluster.total, sum(pool.most for pool in cluster.pools))
    low, high = 0.0, 1.0
    while used(cluster.pools, high) < total:
        high *= 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        taken = used(cluster.pools, middle)
        low, high = (middle, high) if taken < total else (low, middle)
        if taken == total:
            break
    return tuple(share(pool, high) for pool in cluster.pools)
